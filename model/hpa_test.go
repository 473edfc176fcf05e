package model_test

import (
	"fmt"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// Pods of an application behind a sidecar of one worker, which passes 100 requests a second on; the
// application then uses 200m of the 1000m that it requests. Four pods are offered 600 a second.
const sidecars = `
name: sidecars
tiers:
  sidecar:
    replicas: 4
    slots: 1
    async: true
    line: {limit: 50}
    steps: [{work: 10ms}, {call: app}]
  app:
    replicas: 4
    slots: 10
    steps: [{work: 20ms}]
    autoscale:
      max: 20
      hpa:
        containers:
          sidecar: {request: 100m, per_slot: SIDECAR}
          app: {request: 1000m, per_slot: 100m}
        metrics: [METRIC]
        behavior: {scale_up: {policies: [{type: pods, value: 20}]}}
clients: {users: {arrivals: constant 600/s, call: sidecar}}
edges:
  - {from: users, to: sidecar, timeout: {try: 1s}}
  - {from: sidecar, to: app, balance: local}
duration: 6m
`

const (
	ofThePod       = "{type: resource, average_utilization: 60%}"
	ofTheApp       = "{type: container_resource, container: app, average_utilization: 60%}"
	ofTheSidecar   = "{type: container_resource, container: sidecar, average_utilization: 60%}"
	smallLimit     = "100m"  // as much as it requests
	istiosDefaults = "2000m" // 20 times what it requests
)

// What an autoscaler makes of a sidecar at its limit depends on what it is shown: V12.q and V12.r.
// The first look by which there is a sample is at 30 s; the way down is open at 315 s, 300 s after
// the first look of all. Once there are more pods each of them has less to do, so that the first
// answer is not the last one: 14 pods at 85 % want 20, 7 at 93 %, while four still work their lines
// off, want 11.
func TestWhatAnAutoscalerMakesOfASaturatedSidecar(t *testing.T) {
	for _, c := range []struct {
		name, limit, metric string
		soon, later, late   float64 // replicas after 30 s, after a minute and from 315 s on
		failed              float64 // share of requests in the end
	}{
		{"the sum is far above what is requested", istiosDefaults, ofThePod, 14, 20, 20, 0},
		{"the application is idle", istiosDefaults, ofTheApp, 4, 4, 2, 2.0 / 3},
		{"the application dilutes the sidecar", smallLimit, ofThePod, 4, 4, 2, 2.0 / 3},
		{"the sidecar itself is full", smallLimit, ofTheSidecar, 7, 11, 11, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compiled(t, strings.NewReplacer("SIDECAR", c.limit, "METRIC", c.metric).
				Replace(sidecars))
			r := ran(t, p)
			for _, at := range []struct {
				from, to sim.Time
				want     float64
			}{{1, 30, 4}, {31, 45, c.soon}, {61, 315, c.later}, {316, 330, c.late}} {
				for _, tier := range []string{"app", "sidecar"} {
					got := over(t, p, r, "tiers."+tier+".replicas", at.from, at.to)
					if got != at.want {
						t.Errorf("%s has %v replicas from %d to %d s, want %v", tier, got, at.from,
							at.to, at.want)
					}
				}
			}
			got := over(t, p, r, "clients.users.failed_share", 320, 330)
			if got < c.failed-0.01 || got > c.failed+0.01 {
				t.Errorf("%v of requests fail in the end, want %v", got, c.failed)
			}
			// Pods that go finish what they hold, with their own application.
			if n := over(t, p, r, "edges.sidecar->app.rejected", 0, 330); n != 0 {
				t.Errorf("%v requests found no application beside their sidecar", n)
			}
		})
	}
}

// Pods that each request a processor, and use one for each request that they work on.
const podsWorldText = `
name: pods
tiers:
  pods:
    replicas: PODS
    slots: 10
    steps: [{work: 10ms}]
    autoscale:
      max: 20
      AUTOSCALE
      hpa:
        containers: {pods: {request: 1, per_slot: 1000m}}
        metrics: [{type: resource, average_utilization: 60%}]
        HPA
clients: {users: {arrivals: constant RATE/s, call: pods}}
duration: 6m
`

func podsWorld(t *testing.T, pods, percent int, autoscale, hpa string) *model.Plan {
	t.Helper()
	return compiled(t, strings.NewReplacer("PODS", fmt.Sprint(pods), "RATE",
		fmt.Sprint(pods*percent), "AUTOSCALE", autoscale, "HPA", hpa).Replace(podsWorldText))
}

// A story is how many pods there are, each time until a second.
type story []struct {
	until sim.Time
	pods  float64
}

func (s story) check(t *testing.T, p *model.Plan) {
	t.Helper()
	r, from := ran(t, p), sim.Time(0)
	for _, part := range s {
		got := over(t, p, r, "tiers.pods.replicas", from, part.until)
		if got != part.pods {
			t.Errorf("%v pods from %d to %d s, want %v", got, from, part.until, part.pods)
		}
		from = part.until
	}
}

