package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/topologies"
)

// rowsFile holds one row for each world of the catalogue: how it is run, and what came out of it on
// the machine that wrote the file.
const rowsFile = "testdata/fingerprints.txt"

// A row is one short run of a world that ships. Fields that are missing in the file are "-".
type row struct {
	where         string // "everywhere": on emulated machines too, which are slow; else "here"
	name, variant string
	seed          uint64
	scale         string
	until         string

	print   string // fingerprints of the ingredients
	summary string // hash of the summary
}

func (r row) String() string { return r.name + " " + r.variant }

// replay is the command that shows the run.
func (r row) replay() string {
	line := fmt.Sprintf("cascadesim run %s --seed %d --scale %s --until %s", r.name, r.seed, r.scale,
		r.until)
	if r.variant != "-" {
		line += " --variant " + r.variant
	}
	return line
}

// rows reads the table. Lines that begin with # are its heading.
func rows(t *testing.T) (heading []string, out []row) {
	t.Helper()
	text, err := os.ReadFile(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			heading = append(heading, line)
			continue
		}
		f := strings.Fields(line)
		if len(f) != 8 {
			t.Fatalf("%s:%d: got %d fields, want 8", rowsFile, i+1, len(f))
		}
		seed, err := strconv.ParseUint(f[3], 10, 64)
		if err != nil {
			t.Fatalf("%s:%d: %v", rowsFile, i+1, err)
		}
		out = append(out, row{f[0], f[1], f[2], seed, f[4], f[5], f[6], f[7]})
	}
	return heading, out
}

// plan compiles the world of a row.
func (r row) plan(t *testing.T) *model.Plan {
	t.Helper()
	src, err := topologies.Open(r.name)
	if err != nil {
		t.Fatal(err)
	}
	o := load.Options{Until: r.until, Sets: []string{"scale=" + r.scale}}
	if r.variant != "-" {
		o.Variant = r.variant
	}
	return planOf(t, src, o)
}

// planOf compiles a document that must be right.
func planOf(t *testing.T, src load.Source, o load.Options) *model.Plan {
	t.Helper()
	doc, problems := load.Open(src)
	if doc == nil {
		t.Fatalf("%s:\n%v", src.Name, problems)
	}
	p, problems := doc.Plan(o)
	if p == nil {
		t.Fatalf("%s:\n%v", src.Name, problems)
	}
	return p
}

// outcome is all that a run says, apart from what it cost.
type outcome struct {
	print   sim.Fingerprint
	summary []byte
}

func (o outcome) hash() string {
	sum := sha256.Sum256(o.summary)
	return hex.EncodeToString(sum[:6])
}

func runOf(t *testing.T, p *model.Plan, seed uint64, o model.RunOptions) outcome {
	t.Helper()
	r, err := p.Run(context.Background(), seed, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcomeOf(t, p, r)
}

func outcomeOf(t *testing.T, p *model.Plan, results ...*model.Result) outcome {
	t.Helper()
	text, err := json.Marshal(check.Summarize(p, results))
	if err != nil {
		t.Fatal(err)
	}
	return outcome{results[0].Fingerprint, text}
}

// same fails when two outcomes differ in any way, and says what differs first.
func same(t *testing.T, what string, a, b outcome) {
	t.Helper()
	if diff := a.print.Diff(b.print); diff != "" {
		t.Errorf("%s: %s differ: %v and %v", what, diff, a.print, b.print)
	}
	if !bytes.Equal(a.summary, b.summary) {
		t.Errorf("%s: summaries differ\n%s", what, difference(a.summary, b.summary))
	}
}

// difference shows two texts around the first byte that differs.
func difference(a, b []byte) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	around := func(x []byte) []byte { return x[max(0, at-60):min(len(x), at+60)] }
	return fmt.Sprintf("  %s\n  %s", around(a), around(b))
}

