package docs

import (
	"context"
	"regexp"
	"testing"
	"testing/fstest"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
)

var world = regexp.MustCompile("(?s)```yaml\n(name: (\\S+)\n.*?)```")

// TestHaproxyPageHolds runs the worlds of the page and their variants against their checks.
func TestHaproxyPageHolds(t *testing.T) {
	wants := map[string]map[string]int{ // checks, by world and variant
		"haproxy-queue":           {"": 3, "line": 3, "balanced": 3},
		"haproxy-fullconn":        {"": 1, "of-1000": 1, "of-5000": 1, "of-9999": 1, "of-10000": 1},
		"haproxy-slowstart":       {"": 7},
		"haproxy-turn-around":     {"": 6, "queue-2s": 2, "back-at-2500ms": 3, "two-servers": 1},
		"haproxy-slowstart-queue": {"": 4, "again": 2},
	}
	for _, found := range world.FindAllStringSubmatch(read(t, "haproxy.md"), -1) {
		name := found[2]
		for variant, want := range wants[name] {
			t.Run(name+" "+variant, func(t *testing.T) { judgeWorld(t, found[1], variant, want) })
		}
		if wants[name] == nil {
			t.Errorf("nobody has said what %s must show", name)
		}
		delete(wants, name)
	}
	for name := range wants {
		t.Errorf("the page shows no %s", name)
	}
}

func judgeWorld(t *testing.T, text, variant string, want int) {
	source := load.Source{
		FS: fstest.MapFS{"topology.yaml": {Data: []byte(text)}}, Name: "topology.yaml",
	}
	document, problems := load.Open(source)
	if errs := problems.Errors(); len(errs) > 0 {
		t.Fatal(errs)
	}
	plan, problems := document.Plan(load.Options{Variant: variant})
	if plan == nil {
		t.Fatal(problems)
	}
	batch, err := experiments.Run(context.Background(), plan, experiments.Options{
		Seeds: experiments.Seeds(1, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := check.Judge(plan, []*model.Result{batch.Runs[0].Result})
	if len(verdicts) != want {
		t.Errorf("%d checks, want %d", len(verdicts), want)
	}
	for _, v := range verdicts {
		if !v.OK {
			t.Errorf("%s: %s is %s", v.Name, v.Measure, v.Text)
		}
	}
}
