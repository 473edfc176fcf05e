package policies

import (
	"strings"
	"testing"
)

func TestOrderOfAStack(t *testing.T) {
	for _, c := range []struct {
		name, stack string // entries; "x!" charges first, "x?" charges something unheard of
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
		{"callee among callers", "max_attempts token_bucket", []string{
			"token_bucket: max_attempts and token_bucket cannot stand in one stack"}},
		{"nothing to charge", "max_attempts!", []string{"max_attempts: charges: "}},
		{"a word for charges", "token_budget?", []string{`charges: "never" is none of`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var entries []StackEntry
			for _, word := range strings.Fields(c.stack) {
				name := strings.TrimRight(word, "!?")
				e := StackEntry{Name: name, Kind: kind(t, name)}
				switch word[len(name):] {
				case "!":
					e.Charges = "first"
				case "?":
					e.Charges = "never"
				}
				entries = append(entries, e)
			}
			got := CheckOrder(entries)
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

func kind(t *testing.T, name string) *Kind {
	t.Helper()
	k, ok := Builtins().Lookup(name)
	if !ok {
		t.Fatalf("no policy %q", name)
	}
	return k
}
