package policies

import (
	"math"

	"cascadesim/sim"
)

// outlierDetector is one Envoy's view of the hosts of a cluster.
type outlierDetector struct {
	terms  *EnvoyOutlierDetection
	hosts  []outlierHost
	out    int      // hosts that are ejected
	next   sim.Time // when the interval ends
	chance sim.Stream
}

type outlierHost struct {
	ejected   bool
	cut       bool // the last connection to it could not be made
	at        sim.Time
	jitter    sim.Time
	times     sim.Time // how often it was ejected lately: what the base is multiplied by
	returned  bool     // it was ejected once, and came back at
	back      sim.Time
	row5xx    int
	rowGate   int
	rowLocal  int
	answers   outlierRate
	localOnes outlierRate // with split: connections made or not, timeouts
}

// outlierRate counts in this interval; the last one is what is judged.
type outlierRate struct{ good, all, lastGood, lastAll int }

func (r *outlierRate) add(good bool) {
	r.all++
	if good {
		r.good++
	}
}

// seed shifts the intervals: the Envoys of a fleet did not start at the same instant.
func (d *outlierDetector) seed(chance sim.Stream) {
	d.chance = chance
	d.next = 1 + sim.Time(d.chance.Intn(uint64(d.terms.Interval)))
}

func (d *outlierDetector) Hosts(now sim.Time, n int) {
	d.look(now)
	for len(d.hosts) < n {
		d.hosts = append(d.hosts, outlierHost{})
	}
	d.hosts = d.hosts[:n]
	d.out = 0
	for i := range d.hosts {
		if d.hosts[i].ejected {
			d.out++
		}
	}
}

// Picked takes the connection for made, unless the last one to that host was not.
func (d *outlierDetector) Picked(now sim.Time, host int) {
	d.look(now)
	if h := &d.hosts[host]; d.terms.Split && !h.cut {
		h.connected()
	}
}

func (d *outlierDetector) Out(now sim.Time, host int) bool {
	d.look(now)
	n := len(d.hosts)
	panics := float64(100*(n-d.out))/float64(n) < float64(d.terms.Panic)
	return d.hosts[host].ejected && !panics
}

// Outs implements Counter.
func (d *outlierDetector) Outs(now sim.Time) int {
	d.look(now)
	return d.out
}

func (d *outlierDetector) Report(now sim.Time, host int, o Outcome) {
	d.look(now)
	if host >= len(d.hosts) {
		return // it has left meanwhile
	}
	if o.letGo() {
		return
	}
	h := &d.hosts[host]
	if !d.terms.Split {
		d.answered(now, h, outlierStatus(o))
		return
	}
	if h.cut && !o.Unreached {
		h.connected()
	}
	h.cut = o.Unreached
	if !o.answered() {
		d.failedLocally(now, h)
		return
	}
	d.answered(now, h, outlierStatus(o))
}

// outlierStatus is the HTTP status that stands for an outcome.
func outlierStatus(o Outcome) int {
	switch {
	case o.Class == OK:
		return 200
	case o.answered():
		return o.Status
	case o.Class == TimedOut && !o.Unreached:
		return 504
	}
	return 503
}

// answered counts a status. A row ejects at the very answer that completes it; a host that is out
// already counts on, and a row beyond its length ejects no more until something ends it.
func (d *outlierDetector) answered(now sim.Time, h *outlierHost, status int) {
	t := d.terms
	h.answers.add(status < 500 || status > 599)
	if status < 500 || status > 599 {
		h.row5xx, h.rowGate = 0, 0
		return
	}
	if status >= 502 && status <= 504 {
		if h.rowGate++; h.rowGate == t.RowGateway && !h.ejected {
			d.eject(now, h, t.EnforceGateway)
			h.rowGate = 0
		}
	} else {
		h.rowGate = 0
	}
	if h.row5xx++; h.row5xx == t.Row5xx && !h.ejected {
		d.eject(now, h, t.Enforce5xx)
		h.row5xx = 0
	}
}

func (d *outlierDetector) failedLocally(now sim.Time, h *outlierHost) {
	h.localOnes.add(false)
	if h.rowLocal++; h.rowLocal == d.terms.RowLocal && !h.ejected {
		d.eject(now, h, d.terms.EnforceLocal)
		h.rowLocal = 0
	}
}

func (h *outlierHost) connected() {
	h.localOnes.add(true)
	h.rowLocal = 0
}

