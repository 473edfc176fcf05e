package figure_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// ran is a world that ships, with one replication of it.
func ran(t *testing.T, name string, o load.Options) (*model.Plan, *model.Result) {
	t.Helper()
	src, err := topologies.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return runOf(t, src, o)
}

func runOf(t *testing.T, src load.Source, o load.Options) (*model.Plan, *model.Result) {
	t.Helper()
	d, problems := load.Open(src)
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	var names []string
	for _, c := range plan.World.Clients {
		names = append(names, c.Name)
	}
	plan, err := plan.WantSeries(model.Series{Clients: names})
	if err != nil {
		t.Fatal(err)
	}
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan, r
}

func made(t *testing.T, kind string, plan *model.Plan, r *model.Result) figure.Figure {
	t.Helper()
	k, err := figure.KindNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	f, err := k.Make(plan, r)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	f.Command = "cascadesim chart two-tier --kind " + kind
	return f
}

// words are the texts of a drawn picture; it must be XML by the strict rules.
func words(t *testing.T, svg []byte) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	d.Strict = true
	var out strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		if text, ok := token.(xml.CharData); ok {
			out.Write(text)
			out.WriteByte('\n')
		}
	}
}

// manyDigits is a text at a place that is not rounded.
var manyDigits = regexp.MustCompile(`<text[^>]* [xy]="[0-9]+\.[0-9]{3,}"`)

func TestEveryKindIsDrawnAndTheSameTwice(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{
		Sets: []string{"edges.web:db.retry.stack.ratio_budget.low=20%"}})
	for kind, want := range map[string][]string{
		"timeline":      {"Requests that failed (%)", "outage", "web->db", "time from the start"},
		"amplification": {"users->web", "web->db", "1x"},
		"capacity":      {"capacity, as measured", "db, surge"},
		"latency":       {"Latency of users", "p50", "p99"},
		"queue":         {"In line, waiting for a slot", "db"},
		"budget":        {"web->db, ratio_budget (%)", "alert below 20.0%"},
		"backoff":       {"web->db, exponential", "retry 5", "wait (ms)"},
		"topology":      {"users", "web", "db", "busy"},
	} {
		f := made(t, kind, plan, r)
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		again, err := f.SVG()
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: a second drawing differs (%v)", kind, err)
		}
		got := words(t, svg)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q; it says\n%s", kind, w, got)
			}
		}
		for _, no := range []string{"<script", "http://", "https://", "url(", "NaN", "undefined"} {
			text := strings.ReplaceAll(string(svg), "http://www.w3.org/", "")
			if strings.Contains(text, no) && no != "url(" {
				t.Errorf("%s holds %q", kind, no)
			}
		}
		if long := manyDigits.FindString(string(svg)); long != "" {
			t.Errorf("%s has a place with digits that differ between machines: %s", kind, long)
		}
		if len(f.Alt) < 20 || !strings.HasSuffix(f.Alt, ".") || len(f.Caption) < 20 {
			t.Errorf("%s: alt %q, caption %q", kind, f.Alt, f.Caption)
		}
	}
}

// A run without requests is said to have none, and says nothing of failures.
func TestARunWithoutRequestsSaysSo(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{
		Sets: []string{"clients.users.arrivals.rate=0/s", "duration=2m"}})
	f := made(t, "timeline", plan, r)
	if f.Alt != "Nothing was sent." {
		t.Errorf("alt %q", f.Alt)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(words(t, svg), "no values"); n != 2 {
		t.Errorf("%d panels say that they have no values, want 2", n)
	}
}

// What is said of a picture in words can be listened to, however many tiers there are.
func TestWordsOfAPictureAreFew(t *testing.T) {
	world := "name: star\ntiers:\n  hub: {slots: 900, steps: ["
	tiers := ""
	for i := range 60 {
		world += fmt.Sprintf("{call: t%d}, ", i)
		tiers += fmt.Sprintf("  t%d: {slots: 4, steps: [{work: 1ms}]}\n", i)
	}
	world += "{work: 1ms}]}\n" + tiers + "clients: {users: {arrivals: 5/s, call: hub}}\n" +
		"edges: [{from: users, to: hub}]\nduration: 10s\n"
	plan, r := runOf(t, load.Source{Name: "star.yaml", FS: fstest.MapFS{
		"star.yaml": {Data: []byte(world)}}}, load.Options{})
	for _, kind := range []string{"topology", "amplification", "queue"} {
		if alt := made(t, kind, plan, r).Alt; strings.Count(alt, " t") > 25 ||
			kind != "queue" && !strings.Contains(alt, "more.") {
			t.Errorf("%s says %s", kind, alt)
		}
	}
}

