package experiments_test

import (
	"context"
	"fmt"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// A shipped world, changed by a path and run with three seeds: what the command does is this.
func ExampleRun() {
	source, err := topologies.Open("chain-3x5")
	if err != nil {
		fmt.Println(err)
		return
	}
	document, problems := load.Open(source)
	if len(problems.Errors()) > 0 {
		fmt.Println(problems)
		return
	}
	plan, problems := document.Plan(load.Options{Variant: "3x4", Sets: []string{"duration=10s"}})
	if plan == nil {
		fmt.Println(problems)
		return
	}
	batch, err := experiments.Run(context.Background(), plan, experiments.Options{
		Seeds: experiments.Seeds(1, 3),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var results []*model.Result
	for _, run := range batch.Runs {
		results = append(results, run.Result)
	}
	for _, verdict := range check.Judge(plan, results) {
		fmt.Println(verdict.Name, verdict.Measure, verdict.Text, verdict.OK)
	}
	// Output: leaf edges.l2->l3.amplification 64 true
}
