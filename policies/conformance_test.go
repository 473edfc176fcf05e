package policies

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cascadesim/sim"
)

// everyKind runs a test for each registered policy.
func everyKind(t *testing.T, test func(t *testing.T, k *Kind)) {
	for _, k := range Builtins().Kinds() {
		t.Run(k.Name, func(t *testing.T) { test(t, k) })
	}
}

var sentence = regexp.MustCompile(`^[A-Z].*\.$`)

func TestDocsAreSentences(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		if !sentence.MatchString(k.Doc) || len(k.Doc) < 60 {
			t.Errorf("the doc is no full sentence: %q", k.Doc)
		}
		if len(k.Source) < 10 {
			t.Errorf("no source: %q", k.Source)
		}
		if !slices.Contains([]Mark{FromSource, FromDocument, Believed, Definition}, k.Sure) {
			t.Errorf("how sure is %q", k.Sure)
		}
		for _, f := range k.Fields() {
			if !sentence.MatchString(f.Doc) {
				t.Errorf("the doc of %s is no full sentence: %q", f.Name, f.Doc)
			}
		}
	})
}

func TestTagsAreRight(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	everyKind(t, func(t *testing.T, k *Kind) {
		seen := map[string]bool{}
		for _, f := range k.Fields() {
			if !snake.MatchString(f.Name) || seen[f.Name] {
				t.Errorf("yaml name %q is not snake_case, or not the only one", f.Name)
			}
			seen[f.Name] = true
			v := reflect.ValueOf(f.Value)
			if f.Scales && !v.CanInt() && !v.CanFloat() {
				t.Errorf("%s carries a scale but is a %s", f.Name, f.Type)
			}
			if f.Scales && f.Type == reflect.TypeFor[sim.Time]() {
				t.Errorf("%s carries a scale, but times stay as they are", f.Name)
			}
			if (len(f.Enum) > 0) != wordy(f.Type) {
				t.Errorf("%s: a word and only a word has an enum, not a %s", f.Name, f.Type)
			}
		}
	})
}

// wordy tells whether a setting is a word, or a list of them.
func wordy(t reflect.Type) bool {
	return t.Kind() == reflect.String || t == reflect.TypeFor[[]string]()
}

func TestDefaultsAndExamplesPassTheirCheck(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		if errs := k.Check(k.Settings()); len(errs) > 0 {
			t.Errorf("defaults: %v", errs)
		}
		s := k.Settings()
		if err := decodeFlow(k.Example, s); err != nil {
			t.Fatalf("example %s: %v", k.Example, err)
		}
		if errs := k.Check(s); len(errs) > 0 {
			t.Errorf("example %s: %v", k.Example, errs)
		}
	})
}

func TestDefaultsSurviveARoundTrip(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		want := k.Settings()
		text := encodeFlow(k, want)
		got := reflect.New(reflect.TypeOf(want).Elem()).Interface()
		if err := decodeFlow(text, got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as %+v, want %+v", text, got, want)
		}
	})
}

func TestSettingsAreFreshCopies(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		s := reflect.ValueOf(k.Settings()).Elem()
		s.SetZero()
		if len(k.Fields()) > 0 && reflect.DeepEqual(k.Settings(), s.Addr().Interface()) {
			t.Error("writing into the settings changed the defaults")
		}
	})
}

// TestNonsenseIsRefused makes each field impossible by itself, and wants an error that begins with
// its name; then all of them at once, and wants as many.
func TestNonsenseIsRefused(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		all, wanted := k.Settings(), 0
		for i, f := range k.Fields() {
			s := k.Settings()
			if !spoil(reflect.ValueOf(s).Elem().Field(i)) {
				continue
			}
			spoil(reflect.ValueOf(all).Elem().Field(i))
			wanted++
			errs := k.Check(s)
			if len(errs) == 0 {
				t.Errorf("%s: no error for %+v", f.Name, s)
				continue
			}
			if got := errs[0].Error(); !strings.HasPrefix(got, f.Name+": ") {
				t.Errorf("%s: the error begins otherwise: %s", f.Name, got)
			}
		}
		if errs := k.Check(all); len(errs) < wanted {
			t.Errorf("%d of %d mistakes reported: %v", len(errs), wanted, errs)
		}
	})
}

// everyVariant runs a test for each policy with its defaults, and with each switch and each word
// of an enum tried by itself.
func everyVariant(t *testing.T, test func(t *testing.T, k *Kind, settings any)) {
	everyKind(t, func(t *testing.T, k *Kind) {
		test(t, k, k.Settings())
		for i, f := range k.Fields() {
			s := k.Settings()
			v := reflect.ValueOf(s).Elem().Field(i)
			if v.Kind() == reflect.Bool {
				v.SetBool(!v.Bool())
				t.Run(f.Name, func(t *testing.T) { test(t, k, s) })
			}
			for _, word := range f.Enum {
				s := k.Settings()
				if v := reflect.ValueOf(s).Elem().Field(i); v.Kind() == reflect.Slice {
					v.Set(reflect.ValueOf([]string{word}))
				} else {
					v.SetString(word)
				}
				t.Run(f.Name+"="+word, func(t *testing.T) { test(t, k, s) })
			}
		}
	})
}