// The factor in the title is what the figure shows, and its caption says over which times.
func TestTheSurgeIsOfWhatIsDrawn(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{Variant: "no-budget"})
	f := made(t, "capacity", plan, r)
	p := f.Panels[0]
	before, most := 0.0, 0.0
	for i, v := range p.Lines[0].Values {
		most = max(most, v)
		if i < 24 { // bins of 5 s, and an outage at 2m
			before += p.Lines[1].Values[i] / 24
		}
	}
	want := "db, surge to " + report.Factor.Format(most/before) + " of first tries before"
	if p.Title != want || !strings.Contains(f.Caption, "both as means over 5s; recovery.surge is of") {
		t.Errorf("got %q, want %q; the caption is %q", p.Title, want, f.Caption)
	}
}

// Five layers of three tries: 3, 9, 27, 81, 243.
func TestAmplificationShowsTheProduct(t *testing.T) {
	plan, r := ran(t, "chain-3x5/topology", load.Options{})
	f := made(t, "amplification", plan, r)
	var got []string
	for _, b := range f.Panels[0].Bars {
		got = append(got, b.Text)
	}
	if strings.Join(got, " ") != "3x 9x 27x 81x 243x" {
		t.Errorf("bars %v", got)
	}
}

// A chain that is too long for one line of text in its boxes says everything on two.
func TestBoxesOfALongChainAreNotCut(t *testing.T) {
	world := "name: chain\ntiers:\n"
	for _, tier := range []string{"gateway", "backend", "orders", "stock", "prices"} {
		world += "  " + tier + ": {slots: 200, steps: [{work: 5ms}, {call: X}]}\n"
	}
	for _, next := range []string{"backend", "orders", "stock", "prices", "storage"} {
		world = strings.Replace(world, "X", next, 1)
	}
	world += "  storage: {slots: 20, steps: [{work: 5ms}]}\n" +
		"clients: {u: {arrivals: 999/s, call: gateway}}\nduration: 20s\n"
	plan, r := runOf(t, load.Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(world)}},
		Name: "a.yaml"}, load.Options{})
	svg, err := made(t, "topology", plan, r).SVG()
	if err != nil {
		t.Fatal(err)
	}
	if got := words(t, svg); strings.Contains(got, "…") || strings.Count(got, "% busy\n") != 6 {
		t.Errorf("the boxes say\n%s", got)
	}
}

// What is cut out of a name is its middle, so that names which begin alike stay apart.
func TestLongNamesKeepTheirEnds(t *testing.T) {
	for _, name := range []string{"orders-of-the-european-region-7", "ééééééééééééééééééééé12"} {
		for _, room := range []float64{40, 90, 1000} {
			cut, width := figure.Abridged(name, room)
			if width > room || !strings.HasSuffix(cut, name[len(name)-1:]) ||
				strings.Contains(cut, "…") != (room < 1000) {
				t.Errorf("%s within %v is %q, %v wide", name, room, cut, width)
			}
		}
	}
}

func TestAPNGHasTwiceTheSize(t *testing.T) {
	plan, r := ran(t, "hotos21", load.Options{Until: "60s"})
	svg, err := made(t, "timeline", plan, r).SVG()
	if err != nil {
		t.Fatal(err)
	}
	data, err := figure.PNG(context.Background(), svg)
	if err != nil {
		t.Fatal(err)
	}
	again, err := figure.PNG(context.Background(), svg)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("a second rendering differs (%v)", err)
	}
	image, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := image.Bounds().Dx(); got != figure.Zoom*figure.Width {
		t.Errorf("%d pixels wide, want %d", got, figure.Zoom*figure.Width)
	}
	dark := 0
	for x := range image.Bounds().Dx() / 4 {
		for y := range 80 {
			if r, _, _, _ := image.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	if dark < 200 {
		t.Errorf("%d dark pixels where the title should be: its font is missing", dark)
	}
}

// A dark figure has another background and the same words.
func TestDarkFigures(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{})
	f := made(t, "topology", plan, r)
	light, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	f.Dark = true
	dark, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(dark, []byte("#111827")) || bytes.Contains(light, []byte("#111827")) {
		t.Error("the background does not change")
	}
	if words(t, light) != words(t, dark) {
		t.Error("the words differ")
	}
}

