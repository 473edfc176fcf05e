// The product throws global dice, which can still be set:
//
//go:debug randseednop=0

// Package clientgo compares the policies of Kubernetes clients with client-go and apimachinery.
package clientgo

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// client is a REST client whose transport is a script. qps: 0 is the default, -1 no limiter.
func client(t *testing.T, script *ours.Script, qps float32, burst int) *rest.RESTClient {
	c, err := rest.RESTClientFor(&rest.Config{
		Host: "http://callee", APIPath: "/api", Transport: script, QPS: qps, Burst: burst,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &schema.GroupVersion{Version: "v1"},
			NegotiatedSerializer: serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion(),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// play sends one request and lets it retry.
func play(t *testing.T, c *rest.RESTClient, s *policies.K8sClientGo, script *ours.Script) {
	request := c.Post()
	if s.Get {
		request = c.Get()
	}
	script.Begin()
	request.MaxRetries(s.MaxRetries).Resource("pods").Do(context.Background())
}

func TestRetriesAreTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.K8sClientGo]("k8s_client_go")
		s.Get = rapid.Bool().Draw(r, "get")
		s.MaxRetries = rapid.IntRange(0, 12).Draw(r, "retries")
		script := &ours.Script{Steps: ours.Steps(r, 200, 400, 409, 429, 500, 501, 503, 599)}
		synctest.Test(t, func(t *testing.T) {
			play(t, client(t, script, -1, 0), s, script)
		})
		got := ours.Call{Policy: ours.Policy("k8s_client_go", s),
			Answer: script.Answer(sim.Second)}.Play()
		if !slices.Equal(got, script.Sent) {
			r.Fatalf("%+v\n%+v\ngot  %v\nwant %v", s, script.Steps, got, script.Sent)
		}
	})
}

// TestRetriesPassTheLimiter: with its default, five a second and ten at once, of which the retries
// take theirs after they have waited. Its arithmetic is in binary fractions, so a try may be some
// nanoseconds off.
func TestRetriesPassTheLimiter(t *testing.T) {
	for _, hint := range []int{0, 1} {
		s := ours.Settings[policies.K8sClientGo]("k8s_client_go")
		s.MaxRetries = 30
		script := &ours.Script{Steps: []ours.Step{{Status: 429, Hint: hint}}}
		synctest.Test(t, func(t *testing.T) { play(t, client(t, script, 0, 0), s, script) })
		got := ours.Call{
			Policy: ours.Policy("k8s_client_go", s),
			Answer: script.Answer(sim.Second),
			Limit:  ours.Policy("k8s_client_rate_limit", nil).Shaper,
		}.Play()
		if len(got) != 31 || !ours.Near(got, script.Sent) {
			t.Errorf("hint %d s\ngot  %v\nwant %v", hint, got, script.Sent)
		}
	}
}
