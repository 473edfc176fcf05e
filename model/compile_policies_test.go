package model

import (
	"context"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// A bucket for each client turns away only the client that sends too much.
func TestAdmissionByClientTellsClientsApart(t *testing.T) {
	for key, quietSuffers := range map[string]bool{"": true, "client": false} {
		top := twoTier()
		top.Clients = Map[Client]{{"quiet", arrivals("web", 10)}, {"noisy", arrivals("web", 1000)}}
		top.Tiers[0].Value.Admission = []PolicyUse{{Policy: "token_bucket", Key: key,
			Settings: &policies.TokenBucket{Rate: 50, Burst: 10}}}
		p := compiled(t, top, minute())
		r, err := p.Run(context.Background(), 1, RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		turned := map[string]uint32{}
		for i, e := range p.World.Edges {
			for _, c := range r.Edges[i].Cells {
				turned[e.Name] += c.Outcomes[policies.Rejected]
			}
		}
		if turned["noisy->web"] == 0 || (turned["quiet->web"] > 0) != quietSuffers {
			t.Errorf("key %q: rejected %v, want the quiet client turned away: %t",
				key, turned, quietSuffers)
		}
	}
}

// What an entry says beside its settings reaches the kernel.
func TestOptionsOfEntriesAreCompiled(t *testing.T) {
	top := twoTier()
	once := PolicyUse{Policy: "adaptive_throttle", Per: "call",
		Settings: &policies.AdaptiveThrottle{K: 2, Window: minute().Duration, Accepts: "answered"}}
	b := budget(10)
	b.Low, b.Key = 0.25, "client"
	top.Edges[0].Retry.Stack = append(top.Edges[0].Retry.Stack, once, b)
	stack := compiled(t, top, minute()).World.Edges[0].Stack
	if u := stack[0]; u.PerCall || u.Low != 0 {
		t.Errorf("without options: got %+v", u)
	}
	if u := stack[1]; !u.PerCall || u.Low != 0 {
		t.Errorf("once per call: got %+v", u)
	}
	if u := stack[2]; u.PerCall || u.Low != 0.25 || u.Key != kernel.KeyClient || u.Stride != 1 {
		t.Errorf("by client, with an alert: got %+v", u)
	}
}
