package policies

import (
	"fmt"
	"sort"
)

// Registry is a set of kinds by name, read-only once made.
type Registry struct {
	kinds []*Kind // sorted by name
}

// builtins collects what the files of this package declare; only builtin writes it, and only while
// the package initialises.
var builtins []*Kind

// builtin declares a policy of this package. It returns a value only so that a file can say
// `var _ = builtin(...)`.
func builtin[S any](
	spec Spec, defaults S, check func(S) []error, maker func(S) func() Policy,
) bool {
	for _, k := range builtins {
		if k.Name == spec.Name {
			panic(fmt.Sprintf("policies: two policies are named %q", spec.Name))
		}
	}
	builtins = append(builtins, NewKind(spec, defaults, check, maker))
	return true
}

// Builtins is the registry of all policies of this package.
func Builtins() *Registry { return newRegistry(builtins) }

// newRegistry copies and sorts, so that the order of files on disk is never seen.
func newRegistry(kinds []*Kind) *Registry {
	sorted := append([]*Kind(nil), kinds...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	return &Registry{kinds: sorted}
}

// Kinds are all kinds, sorted by name. The slice is the caller's own.
func (r *Registry) Kinds() []*Kind { return append([]*Kind(nil), r.kinds...) }

// Lookup finds a kind by its name.
func (r *Registry) Lookup(name string) (*Kind, bool) {
	i := sort.Search(len(r.kinds), func(i int) bool { return r.kinds[i].Name >= name })
	if i == len(r.kinds) || r.kinds[i].Name != name {
		return nil, false
	}
	return r.kinds[i], true
}

// With is a registry that knows k too; r is unchanged. It panics when the name is taken: which of
// two policies a file means must never depend on the order of registration.
func (r *Registry) With(k *Kind) *Registry {
	if _, taken := r.Lookup(k.Name); taken {
		panic(fmt.Sprintf("policies: two policies are named %q", k.Name))
	}
	return newRegistry(append(r.Kinds(), k))
}
