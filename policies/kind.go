package policies

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Spec is what a policy says of itself: its name in files, its doc, and the roles it plays.
type Spec struct {
	Name    string // in files and results: snake_case
	Doc     string // full sentences: what it does, what it costs, which source it follows
	Example string // settings in YAML flow form, such as "{ratio: 10%, window: 10s}"

	Callee   bool // an admission policy of a tier; else one of a caller's stack
	Gates    bool // has a Gate
	Paces    bool // has a Pacer
	Observes bool // has an Observer
	Refuses  bool // may turn an attempt away
	Bounds   bool // bounds how often a call is tried, or how much of the traffic retries are
	Spends   bool // what it grants costs something that a later refusal would waste
	Stateful bool // remembers; scope, key and pool are meaningful
	Judges   bool // has a Condition: decides itself what is tried again, so retry_on does not
	Notes    bool // keeps a note of each call, or attempt at a callee: Attempt.Note
	// AtSend: its gate is asked when an attempt is about to be sent, after any backoff, and not when
	// the retry is decided: what depends on the present, as a breaker, must not be asked too early.
	AtSend bool

	// Source is where its behaviour and its defaults were read: product, version, file or section.
	Source string
	// Sure says how well that is known; one of the marks below.
	Sure Mark
}

// Mark says how sure it is that a policy does what the thing it is named after does.
type Mark string

// The marks.
const (
	FromSource   Mark = "source"     // read in the product's source
	FromDocument Mark = "document"   // read in an official document or paper only
	Believed     Mark = "believed"   // general knowledge; no source was readable
	Definition   Mark = "definition" // a formula of this program's own, named after nothing else
)

// Kind is one policy of the registry: what it is called, what it does, what may be set. A Kind is
// immutable and may be shared by any number of goroutines.
type Kind struct {
	Spec
	defaults func() any
	check    func(settings any) []error
	maker    func(settings any) func() Policy
	copy     func(settings any) any
}

// NewKind makes a kind from its settings type S, a plain struct whose fields carry the tags that
// Field describes. The check reports impossible values, each error beginning with the name of the
// field in files. The maker is called once for each place of use: what it computes there is shared
// by all the states that the function it returns makes. It may assume settings that passed check.
func NewKind[S any](
	spec Spec, defaults S, check func(S) []error, maker func(S) func() Policy,
) *Kind {
	value := func(settings any) S {
		switch s := settings.(type) {
		case *S:
			return fresh(*s)
		case S:
			return fresh(s)
		case nil:
			return fresh(defaults)
		}
		panic(fmt.Sprintf("policies: %s got settings of type %T, not %T",
			spec.Name, settings, defaults))
	}
	return &Kind{
		Spec:     spec,
		defaults: func() any { s := fresh(defaults); return &s },
		check:    func(settings any) []error { return check(value(settings)) },
		maker:    func(settings any) func() Policy { return maker(value(settings)) },
		copy:     func(settings any) any { s := value(settings); return &s },
	}
}

// fresh is a copy of settings that shares no list with them.
func fresh[S any](settings S) S {
	v := reflect.ValueOf(&settings).Elem()
	for i := range v.NumField() {
		switch list := v.Field(i).Addr().Interface().(type) {
		case *[]string:
			*list = slices.Clone(*list)
		case *[]int:
			*list = slices.Clone(*list)
		}
	}
	return settings
}

// Decides tells whether the policy itself says what follows a failure, so that retry_on means
// nothing beside it: it judges outcomes, or hedges.
func (k *Kind) Decides() bool { return k.Judges || k.New(nil).Hedger != nil }

// Settings is a pointer to a fresh copy of the defaults, for a decoder to fill.
func (k *Kind) Settings() any { return k.defaults() }

// Check reports every impossible value of the settings at once, each error beginning with the name
// of the field as files write it.
func (k *Kind) Check(settings any) []error {
	var errs []error
	v := reflect.ValueOf(k.copy(settings)).Elem()
	for i, f := range k.Fields() {
		if len(f.Enum) == 0 {
			continue
		}
		words, list := v.Field(i).Interface().([]string)
		if !list {
			words = []string{v.Field(i).String()}
		}
		for _, word := range words {
			if !slices.Contains(f.Enum, word) {
				errs = append(errs, fmt.Errorf("%s: %q is none of %s",
					f.Name, word, strings.Join(f.Enum, ", ")))
			}
		}
	}
	return append(errs, k.check(settings)...)
}

