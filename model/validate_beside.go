package model

import (
	"slices"

	"cascadesim/policies"
)

// speakers are policies of a caller that read what one of the callee puts on its answers.
var speakers = map[string]string{"breakwater_client": "breakwater", "dagor_client": "dagor"}

// checkBeside checks what an entry of a stack says against what is behind its edge, and settings
// that mean nothing beside others.
func (n *names) checkBeside(u use) {
	if other := speakers[u.kind.Name]; other != "" && n.edges[u.edge].ok && !n.admits(u.edge, other) {
		n.warnf(u.path, "no tier behind %s has %s in its admission, so that nobody tells %s anything",
			n.edges[u.edge].path, other, u.kind.Name).hint("add " + other + " to the tier's admission")
	}
	s, ok := u.Settings.(*policies.EnvoyCircuitBreaker)
	if !ok || s.Protocol != "http2" {
		return
	}
	usual := u.kind.Settings().(*policies.EnvoyCircuitBreaker)
	for _, x := range []struct {
		field     string
		is, usual int
	}{
		{"max_connections", s.Connections, usual.Connections},
		{"max_pending_requests", s.Pending, usual.Pending},
	} {
		if x.is != x.usual {
			n.errorf(u.path+"."+x.field, "%d; under http2 one connection carries all tries, and nothing "+
				"waits", x.is).hint("say protocol: http1, or leave it out")
		}
	}
}

// admits tells whether some tier behind an edge has a policy in its admission.
func (n *names) admits(edge int, policy string) bool {
	return slices.ContainsFunc(n.g.into[edge], func(tier int) bool {
		return slices.ContainsFunc(n.t.Tiers[tier].Value.Admission, func(u PolicyUse) bool {
			return u.Policy == policy
		})
	})
}
