package model

import (
	"reflect"

	"cascadesim/policies"
)

// ofClient is an entry as one client sees it, by the i-th of the settings that differ.
func (u use) ofClient(i int) use {
	own := *u.PolicyUse
	own.Settings = u.ByClient[i].Value
	u.PolicyUse, u.path = &own, u.path+".by_client."+u.ByClient[i].Name
	return u
}

// checkQuotas checks the settings of an entry that differ for some clients. They may not change
// what the policy does, which is known of an entry as a whole.
func (n *names) checkQuotas(u use) {
	if len(u.ByClient) == 0 {
		return
	}
	if keyOf(u) != "client" {
		n.errorf(u.path+".by_client", "without key: client all clients have one state, and one setting").
			hint("say key: client")
	}
	known := mapNames(n.t.Clients)
	for i := range u.ByClient {
		own := u.ofClient(i)
		if _, ok := n.t.Clients.Get(u.ByClient[i].Name); !ok {
			n.errorf(own.path, "there is no client %q", u.ByClient[i].Name).
				hint(nearest(u.ByClient[i].Name, known))
		}
		if !n.checkSettings(own) || !settingsFit(u.kind, u.Settings) ||
			len(u.kind.Check(u.Settings)) > 0 {
			continue
		}
		if !sameRoles(u.kind.New(u.Settings), u.kind.New(own.Settings)) {
			n.errorf(own.path, "these settings make another policy of %s, for this client alone",
				u.kind.Name).hint("let clients differ in numbers")
		}
	}
}

// sameRoles tells whether two policies are asked the same questions.
func sameRoles(a, b policies.Policy) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		switch x.Field(i).Kind() {
		case reflect.Interface, reflect.Func:
			if x.Field(i).IsNil() != y.Field(i).IsNil() {
				return false
			}
		case reflect.Bool:
			if x.Field(i).Bool() != y.Field(i).Bool() {
				return false
			}
		}
	}
	return a.Repicks == b.Repicks && a.QueueFor == b.QueueFor
}

// quotas are the makers of the states of clients that differ, by client; nil: none does.
func (c *compiler) quotas(u use) []func() policies.Policy {
	if len(u.ByClient) == 0 {
		return nil
	}
	out := make([]func() policies.Policy, len(c.n.t.Clients))
	for i := range u.ByClient {
		for k := range c.n.t.Clients {
			if c.n.t.Clients[k].Name == u.ByClient[i].Name {
				out[k] = u.kind.Maker(c.settings(u.ofClient(i)))
			}
		}
	}
	return out
}
