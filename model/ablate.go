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
	others := func(all []kernel.Change) []kernel.Change {
		return slices.DeleteFunc(slices.Clone(all), func(c kernel.Change) bool {
			return c.Param == param
		})
	}
	w.Changes = others(w.Changes)
	w.Controls = slices.Clone(w.Controls)
	for i := range w.Controls {
		stages := slices.Clone(w.Controls[i].Stages)
		for k := range stages {
			stages[k].Layers = others(stages[k].Layers)
		}
		w.Controls[i].Stages = stages
	}
	out := *p
	out.World = &w
	return &out
}
