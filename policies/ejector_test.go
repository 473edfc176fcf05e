package policies

import (
	"testing"

	"cascadesim/sim"
)

// fleet plays a balancer and its hosts to an ejector.
type fleet struct {
	e     Ejector
	p     Policy
	now   sim.Time
	hosts int
}

// newFleet has a fresh state of a policy with settings as files write them, and some hosts.
func newFleet(t *testing.T, name, settings string, hosts int) *fleet {
	t.Helper()
	c := newCaller(t, name, settings)
	f := &fleet{e: c.p.Ejector, p: c.p, hosts: hosts}
	f.e.Hosts(0, hosts)
	return f
}

// sends plays n requests to a host, which are all answered so at once, whether it is out or not.
func (f *fleet) sends(host, n int, o Outcome) {
	for range n {
		f.e.Picked(f.now, host)
		f.e.Report(f.now, host, o)
	}
}

// out is which hosts are out, as "--1-".
func (f *fleet) out() string {
	var s []byte
	for host := range f.hosts {
		if f.e.Out(f.now, host) {
			s = append(s, '1')
		} else {
			s = append(s, '-')
		}
	}
	return string(s)
}

var (
	healthy = Outcome{Class: OK}
	broken  = Outcome{Class: Error, Status: 500}
	gateway = Outcome{Class: Rejected, Status: 503}
	slow    = Outcome{Class: TimedOut}
	refused = Outcome{Class: Dropped, Status: 502, Unreached: true}
)
