package report_test

import (
	"os"
	"strings"
	"testing"

	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
)

// sweepProbe points at values, walks by keys, hides what a name stands for, looks closer and
// chooses what the map shows.
const sweepProbe = `
function said() { return document.getElementById('cursor').textContent; }
function place(id) { return document.getElementById(id); }
function option(id) { return echarts.getInstanceByDom(place(id)).getOption(); }
out.images = document.images.length;
out.limits = ['curve-0', 'curve-1'].map(function (id) {
  return option(id).series.filter(function (s) { return s.markLine; }).map(function (s) {
    return s.markLine.label.formatter + ' at ' + s.markLine.data[0].yAxis; }).join(); });
key('ArrowRight', place('curve-0')); out.curve = said(); out.tip = place('curve-0').textContent;
key('ArrowLeft', place('curve-0')); out.before = said();
out.together = place('curve-2').textContent;
click(place('curve-0'), 'floor none'); out.hidden = ink(place('curve-0'));
key('1', place('curve-0')); echarts.getInstanceByDom(place('curve-0')).getZr().flush();
out.again = ink(place('curve-0'));
key('ArrowRight', place('trade-0')); out.trade = said();
key('ArrowRight', place('trade-0')); out.other = said(); out.named = place('trade-0').textContent;
key('+', place('trade-0'));
out.closer = option('trade-0').dataZoom.map(function (z) { return z.end - z.start; });
key('Escape', place('trade-0'));
out.whole = option('trade-0').dataZoom.map(function (z) { return z.end - z.start; });
key('ArrowDown', place('field-0')); key('ArrowUp', place('field-0')); out.field = said();
var list = document.querySelector('.layers select');
list.value = '3'; list.dispatchEvent(new Event('change'));
key('ArrowDown', place('field-0')); out.layer = said();
out.range = [option('field-0').visualMap[0].min, option('field-0').visualMap[0].max];
function kept() {
  return option('trade-0').dataZoom.map(function (z) { return z.start + ' to ' + z.end; }).join() +
    '; ' + document.querySelector('.layers select').value + ' up to ' +
    option('field-0').visualMap[0].max; }
key('+', place('trade-0')); out.looks = [kept()];
dispatchEvent(new Event('beforeprint')); out.looks.push(kept());
out.vectors = places.every(function (p) { return p.querySelector('svg'); });
`

type sweepSight struct {
	report.Sight
	Images, Hidden, Again             int
	Curve, Tip, Before, Together      string
	Trade, Other, Named, Field, Layer string
	Closer, Whole, Range              []float64
	Limits                            []string
	Looks                             []string // what is shown, and what once drawn anew
	Vectors                           bool
}

