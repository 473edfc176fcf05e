package policies

import "cascadesim/sim"

// penalties are which hosts are out of the choice for how long. After its penalty one request
// probes a host, and until that has ended no other goes there.
type penalties struct {
	hosts []penalty
	out   int      // hosts that are shut or probed
	due   sim.Time // when the next penalty ends; never later
}

type penalty struct {
	state penaltyState
	until sim.Time // of shut
}

type penaltyState uint8

// Finagle calls them alive, dead, and probe open and closed.
const (
	hostOpen      penaltyState = iota
	hostShut                   // in its penalty
	hostProbation              // the next request probes it
	hostProbed                 // that is under way
)

func (s penaltyState) out() bool { return s == hostShut || s == hostProbed }

// resize makes the hosts n; the new ones are open.
func (p *penalties) resize(n int) {
	for len(p.hosts) < n {
		p.hosts = append(p.hosts, penalty{})
	}
	for i := n; i < len(p.hosts); i++ {
		p.set(i, hostOpen)
	}
	p.hosts = p.hosts[:n]
}

func (p *penalties) set(host int, s penaltyState) {
	h := &p.hosts[host]
	if h.state.out() {
		p.out--
	}
	if s.out() {
		p.out++
	}
	h.state = s
}

// shut takes a host out.
func (p *penalties) shut(host int, until sim.Time) {
	p.set(host, hostShut)
	p.hosts[host].until = until
	p.due = min(p.due, until)
}

// look ends the penalties that are over.
func (p *penalties) look(now sim.Time) {
	if now < p.due {
		return
	}
	p.due = sim.Never
	for i, h := range p.hosts {
		switch {
		case h.state != hostShut:
		case h.until <= now:
			p.set(i, hostProbation)
		default:
			p.due = min(p.due, h.until)
		}
	}
}

// Outs implements Counter.
func (p *penalties) Outs(now sim.Time) int {
	p.look(now)
	return p.out
}

// Picked makes the request that goes to a host on probation its probe.
func (p *penalties) Picked(now sim.Time, host int) {
	p.look(now)
	if p.hosts[host].state == hostProbation {
		p.set(host, hostProbed)
	}
}

// level is the share of hosts that are in the choice.
func (p *penalties) level(now sim.Time) float64 {
	if len(p.hosts) == 0 {
		return 1
	}
	in := len(p.hosts) - p.out
	for _, h := range p.hosts {
		if h.state == hostShut && h.until <= now {
			in++
		}
	}
	return float64(in) / float64(len(p.hosts))
}
