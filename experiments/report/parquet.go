package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"cascadesim/model"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes the rows of windows.csv as Parquet, for tools that read columns. Values are
// not rounded; what does not exist is null. Columns are in the order of their names.
func WriteParquet(w io.Writer, plan *model.Plan, runs []*model.Result, version string) error {
	fields := parquet.Group{
		"seed": parquet.Uint(64), "time_s": parquet.Leaf(parquet.DoubleType),
		"time_utc": parquet.Optional(parquet.Timestamp(parquet.Microsecond)),
		"of":       parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
		"name":     parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
	}
	for _, m := range csvColumns() {
		fields[m] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	var order []string
	for name := range fields {
		order = append(order, name)
	}
	slices.Sort(order)
	at := map[string]int{}
	for i, name := range order {
		at[name] = i
	}
	out := parquet.NewWriter(w, parquet.NewSchema("windows", fields),
		parquet.Compression(&parquet.Zstd), parquet.CreatedBy("cascadesim", version, ""))
	for _, r := range runs {
		for _, g := range groupsOf(plan) {
			rows, err := g.rows(plan, r, at)
			if err != nil {
				return err
			}
			if _, err := out.WriteRows(rows); err != nil {
				return fmt.Errorf("write Parquet: %w", err)
			}
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}

// rows are a group's windows as Parquet has them; at is the place of each column.
func (g group) rows(plan *model.Plan, r *model.Result, at map[string]int) ([]parquet.Row, error) {
	series, windows, err := g.series(plan, r)
	if err != nil {
		return nil, err
	}
	rows := make([]parquet.Row, windows)
	for w := range rows {
		row := make(parquet.Row, len(at))
		for _, i := range at {
			row[i] = parquet.NullValue().Level(0, 0, i)
		}
		set := func(column string, v parquet.Value, level int) {
			row[at[column]] = v.Level(0, level, at[column])
		}
		start := time.Duration(w) * time.Duration(r.Window)
		set("seed", parquet.Int64Value(int64(r.Seed)), 0)
		set("time_s", parquet.DoubleValue(start.Seconds()), 0)
		if epoch := plan.Scenario.Epoch; !epoch.IsZero() {
			set("time_utc", parquet.Int64Value(epoch.Add(start).UnixMicro()), 1)
		}
		set("of", parquet.ByteArrayValue([]byte(g.of)), 0)
		set("name", parquet.ByteArrayValue([]byte(g.name)), 0)
		for i, m := range g.measures {
			if v := series[i][w]; !math.IsNaN(v) {
				set(m, parquet.DoubleValue(v), 1)
			}
		}
		rows[w] = row
	}
	return rows, nil
}
