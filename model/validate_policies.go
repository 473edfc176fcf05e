package model

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"cascadesim/policies"
	"cascadesim/sim/unit"
)

var (
	scopeWords = []string{"instance", "client", "tier", "shared"}
	keyWords   = []string{"edge", "endpoint", "replica", "priority", "client"}
	perWords   = []string{"attempt", "call"}
)

// use is one entry of an edge's stack or of a tier's admission, with its kind.
type use struct {
	*PolicyUse
	kind  *policies.Kind
	path  string
	key   string // of the entry in paths
	edge  int    // -1: admission
	scope string
}

// stack resolves the entries of a stack or of an admission; unknown policies are reported.
func (n *names) stack(path string, entries []PolicyUse, edge int) []use {
	var out []use
	for i := range entries {
		u := use{PolicyUse: &entries[i], key: useKey(entries, i), edge: edge}
		u.path = path + "." + u.key
		kind, ok := n.reg.Lookup(u.Policy)
		if !ok {
			var known []string
			for _, k := range n.reg.Kinds() {
				known = append(known, k.Name)
			}
			n.errorf(u.path, "unknown policy %q", u.Policy).hint(nearest(u.Policy, known))
			continue
		}
		u.kind, u.scope = kind, u.Scope
		if edge >= 0 && u.scope == "" {
			u.scope = n.edges[edge].Retry.Scope
		}
		if u.scope == "" {
			u.scope = "instance"
		}
		out = append(out, u)
	}
	return out
}

// useKey is the key of an entry in paths: its name, else its policy's name.
func useKey(entries []PolicyUse, i int) string {
	if entries[i].Name != "" {
		return entries[i].Name
	}
	if entries[i].Policy == "" {
		return strconv.Itoa(i)
	}
	return entries[i].Policy
}

// checkPolicies checks all stacks and admissions, and what entries of several stacks share.
func (n *names) checkPolicies() {
	for i := range n.t.Tiers {
		t := &n.t.Tiers[i]
		path := "tiers." + t.Name + ".admission"
		uses := n.stack(path, t.Value.Admission, -1)
		n.checkStack(uses, true)
		for _, u := range uses {
			n.checkAdmission(u)
			n.checkSizer(u, t)
		}
	}
	shared := map[string]use{}
	for i := range n.edges {
		e := &n.edges[i]
		if e.Retry == nil {
			continue
		}
		uses := n.stack(e.path+".retry.stack", e.Retry.Stack, i)
		n.checkStack(uses, false)
		for _, u := range uses {
			n.checkScope(u)
			n.checkBeside(u)
			n.checkShared(u, shared)
		}
	}
}

// checkStack checks what one stack says about itself.
func (n *names) checkStack(uses []use, callee bool) {
	entries := make([]policies.StackEntry, len(uses))
	seen, ordered := map[string]bool{}, true
	for i, u := range uses {
		entries[i] = policies.StackEntry{Name: u.key, Kind: u.kind, Charges: u.Charges}
		n.checkQuotas(u)
		if n.checkSettings(u) {
			entries[i].Settings = u.Settings
			if !callee {
				n.checkRoles(u)
			}
		}
		if seen[u.key] {
			n.errorf(u.path, "two entries are called %s", u.key).hint("give one of them a name")
		}
		seen[u.key] = true
		if u.kind.Callee != callee {
			ordered = false
			n.wrongSide(u)
		}
	}
	if !ordered {
		return
	}
	for _, err := range policies.CheckOrder(entries) {
		name, text, _ := strings.Cut(err.Error(), ": ")
		for _, u := range uses {
			if u.key == name {
				n.errorf(u.path, "%s", text)
				break
			}
		}
	}
}

func (n *names) wrongSide(u use) {
	if u.kind.Callee {
		n.errorf(u.path, "%s decides for the callee; it belongs in a tier's admission", u.kind.Name)
		return
	}
	n.errorf(u.path, "%s decides for the caller; it belongs in an edge's retry.stack", u.kind.Name)
}

// checkSettings checks the settings of an entry, and tells whether a policy can be made from them.
func (n *names) checkSettings(u use) bool {
	if !settingsFit(u.kind, u.Settings) {
		n.errorf(u.path, "settings are of type %T; expected %T", u.Settings, u.kind.Settings())
		return false
	}
	errs := u.kind.Check(u.Settings)
	for _, err := range errs {
		field, text, ok := strings.Cut(err.Error(), ": ")
		if !ok || strings.Contains(field, " ") {
			n.errorf(u.path, "%s", err)
			continue
		}
		n.errorf(u.path+"."+field, "%s", text)
	}
	return len(errs) == 0
}

// settingsFit tells whether settings are of the kind's own type.
func settingsFit(kind *policies.Kind, settings any) bool {
	if settings == nil {
		return true
	}
	want := reflect.TypeOf(kind.Settings())
	got := reflect.TypeOf(settings)
	return got == want || got == want.Elem()
}

