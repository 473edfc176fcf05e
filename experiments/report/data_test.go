package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"

	"github.com/parquet-go/parquet-go"
)

// measured is two replications of a small world at a scale, with failures.
func measured(t *testing.T) (*model.Plan, []*model.Result) {
	t.Helper()
	const world = `
name: small
tiers: {db: {slots: 8, line: {limit: 8}, steps: [{work: exp 20ms}]}}
clients: {u: {arrivals: 500/s, call: db}}
duration: 20s
scale: 0.5
epoch: 2026-08-17T12:00:00Z
`
	d, problems := load.Open(load.Source{Name: "a.yaml",
		FS: fstest.MapFS{"a.yaml": {Data: []byte(world)}}})
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	var runs []*model.Result
	for seed := range uint64(2) {
		r, err := plan.Run(context.Background(), seed+1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return plan, runs
}

func TestEveryColumnIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range DataColumns() {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, strings.Join(c.Of, ", "), c.Doc)
		if c.Doc == "" || !strings.Contains(string(page), row) {
			t.Errorf("docs/data.md lacks %q", row)
		}
	}
}

// The text holds by the rules of the format, and counters end at what was counted.
func TestOpenMetricsCountWhatHappened(t *testing.T) {
	plan, runs := measured(t)
	var out bytes.Buffer
	if err := WriteOpenMetrics(&out, plan, runs); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasSuffix(text, "\n# EOF\n") {
		t.Fatal("it does not end with # EOF")
	}
	sample := regexp.MustCompile(`^([a-z_]+?)(_total)?(\{[a-z]+="[^"]*",seed="\d"\}) (\S+) (\d+)$`)
	family, counter, last := "", false, map[string]float64{}
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimSuffix(text, "# EOF\n")) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			var kind string
			family, kind, _ = strings.Cut(rest, " ")
			counter = kind == "counter"
			if seen[family] {
				t.Errorf("family %s stands twice", family)
			}
			seen[family] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP "+family+" ") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil || m[1] != family || (m[2] != "") != counter {
			t.Fatalf("in family %s: %q", family, line)
		}
		v, err := strconv.ParseFloat(m[4], 64)
		if key := m[1] + m[2] + m[3]; err != nil || counter && v < last[key] {
			t.Fatalf("%q after %v", line, last[key])
		} else {
			last[key] = v
		}
	}
	for i, r := range runs {
		counted := check.Summarize(plan, []*model.Result{r}).Clients["u"].Requests
		want := float64(counted) / plan.World.Scale
		key := fmt.Sprintf(`cascadesim_client_requests_total{client="u",seed="%d"}`, i+1)
		if got := last[key]; math.Abs(got-want) > 1e-6*want || want < 1000 {
			t.Errorf("%s ends at %v, counted were %v", key, got, want)
		}
	}
	if !strings.Contains(text, `{client="u",seed="1"} 0 1786968000`+"\n") {
		t.Error("no counter begins at the epoch")
	}
}

// Parquet holds the rows of the CSV, and the same run gives the same bytes.
func TestParquetHoldsWhatTheCSVHolds(t *testing.T) {
	plan, runs := measured(t)
	var text, data, again bytes.Buffer
	if err := WriteCSV(&text, plan, runs); err != nil {
		t.Fatal(err)
	}
	for _, out := range []*bytes.Buffer{&data, &again} {
		if err := WriteParquet(out, plan, runs, "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data.Bytes(), again.Bytes()) {
		t.Error("two files of one run differ")
	}
	want, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	file := parquet.NewReader(bytes.NewReader(data.Bytes()))
	if n := int(file.NumRows()); n != len(want)-1 || n < 2*3*20 {
		t.Fatalf("%d rows, the CSV has %d", n, len(want)-1)
	}
	place := map[string]int{}
	for i, f := range file.Schema().Fields() {
		place[f.Name()] = i
	}
	rows := make([]parquet.Row, 1)
	for i, line := range want[1:] {
		if n, err := file.ReadRows(rows); n != 1 {
			t.Fatalf("row %d: %v", i, err)
		}
		for k, name := range want[0] {
			if got := rows[0][place[name]]; !same(name, line[k], got) {
				t.Fatalf("row %d, %s: %v, the CSV says %q", i, name, got, line[k])
			}
		}
	}
}

// same compares a value with a cell of the CSV, which has nine digits.
func same(column, cell string, v parquet.Value) bool {
	switch {
	case cell == "" || v.IsNull():
		return cell == "" && v.IsNull()
	case column == "of" || column == "name":
		return v.String() == cell
	case column == "seed":
		return strconv.FormatUint(v.Uint64(), 10) == cell
	case column == "time_utc":
		return strings.HasPrefix(cell, "2026-08-17T12:00:") && v.Int64() >= 1786968000e6
	}
	want, err := strconv.ParseFloat(cell, 64)
	return err == nil && math.Abs(v.Double()-want) <= 1e-8*math.Abs(want)
}
