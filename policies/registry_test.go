package policies

import (
	"testing"
	"unsafe"

	"cascadesim/sim"
)

func TestRegistryIsSortedAndFindsItsKinds(t *testing.T) {
	kinds := Builtins().Kinds()
	for i, k := range kinds {
		if i > 0 && kinds[i-1].Name >= k.Name {
			t.Errorf("%s stands before %s", kinds[i-1].Name, k.Name)
		}
		if got, ok := Builtins().Lookup(k.Name); !ok || got != k {
			t.Errorf("%s is not found", k.Name)
		}
	}
	if _, ok := Builtins().Lookup("nope"); ok {
		t.Error("found a policy that does not exist")
	}
}

// coin refuses what it does not like, in a program outside this package.
type coin struct {
	Odds float64 `yaml:"odds" doc:"Share of attempts let through; 0 to 1."`
}

func (c coin) Admit(_ sim.Time, a *Attempt) bool { return a.Chance.Float64() < c.Odds }

func newCoin(name string) *Kind {
	return NewKind(Spec{Name: name, Doc: "Tosses a coin.", Gates: true, Refuses: true},
		coin{Odds: 0.5}, func(coin) []error { return nil },
		func(s coin) func() Policy { return func() Policy { return Policy{Gate: s} } })
}

func TestWithAddsToACopy(t *testing.T) {
	before := Builtins()
	after := before.With(newCoin("coin"))
	if _, ok := before.Lookup("coin"); ok {
		t.Error("With changed the registry it was called on")
	}
	k, ok := after.Lookup("coin")
	if !ok || len(after.Kinds()) != len(before.Kinds())+1 {
		t.Fatal("the new kind is not there")
	}
	if !k.New(coin{Odds: 1}).Gate.Admit(0, &Attempt{N: 1}) {
		t.Error("settings given by value were not used")
	}
}

func TestTakenNamesPanic(t *testing.T) {
	for name, register := range map[string]func(){
		"With":    func() { Builtins().With(newCoin("token_budget")) },
		"builtin": func() { builtin(Spec{Name: "none"}, None{}, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a second policy of one name was taken")
				}
			}()
			register()
		})
	}
}

func TestForeignSettingsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("token_budget took the settings of ratio_budget")
		}
	}()
	kind(t, "token_budget").New(&RatioBudget{})
}

func TestRoundedReportsCountsAlone(t *testing.T) {
	k := kind(t, "token_bucket")
	got := k.Rounded(&TokenBucket{Rate: 1000, Burst: 50}, 200)
	want := Rounding{Field: "burst", Want: 0.25, Got: 1}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := k.Rounded(&TokenBucket{Rate: 1000, Burst: 50}, 5); len(got) != 0 {
		t.Errorf("50 divides by 5, but got %+v", got)
	}
	few := Rounding{Field: "burst", Want: 5, Got: 5}
	if got := k.Rounded(&TokenBucket{Rate: 1000, Burst: 50}, 10); len(got) != 1 || got[0] != few {
		t.Errorf("5 of 50 are few, but got %+v", got)
	}
	if got := k.Rounded(&TokenBucket{Rate: 1000, Burst: 5}, 1); len(got) != 0 {
		t.Errorf("5 of 5 are all, but got %+v", got)
	}
}

// TestStatesAreSmall holds what a state for each of millions of clients costs.
func TestStatesAreSmall(t *testing.T) {
	for name, c := range map[string]struct{ got, most uintptr }{
		"token_budget": {unsafe.Sizeof(tokenBudget{}), 16},
		"token_bucket": {unsafe.Sizeof(tokenBucket{}), 32},
		"ratio_budget": {unsafe.Sizeof(ratioBudget{}), 56},
		"orbit":        {unsafe.Sizeof(orbit{}), 16},
	} {
		if c.got > c.most {
			t.Errorf("%s: a state of %d bytes, want at most %d", name, c.got, c.most)
		}
	}
}

// picky keeps a list of its settings.
type picky struct {
	Codes []int `yaml:"codes" doc:"Statuses that are let through."`
}

func (p picky) Admit(_ sim.Time, a *Attempt) bool { return a.N == p.Codes[0] }

func TestListsOfSettingsAreCopied(t *testing.T) {
	k := NewKind(Spec{Name: "picky", Doc: "Has a list.", Gates: true}, picky{Codes: []int{1}},
		func(picky) []error { return nil },
		func(s picky) func() Policy { return func() Policy { return Policy{Gate: s} } })
	given := k.Settings().(*picky)
	fresh, scaled := k.Maker(given), k.Scaled(given, 10).(*picky)
	given.Codes[0] = 7
	if got := k.Settings().(*picky).Codes[0]; got != 1 {
		t.Errorf("writing into the settings changed the default to %d", got)
	}
	if !fresh().Gate.Admit(0, &Attempt{N: 1}) {
		t.Error("writing into the settings changed a state made from them")
	}
	if got := scaled.Codes[0]; got != 1 {
		t.Errorf("writing into the settings changed their scaled copy to %d", got)
	}
	if got := (Field{Value: []int{1, 22}}).Default(); got != "[1, 22]" {
		t.Errorf("the list is written %s", got)
	}
}
