package load

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Bounds of a file of arrivals. A time takes eight bytes; counts take none for each arrival, but
// each is looked at, also at a scale.
const (
	maxTrace    = 512 << 20
	maxTimes    = 20_000_000
	maxCounts   = 1_000_000
	maxArrivals = 2_000_000_000
)

// trace is a file of arrivals: a recording for each class, in the order in which they appear. A
// file without classes has one, whose name is empty.
type trace struct {
	classes    []string
	recordings map[string]*model.Recording
	classed    bool
}

// traceReader reads rows of time[,class] or start,count[,class].
type traceReader struct {
	*trace
	csv    *csv.Reader
	clock  *clock
	column map[string]int
	last   sim.Time   // of the row before
	starts []sim.Time // of the stretches that counts are of, each once
	rows   []countRow
	times  int
	sum    uint64
}

// countRow is a count whose stretch ends where the next begins.
type countRow struct {
	class string
	start int // index into starts
	n     uint64
}

// wrongRow is a mistake in a row.
type wrongRow struct {
	line int
	text string
}

func (w *wrongRow) Error() string { return fmt.Sprintf("line %d: %s", w.line, w.text) }

// readTrace reads a file of arrivals, whose times are of the clock.
func readTrace(fsys fs.FS, name string, k *clock) (*trace, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file beside the one that names it")
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxTrace:
		return nil, fmt.Errorf("it has %d MB; at most %d are read", info.Size()>>20, maxTrace>>20)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	r := &traceReader{
		trace: &trace{recordings: map[string]*model.Recording{}}, clock: k, last: -sim.Never,
	}
	r.csv = csv.NewReader(bufio.NewReaderSize(io.LimitReader(f, maxTrace), 1<<16))
	r.csv.ReuseRecord, r.csv.Comment, r.csv.TrimLeadingSpace = true, '#', true
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.trace, nil
}

func (r *traceReader) read() error {
	if err := r.header(); err != nil {
		return err
	}
	for {
		row, err := r.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.row(row)
		}
		if err != nil {
			return r.located(err)
		}
	}
	return r.close()
}

// located gives an error of a row its line.
func (r *traceReader) located(err error) error {
	var row *wrongRow
	if errors.As(err, &row) {
		return row
	}
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return &wrongRow{bad.Line, bad.Err.Error()}
	}
	line, _ := r.csv.FieldPos(0)
	return &wrongRow{line, err.Error()}
}

// header reads the names of the columns.
func (r *traceReader) header() error {
	row, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return &wrongRow{1, "the file is empty; expected a first line such as time,class or " +
			"start,count"}
	}
	if err != nil {
		return r.located(err)
	}
	r.column = map[string]int{}
	for i, name := range row {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		if !slices.Contains([]string{"time", "class", "start", "count"}, name) {
			return r.located(fmt.Errorf("no column %q; expected the columns time and perhaps class, "+
				"or start, count and perhaps class, named in the first line", name))
		}
		if _, twice := r.column[name]; twice {
			return r.located(fmt.Errorf("two columns %q", name))
		}
		r.column[name] = i
	}
	_, time := r.column["time"]
	_, start := r.column["start"]
	_, count := r.column["count"]
	_, r.classed = r.column["class"]
	if time == (start || count) || start != count {
		return r.located(errors.New("expected the columns time and perhaps class, or start, count " +
			"and perhaps class"))
	}
	return nil
}

// row reads one row.
func (r *traceReader) row(row []string) error {
	class := ""
	if r.classed {
		class = strings.Clone(strings.TrimSpace(row[r.column["class"]]))
		if class == "" {
			return errors.New("the class is empty")
		}
	}
	name, isTime := "start", false
	if _, ok := r.column["time"]; ok {
		name, isTime = "time", true
	}
	at, err := r.time(strings.TrimSpace(row[r.column[name]]))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if at < r.last {
		return fmt.Errorf("%s %s comes after %s; expected times in order", name,
			unit.FormatDuration(at), unit.FormatDuration(r.last))
	}
	r.last = at
	if isTime {
		return r.arrival(class, at)
	}
	return r.count(class, at, strings.TrimSpace(row[r.column["count"]]))
}

