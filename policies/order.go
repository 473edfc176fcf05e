package policies

import (
	"fmt"
	"slices"
)

// StackEntry is one policy of a stack, as far as its order matters.
type StackEntry struct {
	Name     string // as messages name it: the entry's own name, or its policy's
	Kind     *Kind
	Settings any    // that passed the kind's check; nil: its defaults
	Charges  string // "first": its author accepts that it spends before others refuse; else "last"
}

// soleRoles are the roles of which a stack has one at most: of two answers one would be ignored.
var soleRoles = []struct {
	plays func(Policy) bool
	does  string
}{
	{func(p Policy) bool { return p.Condition != nil }, "decides what is tried again"},
	{func(p Policy) bool { return p.Pacer != nil }, "says how long to wait"},
	{func(p Policy) bool { return p.Placer != nil }, "says where a retry goes"},
	{func(p Policy) bool { return p.Queuer != nil }, "lets tries wait for others"},
	{func(p Policy) bool { return p.Hedger != nil }, "sends further copies"},
	{func(p Policy) bool { return p.Ejector != nil }, "takes callees out of the choice"},
	{func(p Policy) bool { return p.Sizer != nil }, "says how many slots there are"},
}

// CheckOrder reports every mistake in the order of a stack: a policy that spends before one that
// may still refuse, so that the refusal would waste what was spent; two policies in a role that has
// one answer, such as two pacers; a caller's policy among a tier's or the other way round;
// `charges` where nothing is charged. Each message names the entries.
//
// Policies that are asked at the send come after all others wherever they stand, so that only the
// order among them can waste anything. What a budget has granted when a retry was decided, and a
// breaker that has opened meanwhile refuses, is spent in vain, as it is in the products.
func CheckOrder(entries []StackEntry) []error {
	errs := checkHedging(entries)
	taken := make([]string, len(soleRoles)) // by whom
	for i, e := range entries {
		if e.Kind.Callee != entries[0].Kind.Callee {
			errs = append(errs, fmt.Errorf("%s: %s and %s cannot stand in one stack: %s",
				e.Name, entries[0].Name, e.Name,
				"one decides for the caller, the other for the callee"))
		}
		errs = append(errs, checkSole(e, taken)...)
		errs = append(errs, checkCharges(e, entries[i+1:])...)
	}
	return errs
}

// checkHedging reports what decides about retries beside a hedger: its calls have copies instead.
func checkHedging(entries []StackEntry) []error {
	hedges := slices.IndexFunc(entries, func(e StackEntry) bool {
		return e.Kind.New(e.Settings).Hedger != nil
	})
	if hedges < 0 {
		return nil
	}
	var errs []error
	for i, e := range entries {
		p := e.Kind.New(e.Settings)
		if i != hedges && p.Hedger == nil && (p.Condition != nil || p.Pacer != nil) {
			errs = append(errs, fmt.Errorf("%s: %s sends copies, and nothing is tried again; keep one "+
				"of them", e.Name, entries[hedges].Name))
		}
	}
	return errs
}

// checkSole reports the roles of an entry that another has taken, and notes those it takes.
func checkSole(e StackEntry, taken []string) []error {
	var errs []error
	p := e.Kind.New(e.Settings)
	for i, role := range soleRoles {
		switch {
		case !role.plays(p):
		case taken[i] != "":
			errs = append(errs, fmt.Errorf("%s: %s already %s; keep one of them",
				e.Name, taken[i], role.does))
		default:
			taken[i] = e.Name
		}
	}
	return errs
}

func checkCharges(e StackEntry, later []StackEntry) []error {
	switch e.Charges {
	case "", "last":
	case "first":
		if !e.Kind.Spends {
			return []error{fmt.Errorf("%s: charges: %s spends nothing", e.Name, e.Name)}
		}
		return nil
	default:
		return []error{fmt.Errorf("%s: charges: %q is none of first, last", e.Name, e.Charges)}
	}
	if !e.Kind.Spends {
		return nil
	}
	for _, l := range later {
		if l.Kind.Refuses && l.Kind.AtSend == e.Kind.AtSend {
			return []error{fmt.Errorf("%s: it spends before %s may refuse, which wastes what was "+
				"spent; put %s after %s, or say charges: first", e.Name, l.Name, e.Name, l.Name)}
		}
	}
	return nil
}