// New is one fresh state with these settings; nil means the defaults. Whoever needs many states of
// the same settings asks Maker once instead, so that they share what was worked out from them.
func (k *Kind) New(settings any) Policy { return k.Maker(settings)() }

// Maker returns a function that makes fresh states with these settings. The settings are copied:
// what the caller does to them later changes no state.
func (k *Kind) Maker(settings any) func() Policy { return k.maker(settings) }

// Field is one setting, as its tags describe it: `yaml` the name in files, `doc` its meaning with
// unit and bounds, `enum:"a|b"` the words it may be (of a list: its entries; see Words),
// `scale:"s"` that a scaled-down run divides it.
type Field struct {
	Name   string
	Doc    string
	Enum   []string
	Scales bool
	Type   reflect.Type
	Value  any // the default
}

// Default is the default as a file writes it.
func (f Field) Default() string { return Written(f.Value) }

// Meaning is the doc with the words that the setting may be.
func (f Field) Meaning() string {
	if len(f.Enum) == 0 {
		return f.Doc
	}
	if f.Type.Kind() == reflect.Slice {
		return f.Doc + " Any of " + strings.Join(f.Enum, ", ") + "."
	}
	return f.Doc + " One of " + strings.Join(f.Enum, ", ") + "."
}

// Written is the value of a setting as a file writes it.
func Written(value any) string {
	switch x := value.(type) {
	case sim.Time:
		return unit.FormatDuration(x)
	case []string:
		return "[" + strings.Join(x, ", ") + "]"
	case []int:
		words := make([]string, len(x))
		for i := range x {
			words[i] = strconv.Itoa(x[i])
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// Fields are the settings of the kind in the order of its struct.
func (k *Kind) Fields() []Field {
	v := reflect.ValueOf(k.defaults()).Elem()
	fields := make([]Field, v.NumField())
	for i := range fields {
		t := v.Type().Field(i)
		name, _, _ := strings.Cut(t.Tag.Get("yaml"), ",")
		fields[i] = Field{
			Name:   name,
			Doc:    t.Tag.Get("doc"),
			Scales: t.Tag.Get("scale") == "s",
			Type:   t.Type,
			Value:  v.Field(i).Interface(),
		}
		if words := t.Tag.Get("enum"); words != "" {
			fields[i].Enum = Words(words)
		}
	}
	return fields
}

// Scaled is a copy of the settings for a run at 1/by of the real size: a pointer, like Settings.
// Rates are divided exactly. Counts go to the nearest whole number, and one that was not zero stays
// at least 1: a bucket that can never hold a token would be another policy, not a smaller one.
// Rounded says what that did to them.
func (k *Kind) Scaled(settings any, by float64) any {
	out := k.copy(settings)
	v := reflect.ValueOf(out).Elem()
	for i, f := range k.Fields() {
		if !f.Scales {
			continue
		}
		switch x := v.Field(i); {
		case x.CanFloat():
			x.SetFloat(x.Float() / by)
		case x.CanInt() && x.Int() > 0:
			x.SetInt(max(1, int64(math.Floor(float64(x.Int())/by+0.5))))
		}
	}
	return out
}

// fewLeft is a count below which a scaled-down setting is another one: what is charged by the unit,
// such as a quota of which a retry costs 14, is not divided.
const fewLeft = 10

// Rounding is a count that a scale could not divide evenly, or of which it left few.
type Rounding struct {
	Field string
	Want  float64 // the exact quotient
	Got   float64 // the whole number taken instead
}

// Rounded lists the counts that Scaled has to round, and those of which it leaves fewer than 10,
// for warnings.
func (k *Kind) Rounded(settings any, by float64) []Rounding {
	var out []Rounding
	before := reflect.ValueOf(k.copy(settings)).Elem()
	after := reflect.ValueOf(k.Scaled(settings, by)).Elem()
	for i, f := range k.Fields() {
		if !f.Scales || !before.Field(i).CanInt() {
			continue
		}
		want := float64(before.Field(i).Int()) / by
		got := float64(after.Field(i).Int())
		if got != want || got < fewLeft && before.Field(i).Int() >= fewLeft {
			out = append(out, Rounding{Field: f.Name, Want: want, Got: got})
		}
	}
	return out
}
