package load

import (
	"cascadesim/model"
	"cascadesim/model/check"
)

// Plan builds a document, compiles it and checks its checks: all the way from a file to something
// that can be run. Every problem has its place, whichever step found it. The plan is nil when one
// of them is an error; otherwise they are doubts, which the plan's Warnings hold too.
func (d *Document) Plan(o Options) (*model.Plan, model.Problems) {
	t, s, problems := d.Build(o)
	if len(problems.Errors()) > 0 {
		return nil, problems
	}
	plan, found := model.Compile(t, s, d.g.policies)
	if plan == nil {
		return nil, append(problems, d.Place(found, o)...)
	}
	found = append(plan.Warnings, check.Validate(plan, s.Checks)...)
	problems = append(problems, d.Place(found, o)...)
	if len(problems.Errors()) > 0 {
		return nil, problems
	}
	plan.Warnings = problems
	return plan, problems
}
