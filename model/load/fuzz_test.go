package load

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
)

// A document, whatever its bytes, never panics; and one without mistakes reads the same after it
// was written out in the long form.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"../../topologies/*/*.yaml", "testdata/bad/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if strings.HasSuffix(file, "bomb.yaml") {
				continue // slow for a seed
			}
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, "tiers.*.slots=2x")
		}
	}
	f.Add([]byte(pair3), "edges.web:db.retry.stack.token_budget={ratio: 20%}")
	preset := strings.Replace(pair3, "{stack: [", "{preset: aws-sdk-adaptive, pool: p, also: [", 1)
	for _, set := range []string{"throttling=rejected", "preset=envoy", "stack=null",
		"max_attempts=null", "also=[{none: {}}]", "stack.aws_adaptive=null", "scope=tier"} {
		f.Add([]byte(preset), "edges.web:db.retry."+set)
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		fsys := fstest.MapFS{"a.yaml": {Data: data}}
		for _, o := range []Options{{}, {Sets: []string{set}}, {Until: set}} {
			d, _ := Open(Source{FS: fsys, Name: "a.yaml", Catalogue: os.DirFS("../../topologies")})
			if d == nil {
				return
			}
			top, s, problems := d.Build(o)
			if o.Until != "" || len(problems.Errors()) > 0 {
				continue
			}
			again(t, d, o, top, s)
		}
	})
}

// again writes a document in the long form, reads it, and compares.
func again(t *testing.T, d *Document, o Options, top *model.Topology, s *model.Scenario) {
	t.Helper()
	text, problems := d.Resolved(o)
	if len(problems.Errors()) > 0 {
		t.Fatalf("resolved: %v", problems)
	}
	fsys := fstest.MapFS{"long.yaml": {Data: text}}
	long, problems := Open(Source{FS: fsys, Name: "long.yaml"})
	if len(problems) > 0 {
		t.Fatalf("the long form has problems: %v\n%s", problems, text)
	}
	top2, s2, problems := long.Build(Options{})
	if len(problems.Errors()) > 0 {
		t.Fatalf("the long form has problems: %v\n%s", problems, text)
	}
	// Defaults stand in the entries, and one file has one doc.
	top.Defaults, top.Doc = top2.Defaults, top2.Doc
	s.Topology, s.Doc = s2.Topology, s2.Doc
	if !reflect.DeepEqual(top, top2) || !reflect.DeepEqual(s, s2) {
		t.Fatalf("the long form means something else:\n%+v\n%+v\n%+v\n%+v\n%s",
			top, top2, s, s2, text)
	}
	text2, _ := long.Resolved(Options{})
	if string(text) != string(text2) {
		t.Fatalf("the long form of the long form differs:\n%s\n%s", text, text2)
	}
}

// Every document of the catalogue, with each variant, reads the same in the long form.
func TestTheLongFormMeansTheSame(t *testing.T) {
	files, _ := filepath.Glob("../../topologies/*/*.yaml")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		d, problems := Open(File(file, os.DirFS("../../topologies")))
		if d == nil {
			t.Fatal(problems)
		}
		if !d.Runs() {
			continue
		}
		for _, v := range append([]VariantInfo{{}}, d.Variants()...) {
			o := Options{Variant: v.Name}
			top, s, problems := d.Build(o)
			if len(problems) > 0 {
				t.Fatalf("%s %s: %v", file, v.Name, problems)
			}
			again(t, d, o, top, s)
		}
	}
}

// Any override of any value either is refused or means the same in the long form.
func TestOverridesSurviveTheLongForm(t *testing.T) {
	paths := []string{
		"tiers.web", "tiers.db.steps", "tiers.db.steps.work", "tiers.*.slots", "tiers.web.replicas",
		"tiers.web.replicas.b", "tiers.db.line", "tiers.db.in_flight", "tiers.new", "tiers.db.site",
		"routes.r", "clients.users.arrivals", "clients.users", "load.users", "edges", "edges.web:db",
		"edges.web->db.retry", "edges.*.retry.stack", "edges.*.retry.stack.ratio_budget",
		"edges.web->db.retry.stack.none", "edges.web->db.latency", "edges.users->web",
		"edges.*.timeout",
		"edges.*.balance", "defaults.edge", "defaults", "timeline.outage", "timeline.new",
		"timeline",
		"timeline.outage.at", "timeline.outage.fault", "checks.recovers", "checks",
		"checks.recovers.take",
		"profiles.p", "scale", "duration", "until", "name", "doc", "recovery.hold", "seed",
	}
	values := []string{
		"null", "3", "0", "2x", "none", "unlimited", "5ms", "exp 3ms", "20%", "7/s", "db", "web", "[]",
		"{}", "[a, b]", "{a: {}, b: {}}", "{web: 1, db: 2}", "{try: 2s}", "{limit: 3}", "[[{work: 1ms}]]",
		"{at: 3m, set: {tiers.db.slots: 3}}", "{0m: 80%, 3m: 1}", "'null'", "\"a: b\"",
		"{call: web, arrivals: 1/s}",
		"{steps: [{work: 1ms}]}", "{from: users, to: web, loss: 1%}", "{latency: 2ms}", "[{fail: 10%}]",
		"{mix: [{share: 1, of: 1ms}]}", "{name: x, measure: m, min: 3}", "{first_above: 3%}",
		"{tier: db, slow: 2x}",
		"{ratio: 20%}", "{policy: local}", "{x-free: 3}",
	}
	d, built := openText(t, pair3), 0
	for _, path := range paths {
		for _, value := range values {
			o := Options{Overrides: []Override{{Paths: []string{path}, Value: value, By: path}}}
			top, s, problems := d.Build(o)
			if len(problems.Errors()) > 0 {
				continue
			}
			built++
			t.Run(path+"="+value, func(t *testing.T) { again(t, d, o, top, s) })
		}
	}
	if built < 150 {
		t.Errorf("only %d of the overrides were taken", built)
	}
}
