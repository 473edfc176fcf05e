package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// watch stands before everything else in a page and keeps what goes wrong; a probe comes last,
// when every chart is drawn, does what a reader would do and leaves what is to be seen then in out.
// tools are what probes have.
const (
	watch = `<script>var wrong = [];
addEventListener('error', function (e) { wrong.push('error: ' + e.message); });
addEventListener('securitypolicyviolation', function (e) {
  wrong.push('loads ' + e.blockedURI); });
['error', 'warn'].forEach(function (k) { console[k] = function (m) { wrong.push(k + m); }; });
function alert() { wrong.push('a name ran as a script'); }</script>`

	tools = `var places = Array.from(document.querySelectorAll('.plot'));
var charts = places.map(function (p) { return echarts.getInstanceByDom(p); });
if (charts.includes(undefined)) { setTimeout(probe, 20); return; }
function key(k, p) {
  (p || places[0]).dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true})); }
function ink(p) {
  var c = p.querySelector('canvas'), n = 0;
  var d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (var i = 3; i < d.length; i += 4) { if (d[i]) { n++; } }
  return n;
}
function click(p, words) { // on words that a chart shows
  var list = echarts.getInstanceByDom(p).getZr().storage.getDisplayList(true);
  var e = list.filter(function (e) { return e.style && e.style.text === words; })[0];
  var r = e.getBoundingRect().clone(), box = p.getBoundingClientRect();
  if (e.transform) { r.applyTransform(e.transform); }
  ['mousemove', 'mousedown', 'mouseup', 'click'].forEach(function (kind) {
    p.querySelector('canvas').dispatchEvent(new MouseEvent(kind, {bubbles: true,
      clientX: box.left + r.x + r.width / 2, clientY: box.top + r.y + r.height / 2})); });
  echarts.getInstanceByDom(p).getZr().flush();
}
var out = {wrong: wrong, ink: places.map(ink),
  back: getComputedStyle(document.body).backgroundColor};
`

	probe = `out.images = document.images.length;
out.sorted = [];
function zooms() { return charts.map(function (c) { return c.getOption().dataZoom[0].start; }); }
for (var i = 0; i < 40; i++) { key('ArrowRight'); }
out.cursor = document.getElementById('cursor').textContent;
out.tips = places.map(function (p) { return p.textContent; });
key('+'); out.zoomed = zooms(); key('Escape'); out.whole = zooms();
var table = Array.from(document.querySelectorAll('table')).filter(function (t) {
  return t.tHead.textContent === 'whatworth'; })[0];
var head = table.tHead.rows[0].cells[1];
for (i = 0; i < 2; i++) {
  head.querySelector('button').click();
  out.sorted.push(head.getAttribute('aria-sort') + ': ' + Array.from(table.tBodies[0].rows).map(
    function (r) { return r.cells[1].textContent; }).join(' '));
}`
)

// sight is what every probe writes down.
type sight struct {
	Wrong []string
	Ink   []int // pixels that are drawn, by chart
	Back  string
}

// seen is what the probe of a run's page writes down.
type seen struct {
	sight
	Tips, Sorted  []string
	Images        int
	Cursor        string
	Zoomed, Whole []float64 // where each chart begins, in %
}

// open shows a page in a browser and probes it; what the probe saw goes into out.
func open(t *testing.T, page, probe string, out any, flags ...string) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("this test needs chromium: make setup, or apt-get install -y chromium")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	page = strings.Replace(page, "<title>", watch+"<title>", 1)
	page = strings.TrimSuffix(page, "</body>\n</html>\n") +
		"<script>addEventListener('load', function probe() {" + tools + probe +
		`var said = document.createElement('pre');
said.id = 'probe';
said.textContent = JSON.stringify(out);
document.body.appendChild(said);
});</script></body></html>`
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-background-networking", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--window-size=1200,900", "--virtual-time-budget=120000", "--dump-dom"}, flags...)
	dom, err := exec.CommandContext(ctx, program, append(args, "file://"+file)...).Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	said := regexp.MustCompile(`(?s)<pre id="probe">(.*?)</pre>`).FindSubmatch(dom)
	if said == nil {
		t.Fatalf("the page did not come to its end; it holds %d bytes", len(dom))
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(said[1]))), out); err != nil {
		t.Fatal(err)
	}
}

