package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update rewrites it. got:\n%s", path, got)
	}
}

// handMade is a page whose every number was written by hand, with an outage in the middle.
func handMade() Page {
	bins := 120
	wave := func(base, height float64) []float64 {
		out := make([]float64, bins)
		for i := range out {
			out[i] = base
			if i >= 30 && i < 80 {
				out[i] = base + height*math.Sqrt(float64(i-29))/7
			}
		}
		return out
	}
	gap := wave(1, 2)
	gap[3] = math.NaN()
	return Page{
		Title: "two-tier / outage", Doc: "the database is ten times slower for a minute",
		Facts:  []Fact{{"seed", "1"}, {"scale", "1"}, {"duration", "10m00s"}},
		Notes:  []Note{{Good, "recovered 42 s after the fault ended"}, {Doubt, "a pool has 12 slots"}},
		Replay: "cascadesim run two-tier/outage --seed 1",
		Axis: Axis{
			Clock: Clock{Epoch: time.Date(2026, 8, 17, 12, 58, 0, 0, time.UTC)},
			Step:  30, Bins: bins,
		},
		Spans: []Span{
			{At: 900, End: 1500, Name: "outage", Verb: "fault"},
			{At: 900, End: math.NaN(), Name: "alarm", Verb: "set"},
			{At: 2400, End: math.NaN(), Name: "more-slots", Verb: "set"},
		},
		Charts: []Chart{
			{ID: "error-share", Title: "Requests that failed", Unit: Share, Lines: []Line{
				{Name: "users", Values: wave(0.001, 0.5)}, {Name: "robots", Values: wave(0, 0.2)},
			}},
			{ID: "rates", Title: "Offered and served", Unit: Rate, Limit: 20000, Lines: []Line{
				{Name: "web->db", Values: wave(8000, 70000), Color: 1},
				{Name: "web->db ok", Values: wave(8000, -7000), Color: 1, Second: true},
			}},
			{ID: "amplification", Title: "Amplification", Unit: Factor, Lines: []Line{
				{Name: "web->db", Values: gap},
			}},
		},
		Tables: []Table{{
			Title: "Incident against simulation", Head: heads("check", "value"),
			Rows: []Row{{[]string{"T1", "13:28"}, Good}, {[]string{"T2", "26.0%"}, Bad}},
		}},
		Source: "topology: two-tier\nduration: 10m\n",
	}
}

func render(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// structure is the page without what is the same in every page: style, code and notices.
func structure(page string) string {
	page = strings.Replace(page, string(mustAsset("page.css")), "(style)", 1)
	page = strings.Replace(page, string(mustAsset("page.js")), "(script)", 1)
	page = strings.Replace(page, string(ECharts()), "(ECharts)", 1)
	return regexp.MustCompile(`(?s)(<summary>Notices</summary>\n<pre>).*?(</pre>)`).
		ReplaceAllString(page, "$1(notices)$2")
}

func TestPageKeepsItsStructure(t *testing.T) {
	golden(t, "page.html", structure(render(t, handMade())))
}

func TestSamePageSameBytes(t *testing.T) {
	if once, again := render(t, handMade()), render(t, handMade()); once != again {
		t.Error("two renderings of one page differ")
	}
}

func TestPageLoadsNothing(t *testing.T) {
	page := structure(render(t, handMade()))
	for _, loads := range []string{`src=`, `href=`, `url(`, `@import`, `<link`, `<iframe`, `fetch(`} {
		if strings.Contains(page, loads) {
			t.Errorf("the page contains %q; it must not load anything", loads)
		}
	}
	script := string(mustAsset("page.js")) + string(mustAsset("plots.js")) +
		string(mustAsset("page.css"))
	if regexp.MustCompile(`https?:|url\(|\bimport\b|XMLHttpRequest|fetch`).MatchString(script) {
		t.Error("the page's script or style reaches for the network")
	}
	if !strings.Contains(page, "default-src 'none'") {
		t.Error("the page does not forbid loading by policy")
	}
}

func TestHostileStringsStayText(t *testing.T) {
	hostile := "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028'\"`${x}"
	p := handMade()
	p.Title, p.Doc, p.Source, p.Replay = hostile, hostile, hostile, hostile
	p.Facts = []Fact{{hostile, hostile}}
	p.Notes = []Note{{Bad, hostile}}
	p.Spans[0].Name = hostile
	p.Charts[0].Title, p.Charts[0].Doc, p.Charts[0].Lines[0].Name = hostile, hostile, hostile
	p.Tables[0].Title, p.Tables[0].Doc, p.Tables[0].Head[0].Name = hostile, hostile, hostile
	p.Tables[0].Rows[0].Cells[0] = hostile
	page := structure(render(t, p))
	for _, live := range []string{"<script>alert", "<img", "</script><script>alert"} {
		if strings.Contains(page, live) {
			t.Errorf("the page holds %q of a hostile name unescaped", live)
		}
	}
	// In a script the two line separators of Unicode would end a line; in text they are harmless.
	option, err := p.Charts[0].Option(p.Axis, p.Spans)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(option), "<>&\u2028\u2029") {
		t.Errorf("an option holds characters that end scripts or lines: %.300s", option)
	}
	// One script for each chart, ECharts and the page's own; no more.
	if got, want := strings.Count(page, "<script"), len(p.Charts)+2; got != want {
		t.Errorf("the page has %d script elements, want %d", got, want)
	}
}

func TestEmbeddedFilesAreTheOnesInTheNotice(t *testing.T) {
	notice := Notices()
	files := []string{"echarts.min.js.gz"}
	licences, err := assets.ReadDir("assets/third_party")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range licences {
		if f.Name() != "NOTICE.md" {
			files = append(files, "third_party/"+f.Name())
		}
	}
	for _, f := range files {
		sum := sha256.Sum256(mustAsset(f))
		if line := hex.EncodeToString(sum[:]) + "  " + f + "\n"; !strings.Contains(notice, line) {
			t.Errorf("third_party/NOTICE.md lacks the line %q", line)
		}
	}
	if strings.Contains(strings.ToLower(string(ECharts())), "</script") {
		t.Error("ECharts holds the end of a script element and cannot stand in a page")
	}
}

// Where no script runs there are the pictures, and no name in them is markup.
func TestPicturesAreForReadersWithoutScripts(t *testing.T) {
	page := render(t, probed())
	_, rest, found := strings.Cut(page, "<noscript>")
	pictures, _, ended := strings.Cut(rest, "</noscript>")
	if !found || !ended || strings.Count(pictures, "<img src=\"data:image/svg&#43;xml;base64,") != 1 ||
		strings.Contains(pictures, "<img src=x") || strings.Contains(pictures, "</script>") {
		t.Errorf("found %v %v: %s", found, ended, pictures)
	}
}
