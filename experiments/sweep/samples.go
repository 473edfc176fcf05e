package sweep

// SampledAxis is an axis of which a design drew values: from a range, or of some.
type SampledAxis struct {
	Axis    string     `json:"axis"`
	Unit    string     `json:"unit,omitempty"`    // share, factor, rate, size, number or duration
	Log     bool       `json:"log,omitempty"`     // drawn evenly by their logarithms
	Numbers []*float64 `json:"numbers,omitempty"` // by point, of a range; null: no number
	Values  []string   `json:"values,omitempty"`  // in their order, where there is no range
}

// samples are the axes of a design that is no grid.
func (s *Sweep) samples() (out []SampledAxis) {
	if s.Design == "grid" {
		return nil
	}
	for k, a := range s.Axes {
		one := SampledAxis{Axis: a.Name}
		for _, l := range a.Levels {
			one.Values = append(one.Values, l.Label)
		}
		for i := 0; a.Range != nil && i < len(s.Points); i++ {
			var at *float64 // of a baseline that is none: unlimited is no number
			if l := s.Points[i].Levels[k]; l.Numeric {
				at, one.Unit = number(l.Number), l.Unit
			}
			one.Log, one.Numbers = a.Range.Log, append(one.Numbers, at)
		}
		out = append(out, one)
	}
	return out
}
