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

var world = regexp.MustCompile("(?s)```yaml\n(name: .*?)```")

// TestHaproxyPageHolds runs the world of the page and its variants against their checks.
func TestHaproxyPageHolds(t *testing.T) {
	found := world.FindStringSubmatch(read(t, "haproxy.md"))
	if found == nil {
		t.Fatal("the page shows no world")
	}
	for variant, want := range map[string]int{"": 3, "line": 3, "balanced": 3} {
		t.Run("variant "+variant, func(t *testing.T) { judgeWorld(t, found[1], variant, want) })
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
