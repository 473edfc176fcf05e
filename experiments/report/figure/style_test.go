package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"cascadesim/experiments/report"
)

// luminance is how much light a colour gives, as WCAG 2 reckons it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// Lines, marks and words are seen on the pages that they are drawn for: WCAG 2 asks for 3 to 1 of
// what is drawn, and 4.5 to 1 of words. Sky blue on white is between: it only fills areas and is
// the sixth line.
func TestColoursAreSeen(t *testing.T) {
	for _, p := range []theme{light, dark} {
		back := luminance(t, p.back)
		contrast := func(hex string) float64 {
			other := luminance(t, hex)
			return (max(back, other) + 0.05) / (min(back, other) + 0.05)
		}
		for _, hex := range p.lines {
			if got := contrast(hex); got < 3 {
				t.Errorf("line %s on %s has a contrast of %.2f", hex, p.back, got)
			}
		}
		for _, hex := range []string{p.text, p.soft, p.alarm} {
			if got := contrast(hex); got < 4.5 {
				t.Errorf("words %s on %s have a contrast of %.2f", hex, p.back, got)
			}
		}
	}
}

// In grey print, and for eyes that see few colours, dashes tell lines apart: those of one panel,
// which has six at most, by themselves, two dozen together with the colours.
func TestLinesDifferWithoutColours(t *testing.T) {
	p := Panel{Lines: make([]Line, 24)}
	looks := map[string]int{}
	for i := range p.Lines {
		p.Lines[i].Color = i
		look := fmt.Sprint(p.dash(p.Lines[i]))
		if i >= mostLines {
			look += light.color(i)
		}
		if other, known := looks[look]; known {
			t.Errorf("lines %d and %d look alike: %s", other, i, look)
		}
		looks[look] = i
	}
	alone := Panel{Lines: []Line{{Color: 1}, {Level: true}}}
	if got := alone.dash(alone.Lines[0]); len(got) > 0 {
		t.Errorf("a line alone is broken: %v", got)
	}
}

// A run has the same looks in figures and on its page.
func TestThePageHasTheLooksOfFigures(t *testing.T) {
	var page strings.Builder
	if err := (report.Page{}).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	quoted := func(colors []string) string { return "['" + strings.Join(colors, "', '") + "']" }
	broken := strings.ReplaceAll(fmt.Sprint(dashes[1:]), " ", ", ")
	for _, look := range []string{quoted(onLight[:]), quoted(onDark[:]), broken[1:]} {
		if !strings.Contains(page.String(), look) {
			t.Errorf("the page has no %s", look)
		}
	}
}
