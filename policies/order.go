package policies

import "fmt"

// StackEntry is one policy of a stack, as far as its order matters.
type StackEntry struct {
	Name    string // as messages name it: the entry's own name, or its policy's
	Kind    *Kind
	Charges string // "first": its author accepts that it spends before others refuse; else "last"
}

// CheckOrder reports every mistake in the order of a stack: a policy that spends before one that
// may still refuse, so that the refusal would waste what was spent; two pacers, of which one would
// be ignored; a caller's policy among a tier's or the other way round; `charges` where nothing is
// charged. Each message names the entries.
func CheckOrder(entries []StackEntry) []error {
	var errs []error
	var pacer string
	for i, e := range entries {
		if e.Kind.Callee != entries[0].Kind.Callee {
			errs = append(errs, fmt.Errorf("%s: %s and %s cannot stand in one stack: %s",
				e.Name, entries[0].Name, e.Name,
				"one decides for the caller, the other for the callee"))
		}
		if e.Kind.Paces && pacer != "" {
			errs = append(errs, fmt.Errorf("%s: %s already says how long to wait; keep one of them",
				e.Name, pacer))
		}
		if e.Kind.Paces {
			pacer = e.Name
		}
		errs = append(errs, checkCharges(e, entries[i+1:])...)
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
		if l.Kind.Refuses {
			return []error{fmt.Errorf("%s: it spends before %s may refuse, which wastes what was "+
				"spent; put %s after %s, or say charges: first", e.Name, l.Name, e.Name, l.Name)}
		}
	}
	return nil
}
