package model

import (
	"context"
	"testing"
)

func TestSmallWorldsRun(t *testing.T) {
	for _, top := range []*Topology{twoTier(), chain(5)} {
		p := compiled(t, top, minute())
		if len(p.Warnings) > 0 {
			t.Errorf("%s: got warnings\n%s", top.Name, texts(p.Warnings))
		}
		r, err := p.Run(context.Background(), 1, RunOptions{})
		if err != nil {
			t.Fatalf("%s: %v", top.Name, err)
		}
		requests := uint32(0)
		for _, c := range r.Clients[0].Cells {
			requests += c.Requests
		}
		if requests == 0 {
			t.Errorf("%s: got no requests", top.Name)
		}
	}
}