// The vectors V12.i to V12.p as worlds of a steady load. The first sample is of the first 15 s and
// decides at 30 s.
func TestPodsFollowTheirLoad(t *testing.T) {
	const behavior, older = "behavior: {}", "behavior: {}\n        tolerance_test: older"
	for _, c := range []struct {
		name          string
		pods, percent int
		hpa           string
		want          story
	}{
		{"i", 4, 90, behavior, story{{30, 4}, {360, 6}}},
		{"j, older test", 4, 66, older, story{{30, 4}, {360, 5}}},
		{"j, newer test", 4, 66, behavior, story{{360, 4}}},
		{"k", 4, 67, behavior, story{{30, 4}, {360, 5}}},
		{"l", 4, 54, behavior, story{{360, 4}}},
		{"m", 4, 53, behavior, story{{360, 4}}},
		{"n", 4, 44, behavior, story{{315, 4}, {360, 3}}},
		{"o", 10, 30, behavior, story{{315, 10}, {360, 5}}},
		{"p", 1, 600, behavior, story{{30, 1}, {45, 5}, {360, 10}}},
		{"p, without behavior", 1, 600, "", story{{30, 1}, {45, 4}, {60, 8}, {360, 10}}},
		{"p, one pod a minute",
			1, 600, "behavior: {scale_up: {policies: [{value: 1, period: 1m}]}}",
			story{{30, 1}, {90, 2}, {150, 3}, {210, 4}}},
		{"p, never up", 1, 600, "behavior: {scale_up: {select_policy: disabled}}", story{{360, 1}}},
		{"p, after a minute of it", 1, 600, "behavior: {scale_up: {stabilization_window: 1m}}",
			story{{75, 1}, {90, 5}, {360, 10}}},
		{"o, a pod each half minute, after one",
			10, 30, "behavior: {scale_down: {stabilization_window: 30s, " +
				"policies: [{value: 1, period: 30s}]}}",
			story{{45, 10}, {75, 9}, {105, 8}, {135, 7}, {165, 6}, {360, 5}}},
		{"i, by an older sample", 4, 90, "metrics_age: 45s", story{{60, 4}, {360, 6}}},
		{"i, by the present one", 4, 90, "metrics_age: 0s", story{{15, 4}, {360, 6}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, podsWorld(t, c.pods, c.percent, "", c.hpa))
		})
	}
}

// A pod that takes a minute to be ready is asked for once: until then it counts as idle, which with
// the others is the load that was wanted.
func TestPodsThatAreNotReadyAreNotAskedForAgain(t *testing.T) {
	story{{90, 4}, {360, 6}}.check(t, podsWorld(t, 4, 90, "delay: 1m", ""))
	// Each that is asked for is there a minute later, in spite of those that are asked for meanwhile.
	story{{90, 1}, {105, 4}, {120, 8}, {360, 10}}.check(t, podsWorld(t, 1, 600, "delay: 1m", ""))
}

// At a tenth of the size a slot stands for ten, and the same number of pods is asked for.
func TestASmallerSystemHasAsManyPods(t *testing.T) {
	text := strings.NewReplacer("PODS", "4", "RATE", "3600", "AUTOSCALE", "", "HPA", "",
		"slots: 10", "slots: 100", "request: 1,", "request: 10,").Replace(podsWorldText)
	for _, scale := range []string{"1", "1/10"} {
		story{{30, 4}, {360, 6}}.check(t, compiled(t, text+"scale: "+scale+"\n"))
	}
}

// A gauge as a metric: 3.6 requests in each of 4 pods where 2.4 are wanted are 6 pods.
func TestPodsFollowAGauge(t *testing.T) {
	for _, gauge := range []string{"busy", "in_system"} {
		text := strings.NewReplacer("PODS", "4", "RATE", "1440", "AUTOSCALE", "", "HPA", "",
			"{type: resource, average_utilization: 60%}",
			"{type: pods, container: pods, gauge: "+gauge+", average_value: 2.4}").
			Replace(podsWorldText)
		story{{30, 4}, {360, 6}}.check(t, compiled(t, text))
	}
}

// Looks and effects that would lie after the last instant of the clock never come.
func TestAutoscalersMayLookSeldom(t *testing.T) {
	for _, scaler := range []string{
		"{max: 9, every: 40h, delay: 50h, metric: tiers.a.in_system, target: 1}",
		"{max: 9, every: 40h, delay: 50h, hpa: {metrics_age: 0s, behavior: {}, containers: {a: " +
			"{request: 1, per_slot: 1}}, metrics: [{average_utilization: 1%}]}}",
	} {
		ran(t, compiled(t, `
name: seldom
tiers: {a: {slots: 5, steps: [{work: 30m}], autoscale: `+scaler+`}}
clients: {users: {arrivals: 4/h, call: a}}
duration: 70h
window: 1h
`))
	}
}
