package load

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"cascadesim/model"
)

// Locate finds what a path leads to, or the nearest thing above it that was written.
func TestLocate(t *testing.T) {
	d := openText(t, pair3)
	for path, want := range map[string][2]int{
		"tiers.web.slots":                        {6, 16},
		"tiers.web":                              {6, 8},
		"tiers.web.line.limit":                   {6, 8},
		"tiers.web.replicas.a.weight":            {6, 42},
		"edges.web->db.latency":                  {13, 14},
		"edges.web->db.retry.stack.ratio_budget": {14, 67},
		"timeline.outage.fault.slow":             {18, 62},
		"checks.recovers.max":                    {20, 51},
		"clients.users.arrivals.rate":            {9, 21},
		"duration":                               {15, 11},
		"nowhere.at.all":                         {2, 1},
	} {
		if file, line, col := d.Locate(path); file != "a.yaml" || [2]int{line, col} != want {
			t.Errorf("%s: %s:%d:%d, want line and column %v", path, file, line, col, want)
		}
	}
}

// A problem that compile finds by path gets the place in the file, or the override that wrote it.
func TestPlanPlacesProblemsOfLaterSteps(t *testing.T) {
	d := openText(t, strings.Replace(pair3, "{call: db}", "{call: bd}", 1))
	_, problems := d.Plan(Options{})
	if got := problems.Error(); !strings.Contains(got, "a.yaml:6:") ||
		!strings.Contains(got, `did you mean "db"?`) {
		t.Errorf("a call to nowhere: %s", got)
	}
	_, problems = openText(t, pair3).Plan(Options{Sets: []string{"edges.web:db.timeout.overall=1ms"}})
	errs := problems.Errors()
	if len(errs) != 1 || errs[0].File != "a.yaml" && errs[0].Override == "" {
		t.Errorf("try above overall: %+v", errs)
	}
}

// What a file holds cannot move the cursor of a terminal.
func TestMessagesArePrintable(t *testing.T) {
	text := strings.Replace(pair3, "slots: 4", `"\e[31mslots": "\e[2J"`, 1)
	_, problems := openAny(text)
	d, _ := openAny(text)
	problems = append(problems, d.Check()...)
	if len(problems) == 0 || strings.ContainsRune(problems.Error(), '\x1b') {
		t.Errorf("problems: %q", problems.Error())
	}
}

// Documents are shared: many goroutines build the same one and get the same.
func TestBuildIsSafeForManyGoroutines(t *testing.T) {
	d := openText(t, pair3+"variants: {v: {edges.*.retry.stack.token_budget: {ratio: 3%}}}\n")
	want, _, _ := d.Build(Options{Variant: "v"})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, _, problems := d.Build(Options{Variant: "v", Sets: []string{"tiers.db.slots=2"}})
			if len(problems) > 0 {
				t.Error(problems)
			}
			db, _ := got.Tiers.Get("db")
			db.Slots = model.Unlimited
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
	group.Wait()
}

// A scenario's topology is beside it, by name or by folder, or in the catalogue.
func TestWhereTopologiesAreFound(t *testing.T) {
	world := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("name: " + name + "\ntiers: {a: {steps: [{work: 1ms}]}}\n" +
			"clients: {u: {call: a, arrivals: 1/s}}\n")}
	}
	run := &fstest.MapFile{Data: []byte("topology: here\nduration: 1m\n")}
	catalogue := fstest.MapFS{"here/topology.yaml": world("here")}
	for what, fsys := range map[string]fstest.MapFS{
		"by the file's name":    {"run.yaml": run, "here.yaml": world("here")},
		"in the scenario's own": {"run.yaml": run, "topology.yaml": world("here")},
		"in a folder":           {"run.yaml": run, "here/topology.yaml": world("here")},
		"in the catalogue":      {"run.yaml": run, "topology.yaml": world("another")},
	} {
		d, problems := Open(Source{FS: fsys, Name: "run.yaml", Catalogue: catalogue})
		if d == nil || len(problems) > 0 || d.Name() != "here" {
			t.Errorf("%s: %v", what, problems)
		}
	}
	d, problems := Open(Source{FS: fstest.MapFS{"run.yaml": run}, Name: "run.yaml"})
	if d != nil || !strings.Contains(problems.Error(), `there is no topology "here"`) {
		t.Errorf("nowhere: %v", problems)
	}
}

// Files on disk are named as the user named them.
func TestFilesOnDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.yaml", []byte(pair3+"bogus: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, problems := Open(File(dir+"/a.yaml", nil))
	if len(problems) != 1 || problems[0].File != dir+"/a.yaml" || problems[0].Line != 21 {
		t.Errorf("%v", problems)
	}
	_, problems = Open(File(dir+"/b.yaml", nil))
	if got := problems.Error(); got != dir+"/b.yaml: read: no such file or directory" {
		t.Errorf("a missing file: %s", got)
	}
}