// TestFingerprints compares a short run of every world with what it has been. With -update the
// table is rewritten: do so only for a change that was meant to change what happens.
func TestFingerprints(t *testing.T) {
	update := flag.Lookup("update").Value.String() == "true"
	heading, table := rows(t)
	for _, where := range []string{"everywhere", "here"} {
		t.Run(where, func(t *testing.T) {
			for i := range table {
				r := &table[i]
				if r.where != where {
					continue
				}
				got := runOf(t, r.plan(t), r.seed, model.RunOptions{})
				if update {
					r.print, r.summary = got.print.String(), got.hash()
					continue
				}
				compare(t, *r, got)
			}
		})
	}
	if update {
		write(t, heading, table)
	}
}

func compare(t *testing.T, r row, got outcome) {
	t.Helper()
	want, err := sim.ParseFingerprint(r.print)
	if err != nil {
		t.Errorf("%v: %v", r, err)
		return
	}
	if diff := got.print.Diff(want); diff != "" {
		t.Errorf("%v: %s differ: got %v, want %v\n%s", r, diff, got.print, want, r.replay())
		return
	}
	if got.hash() != r.summary {
		t.Errorf("%v: the same happened and the summary differs: got %s, want %s\n%s", r, got.hash(),
			r.summary, r.replay())
	}
}

func write(t *testing.T, heading []string, table []row) {
	t.Helper()
	var b bytes.Buffer
	for _, line := range heading {
		fmt.Fprintln(&b, line)
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range table {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.where, r.name, r.variant, r.seed, r.scale,
			r.until, r.print, r.summary)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rowsFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryWorldHasAFingerprint(t *testing.T) {
	_, table := rows(t)
	known := map[string]bool{}
	for _, r := range table {
		known[r.String()] = true
	}
	for _, name := range topologies.Names() {
		for _, s := range topologies.Scenarios(name) {
			src, err := topologies.Open(s.Name)
			if err != nil {
				t.Fatal(err)
			}
			doc, problems := load.Open(src)
			if doc == nil {
				t.Fatalf("%s:\n%v", s.Name, problems)
			}
			for _, v := range append([]load.VariantInfo{{Name: "-"}}, doc.Variants()...) {
				if r := (row{name: s.Name, variant: v.Name}); !known[r.String()] {
					t.Errorf("%s has no row for %v; add one and run go test ./model -update", rowsFile, r)
				}
			}
		}
	}
}

// worlds are those of the table that the tests below run again in other ways.
func worlds(t *testing.T) []row {
	t.Helper()
	_, table := rows(t)
	var out []row
	for _, r := range table {
		if r.where == "everywhere" {
			out = append(out, r)
		}
	}
	if len(out) < 5 {
		t.Fatalf("%d worlds run everywhere; a handful should", len(out))
	}
	return out
}

func TestRunsLeaveNothingBehind(t *testing.T) {
	for _, r := range worlds(t) {
		p := r.plan(t)
		first := runOf(t, p, r.seed, model.RunOptions{})
		other := runOf(t, p, r.seed+1, model.RunOptions{})
		if first.print == other.print {
			t.Errorf("%v: two seeds gave the same run", r)
		}
		same(t, r.String()+", run again", first, runOf(t, p, r.seed, model.RunOptions{}))
	}
}

func TestProcessorsAndWorkersChangeNothing(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, r := range worlds(t) {
		p := r.plan(t)
		var want *outcome
		for _, n := range []struct{ processors, workers int }{{1, 1}, {2, 2}, {2, 7}} {
			runtime.GOMAXPROCS(n.processors)
			batch, err := experiments.Run(context.Background(), p, experiments.Options{
				Seeds: experiments.Seeds(r.seed, 2), Workers: n.workers,
			})
			if err != nil {
				t.Fatal(err)
			}
			var results []*model.Result
			for _, one := range batch.Runs {
				results = append(results, one.Result)
			}
			got := outcomeOf(t, p, results...)
			if want == nil {
				want = &got
			}
			same(t, fmt.Sprintf("%v, %d processors and %d workers", r, n.processors, n.workers), *want, got)
		}
	}
}
