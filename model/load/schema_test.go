package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"cascadesim/policies"
)

// compileSchema compiles the schema of the built-in policies.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(nil)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a YAML text to the schema, as an editor does.
func validate(s *jsonschema.Schema, text []byte) error {
	var v any
	if err := yaml.Load(text, &v); err != nil {
		return err
	}
	data, err := json.Marshal(plainJSON(v))
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(instance)
}

// plainJSON turns what YAML has and JSON has not into texts.
func plainJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainJSON(v[k])
		}
		return v
	case map[any]any:
		out := map[string]any{}
		for k, x := range v {
			out[fmt.Sprint(k)] = plainJSON(x)
		}
		return out
	case []any:
		for i := range v {
			v[i] = plainJSON(v[i])
		}
		return v
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return v
}

// The schema takes every shipped file, in the short and in the long form.
func TestSchemaTakesTheCatalogue(t *testing.T) {
	s := compileSchema(t)
	files, _ := filepath.Glob("../../topologies/*/*.yaml")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(s, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		d, _ := Open(File(file, os.DirFS("../../topologies")))
		for _, v := range append([]VariantInfo{{}}, d.Variants()...) {
			long, _ := d.Resolved(Options{Variant: v.Name})
			if err := validate(s, long); err != nil {
				t.Errorf("%s %s in the long form: %v", file, v.Name, err)
			}
		}
	}
}

// edits of a document, and whether they leave it right.
var edits = []struct {
	old, new string
	ok       bool
}{
	{"slots: 4", "slots: 4", true},
	{"slots: 4", "slots: unlimited", true},
	{"slots: 4", "slots: 1.2k, x-note: free", true},
	{"slots: 4", "slots: 4, line: {limit: 3, timeout: exp 1s}", true},
	{"slots: 4", "in_flight: 7, async: true, site: 5", true},
	{"slots: 4", "slots: 4, line: {discipline: adaptive_lifo, switch_above: 3}", true},
	{"slots: 4", "slots: 4, autoscale: {max: 9, hpa: " + podsOfWeb + "}", true},
	{"slots: 4", "slots: 4, autoscale: {max: 9, hpa: {metrics: [{type: cpu}]}}", false},
	{"slots: 4", "slots: 4, autoscale: {max: 9, hpa: {containers: {web: {request: 5M}}}}", false},
	{"weight: 36", "weight: 50%", true},
	{"latency: 1ms", "latency: 0", true},
	{"latency: 1ms", "latency: {dist: exp, mean: 1ms}", true},
	{"latency: 1ms", "balance: {policy: hash, key: client}", true},
	{"latency: 1ms", "balance: local\n    loss: 0.5", true},
	{"{ratio_budget: {ratio: 10%}}", "{none: , constant: {wait: exp 1s}}", false},
	{"{ratio_budget: {ratio: 10%}}", "{constant: {wait: exp 1s}}", true},
	{"{ratio_budget: {ratio: 10%}}", "{token_budget: {scope: shared, pool: p}}", true},
	{"slow: 10x", "errors: 10%", true},
	{"slow: 10x", "errors: {share: 10%, status: 503}, delay: exp 3s", true},
	{"max: 2m", "max: 2m, take: {first_above: 5%}, hold: 5s, since: outage", true},
	{"max: 2m", "expect: 5, within: 2%, pass: 9 of 10, relative_to: 18k/s", true},
	{"slots: 4", "slotz: 4", false},
	{"slots: 4", "slots: four", false},
	{"slots: 4", "slots: 4ms", false},
	{"slots: 4", "async: maybe", false},
	{"slots: 4", "deadline: drop", false},
	{"slots: 4", "crash: {down: 60s}", true},
	{"call: db", "cal: db", false},
	{"call: db", "call: {to: db, time: 2}", false},
	{"work: exp 5ms", "work: expo 5ms", false},
	{"work: exp 5ms", "work: {dist: exp, mena: 5ms}", false},
	{"latency: 1ms", "latency: 1", false},
	{"latency: 1ms", "timeout: 3s", false},
	{"latency: 1ms", "loss: 300%x", false},
	{"latency: 1ms", "balance: fastest", false},
	{"ratio: 10%", "ratoi: 10%", false},
	{"ratio_budget", "ratio_budgte", false},
	{"ratio_budget: {ratio: 10%}", "token_bucket: {rate: 5/s}", false},
	{"slow: 10x", "slow: 10", false},
	{"slow: 10x", "slo: 10x", false},
	{"rate: 100/s", "rate: 100", false},
	{"max: 2m", "maxx: 2m", false},
	{"at: 2m, ", "at: 2m, when: now, ", false},
	{"duration: 10m", "duration: 10", false},
	{"duration: 10m", "durations: 10m", false},
	{"duration: 10m", "duration: 10m\nseed: 3\nreplications: 10\nscale: 1/100", true},
	{"duration: 10m", "duration: 10m\nvariants: {a: {tiers.web.slots: 3}, " +
		"b: {like: a, checks: [recovers]}}", true},
	{"duration: 10m", "duration: 10m\nvariants: {a: {sets: {tiers.web.slots: 3}}}", false},
}