// eject puts a detected host out, if not too many are and chance has it.
func (d *outlierDetector) eject(now sim.Time, h *outlierHost, enforced int) {
	t := d.terms
	share := float64(100*(d.out+1)) / float64(len(d.hosts))
	if share > float64(t.Percent) && !(t.OneHost && d.out == 0) {
		return
	}
	if enforced < 100 && int(d.chance.Intn(100)) >= enforced {
		return
	}
	d.out++
	h.ejected, h.at, h.jitter = true, now, 0
	if t.Jitter > 0 {
		h.jitter = sim.Time(d.chance.Intn(uint64(t.Jitter/sim.Millisecond)+1)) * sim.Millisecond
	}
	if h.times*t.Base < t.Most+t.Base {
		h.times++
	}
}

// look ends the intervals that are over. One that ends at this very instant comes first, as a timer
// does.
func (d *outlierDetector) look(now sim.Time) {
	for d.next <= now {
		at := d.next
		d.next += d.terms.Interval
		if !d.sweep(at) && d.next <= now { // nothing can change until now
			d.next += (now - d.next) / d.terms.Interval * d.terms.Interval
		}
	}
}

// sweep is what Envoy does at the end of an interval, and tells whether the next one could do
// anything if nothing happens until then.
func (d *outlierDetector) sweep(at sim.Time) (busy bool) {
	t := d.terms
	for i := range d.hosts {
		h := &d.hosts[i]
		if h.ejected && min(t.Base*h.times, t.Most)+h.jitter <= at-h.at {
			h.ejected, h.returned, h.back = false, true, at
			h.row5xx, h.rowGate, h.rowLocal = 0, 0, 0
			d.out--
		}
		h.answers.turn()
		h.localOnes.turn()
	}
	d.judge(at, false)
	if t.Split {
		d.judge(at, true)
	}
	for i := range d.hosts {
		h := &d.hosts[i]
		if !h.ejected && h.returned && at-h.back >= t.Interval && h.times > 0 {
			h.times--
		}
		busy = busy || h.ejected || h.times > 0 || h.answers.lastAll > 0 || h.localOnes.lastAll > 0
	}
	return busy
}

func (r *outlierRate) turn() { *r = outlierRate{lastGood: r.good, lastAll: r.all} }

// judge ejects hosts by their rates of the interval that ended: of answers, or of local failures.
// How many hosts count, and the threshold, are settled before the first one is ejected.
func (d *outlierDetector) judge(at sim.Time, local bool) {
	t := d.terms
	enforceRate, enforceFailed := t.EnforceRate, t.EnforceFailed
	if local {
		enforceRate, enforceFailed = t.EnforceRateLocal, t.EnforceFailedLocal
	}
	rated := d.judged(local, t.RateVolume)
	failing := d.judged(local, t.FailVolume)
	if rated > 0 && rated >= t.RateHosts {
		threshold := d.threshold(local, rated)
		for i := range d.hosts {
			h := &d.hosts[i]
			if rate, ok := h.rated(local, t.RateVolume); ok && rate < threshold {
				d.eject(at, h, enforceRate)
			}
		}
	}
	if failing > 0 && failing >= t.FailedHosts {
		for i := range d.hosts {
			h := &d.hosts[i]
			if rate, ok := h.rated(local, t.FailVolume); ok && 100-rate >= float64(t.Failed) {
				d.eject(at, h, enforceFailed)
			}
		}
	}
}

// rated is a host's success rate in percent; ok is false when it is out or had too few requests.
func (h *outlierHost) rated(local bool, volume int) (rate float64, ok bool) {
	r := &h.answers
	if local {
		r = &h.localOnes
	}
	if h.ejected || r.lastAll == 0 || r.lastAll < volume {
		return 0, false
	}
	return float64(r.lastGood) * 100 / float64(r.lastAll), true
}

// judged is how many hosts have a rate.
func (d *outlierDetector) judged(local bool, volume int) (hosts int) {
	for i := range d.hosts {
		if _, ok := d.hosts[i].rated(local, volume); ok {
			hosts++
		}
	}
	return hosts
}

// threshold is below the mean rate of so many hosts by the factor times their standard deviation,
// that of a population.
func (d *outlierDetector) threshold(local bool, hosts int) float64 {
	mean, variance := 0.0, 0.0
	for i := range d.hosts {
		if rate, ok := d.hosts[i].rated(local, d.terms.RateVolume); ok {
			mean += rate
		}
	}
	mean /= float64(hosts)
	for i := range d.hosts {
		if rate, ok := d.hosts[i].rated(local, d.terms.RateVolume); ok {
			variance += float64((rate - mean) * (rate - mean))
		}
	}
	stdev := math.Sqrt(variance / float64(hosts))
	return mean - float64(float64(d.terms.Rate)/1000*stdev)
}

// level is the share of hosts that are not ejected.
func (d *outlierDetector) level(sim.Time) float64 {
	if len(d.hosts) == 0 {
		return 1
	}
	return float64(len(d.hosts)-d.out) / float64(len(d.hosts))
}
