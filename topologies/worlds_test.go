package topologies_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/policies/presets"
	"cascadesim/topologies"
)

// thorough asks for ten seeds, all variants of the replay (with ten seeds where they are small,
// with one at the scale of the file) and all scales; otherwise each world has two seeds and each
// variant one, and the replay is looked at in its small form, in the variants that decide most. It
// is a function since go test must see it read: a result of one size is no result of the other.
func thorough() bool { return os.Getenv("CASCADESIM_SIZE") == "all" }

// seedsAtLeast is how many seeds a world is looked at with, or as many as its replications.
func (w world) seedsAtLeast() int {
	switch {
	case thorough():
		return 10
	case w.variant == "":
		return 2
	}
	return 1
}

// replay is the world that takes long.
const replay = "github-2026-08-17/incident"

// world is one way to run a shipped world.
type world struct {
	name, variant string
	scale         float64 // 0: the file's
	seeds         []uint64
}

func (w world) String() string {
	s := w.name
	if w.variant != "" {
		s += "/" + w.variant
	}
	if w.scale > 0 {
		s += fmt.Sprintf("/1:%.0f", 1/w.scale)
	}
	return s
}

// plan is the compiled world; its seeds follow on that of the file unless others are asked for.
func (w *world) plan(t *testing.T) *model.Plan {
	t.Helper()
	src, err := topologies.Open(w.name)
	if err != nil {
		t.Fatal(err)
	}
	doc, problems := load.Open(src)
	if len(problems.Errors()) > 0 {
		t.Fatal(problems)
	}
	o := load.Options{Variant: w.variant}
	if w.scale > 0 {
		o.Scale = &w.scale
	}
	plan, problems := doc.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	if w.seeds == nil {
		for i := range max(w.seedsAtLeast(), plan.Scenario.Replications) {
			w.seeds = append(w.seeds, plan.Scenario.Seed+uint64(i))
		}
	}
	return plan
}

// smallReplay are the results of the replay in its small form, from seed 1 on: two tests look at
// them.
var smallReplay []*model.Result

func (w *world) run(t *testing.T, plan *model.Plan) []*model.Result {
	t.Helper()
	small := w.name == replay && w.variant == "" && w.scale == 1./400 && w.seeds[0] == 1
	if small && len(smallReplay) >= len(w.seeds) {
		return smallReplay[:len(w.seeds)]
	}
	plan.World.Series = check.Needs(plan)
	var out []*model.Result
	for _, seed := range w.seeds {
		res, err := plan.Run(context.Background(), seed, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, res)
	}
	if small {
		smallReplay = out
	}
	return out
}

// worlds lists every shipped scenario and variant, the replay's by the size asked for.
func worlds(t *testing.T) []world {
	t.Helper()
	var out []world
	for _, topology := range topologies.Names() {
		for _, s := range topologies.Scenarios(topology) {
			if s.Name != replay {
				out = append(out, variants(t, s.Name)...)
			}
		}
	}
	if !thorough() {
		for _, v := range []string{"", "cf1", "cf3", "cf9", "cf11"} {
			out = append(out, world{name: replay, variant: v, scale: 1. / 400})
		}
		return out
	}
	for _, w := range variants(t, replay) {
		if w.variant != "" {
			w.seeds = []uint64{1}
			out = append(out, world{name: replay, variant: w.variant, scale: smallest(w.variant)})
		}
		out = append(out, w)
	}
	return append(out, world{name: replay, scale: 1. / 400, seeds: []uint64{1, 2, 3}})
}

// smallest is the scale down to which what a variant of the replay says is no matter of chance:
// budgets, pools and an autoscaler that decide by a few percent want more than nine slots in a
// cell.
func smallest(variant string) float64 {
	switch variant {
	case "cf10", "cf10-with-fault":
		return 1. / 100
	case "cf1", "cf2", "cf2b", "worker-pool", "actions":
		return 1. / 200
	}
	return 1. / 400
}

