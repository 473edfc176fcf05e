package model

import (
	"slices"

	"cascadesim/model/internal/kernel"
)

// WithoutRetries is the plan with the retries of one edge switched off from beginning to end,
// whatever the timeline says of them; everything else, and its chance, stays. Copies of hedging go
// too. The index is that of World.Edges.
func (p *Plan) WithoutRetries(edge int) *Plan {
	w := *p.World
	param := w.Edges[edge].Enabled
	w.Params = slices.Clone(w.Params)
	w.Params[param].Base = 0
	w.Changes = slices.DeleteFunc(slices.Clone(w.Changes), func(c kernel.Change) bool {
		return c.Param == param
	})
	out := *p
	out.World = &w
	return &out
}
