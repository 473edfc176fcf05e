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

// worlds says how many checks a page's worlds have, by page, world and variant.
var worlds = map[string]map[string]map[string]int{
	"haproxy.md": {
		"haproxy-queue":           {"": 3, "line": 3, "balanced": 3},
		"haproxy-fullconn":        {"": 1, "of-1000": 1, "of-5000": 1, "of-9999": 1, "of-10000": 1},
		"haproxy-slowstart":       {"": 7},
		"haproxy-turn-around":     {"": 6, "queue-2s": 2, "back-at-2500ms": 3, "two-servers": 1},
		"haproxy-slowstart-queue": {"": 4, "again": 2},
	},
	"connections.md": {
		"handshakes": {"": 3, "free": 1, "multiplexed": 2, "short-line": 1},
	},
	"queues.md": {
		"receipts": {"": 6, "patient": 4, "awaited": 2},
	},
}

// TestWorldsOfPagesHold runs the worlds of pages and their variants against their checks.
func TestWorldsOfPagesHold(t *testing.T) {
	for page, wants := range worlds {
		shown := 0
		for _, found := range world.FindAllStringSubmatch(read(t, page), -1) {
			name := found[2]
			if wants[name] == nil {
				t.Errorf("nobody has said what %s must show", name)
				continue
			}
			shown++
			for variant, want := range wants[name] {
				t.Run(name+" "+variant, func(t *testing.T) { judgeWorld(t, found[1], variant, want) })
			}
		}
		if shown != len(wants) {
			t.Errorf("%s shows %d worlds, want %d", page, shown, len(wants))
		}
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
