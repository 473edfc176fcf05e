package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unhurried stands before everything else in a page: there, the browser has nothing else to do only
// when told so. It opens the page, looks closer and hides a line, goes to the end, puts the focus
// on a chart between, makes the screen dark and prints; seen has which charts were drawn at each
// step.
const unhurried = `<script>var idle = [], dark = {matches: false}, seen = {};
window.requestIdleCallback = function (f) { idle.push(f); };
window.matchMedia = function () { return dark; };
dark.addEventListener = function (kind, f) { dark.change = f; };
function all() { return Array.from(document.querySelectorAll('.plot')); }
function chart(i) { return echarts.getInstanceByDom(all()[i]); }
function key(k) {
  all()[0].dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true})); }
function drawn() { return Array.from(all().keys()).filter(chart); }
function near() { return Array.from(all().keys()).filter(function (i) {
  var r = all()[i].getBoundingClientRect(), h = innerHeight / 2;
  return r.bottom > -h && r.top < innerHeight + h; }); }
function until(done) { return new Promise(function (ok) {
  (function look() { if (done()) { ok(); } else { setTimeout(look, 20); } })(); }); }
function looks() { return drawn().map(function (i) {
  var o = chart(i).getOption();
  return [o.dataZoom[0].start, o.dataZoom[1].end, Number(o.legend[0].selected.users === false)];
}); }
addEventListener('load', async function () {
  seen.height = document.body.scrollHeight / innerHeight;
  seen.near = near();
  await until(function () { return chart(0); });
  seen.opened = drawn();
  for (var i = 0; i < 40; i++) { key('ArrowRight'); }
  key('+'); key('1');
  all()[8].scrollIntoView({block: 'end'});
  seen.nearEnd = near();
  await until(function () { return chart(8); });
  seen.scrolled = drawn();
  all()[4].focus({preventScroll: true}); seen.focused = drawn();
  idle.shift()(); seen.idle = drawn();
  dark.matches = true;
  dispatchEvent(new Event('beforeprint')); dark.change(); seen.printed = drawn();
  seen.looks = looks(); seen.paper = drawn().map(function (i) {
    return [chart(i).getWidth(), all()[i].querySelector('svg').getAttribute('viewBox'),
      chart(i).getOption().textStyle.color].join(); });
  dispatchEvent(new Event('afterprint')); seen.dark = drawn();
  await until(function () { return chart(8); });
  seen.redrawn = drawn(); seen.darkLooks = looks();
  seen.color = chart(8).getOption().textStyle.color;
  while (idle.length) { idle.shift()(); }
});</script>`

// Only what is near the window is drawn at once. The rest comes when it is looked at or printed, or
// when there is time, and takes over what the reader had chosen by then.
func TestChartsWaitUntilTheyAreLookedAt(t *testing.T) {
	p := handMade()
	few := p.Charts
	p.Charts = nil
	for i := range 9 {
		c := few[i%len(few)]
		c.ID = fmt.Sprintf("chart-%d", i)
		p.Charts = append(p.Charts, c)
	}
	var got struct {
		sight
		Height                       float64
		Near, Opened                 []int
		NearEnd, Scrolled            []int
		Focused, Idle, Printed, Dark []int
		Redrawn                      []int
		Looks, DarkLooks             [][3]float64
		Color                        string
		Paper                        []string // width, view and ink of what is printed
	}
	page := strings.Replace(render(t, p), "<title>", unhurried+"<title>", 1)
	open(t, page, `Object.assign(out, seen);`, &got)
	if len(got.Wrong) > 0 || got.Height < 3 {
		t.Errorf("a page of %v windows: %q", got.Height, got.Wrong)
	}
	if len(got.Opened) == 0 || !slices.Equal(got.Opened, got.Near) {
		t.Errorf("opened with %v, near were %v", got.Opened, got.Near)
	}
	both := union(got.Opened, got.NearEnd)
	if !slices.Equal(got.Scrolled, both) || slices.Contains(both, 4) {
		t.Errorf("at the end %v are drawn, want %v", got.Scrolled, both)
	}
	if want := union(both, []int{4}); !slices.Equal(got.Focused, want) ||
		len(got.Idle) != len(want)+1 || len(got.Idle) == 9 || len(got.Printed) != 9 {
		t.Errorf("with the focus on 4 %v are drawn, after an idle moment %v, for a printer %v",
			got.Focused, got.Idle, got.Printed)
	}
	if len(got.Dark) > 0 || !slices.Equal(got.Redrawn, got.NearEnd) || got.Color != "#d3dae5" {
		t.Errorf("in the dark %v, then %v are drawn, in %s", got.Dark, got.Redrawn, got.Color)
	}
	for i, paper := range got.Paper {
		if paper != "680,0 0 680 340,#3a4353" {
			t.Errorf("chart %d is printed as %s", i, paper)
		}
	}
	for i, look := range slices.Concat(got.Looks, got.DarkLooks) {
		if look != got.Looks[0] || look[0] <= 0 || look[1] >= 100 || look[2] != 1 {
			t.Errorf("chart %d shows %v, the first one %v", i, look, got.Looks[0])
		}
	}
}

// union is the numbers of both, in order.
func union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
