package report_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"cascadesim/experiments/report"
	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// ranAs is a replication of a world that ships.
func ranAs(t *testing.T, name string, o load.Options) report.Run {
	t.Helper()
	src, err := topologies.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	d, problems := load.Open(src)
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewRun(plan, []*model.Result{r}, report.Label{Scenario: "outage", Variant: o.Variant,
		Source: "name: " + name + "\n"})
}

// A page of three runs, of which one is of another world, has a row and a line for each, and says
// what only some of them have.
func TestRunsAreComparedOnOnePage(t *testing.T) {
	runs := []report.Run{ranAs(t, "two-tier", load.Options{}),
		ranAs(t, "two-tier", load.Options{Variant: "no-budget"}), ranAs(t, "hotos21", load.Options{})}
	names := []string{"kept", "without", "other</script>"}
	p, err := report.Compared(runs, names, "cascadesim report")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := ""
	for _, row := range p.Tables[0].Rows {
		verdicts += row.Cells[0] + " " + row.Cells[len(row.Cells)-1] + ", "
	}
	if want := "kept recovered, without metastable, other</script> metastable, "; verdicts != want {
		t.Errorf("verdicts are %q", verdicts)
	}
	lines := map[string]int{}
	for _, c := range p.Charts {
		lines[c.Title] = len(c.Lines)
		for _, l := range c.Lines {
			if len(l.Values) != p.Axis.Bins {
				t.Errorf("%s of %s has %d bins of %d", c.Title, l.Name, len(l.Values), p.Axis.Bins)
			}
		}
	}
	for title, want := range map[string]int{"Requests that failed: users": 3, "Attempts: web->db": 2,
		"Attempts: app->db": 1, "Amplification: web->db": 2, "Attempts in line: db": 3} {
		if lines[title] != want {
			t.Errorf("%s has %d lines, want %d", title, lines[title], want)
		}
	}
	got := strings.Join(p.Tables[1].Rows[0].Cells, " ")
	if got != "recovers recovery.time at most 2m 3s – –" {
		t.Errorf("the first check is %q", got)
	}
	if len(p.Spans) != 0 || p.Notes[len(p.Notes)-1].Tone != report.Plain {
		t.Errorf("of the timelines of two worlds it marks %v; notes %q", p.Spans, p.Notes)
	}
	same, err := report.Compared(runs[:2], names[:2], "cascadesim report")
	if err != nil || len(same.Spans) != 1 || same.Tables[2].Title != "Timeline" ||
		len(same.Notes) != 2 {
		t.Errorf("of two runs of a world it marks %v; notes %q", same.Spans, same.Notes)
	}
	var out, again bytes.Buffer
	if err := p.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteHTML(&again); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("two writings of one page differ")
	}
	if strings.Contains(out.String(), "other</script>") {
		t.Error("a name of a run is markup in the page")
	}
}
