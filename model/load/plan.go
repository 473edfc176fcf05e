package load

import (
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
)

// Plan builds a document, compiles it and checks its checks: all the way from a file to something
// that can be run. Every problem has its place, whichever step found it; mistakes in variants that
// are not asked for are among them. The plan is nil when one of them is an error; otherwise they
// are doubts, which the plan's Warnings hold too.
func (d *Document) Plan(o Options) (*model.Plan, model.Problems) {
	t, s, problems := d.Build(o)
	if len(problems.Errors()) > 0 {
		problems = append(problems, d.Place(further(t, s, d, problems), o)...)
		return nil, inOrder(append(problems, d.others(o.Variant, problems)...))
	}
	plan, found := model.Compile(t, s, d.g.policies)
	if plan == nil {
		found = append(found, check.Validate(model.Outline(t, s), s.Checks)...)
		problems = append(problems, d.Place(found, o)...)
		return nil, inOrder(append(problems, d.others(o.Variant, problems)...))
	}
	found = append(plan.Warnings, check.Validate(plan, s.Checks)...)
	problems = append(problems, d.Place(found, o)...)
	problems = append(problems, d.others(o.Variant, problems)...)
	if len(problems.Errors()) > 0 {
		return nil, problems
	}
	plan.Warnings = problems
	return plan, problems
}

// further is what is wrong beside what could not be read: a name that leads nowhere, an order of
// policies. What stands where nothing could be read is left out, since it follows from that.
func further(
	t *model.Topology, s *model.Scenario, d *Document, known model.Problems,
) (out model.Problems) {
	defer func() {
		// Half of a document can be inconsistent in ways that no whole one is; what could not be
		// read is reported all the same.
		if recover() != nil {
			out = nil
		}
	}()
	if t == nil || s == nil {
		return nil
	}
	_, found := model.Compile(t, s, d.g.policies)
	found = append(found, check.Validate(model.Outline(t, s), s.Checks)...)
	for _, p := range found {
		if !p.Warning && !slices.ContainsFunc(known, func(k model.Problem) bool {
			return k.Path == "" || near(k.Path, p.Path) || hollow(p) && beside(k.Path, p.Path)
		}) {
			out = append(out, p)
		}
	}
	return out
}

// hollow tells whether a problem is about an entry of a list that holds nothing: a policy or a step
// whose word was not known. Its index says less than the word, under which it was reported.
func hollow(p model.Problem) bool {
	return strings.HasPrefix(p.Text, `unknown policy ""`) || strings.HasPrefix(p.Text, "0 verbs")
}

// beside tells whether a path stands in the list that holds the entry.
func beside(path, entry string) bool {
	list := entry[:strings.LastIndex(entry, ".")+1]
	return strings.HasPrefix(path, list)
}

// near tells whether one path stands under the other, or both are fields of one entry of which one
// could not be read.
func near(a, b string) bool {
	return a == b || strings.HasPrefix(b, a+".") || strings.HasPrefix(a, b+".")
}