func sweepPage(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("figure/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"></svg>`)
	page := report.Page{Title: "two-axes",
		Pictures: []report.Picture{{Title: "curves", Alt: "curves", LightSVG: svg, DarkSVG: svg}}}
	if page.Plots, err = figure.Plots(data); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := page.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 3e6 {
		t.Errorf("the page has %d bytes, at most 3 MB are allowed", out.Len())
	}
	return out.String()
}

// A reader points into the figures of a sweep, whose names would like to run.
func TestASweepsPageWorksInABrowser(t *testing.T) {
	var got sweepSight
	report.Open(t, sweepPage(t, "two-axes.json"), sweepProbe, &got)
	if len(got.Wrong) > 0 || got.Images != 0 {
		t.Errorf("%d pictures beside the figures; %q", got.Images, got.Wrong)
	}
	for i, ink := range got.Ink {
		if ink < 2000 {
			t.Errorf("figure %d has %d pixels that are drawn", i, ink)
		}
	}
	const hostile = "</script><img src=x onerror=alert(1)>"
	for what, w := range map[string][2]string{
		"the curve": {got.Curve, "budget 10%: floor none 2% [1% to 3%]; floor " + hostile + " "},
		"one back":  {got.Before, "budget 1%: floor none 10% [8% to 12%]; floor " + hostile + " 5%"},
		"the trade": {got.Trade, "10%, none; day: fail: 2% [1% to 3%]; storm: surge: 1.5x " +
			"[1.4x to 1.6x]; recommended, on the front"},
		"the next one": {got.Other, "1%, " + hostile + "; day: fail: 5%; storm: surge: 1.2x " +
			"[1.1x to 1.3x]; meets every constraint, the baseline"},
		"the field": {got.Field, "budget 1%, floor none: constraints that are met 0 of 1"},
		"the layer": {got.Layer, "budget 10%, floor none: storm: surge 1.5x [1.4x to 1.6x]"},
	} {
		if w[0] != w[1] {
			t.Errorf("%s says %q, want %q", what, w[0], w[1])
		}
	}
	for _, w := range [][2]string{{got.Tip, "budget 10%"}, {got.Tip, "2% [1% to 3%]"},
		{got.Together, "1.2x [1.1x to 1.3x]"}, {got.Named, hostile}} {
		if !strings.Contains(w[0], w[1]) {
			t.Errorf("a tooltip shows %q, want %q", w[0], w[1])
		}
	}
	if got.Hidden >= got.Ink[0]-300 || got.Again < got.Hidden+300 {
		t.Errorf("%d pixels, without a line %d, with it again %d", got.Ink[0], got.Hidden, got.Again)
	}
	if got.Closer[0] >= 60 || got.Closer[1] >= 60 || got.Whole[0] != 100 || got.Whole[1] != 100 {
		t.Errorf("closer shows %v %%, all of it %v %%", got.Closer, got.Whole)
	}
	if got.Limits[0] != "" || got.Limits[1] != "recovered in 90% of replications at 0.9" {
		t.Errorf("limits are %q", got.Limits)
	}
	if got.Looks[0] != got.Looks[1] || !strings.HasSuffix(got.Looks[0], "; 3 up to 1.5") ||
		strings.HasPrefix(got.Looks[0], "0 to 100") || !got.Vectors {
		t.Errorf("drawn anew for paper, as vectors %v, %q is shown, before %q", got.Vectors,
			got.Looks[1], got.Looks[0])
	}
	if got.Range[0] != 1.2 || got.Range[1] != 1.5 {
		t.Errorf("colours go from %v", got.Range)
	}
}

// Where the reader's screen is dark and narrow, the figures are drawn too.
func TestASweepsPageIsDarkOnDarkScreens(t *testing.T) {
	var got report.Sight
	report.Open(t, sweepPage(t, "two-axes.json"), "", &got, "--blink-settings=preferredColorScheme=0",
		"--window-size=500,900")
	if got.Back != "rgb(20, 24, 31)" || len(got.Wrong) > 0 || got.Ink[0] < 2000 {
		t.Errorf("background %s, ink %v, %q", got.Back, got.Ink, got.Wrong)
	}
}

// A reader walks over the settings of a sampled design and chooses another quantity.
func TestASampledSweepsPageWorksInABrowser(t *testing.T) {
	var got struct {
		report.Sight
		First, Next, Layer, Named string
		Hidden, Again             int
		Limits                    []float64
	}
	report.Open(t, sweepPage(t, "sampled.json"), `
function said() { return document.getElementById('cursor').textContent; }
function limits() { return charts[0].getOption().series.filter(function (s) { return s.markLine; })
  .map(function (s) { return s.markLine.data[0].yAxis; }); }
key('ArrowRight'); out.first = said(); out.named = places[0].textContent;
key('ArrowRight'); out.next = said();
key('2'); charts[0].getZr().flush(); out.hidden = ink(places[0]);
key('2'); charts[0].getZr().flush(); out.again = ink(places[0]);
var list = document.querySelector('.layers select');
list.value = '1'; list.dispatchEvent(new Event('change'));
key('ArrowLeft'); out.layer = said(); out.limits = limits();
`, &got)
	if len(got.Wrong) > 0 || len(got.Ink) != 2 || got.Ink[0] < 2000 || got.Ink[1] < 2000 {
		t.Errorf("%d pixels are drawn, %q", got.Ink, got.Wrong)
	}
	for _, w := range [][2]string{{got.First, "10%, 1s; day: fail: 2% [1% to 3%]; recommended"},
		{got.Next, "50%, 1s; day: fail: 30%"},
		{got.Layer, "10%, 1s; day: quiet: 4%, 4 of 4 replications meet it, met; recommended"}} {
		if w[0] != w[1] {
			t.Errorf("it says %q, want %q", w[0], w[1])
		}
	}
	if !strings.Contains(got.Named, "2% [1% to 3%]") || len(got.Limits) != 1 || got.Limits[0] != 0.06 {
		t.Errorf("the tooltip shows %q, limits are %v", got.Named, got.Limits)
	}
	if got.Hidden >= got.Again-20 || got.Again < got.Ink[0]-500 {
		t.Errorf("%d pixels, without settings %d, with them again %d", got.Ink[0], got.Hidden, got.Again)
	}
}
