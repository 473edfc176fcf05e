package load

import (
	"reflect"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// Times in all their forms, against an epoch of 12:58.
func TestTimes(t *testing.T) {
	k := newClock(mustNode(t, `
epoch: 2026-08-17T12:58:00Z
until: 21:45
timeline:
  - {name: pause, at: 16:34, for: 6m}
  - {name: after, at: pause.end + 1m30s, until: end}
  - {name: 8-hours, at: 8h, until: 2026-08-17 21:00}
`))
	const minute = sim.Minute
	for text, want := range map[string]sim.Time{
		"2m": 2 * minute, "0": 0, "12:58": 0, "13:28": 30 * minute,
		"13:28:30": 30*minute + 30*sim.Second,
		"12:57":    24*60*minute - minute, "end": 527 * minute, "21:45": 527 * minute,
		"2026-08-17T13:00:00Z": 2 * minute, "2026-08-17 13:00": 2 * minute,
		"2026-08-17T15:00:00+02:00": 2 * minute, "2026-08-18T12:58:00Z": 24 * 60 * minute,
		"pause": 216 * minute, "pause.end": 222 * minute, "pause - 1m": 215 * minute,
		"after": 223*minute + 30*sim.Second, "after.end": 527 * minute, "end - 27m": 500 * minute,
		"8-hours": 480 * minute, "8-hours.end": 482 * minute,
		"8-hours + 90s": 481*minute + 30*sim.Second,
	} {
		if got, err := k.time(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "25:00", "12:60", "1:2", "pauze", "pause.start", "none", "5",
		"-2m", "pause + 5", "pause + none", "pause+6m", "+6m", "2026-08-17"} {
		if got, err := k.time(text); err == nil {
			t.Errorf("%q is a time: %v", text, got)
		}
	}
}

// mustNode parses a text that must be YAML.
func mustNode(t *testing.T, text string) *node {
	t.Helper()
	n, err := parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const live = `
name: live
tiers:
  web: {slots: 4, replicas: {a: {weight: 36}, b: {slots: 2}}, steps: [{call: r}]}
  db: {replicas: 2, line: {limit: 10}, steps: [{work: 1ms}]}
routes: {r: {db: 60%, dc: 40%}}
clients: {users: {call: web, arrivals: 5/s}}
edges: [{from: web, to: r, latency: 1ms, timeout: {try: 1s}, retry: {stack: []}}]
duration: 10m
`

// A set entry becomes settings of concrete places, with numbers in the field's own unit.
func TestSettings(t *testing.T) {
	num := func(path string, op model.Op, x float64) model.Setting {
		return model.Setting{Path: path, Op: op, Value: model.Value{Number: x}}
	}
	twoMS := sim.MustParseDist("exp 2ms")
	for set, want := range map[string][]model.Setting{
		"tiers.web.slots: 7":          {num("tiers.web.slots", model.Replace, 7)},
		"tiers.web.slots: unlimited":  {num("tiers.web.slots", model.Replace, -1)},
		"tiers.web.slots: 1.5x":       {num("tiers.web.slots", model.Multiply, 1.5)},
		"tiers.web.slots: -2":         {num("tiers.web.slots", model.Add, -2)},
		"tiers.web.slots: +1k":        {num("tiers.web.slots", model.Add, 1000)},
		"tiers.db.replicas: 3":        {num("tiers.db.replicas", model.Replace, 3)},
		"tiers.db.line.limit: 0":      {num("tiers.db.line.limit", model.Replace, 0)},
		"tiers.db.in_flight.limit: 5": {num("tiers.db.in_flight.limit", model.Replace, 5)},
		"tiers.*.reject.status: 429": {num("tiers.web.reject.status", model.Replace, 429),
			num("tiers.db.reject.status", model.Replace, 429)},
		"tiers.*.reject.retry_after: 2s": {num("tiers.web.reject.retry_after", model.Replace, 2e9),
			num("tiers.db.reject.retry_after", model.Replace, 2e9)},
		"tiers.db.reject.retry_after: none": {num("tiers.db.reject.retry_after", model.Replace, 0)},
		"tiers.web.replicas.a.weight: 3":    {num("tiers.web.replicas.a.weight", model.Replace, 3)},
		"tiers.web.replicas.*.slots: 3": {num("tiers.web.replicas.a.slots", model.Replace, 3),
			num("tiers.web.replicas.b.slots", model.Replace, 3)},
		"clients.users.arrivals.rate: 30/m": {num("clients.users.arrivals.rate", model.Replace, 0.5)},
		"clients.*.arrivals.rate: +5/s":     {num("clients.users.arrivals.rate", model.Add, 5)},
		"edges.web->r.loss: 20%":            {num("edges.web->r.loss", model.Replace, 0.2)},
		"edges.web:r.block.share: -5%":      {num("edges.web->r.block.share", model.Add, -0.05)},
		"edges.web->r.timeout.try: none":    {num("edges.web->r.timeout.try", model.Replace, -1)},
		"edges.web->r.timeout.try: 250ms":   {num("edges.web->r.timeout.try", model.Replace, 2.5e8)},
		"edges.*.retry.enabled: 50%":        {num("edges.web->r.retry.enabled", model.Replace, 0.5)},
		"edges.web->r.latency: 3x":          {num("edges.web->r.latency", model.Multiply, 3)},
		"edges.web->r.latency: +3s":         {num("edges.web->r.latency", model.Add, 3e9)},
		"edges.users->web.latency: exp 2ms": {{Path: "edges.users->web.latency",
			Value: model.Value{Dist: &twoMS}}},
		"routes.r.to: {db: 0%, dc: 100%}": {{Path: "routes.r.to", Value: model.Value{
			Weights: model.Map[model.Weight]{{Name: "db", Value: model.Weight{Percent: true}},
				{Name: "dc", Value: model.Weight{Value: 1, Percent: true}}}}}},
		"tiers.web.slots: {steps: {0m: 3, 1m: 5}}": {{Path: "tiers.web.slots",
			Curve: model.Curve{{At: 2 * sim.Minute, Value: 3}, {At: 3 * sim.Minute, Value: 5}}}},
		"edges.web->r.loss: {ramp: {0m: 0%, 30s: 50%}}": {{Path: "edges.web->r.loss", Ramp: true,
			Curve: model.Curve{{At: 2 * sim.Minute, Value: 0}, {At: 150 * sim.Second, Value: 0.5}}}},
	} {
		_, s, problems := openText(t, live+"timeline: [{name: it, at: 2m, set: {"+set+"}}]\n").
			Build(Options{})
		if len(problems) > 0 {
			t.Errorf("%s: %v", set, problems)
			continue
		}
		if got := s.Timeline[0].Set; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", set, got, want)
		}
	}
}

// Bounds keep the unit that they are written in; where a check yields a time they are times.
func TestBounds(t *testing.T) {
	k := newClock(mustNode(t, "epoch: 2026-08-17T12:58:00Z\nduration: 1h\n"))
	for _, c := range []struct {
		text  string
		timed bool
		want  model.Bound
	}{
		{"243", false, model.Bound{Value: 243, Unit: "count"}},
		{"9.4185", false, model.Bound{Value: 9.4185, Unit: "count"}},
		{"20k", false, model.Bound{Value: 20000, Unit: "count"}},
		{"0", false, model.Bound{Value: 0, Unit: "count"}},
		{"5.815%", false, model.Bound{Value: 0.05815, Unit: "share"}},
		{"120%", false, model.Bound{Value: 1.2, Unit: "share"}},
		{"7k/s", false, model.Bound{Value: 7000, Unit: "rate"}},
		{"-6/s", false, model.Bound{Value: -6, Unit: "rate"}},
		{"7h12m", false, model.Bound{Value: 25920, Unit: "duration"}},
		{"3.466s", false, model.Bound{Value: 3.466, Unit: "duration"}},
		{"13:28", false, model.Bound{Value: 1800, Unit: "time"}},
		{"5m", true, model.Bound{Value: 300, Unit: "time"}},
		{"13:28", true, model.Bound{Value: 1800, Unit: "time"}},
	} {
		if got, err := k.bound(c.text, c.timed); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

// A check's forms become the model's.
func TestChecks(t *testing.T) {
	_, s, problems := openText(t, live+`
timeline: [{name: cut, at: 2m, for: 1m, fault: {tier: db, slow: 2x}}]
checks:
  - {name: a, measure: m.x, take: {first_above: 5%}, hold: 5s, since: cut, expect: 20s, within: 5%}
  - {name: b, measure: m.x, take: {last_below: 7/s, hold: 2s}, since: a, max: 20s, pass: 9 of 10}
  - {name: c, measure: m.x, from: cut, to: cut.end + 1m, bin: 30s, take: each,
     relative_to: 18k/s, min: 2, pass: 90%}
  - {name: d, measure: m.x, at: 31s, expect: 5580, within: 3/s,
     relative_to: {from: 1m, to: 2m}, pass: mean}
  - {name: e, measure: m.x, is: recovered, relative_to: {measure: m.y}, client: users}
`).Build(Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	at := func(t sim.Time) *sim.Time { return &t }
	bound := func(x float64, unit string) *model.Bound { return &model.Bound{Value: x, Unit: unit} }
	share := func(x float64) model.Pass { return model.Pass{Kind: "share", Share: x} }
	all, mean := model.Pass{Kind: "all"}, model.Take{Kind: "mean"}
	want := []model.Check{
		{Name: "a", Measure: "m.x", Since: &model.Since{Time: 2 * sim.Minute}, Pass: all,
			Take:   model.Take{Kind: "first_above", Value: bound(0.05, "share"), Hold: 5 * sim.Second},
			Expect: bound(20, "duration"), Within: bound(0.05, "share"), WithinRelative: true},
		{Name: "b", Measure: "m.x", Since: &model.Since{Check: "a"}, Pass: share(0.9),
			Take: model.Take{Kind: "last_below", Value: bound(7, "rate"), Hold: 2 * sim.Second},
			Max:  bound(20, "duration")},
		{Name: "c", Measure: "m.x", From: at(2 * sim.Minute), To: at(4 * sim.Minute),
			Bin:  30 * sim.Second,
			Take: model.Take{Kind: "each"}, Relative: &model.Relative{Number: bound(18000, "rate")},
			Min: bound(2, "count"), Pass: share(0.9)},
		{Name: "d", Measure: "m.x", At: at(31 * sim.Second), Take: mean, Expect: bound(5580, "count"),
			Within: bound(3, "rate"), Pass: model.Pass{Kind: "mean"},
			Relative: &model.Relative{From: at(sim.Minute), To: at(2 * sim.Minute)}},
		{Name: "e", Measure: "m.x", Client: "users", Take: mean, Is: "recovered", Pass: all,
			Relative: &model.Relative{Measure: "m.y"}},
	}
	for i := range want {
		if !reflect.DeepEqual(s.Checks[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", s.Checks[i], want[i])
		}
	}
}