// checkScope checks where an entry keeps its state.
func (n *names) checkScope(u use) {
	n.word(u.path+".scope", u.Scope, scopeWords...)
	n.word(u.path+".key", u.Key, keyWords...)
	n.word(u.path+".counts", u.Counts, "own", "carried")
	e := &n.edges[u.edge]
	keyed := u.Key != "" && u.Key != "edge"
	if !u.kind.Stateful {
		if keyed || u.Pool != "" || u.Scope != "" && u.Scope != e.Retry.Scope {
			n.errorf(u.path, "%s keeps no state; scope, key and pool mean nothing", u.kind.Name)
		}
	}
	if u.Key == "endpoint" {
		n.sameEndpoints(u)
	}
	if u.Counts == "carried" {
		n.checkCarried(u)
	}
	if u.kind.Stateful && u.scope == "instance" && e.from.kind == aClient && e.ok {
		c := &n.t.Clients[e.from.index].Value
		if c.Population > 1 {
			n.warnf(u.path+".scope", "the %s clients of %q share one state of %s",
				unit.FormatCount(unit.Count(c.Population)), e.From, u.key).
				hint("scope: client gives each its own; scope: tier says that one is meant")
		}
	}
}

// sameEndpoints checks that one number means one endpoint at every tier behind an edge.
func (n *names) sameEndpoints(u use) {
	var first *Entry[Tier]
	for _, tier := range n.g.into[u.edge] {
		t := &n.t.Tiers[tier]
		if first == nil {
			first = t
		}
		a, b := mapNames(first.Value.Endpoints), mapNames(t.Value.Endpoints)
		if strings.Join(a, " ") != strings.Join(b, " ") {
			n.errorf(u.path+".key", "%s and %s have different endpoints; key: endpoint needs the "+
				"same ones in the same order", first.Name, t.Name)
			return
		}
	}
}

// checkCarried checks that some attempt which the caller serves carries its number.
func (n *names) checkCarried(u use) {
	e := &n.edges[u.edge]
	if e.from.kind == aTier {
		for i := range n.edges {
			if n.edges[i].CarryAttempt && n.reaches(i, e.From) {
				return
			}
		}
	}
	if e.from.kind == aClient {
		n.errorf(u.path+".counts", "carried: %s is a client, and serves nobody who might carry an "+
			"attempt number", e.From).hint("leave counts out")
		return
	}
	n.errorf(u.path+".counts", "carried: no edge to %s carries the attempt number", e.From).
		hint("set carry_attempt on the edge to it")
}

// sharedBy is what entries that share one state have in common; empty: it has its own.
func (n *names) sharedBy(u use) string {
	switch {
	case !u.kind.Stateful:
		return ""
	case u.Pool != "":
		return "pool " + u.Pool
	case u.scope == "shared":
		to, _, _ := strings.Cut(n.edges[u.edge].To, "/")
		return "shared " + u.key + " of " + to
	}
	return ""
}

// checkShared checks that entries which share one state mean the same by it.
func (n *names) checkShared(u use, shared map[string]use) {
	by := n.sharedBy(u)
	if by == "" {
		return
	}
	first, ok := shared[by]
	if !ok {
		shared[by] = u
		return
	}
	differ := ""
	switch {
	case first.kind != u.kind:
		differ = fmt.Sprintf("one is %s, the other %s", first.kind.Name, u.kind.Name)
	case !reflect.DeepEqual(settingsOf(first), settingsOf(u)):
		differ = "their settings differ"
	case !reflect.DeepEqual(first.ByClient, u.ByClient):
		differ = "the settings of their clients differ"
	case first.scope != u.scope:
		differ = fmt.Sprintf("one has scope %s, the other %s", first.scope, u.scope)
	case keyOf(first) != keyOf(u):
		differ = fmt.Sprintf("one has key %s, the other %s", keyOf(first), keyOf(u))
	case keyOf(u) == "endpoint" && n.edges[first.edge].To != n.edges[u.edge].To:
		differ = fmt.Sprintf("key: endpoint means others at %s than at %s",
			n.edges[first.edge].To, n.edges[u.edge].To)
	case u.scope == "instance" && n.edges[first.edge].from != n.edges[u.edge].from:
		differ = fmt.Sprintf("%s and %s have different replicas; say scope: shared",
			n.edges[first.edge].From, n.edges[u.edge].From)
	}
	if differ != "" {
		n.errorf(u.path, "%s is one state with %s, but %s", by, first.path, differ)
	}
}

// settingsOf is a pointer to an entry's settings, the defaults when it has none.
func settingsOf(u use) any {
	if u.Settings == nil {
		return u.kind.Settings()
	}
	if v := reflect.ValueOf(u.Settings); v.Kind() != reflect.Pointer {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p.Interface()
	}
	return u.Settings
}

func keyOf(u use) string {
	if u.Key == "" {
		return "edge"
	}
	return u.Key
}