// variants is a scenario and its variants, those that are judged.
func variants(t *testing.T, name string) []world {
	t.Helper()
	src, err := topologies.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, problems := load.Open(src)
	if len(problems.Errors()) > 0 {
		t.Fatal(problems)
	}
	if !doc.Runs() {
		return nil
	}
	out := []world{{name: name}}
	for _, v := range doc.Variants() {
		out = append(out, world{name: name, variant: v.Name})
	}
	return out
}

// Claims: what each shipped world says of itself holds.
func TestShippedWorldsHoldTheirChecks(t *testing.T) {
	judged := 0
	for _, w := range worlds(t) {
		plan := w.plan(t)
		judged += len(plan.Scenario.Checks)
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			for _, v := range check.Judge(plan, w.run(t, plan)) {
				if !v.OK {
					t.Errorf("%s: %s is %s, wanted %s (seeds %v)",
						v.Name, v.Measure, v.Text, v.Want, w.seeds)
				}
			}
		})
	}
	if judged < 50 {
		t.Errorf("only %d checks were judged", judged)
	}
}

// Every folder beside this file is a world of the catalogue, and is judged by checks of its own
// with as many seeds as the others.
func TestEveryFolderIsAWorldThatIsJudged(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]int{}
	for _, w := range worlds(t) {
		plan, name := w.plan(t), strings.Split(w.name, "/")[0]
		checks[name] += len(plan.Scenario.Checks)
		if len(w.seeds) < w.seedsAtLeast() && name != "github-2026-08-17" {
			t.Errorf("%v is looked at with %d seeds, want %d", w, len(w.seeds), w.seedsAtLeast())
		}
	}
	for _, e := range entries {
		if e.IsDir() && checks[e.Name()] == 0 {
			t.Errorf("%s is not in the catalogue, or has no check", e.Name())
		}
	}
}

// The figures of the replay that are shares and rates do not depend on its scale: means over their
// windows agree within 3 %.
func TestReplayAgreesBetweenScales(t *testing.T) {
	scales := []float64{1. / 400, 1. / 200}
	if thorough() {
		scales[1] = 1. / 100
	}
	var values [2]map[string]float64
	for i, scale := range scales {
		w := world{name: replay, scale: scale, seeds: []uint64{1}}
		plan := w.plan(t)
		values[i] = means(plan, w.run(t, plan))
	}
	for _, name := range []string{"T2", "T3", "T8", "T9", "T12"} {
		a, b := values[0][name], values[1][name]
		if !(math.Abs(a-b) <= 0.03*b) {
			t.Errorf("%s: %v at 1/400, %v at 1/%.0f; wanted within 3 %%", name, a, b, 1/scales[1])
		}
	}
}

// means judges the checks with the mean over their windows in the place of the worst bin.
func means(plan *model.Plan, results []*model.Result) map[string]float64 {
	p, s := *plan, *plan.Scenario
	s.Checks = append([]model.Check(nil), s.Checks...)
	for i := range s.Checks {
		if s.Checks[i].Take.Kind == "each" {
			s.Checks[i].Take, s.Checks[i].Bin = model.Take{Kind: "mean"}, 0
		}
	}
	p.Scenario = &s
	out := map[string]float64{}
	for _, v := range check.Judge(&p, results) {
		if v.Value != nil {
			out[v.Name] = *v.Value
		}
	}
	return out
}

// The drill has a variant for each preset, called like it.
func TestDrillHasEachPreset(t *testing.T) {
	src, err := topologies.Open("drill-degraded-dependency")
	if err != nil {
		t.Fatal(err)
	}
	doc, problems := load.Open(src)
	if doc == nil {
		t.Fatal(problems)
	}
	has := map[string]bool{}
	for _, v := range doc.Variants() {
		has[v.Name] = true
	}
	for _, f := range presets.Files() {
		name := f.Name
		if f.Version != "" {
			name += "-" + strings.ReplaceAll(f.Version, ".", "-")
		}
		if !has[name] {
			t.Errorf("no variant %s", name)
		}
	}
}