// podsOfWeb is an HPA with all that there is.
const podsOfWeb = `{containers: {web: {request: 0.1, per_slot: 20m}}, tolerance_test: newer,
  metrics: [{average_utilization: 60%}, {type: container_resource, container: web,
    average_utilization: 50%}, {type: pods, container: web, gauge: busy, average_value: 2.5}],
  behavior: {scale_up: {stabilization_window: 0s, policies: [{type: percent, value: 100}]},
    scale_down: {select_policy: min, tolerance: 5%}}, metrics_age: 30s,
  cpu_initialization_period: 2m}`

// What an edit breaks, schema and decoder both refuse; what is right, both take.
func TestSchemaAndDecoderAgree(t *testing.T) {
	s := compileSchema(t)
	for _, c := range edits {
		text := strings.Replace(pair3, c.old, c.new, 1)
		if text == pair3 && c.old != c.new {
			t.Fatalf("%s is not in the document", c.old)
		}
		if err := validate(s, []byte(text)); (err == nil) != c.ok {
			t.Errorf("schema: %s: %v, want ok %v", c.new, err, c.ok)
		}
		d, problems := openAny(text)
		if d != nil {
			problems = d.Check()
		}
		if ok := len(problems.Errors()) == 0; ok != c.ok {
			t.Errorf("decoder: %s: %v, want ok %v", c.new, problems, c.ok)
		}
	}
}

// The schema lists every field of the grammar, so that a field added to a type is in both.
func TestSchemaKnowsEveryField(t *testing.T) {
	g, text := newGrammar(nil), string(Schema(nil))+string(ExperimentSchema())
	for _, s := range g.shapes {
		for _, f := range s.fields {
			if f.name != "" && !strings.Contains(text, `"`+f.name+`": {`) {
				t.Errorf("field %s of %v is not in the schema", f.name, s.typ)
			}
		}
	}
}

// A policy's own settings must not be called as what every entry of a stack takes, or one of the
// two could not be written.
func TestSettingsAreNoWordsOfEntries(t *testing.T) {
	g := newGrammar(nil)
	for name, s := range g.kinds {
		seen := map[string]bool{}
		for _, f := range s.fields {
			if seen[f.name] {
				t.Errorf("%s has a setting %s, which every entry of a stack has", name, f.name)
			}
			seen[f.name] = true
		}
	}
}

// Every policy's example, and its defaults as they are shown, can be written in a file.
func TestExamplesAndDefaultsAreRead(t *testing.T) {
	schema := compileSchema(t)
	for _, k := range policies.Builtins().Kinds() {
		example := k.Example
		if example == "" {
			example = "{}"
		}
		var defaults []string
		for _, f := range k.Fields() {
			defaults = append(defaults, f.Name+": "+f.Default())
		}
		for _, settings := range []string{example, "{" + strings.Join(defaults, ", ") + "}"} {
			entry := "{" + k.Name + ": " + settings + "}"
			text := framed("", "", "retry: {stack: ["+entry+"]}")
			if k.Callee {
				text = framed("admission: ["+entry+"]", "", "")
			}
			d, problems := openAny(text)
			if len(problems) == 0 {
				_, _, problems = d.Build(Options{})
			}
			if len(problems.Errors()) > 0 {
				t.Errorf("%s: %v", entry, problems)
			}
			if err := validate(schema, []byte(text)); err != nil {
				t.Errorf("%s: the schema says %v", entry, err)
			}
		}
	}
}

// The reference has a row for each field of each section and no link that leads nowhere.
func TestReferenceIsWhole(t *testing.T) {
	golden(t, "testdata/reference.md", Reference(nil))
}