// spoil sets a field to what no policy can mean, and reports whether there is such a value.
func spoil(v reflect.Value) bool {
	switch {
	case v.Type() == reflect.TypeFor[sim.Time]():
		v.SetInt(-5)
	case v.CanInt():
		v.SetInt(-5)
	case v.CanFloat():
		v.SetFloat(-5)
	case v.Kind() == reflect.String:
		v.SetString("nonsense")
	case v.Type() == reflect.TypeFor[[]string]():
		v.Set(reflect.ValueOf([]string{"nonsense"}))
	case v.Type() == reflect.TypeFor[[]int]():
		v.Set(reflect.ValueOf([]int{-5}))
	default:
		return false // a switch is on or off, and a distribution has checked itself
	}
	return true
}

func TestRolesAreAsDeclared(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := k.New(settings)
		check := func(role string, declared, has bool) {
			if declared != has {
				t.Errorf("%s: declared %t, has %t", role, declared, has)
			}
		}
		check("callee", k.Callee, p.Admission != nil || p.Turner != nil || p.Finisher != nil ||
			p.Adviser != nil || p.Answerer != nil || p.Sizer != nil)
		check("gate", k.Gates, p.Gate != nil)
		check("pacer", k.Paces, p.Pacer != nil)
		check("condition", k.Judges, p.Condition != nil)
		if p.Observer != nil && !k.Observes {
			t.Error("observes, but does not say so")
		}
		if k.Refuses && !k.Gates && !k.Callee {
			t.Error("says that it refuses, but has nothing to refuse with")
		}
		if k.Spends && !k.Stateful {
			t.Error("says that it spends, but remembers nothing")
		}
		if k.AtSend && (!k.Gates || k.Callee) {
			t.Error("is asked at the send, but has nothing to ask")
		}
		if k.AtSend && (k.Judges || k.Paces || p.Placer != nil || p.Hedger != nil) {
			t.Error("decides about retries, and is asked when they have been decided")
		}
		if p.Gate != nil && p.Shaper != nil && !k.AtSend {
			t.Error("holds attempts back and refuses others, but is asked about those before")
		}
	})
}

func TestEqualHistoriesGetEqualAnswers(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		mk := k.Maker(settings)
		first := drive(t, k, mk(), 7)
		drive(t, k, mk(), 8) // a sibling that shares the settings must not be felt
		if second := drive(t, k, mk(), 7); !reflect.DeepEqual(first, second) {
			t.Error("a fresh state with the same history answered otherwise")
		}
	})
}

func TestExtremeTimesAndTriesAreSafe(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := ready(k.New(settings))
		for _, now := range []sim.Time{0, 0, 1, sim.Hour, sim.MaxTime, sim.MaxTime} {
			for _, n := range []int{1, 2, 3, 60, 1100, 1 << 30} {
				a := Attempt{N: n, Wait: sim.MaxTime, Deadline: sim.Never}
				a.Last = Outcome{Class: Rejected, RetryAfter: sim.Never}
				if k.Notes {
					a.Note = new(uint64)
				}
				ask(t, p, now, &a, a.Last)
				askCallee(p, now, &a, a.Last)
			}
		}
	})
}

func TestAskingAllocatesNothing(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := k.New(settings)
		drive(t, k, p, 3) // windows have grown to their size afterwards
		a := &Attempt{Deadline: sim.Never}
		if k.Notes {
			a.Note = new(uint64)
		}
		now := sim.Hour
		got := testing.AllocsPerRun(2000, func() {
			now += 3 * sim.Millisecond
			a.N = 1 + a.N%4
			ask(t, p, now, a, Outcome{Class: OK})
			askCallee(p, now, a, Outcome{Class: OK})
		})
		if got != 0 {
			t.Errorf("%v allocations for each attempt", got)
		}
	})
}

func TestScaledDividesWhatItShould(t *testing.T) {
	everyKind(t, func(t *testing.T, k *Kind) {
		s := k.Settings()
		before := reflect.ValueOf(s).Elem()
		scaled := k.Scaled(s, 10)
		after := reflect.ValueOf(scaled).Elem()
		for i, f := range k.Fields() {
			was, is := before.Field(i), after.Field(i)
			switch {
			case !f.Scales:
				if !reflect.DeepEqual(was.Interface(), is.Interface()) {
					t.Errorf("%s: %v became %v without a scale tag", f.Name, was, is)
				}
			case was.CanFloat():
				if is.Float() != was.Float()/10 {
					t.Errorf("%s: %v became %v", f.Name, was, is)
				}
			case was.Int() != 0 && is.Int() != max(1, (was.Int()+5)/10):
				t.Errorf("%s: %v became %v", f.Name, was, is)
			}
		}
		if errs := k.Check(scaled); len(errs) > 0 {
			t.Errorf("the scaled settings are refused: %v", errs)
		}
		if !reflect.DeepEqual(s, k.Settings()) {
			t.Error("scaling changed the settings it was given")
		}
	})
}
