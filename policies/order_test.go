package policies

import (
	"strings"
	"testing"

	"cascadesim/sim"
)

func TestOrderOfAStack(t *testing.T) {
	for _, c := range []struct {
		name, stack string // entries; "x!" charges first, "x?" something unheard of, "x~" waits
		want        []string
	}{
		{"empty", "", nil},
		{"spends last", "max_attempts exponential token_budget", nil},
		{"the pacer refuses nothing", "max_attempts token_budget exponential", nil},
		{"spends too early", "token_budget max_attempts", []string{
			"token_budget: it spends before max_attempts may refuse"}},
		{"spends too early, admitted", "token_budget! max_attempts", nil},
		{"two budgets", "ratio_budget token_budget", []string{
			"ratio_budget: it spends before token_budget may refuse"}},
		{"two budgets, admitted", "ratio_budget! token_budget", nil},
		{"two pacers", "constant orbit", []string{
			"orbit: constant already says how long to wait"}},
		{"all at once", "constant token_budget orbit none", []string{
			"token_budget: it spends before none may refuse",
			"orbit: constant already"}},
		{"a budget before a breaker", "token_budget polly_breaker", nil},
		{"a budget behind a breaker", "gobreaker max_attempts token_budget", nil},
		{"a limit at the send before a refusal at the decision", "rate_limit max_attempts", nil},
		{"a limit at the send before a breaker", "rate_limit gobreaker", []string{
			"rate_limit: it spends before gobreaker may refuse, which wastes what was spent; put " +
				"rate_limit after gobreaker, or say charges: first"}},
		{"a limit that makes wait before a breaker", "rate_limit~ gobreaker", []string{
			"rate_limit: it spends before gobreaker may refuse"}},
		{"callee among callers", "max_attempts token_bucket", []string{
			"token_bucket: max_attempts and token_bucket cannot stand in one stack"}},
		{"nothing to charge", "max_attempts!", []string{"max_attempts: charges: "}},
		{"a word for charges", "token_budget?", []string{`charges: "never" is none of`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckOrder(stackOf(t, c.stack))
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i].Error(), want) {
					t.Errorf("got %q, want it to say %q", got[i], want)
				}
			}
		})
	}
}

// stackOf reads a stack such as "max_attempts token_budget!".
func stackOf(t *testing.T, stack string) []StackEntry {
	t.Helper()
	var entries []StackEntry
	for _, word := range strings.Fields(stack) {
		name := strings.TrimRight(word, "!?~")
		e := StackEntry{Name: name, Kind: kind(t, name)}
		if name == "rate_limit" {
			e.Settings = RateLimit{Rate: 1, Burst: 1, Excess: "refuse"}
		}
		switch word[len(name):] {
		case "!":
			e.Charges = "first"
		case "?":
			e.Charges = "never"
		case "~":
			e.Settings = RateLimit{Rate: 1, Burst: 1, Excess: "wait"}
		}
		entries = append(entries, e)
	}
	return entries
}

// answers plays every role of which a stack has one at most.
type answers struct{}

func (answers) Retryable(sim.Time, *Attempt, Outcome) bool { return true }

func (answers) Wait(sim.Time, *Attempt, Outcome) sim.Time { return 0 }

func (answers) Place(sim.Time, *Attempt) Where { return Anywhere }

func (answers) Sent(sim.Time, *Attempt) Hedge { return Hedge{} }

func (answers) Failed(sim.Time, *Attempt, Outcome) Hedge { return Hedge{} }

func (answers) Hosts(sim.Time, int) {}

func (answers) Picked(sim.Time, int) {}

func (answers) Report(sim.Time, int, Outcome) {}

func (answers) Out(sim.Time, int) bool { return false }

// roles says which of them a policy plays.
type roles struct {
	Judges, Paces, Places, Hedges, Ejects bool
}

var rolesKind = NewKind(Spec{Name: "roles"}, roles{}, func(roles) []error { return nil },
	func(s roles) func() Policy {
		return func() (p Policy) {
			if s.Judges {
				p.Condition = answers{}
			}
			if s.Paces {
				p.Pacer = answers{}
			}
			if s.Places {
				p.Placer = answers{}
			}
			if s.Hedges {
				p.Hedger = answers{}
			}
			if s.Ejects {
				p.Ejector = answers{}
			}
			return p
		}
	})

func TestAStackHasOneAnswerToEachQuestion(t *testing.T) {
	all := roles{Judges: true, Paces: true, Places: true, Ejects: true}
	for what, c := range map[string]struct {
		first, second roles
		want          []string
	}{
		"nothing in common": {roles{Judges: true, Places: true}, roles{Paces: true, Ejects: true}, nil},
		"conditions":        {all, roles{Judges: true}, []string{"decides what is tried again"}},
		"pacers":            {all, roles{Paces: true}, []string{"says how long to wait"}},
		"placers":           {all, roles{Places: true}, []string{"says where a retry goes"}},
		"hedgers": {roles{Hedges: true, Places: true}, roles{Hedges: true},
			[]string{"sends further copies"}},
		"ejectors": {all, roles{Ejects: true}, []string{"takes callees out of the choice"}},
		"several": {roles{Judges: true, Paces: true}, all, []string{
			"decides what is tried again", "says how long to wait"}},
	} {
		got := CheckOrder([]StackEntry{
			{Name: "a", Kind: rolesKind, Settings: c.first}, {Name: "b", Kind: rolesKind,
				Settings: c.second}})
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", what, got, c.want)
			continue
		}
		for i, does := range c.want {
			if want := "b: a already " + does + "; keep one of them"; got[i].Error() != want {
				t.Errorf("%s: got %q, want %q", what, got[i], want)
			}
		}
	}
}

func TestNothingIsTriedAgainBesideAHedger(t *testing.T) {
	for what, other := range map[string]roles{"condition": {Judges: true}, "pacer": {Paces: true}} {
		got := CheckOrder([]StackEntry{
			{Name: "a", Kind: rolesKind, Settings: other},
			{Name: "b", Kind: rolesKind, Settings: roles{Hedges: true}},
		})
		want := "a: b sends copies, and nothing is tried again; keep one of them"
		if len(got) != 1 || got[0].Error() != want {
			t.Errorf("%s: got %v, want %s", what, got, want)
		}
	}
}

func kind(t *testing.T, name string) *Kind {
	t.Helper()
	k, ok := Builtins().Lookup(name)
	if !ok {
		t.Fatalf("no policy %q", name)
	}
	return k
}