// probed is a page with names that would like to run and a table of values of every kind.
func probed() Page {
	p := handMade()
	bad := `</script><img src=x onerror=alert(1)>`
	p.Doc, p.Spans[0].Name, p.Charts[0].Lines[0].Name = bad, bad, bad
	worth := Table{Title: bad, Head: heads("what", "worth")}
	for _, v := range []string{"9.5s", "–", "1.66G", "144ms", "13:28", "10m00s", "7.8%", "<0.01%"} {
		worth.Rows = append(worth.Rows, Row{Cells: []string{bad, v}})
	}
	worth.Rows = append(worth.Rows, Row{Cells: []string{"", "beneath"}, Mark: Beneath})
	p.Tables = append(p.Tables, worth)
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"></svg>`)
	p.Pictures = []Picture{{Title: bad, Doc: bad, Alt: bad + `" onload="alert(1)`, LightSVG: svg,
		DarkSVG: svg}}
	return p
}

// A reader opens the page, walks along a chart by keys, looks closer and sorts a table.
func TestAPageWorksInABrowser(t *testing.T) {
	var got seen
	open(t, render(t, probed()), probe, &got)
	if len(got.Wrong) > 0 || got.Back != "rgb(255, 255, 255)" {
		t.Errorf("on %s: %q", got.Back, got.Wrong)
	}
	if got.Images != 0 {
		t.Errorf("%d pictures where scripts run, which are for readers without", got.Images)
	}
	for i, ink := range got.Ink {
		if ink < 2000 {
			t.Errorf("chart %d has %d pixels that are drawn", i, ink)
		}
	}
	cursor := "13:18:00 to 13:18:30: </script><img src=x onerror=alert(1)> 23.8%, robots 9.48%"
	if got.Cursor != cursor {
		t.Errorf("the cursor says %q, want %q", got.Cursor, cursor)
	}
	for i, want := range []string{"23.8%", "41.2k/s", "1.95x"} {
		if !strings.Contains(got.Tips[i], want) {
			t.Errorf("chart %d does not follow the cursor: %q", i, got.Tips[i])
		}
	}
	for i := range got.Zoomed {
		if got.Zoomed[i] <= 0 || got.Zoomed[i] != got.Zoomed[0] || got.Whole[i] != 0 {
			t.Errorf("chart %d shows from %v and then %v", i, got.Zoomed[i], got.Whole[i])
		}
	}
	for i, want := range []string{
		"descending: 1.66G 13:28 10m00s 9.5s 144ms 7.8% <0.01% beneath –",
		"ascending: <0.01% beneath 7.8% 144ms 9.5s 10m00s 13:28 1.66G –",
	} {
		if got.Sorted[i] != want {
			t.Errorf("sorted %q, want %q", got.Sorted[i], want)
		}
	}
}

// Where the reader's screen is dark the page is.
func TestAPageIsDarkOnDarkScreens(t *testing.T) {
	var got sight
	open(t, render(t, probed()), "", &got, "--blink-settings=preferredColorScheme=0")
	if got.Back != "rgb(20, 24, 31)" || len(got.Wrong) > 0 || got.Ink[0] < 2000 {
		t.Errorf("background %s, ink %v, %q", got.Back, got.Ink, got.Wrong)
	}
}

// A mean stands in the middle of its bin, with its peak. One without neighbours is seen, and lines
// that share a colour differ in their dashes.
func TestValuesOfAPageStandInTheMiddleOfTheirBins(t *testing.T) {
	p := handMade()
	p.Axis.Bins = 1
	p.Charts = p.Charts[1:2]
	for i, v := range []float64{40, 20} {
		p.Charts[0].Lines[i].Values = []float64{v}
	}
	p.Charts[0].Lines[0].Peaks = []float64{60}
	var got struct {
		sight
		Seen   []bool // by value
		Dashes []any
	}
	open(t, render(t, p), `
var option = charts[0].getOption(), from = option.xAxis[0].min, to = option.xAxis[0].max;
out.seen = [40, 20, 60].map(function (v) {
  var at = charts[0].convertToPixel({seriesIndex: 0}, [(from + to) / 2, v]);
  return places[0].querySelector('canvas').getContext('2d').getImageData(
    Math.round(at[0]), Math.round(at[1]), 1, 1).data[3] > 0; });
out.dashes = option.series.map(function (s) { return s.lineStyle.type; });
`, &got)
	if len(got.Wrong) > 0 || !slices.Equal(got.Seen, []bool{true, true, true}) {
		t.Errorf("in the middle of the only bin are %v of both values and the peak; %q", got.Seen,
			got.Wrong)
	}
	if a, b := fmt.Sprint(got.Dashes[0]), fmt.Sprint(got.Dashes[1]); a != "solid" || b != "[6 2]" {
		t.Errorf("the dashes of a pair are %s and %s", a, b)
	}
}