// hostile has texts that would like to be markup. Names cannot: the format forbids it.
const hostile = `
name: hostile
doc: "</script><script>alert(1)</script>"
tiers: {db: {slots: 2, steps: [{work: 5ms}]}}
clients: {u: {arrivals: 100/s, call: db}}
duration: 20s
timeline:
  - {name: "t", doc: "<img src=x onerror=alert(1)>", at: 5s, for: 5s, fault: {tier: db, slow: 10x}}
`

func TestNothingFromAFileIsMarkup(t *testing.T) {
	plan, r := runOf(t, load.Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(hostile)}},
		Name: "a.yaml"}, load.Options{})
	f := made(t, "timeline", plan, r)
	bad := "</script><script>alert(1)</script> ![x](y) <b>"
	f.Title, f.Caption, f.Alt, f.Command = bad, bad, bad, bad
	f.Spans[0].Name = bad
	f.Panels[0].Lines[0].Name = bad
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	words(t, svg)
	page, err := f.HTML(svg)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"svg": string(svg), "page": string(page)} {
		if strings.Contains(text, "<script>alert") || strings.Contains(text, "<b>") {
			t.Errorf("the %s holds markup of the file", name)
		}
	}
	// In the block of the command everything is text.
	said, _, _ := strings.Cut(string(f.Markdown("fig.svg")), "```")
	if strings.Contains(said, "![x](y)") || strings.Contains(said, "<b>") {
		t.Errorf("Markdown:\n%s", said)
	}
}

// Names of what the timeline does never cover each other.
func TestNamesOfTheTimelineHavePlacesOfTheirOwn(t *testing.T) {
	scale := 1.0 / 800
	src, err := topologies.Open("github-2026-08-17/incident")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := load.Open(src)
	plan, problems := d.Plan(load.Options{Scale: &scale})
	if plan == nil {
		t.Fatal(problems)
	}
	f := figure.Figure{Length: plan.World.End.Seconds()}
	f.SetSpans(plan)
	if n, overlaps := f.Overlaps(); n < 7 || overlaps > 0 {
		t.Errorf("%d names, %d of which touch another", n, overlaps)
	}
}

// sweepJSON is what a sweep writes, as far as a figure needs it.
const sweepJSON = `{"schema": "cascadesim.sweep/1", "experiment": "line", "question": "How long?",
"axes": ["line", "load"],
"points": [
  {"values": {"line": "0", "load": "1x"}, "cells": [0]},
  {"values": {"line": "10", "load": "1x"}, "cells": [1]},
  {"values": {"line": "10", "load": "2x"}, "cells": [2]}],
"cells": [
  {"case": "day", "quantities": [
    {"name": "errors", "unit": "share", "mean": 0.1, "low": 0.08, "high": 0.12},
    {"name": "recovers", "unit": "word",
     "share": {"met": 9, "of": 10, "low": 0.55, "high": 0.99}}]},
  {"case": "day", "quantities": [{"name": "errors", "unit": "share", "mean": 0.2}]},
  {"case": "day", "quantities": [{"name": "errors", "unit": "share", "mean": 0.9}]}],
"recommendation": {"sentence": "Take 10.", "point": 1}}`

// A sweep has a panel for each quantity, and marks the recommended value.
func TestASweepIsDrawn(t *testing.T) {
	f, err := figure.Sweep([]byte(sweepJSON))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curves) != 2 || strings.Join(f.Ticks, " ") != "0 10" || f.Mark != 1 {
		t.Fatalf("%d curves over %v, %d marked", len(f.Curves), f.Ticks, f.Mark)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	got := words(t, svg)
	for _, want := range []string{"day: errors (%)", "day: recovers (%)", "Take 10.",
		"How long?", "recommended: line 10", "\nline\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	if _, err := figure.Sweep([]byte("{")); err == nil {
		t.Error("half a file is drawn")
	}
}
