package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// promtool runs the tool that comes with Prometheus.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("this test needs promtool: make setup, or apt-get install -y prometheus")
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// stored is what Prometheus holds of a series: its values by time in milliseconds.
type stored map[int64]float64

// imported lets Prometheus' own code read OpenMetrics text and make blocks of it, and gives what is
// in them, by the name of the metric, the label of its kind and the seed.
func imported(t *testing.T, text []byte) map[string]stored {
	t.Helper()
	file, data := filepath.Join(t.TempDir(), "windows.openmetrics"), t.TempDir()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	promtool(t, "tsdb", "create-blocks-from", "openmetrics", file, data)
	// dump opens a log that is there where Prometheus has run.
	if err := os.MkdirAll(filepath.Join(data, "wal"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Labels come in the order of the alphabet.
	line := regexp.MustCompile(`^\{__name__="(\w+)", (?:client="(.*)", |edge="(.*)", )?seed="(\d+)"` +
		`(?:, tier="(.*)")?\} (\S+) (\d+)$`)
	out := map[string]stored{}
	for l := range strings.Lines(promtool(t, "tsdb", "dump", data)) {
		m := line.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil {
			t.Fatalf("Prometheus holds %q", l)
		}
		key := m[1] + " " + m[2] + m[3] + m[5] + " " + m[4]
		if out[key] == nil {
			out[key] = stored{}
		}
		at, _ := strconv.ParseInt(m[7], 10, 64)
		value, err := strconv.ParseFloat(m[6], 64)
		if _, twice := out[key][at]; twice || err != nil {
			t.Fatalf("%q stands twice, or %v", l, err)
		}
		out[key][at] = value
	}
	return out
}

// Prometheus reads what is exported, and holds every value of windows.csv.
func TestPrometheusHoldsWhatTheCSVHolds(t *testing.T) {
	plan, runs := measured(t)
	var metrics, table bytes.Buffer
	if err := WriteOpenMetrics(&metrics, plan, runs); err != nil {
		t.Fatal(err)
	}
	if err := WriteCSV(&table, plan, runs); err != nil {
		t.Fatal(err)
	}
	held := imported(t, metrics.Bytes())
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	compared, window := 0, runs[0].Window.Seconds()
	for _, row := range rows[1:] {
		start, err := time.Parse(time.RFC3339Nano, row[2])
		if err != nil {
			t.Fatal(err)
		}
		end := start.Add(time.Duration(runs[0].Window)).UnixMilli()
		for k, column := range rows[0][len(csvKeys):] {
			cell := row[len(csvKeys)+k]
			if cell == "" {
				continue
			}
			want, _ := strconv.ParseFloat(cell, 64)
			base, counter := strings.CutSuffix(column, "_per_s")
			name := fmt.Sprintf("cascadesim_%s_%s", row[3], base)
			if counter {
				name += "_total"
			}
			s := held[name+" "+row[4]+" "+row[0]]
			got, ok := s[end]
			if counter {
				got = (got - s[start.UnixMilli()]) / window
			}
			if !ok || math.Abs(got-want) > 1e-6*math.Max(math.Abs(want), 1) {
				t.Fatalf("%s of %s at %v: %v (%v), windows.csv has %v", name, row[4], start, got, ok, want)
			}
			compared++
		}
	}
	if compared < 2*20*20 {
		t.Errorf("only %d values were compared", compared)
	}
}

// dashboard is what the tests read of one.
type dashboard struct {
	Time   struct{ From, To time.Time }
	Panels []struct {
		Title, Interval string
		Targets         []struct{ Expr, LegendFormat string }
	}
	Templating struct {
		List []struct {
			Name  string
			Query any
		}
	}
}

// The dashboard asks for nothing that an exported run does not have, in words that Prometheus
// understands, and opens at the time of the run.
func TestTheDashboardAsksForWhatIsExported(t *testing.T) {
	plan, runs := measured(t)
	var metrics, out bytes.Buffer
	if err := WriteOpenMetrics(&metrics, plan, runs); err != nil {
		t.Fatal(err)
	}
	if err := WriteDashboard(&out, plan, runs); err != nil {
		t.Fatal(err)
	}
	var board dashboard
	if err := json.Unmarshal(out.Bytes(), &board); err != nil {
		t.Fatal(err)
	}
	from, length := board.Time.From, board.Time.To.Sub(board.Time.From)
	if !from.Equal(plan.Scenario.Epoch) || length != 20*time.Second {
		t.Errorf("it opens at %v for %v", from, length)
	}
	labels := map[string]map[string]bool{} // of exported metrics
	sample := regexp.MustCompile(`(?m)^(\w+)\{(\w+)="[^"]*",(\w+)="`)
	for _, m := range sample.FindAllStringSubmatch(metrics.String(), -1) {
		labels[m[1]] = map[string]bool{m[2]: true, m[3]: true}
	}
	selector := regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	shown := regexp.MustCompile(`\{\{(\w+)\}\}`)
	rules := "groups:\n- name: dashboard\n  rules:\n"
	n := 0
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			n++
			asked := selector.FindAllStringSubmatch(q.Expr, -1)
			if len(asked) == 0 || p.Interval != "1000ms" {
				t.Errorf("%s asks %q every %s", p.Title, q.Expr, p.Interval)
			}
			for _, m := range asked {
				if labels[m[1]] == nil || m[2] != `seed=~"$seed"` || !labels[m[1]]["seed"] {
					t.Errorf("%s asks for %s, which has labels %v", p.Title, m[0], labels[m[1]])
				}
				for _, l := range shown.FindAllStringSubmatch(q.LegendFormat, -1) {
					if !labels[m[1]][l[1]] {
						t.Errorf("%s names lines by %s, which %s does not have", p.Title, l[1], m[1])
					}
				}
			}
			expr := strings.NewReplacer("$__rate_interval", "4s", "$seed", "1").Replace(q.Expr)
			rules += fmt.Sprintf("  - record: dashboard:%d\n    expr: %s\n", n, strconv.Quote(expr))
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := promtool(t, "check", "rules", file); !strings.Contains(said, fmt.Sprint(n, " rules")) {
		t.Errorf("of %d queries Prometheus says %s", n, said)
	}
	seeds := fmt.Sprint(board.Templating.List[1].Query)
	if !strings.Contains(seeds, "label_values(cascadesim_client_requests_total, seed)") ||
		labels["cascadesim_client_requests_total"] == nil {
		t.Errorf("seeds are found by %s", seeds)
	}
}
