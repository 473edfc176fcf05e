package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/experiments/selftest"

	"github.com/spf13/cobra"
)

func selftestCommand(env Env) *cobra.Command {
	var o selftest.Options
	c := &cobra.Command{
		Use:   "selftest",
		Short: "Compare the simulator with theory and published figures",
		Long: "selftest runs worlds whose outcome is known: closed forms of queueing theory,\n" +
			"arithmetic of retries and budgets, storms that tip or do not. It ends with status 1\n" +
			"when a value is off. --size small takes seconds; all takes minutes.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runSelftest(c.Context(), env, o) },
	}
	c.Flags().StringSliceVar(&o.Only, "only", nil, "these cases alone, such as V1,V2")
	c.Flags().StringVar(&o.Size, "size", selftest.SizeSmall, "small or all")
	c.Flags().IntVar(&o.Workers, "workers", 0, "cases side by side; changes no result")
	return c
}

func runSelftest(ctx context.Context, env Env, o selftest.Options) error {
	if o.Size != selftest.SizeAll && o.Size != selftest.SizeSmall {
		return fmt.Errorf("--size %s: expected %s or %s", o.Size, selftest.SizeSmall, selftest.SizeAll)
	}
	if terminal(env.Stderr) != nil {
		o.Progress = func(p selftest.Progress) {
			fmt.Fprintf(env.Stderr, "\r%d of %d  %-8s", p.Done, p.Total, p.ID)
			if p.Done == p.Total {
				fmt.Fprint(env.Stderr, "\r                              \r")
			}
		}
	}
	outcomes, err := selftest.Run(ctx, o)
	if err != nil {
		return interrupted(err)
	}
	if err := writeTables(env, []report.Table{selftestTable(outcomes)}); err != nil {
		return err
	}
	failed := 0
	for _, out := range outcomes {
		if out.Failed() {
			failed++
		}
	}
	if failed > 0 {
		fmt.Fprintf(env.Stdout, "\n%d of %d values are off\n", failed, len(outcomes))
		return errFailed
	}
	fmt.Fprintf(env.Stdout, "\nall %d values are as they should be\n", len(outcomes))
	return nil
}

func selftestTable(outcomes []selftest.Outcome) report.Table {
	t := report.Table{Head: []report.Column{
		{Name: "case"}, {Name: "value"}, {Name: "wanted", Number: true}, {Name: "got", Number: true},
		{Name: "95 %", Number: true}, {Name: "within"}, {Name: "ok"},
	}}
	for _, o := range outcomes {
		row := report.Row{Mark: report.Good, Cells: []string{
			o.ID, o.What, selftestValue(o.Want, o.Unit), selftestValue(o.Got, o.Unit), interval(o),
			o.Tolerance, "yes",
		}}
		switch {
		case o.Failed():
			row.Mark, row.Cells[6] = report.Bad, "NO"
		case o.Disputed && !o.OK:
			row.Mark, row.Cells[6] = report.Doubt, "disputed"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func selftestValue(v float64, unit string) string {
	if math.IsNaN(v) {
		return report.None
	}
	return strings.TrimSpace(fmt.Sprintf("%.6g %s", v, unit))
}

func interval(o selftest.Outcome) string {
	if math.IsInf(o.Lo, 0) || math.IsInf(o.Hi, 0) || math.IsNaN(o.Lo) || math.IsNaN(o.Hi) {
		return report.None
	}
	return fmt.Sprintf("%.5g to %.5g", o.Lo, o.Hi)
}
