package check

import (
	"fmt"
	"testing"

	"cascadesim/model"
)

// The limits of a check are the values at which Meets changes its mind.
func TestLimitsAreWhereAChecksAnswerChanges(t *testing.T) {
	at := func(x float64) *model.Bound { return &model.Bound{Value: x} }
	for want, c := range map[string]model.Check{
		"- 4": {Max: at(4)}, "2 -": {Min: at(2)}, "2 4": {Min: at(2), Max: at(4)},
		"7 9":   {Expect: at(8), Within: at(1)},
		"6 10":  {Expect: at(8), Within: at(0.25), WithinRelative: true},
		"8 8":   {Expect: at(8)},
		"7.5 9": {Expect: at(8), Within: at(1), Min: at(7.5), Max: at(20)},
		"- -":   {Is: "recovered"},
	} {
		low, high := Limits(&c)
		text := ""
		for _, end := range []struct {
			at  *float64
			out float64
		}{{low, -0.1}, {high, 0.1}} {
			if end.at == nil {
				text += "- "
				continue
			}
			text += fmt.Sprintf("%g ", *end.at)
			if !Meets(&c, *end.at) || Meets(&c, *end.at+end.out) {
				t.Errorf("%s does not end at %g", want, *end.at)
			}
		}
		if text != want+" " {
			t.Errorf("limits are %s, want %s", text, want)
		}
	}
}
