package report

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
)

// run is a replication of a world that is written down, with an outage and with what else is to
// happen.
func run(t *testing.T, name, more string) Run {
	t.Helper()
	d, problems := load.Open(load.Source{Name: "a.yaml", FS: fstest.MapFS{"a.yaml": {Data: []byte(
		"name: " + name + "\ntiers: {" + name + ": {slots: 8, steps: [{work: exp 10ms}]}}\n" +
			"clients: {u: {arrivals: 300/s, call: " + name + "}}\nduration: 60s\n" +
			"timeline:\n- {at: 20s, name: outage, for: 10s, fault: {tier: " + name +
			", errors: 100%}}\n" + more)}}})
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return NewRun(plan, []*model.Result{r}, Label{Scenario: "s", Source: "name: " + name + "\n"})
}

// A reader compares runs of two worlds: each has its line, all charts mark what happened in all,
// and names are clicked away.
func TestAComparingPageWorksInABrowser(t *testing.T) {
	runs := []Run{run(t, "db", "- {at: 40s, name: alone, for: 5s, fault: {tier: db, errors: 100%}}\n"),
		run(t, "db", ""), run(t, "cache", "")}
	page, err := Compared(runs, []string{"first", "second", "third"}, "cascadesim report")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		sight
		Lines, Marks, Without []int
		Hidden, Again         int
	}
	open(t, render(t, page), `
function each(f) { return charts.map(function (c) { return f(c.getOption()); }); }
out.lines = each(function (o) { return o.series.length; });
out.marks = each(function (o) { return o.series[0].markArea.data.length; });
click(places[0], 'first');
out.without = each(function (o) {
  return Object.values(o.legend[0].selected).filter(function (on) { return !on; }).length; });
out.hidden = ink(places[0]);
key('1'); charts[0].getZr().flush();
out.again = ink(places[0]);
`, &got)
	if len(got.Wrong) > 0 {
		t.Errorf("%q", got.Wrong)
	}
	for i, c := range page.Charts {
		want := 3
		if strings.HasSuffix(c.Title, "->db") || strings.HasSuffix(c.Title, ": db") {
			want = 2
		} else if strings.HasSuffix(c.Title, "cache") {
			want = 1
		}
		if got.Lines[i] != want || got.Ink[i] < 2000 || got.Marks[i] != 1 {
			t.Errorf("%s has %d lines of %d, %d pixels and %d marks", c.Title, got.Lines[i], want,
				got.Ink[i], got.Marks[i])
		}
	}
	for i, n := range got.Without {
		if want := 1; n != want && got.Lines[i] == 3 {
			t.Errorf("%s hides %d lines, want %d", page.Charts[i].Title, n, want)
		}
	}
	if got.Hidden >= got.Ink[0]-500 || got.Again < got.Ink[0]-500 {
		t.Errorf("%d pixels, without a line %d, with it again %d", got.Ink[0], got.Hidden, got.Again)
	}
}
