package load

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Reference is the reference of the file format in Markdown: a table of fields for each section,
// from the same types and tags that the decoder reads. Nil policies are the built-in ones.
func Reference(registry *policies.Registry) string {
	g := newGrammar(registry)
	w := &referrer{g: g, seen: map[reflect.Type]bool{}}
	w.section("Topology", g.topology)
	w.section("Scenario", g.scenario)
	for len(w.next) > 0 {
		s := w.next[0]
		w.next = w.next[1:]
		w.section(w.title(s), s)
	}
	return w.b.String()
}

// referrer writes each record once, after the sections that mention it.
type referrer struct {
	g    *grammar
	b    strings.Builder
	next []*shape
	seen map[reflect.Type]bool
}

// section writes one table.
func (w *referrer) section(title string, s *shape) {
	fmt.Fprintf(&w.b, "## %s\n\n", title)
	if text := shortText(s); text != "" {
		fmt.Fprintf(&w.b, "Short: %s.\n\n", text)
	}
	w.b.WriteString("| field | type | default | | meaning |\n|---|---|---|---|---|\n")
	for _, f := range s.fields {
		def := f.def
		if def == "" && f.shape.form == leafForm && f.shape.typ.Kind() == reflect.Bool {
			def = "false"
		}
		if f.shape.typ == reflect.TypeFor[model.Replicas]() {
			def = "1"
		}
		fmt.Fprintf(&w.b, "| `%s` | %s | %s | %s | %s |\n", f.name, w.typeOf(f), cell(def), marks(f),
			cell(f.doc))
	}
	w.b.WriteString("\n")
	if s.typ == reflect.TypeFor[model.Retry]() {
		w.policies()
	}
}

// policies writes the fields that each entry of a stack takes beside its policy's own.
func (w *referrer) policies() {
	use := &shape{form: recordForm, fields: w.g.use}
	w.section("Entries of a stack, beside the policy's own settings", use)
}

// marks are L for live and S for divided by the scale.
func marks(f *field) string {
	var out []string
	if f.live {
		out = append(out, "L")
	}
	if f.scale != "" {
		out = append(out, "S")
	}
	return strings.Join(out, " ")
}

// typeOf is a field's type in words; records are explained in their own section.
func (w *referrer) typeOf(f *field) string {
	s := f.shape
	if len(f.enum) > 0 {
		words := "`" + strings.Join(f.enum, "` `") + "`"
		if s.form == listForm {
			return "list of " + words
		}
		return words
	}
	switch {
	case s.form == listForm:
		return "list of " + w.elem(s.elem)
	case s.typ == reflect.TypeFor[model.Replicas]():
		return "count, list of names, or map of " + w.elem(s.elem)
	case s.form == mapForm:
		return "map of " + w.elem(s.elem)
	case s.form == pathsForm:
		return "map of PATH: value"
	case s.form == curveForm:
		return "curve"
	}
	return w.elem(s)
}

func (w *referrer) elem(s *shape) string {
	switch {
	case s.form == verbForm && s.typ == reflect.TypeFor[model.PolicyUse]():
		return "policies"
	case s.form == listForm:
		return "lists of " + w.elem(s.elem)
	case s.form == recordForm || s.form == verbForm:
		if !w.seen[s.typ] {
			w.seen[s.typ] = true
			w.next = append(w.next, s)
		}
		title := w.title(s)
		return "[" + title + "](#" + strings.ReplaceAll(strings.ToLower(title), " ", "-") + ")"
	case s.form == curveForm:
		return "curve"
	}
	return leafName(s.typ)
}

// titles are what records are called where the Go name is not what a reader would say.
var titles = map[reflect.Type]string{
	reflect.TypeFor[sim.Dist]():           "Distribution",
	reflect.TypeFor[model.InFlight]():     "In flight",
	reflect.TypeFor[model.FaultErrors]():  "Errors of a fault",
	reflect.TypeFor[model.FaultCrash]():   "Crash of a fault",
	reflect.TypeFor[entryForm]():          "Timeline entry",
	reflect.TypeFor[controlForm]():        "Control",
	reflect.TypeFor[stageForm]():          "Stage of a control",
	reflect.TypeFor[checkForm]():          "Check",
	reflect.TypeFor[takeForm]():           "Take",
	reflect.TypeFor[relativeForm]():       "Relative to",
	reflect.TypeFor[variantForm]():        "Variant",
	reflect.TypeFor[mixPart]():            "Part of a mixture",
	reflect.TypeFor[model.HPAContainer](): "HPA container",
	reflect.TypeFor[model.HPAMetric]():    "HPA metric",
	reflect.TypeFor[model.HPABehavior]():  "HPA behavior",
	reflect.TypeFor[model.HPARules]():     "HPA scaling rules",
	reflect.TypeFor[model.HPARule]():      "HPA scaling policy",
}

func (w *referrer) title(s *shape) string {
	if title, ok := titles[s.typ]; ok {
		return title
	}
	return s.typ.Name()
}

// shortText shows a record's short form.
func shortText(s *shape) string {
	if name, ok := soleField[s.typ]; ok {
		return "a single value is `" + name + "`"
	}
	switch s.typ {
	case reflect.TypeFor[sim.Dist]():
		return "`5ms` (constant), `exp 3ms`, `uniform min=1ms max=5ms`, `normal mean=10ms sd=2ms`, " +
			"`lognormal p50=3ms p99=40ms`, `lognormal mean=5ms sigma=1.2`, `erlang k=4 mean=1s`, " +
			"`pareto min=1ms alpha=2`"
	case reflect.TypeFor[model.Work]():
		return "a distribution"
	case reflect.TypeFor[model.Think]():
		return "a distribution is `default`"
	case reflect.TypeFor[model.Arrivals]():
		return "`200/s`, `poisson 200/s`, `constant 280/s`, `burst 10k`"
	case reflect.TypeFor[model.Route]():
		return "`{TARGET: share, …}` is `to`"
	case reflect.TypeFor[model.Step]():
		return "a nested list is `parallel`"
	case reflect.TypeFor[takeForm]():
		return "`mean`, `min`, `max`, `each`, `slope`"
	case reflect.TypeFor[relativeForm]():
		return "a value, such as `18k/s`"
	case reflect.TypeFor[variantForm]():
		return "a map whose keys are paths is `set`"
	}
	return ""
}

// leafName is what a single value is called.
func leafName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[sim.Time]():
		return "duration"
	case reflect.TypeFor[unit.Rate]():
		return "rate"
	case reflect.TypeFor[unit.Share]():
		return "share"
	case reflect.TypeFor[unit.Ratio]():
		return "ratio"
	case reflect.TypeFor[unit.Factor]():
		return "factor"
	case reflect.TypeFor[unit.Count]():
		return "count or unlimited"
	case reflect.TypeFor[unit.CPU]():
		return "cpu"
	case reflect.TypeFor[unit.Size]():
		return "size"
	case reflect.TypeFor[model.Weight]():
		return "share or weight"
	case reflect.TypeFor[model.Setting]():
		return "change"
	case reflect.TypeFor[time.Time]():
		return "date and time"
	case reflect.TypeFor[timeText]():
		return "time"
	case reflect.TypeFor[boundText](), reflect.TypeFor[model.Bound]():
		return "bound"
	case reflect.TypeFor[any]():
		return "settings"
	}
	switch t.Kind() {
	case reflect.Int:
		return "count"
	case reflect.Uint64, reflect.Float64:
		return "number"
	case reflect.Bool:
		return "bool"
	}
	return "text"
}

// cell keeps a text inside its cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