// time reads seconds from the start of the run, a duration from it, or a date and time.
func (r *traceReader) time(text string) (sim.Time, error) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		if !(math.Abs(x) < sim.MaxTime.Seconds()) {
			return 0, fmt.Errorf("%s seconds are beyond the clock, which ends at %s; for times of the "+
				"day write them out, such as 2026-08-17T13:28:00.5Z, and give the scenario an epoch",
				text, unit.FormatDuration(sim.MaxTime))
		}
		return exactSeconds(text, x), nil
	}
	if t, err := unit.ParseDuration(text); err == nil && t != sim.Never {
		return t, nil
	}
	t, err := parseDate(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time; expected seconds such as 12.5, a duration such as 90s, "+
			"or a date and time", text)
	}
	if !r.clock.hasEpoch {
		return 0, fmt.Errorf("%q is a date: the scenario needs epoch, the date of second 0", text)
	}
	return sim.Time(t.Sub(r.clock.epoch)), nil
}

// exactSeconds is a decimal number of seconds to the nanosecond, without the rounding of floats:
// in hours of seconds a float is no longer good to one.
func exactSeconds(text string, x float64) sim.Time {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(part) > 9 {
		return sim.Time(math.Round(x * 1e9))
	}
	ns, err := strconv.ParseInt((part + "000000000")[:9], 10, 64)
	if err != nil {
		return sim.Time(math.Round(x * 1e9))
	}
	if strings.HasPrefix(whole, "-") {
		ns = -ns
	}
	return sim.Time(n)*sim.Second + sim.Time(ns)
}

// of is the recording of a class.
func (t *trace) of(class string) *model.Recording {
	r := t.recordings[class]
	if r == nil {
		r = &model.Recording{}
		t.recordings[class] = r
		t.classes = append(t.classes, class)
	}
	return r
}

func (r *traceReader) arrival(class string, at sim.Time) error {
	if r.times++; r.times > maxTimes {
		return fmt.Errorf("more than %d arrivals; count them by the second, as start,count", maxTimes)
	}
	of := r.of(class)
	if at >= 0 { // what happened before the run is not part of it
		of.Times = append(of.Times, at)
	}
	return nil
}

func (r *traceReader) count(class string, at sim.Time, text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("count %q; expected a whole number", text)
	}
	if r.sum += n; n > maxArrivals || r.sum > maxArrivals {
		return fmt.Errorf("more than %d arrivals in all", maxArrivals)
	}
	if len(r.starts) == 0 || r.starts[len(r.starts)-1] < at {
		r.starts = append(r.starts, at)
	}
	start := len(r.starts) - 1
	for i := len(r.rows) - 1; i >= 0 && r.rows[i].start == start; i-- {
		if r.rows[i].class == class {
			return fmt.Errorf("%s begins twice", unit.FormatDuration(at))
		}
	}
	if len(r.rows) >= maxCounts {
		return fmt.Errorf("more than %d rows of counts", maxCounts)
	}
	r.rows = append(r.rows, countRow{class, start, n})
	return nil
}

// close gives each count its stretch: it ends where the next one begins, and the last one is as
// long as the one before.
func (r *traceReader) close() error {
	if _, counted := r.column["count"]; !counted {
		return nil
	}
	n := len(r.starts)
	if n == 1 {
		return errors.New("one start alone does not say how long it lasts; end with a row of count 0")
	}
	for _, row := range r.rows {
		k := model.Counted{From: r.starts[row.start], N: row.n}
		if row.start+1 < n {
			k.To = r.starts[row.start+1]
		} else {
			k.To = k.From + k.From - r.starts[n-2]
		}
		of := r.of(row.class)
		if k.N > 0 && k.From >= 0 {
			of.Counts = append(of.Counts, k)
		}
	}
	return nil
}

// all is the arrivals of all classes together.
func (t *trace) all() *model.Recording {
	out := &model.Recording{}
	for _, class := range t.classes {
		r := t.recordings[class]
		out.Times = append(out.Times, r.Times...)
		out.Counts = append(out.Counts, r.Counts...)
	}
	slices.Sort(out.Times)
	slices.SortStableFunc(out.Counts, func(a, b model.Counted) int {
		return int(min(max(a.From-b.From, -1), 1))
	})
	merged := out.Counts[:0]
	for _, k := range out.Counts {
		if n := len(merged); n > 0 && merged[n-1].From == k.From {
			merged[n-1].N += k.N
			continue
		}
		merged = append(merged, k)
	}
	out.Counts = merged
	return out
}
