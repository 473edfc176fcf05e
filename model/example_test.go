package model_test

import (
	"context"
	"fmt"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// A world written as Go values: one tier that always fails, called by a client that tries once.
func ExampleCompile() {
	topology := &model.Topology{
		Name: "small",
		Tiers: model.Map[model.Tier]{{Name: "db", Value: model.Tier{
			Replicas: model.Replicas{Count: 1}, Slots: model.Unlimited,
			Line:     model.Line{Limit: model.Unlimited, Discipline: "fifo", Full: "reject"},
			InFlight: model.InFlight{Limit: model.Unlimited, Over: "reject"},
			Reject:   model.Reject{Status: 503}, Deadline: "ignore",
			Steps: []model.Step{{Fail: &model.Fail{Share: 1, Status: 500}}},
		}}},
		Clients: model.Map[model.Client]{{Name: "users", Value: model.Client{
			Call: "db", Start: "spread", SlowAfter: sim.Second,
			Arrivals: &model.Arrivals{Process: "constant", Rate: unit.Rate(10)},
		}}},
	}
	scenario := &model.Scenario{
		Duration: 10 * sim.Second, Window: sim.Second, Scale: 1, Replications: 1,
	}
	plan, problems := model.Compile(topology, scenario, nil)
	if plan == nil {
		fmt.Println(problems)
		return
	}
	result, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	summary := check.Summarize(plan, []*model.Result{result})
	fmt.Println(summary.Totals.Requests, "requests,", summary.Totals.Failed, "failed")
	// Output: 99 requests, 99 failed
}
