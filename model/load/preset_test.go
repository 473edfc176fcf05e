package load

import (
	"reflect"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/policies"
)

// retryOf builds a document whose edge has this retry, with some settings written over it.
func retryOf(t *testing.T, retry string, sets ...string) (*model.Retry, model.Problems) {
	t.Helper()
	d, problems := openAny(framed("", "", "retry: "+retry))
	if d == nil {
		t.Fatal(problems)
	}
	top, _, problems := d.Build(Options{Sets: sets})
	return top.Edges[0].Retry, problems
}

// haproxyStack is what the preset stands for, with some settings of its own.
func haproxyStack(settings string) string {
	return "{stack: [{haproxy_retry: {" + settings + "}}]}"
}

// A preset is the stack that it stands for, wherever its settings are written.
func TestPresetsMeanTheirStack(t *testing.T) {
	const at = "edges.web:db.retry."
	for _, c := range []struct {
		retry string
		sets  []string
		stack string
	}{
		{"{preset: haproxy}", nil, haproxyStack("")},
		{"{preset: haproxy@3.5}", nil, haproxyStack("retries: 3")},
		{"{preset: haproxy, redispatch: last, servers: 3}", nil,
			haproxyStack("redispatch: last, servers: 3")},
		{"{preset: haproxy, retries: }", nil, haproxyStack("retries: 3")},
		{"{preset: haproxy, retries: 5, retry_on: [conn-failure, 503]}", nil,
			haproxyStack("retries: 5, retry_on: [conn-failure, 503]")},
		{"{preset: aws-sdk-adaptive, throttling: rejected}", []string{at + "max_attempts=5"},
			"{stack: [{aws_standard: {throttling: rejected, max_attempts: 5}}, " +
				"{aws_adaptive: {throttling: rejected}}]}"},
		{"{preset: aws-sdk-adaptive}", []string{at + "throttling=rejected"},
			"{stack: [{aws_standard: {throttling: rejected}}, {aws_adaptive: {throttling: rejected}}]}"},
		{"{preset: aws-sdk-adaptive, pool: p, key: priority}", nil,
			"{stack: [{aws_standard: {pool: p/aws_standard, key: priority}}, " +
				"{aws_adaptive: {pool: p/aws_adaptive, key: priority}}]}"},
		{"{preset: aws-sdk-standard@2.0}", nil, "{stack: [{aws_standard: {version: v2.0}}]}"},
		{"{preset: haproxy, also: [{ratio_budget: {}}]}", nil,
			"{stack: [{haproxy_retry: {}}, {ratio_budget: {}}]}"},
		{"{preset: haproxy}", []string{at + "also=[{ratio_budget: {ratio: 5%}}]",
			at + "stack.ratio_budget.ratio=6%"},
			"{stack: [{haproxy_retry: {}}, {ratio_budget: {ratio: 6%}}]}"},
		{"{preset: haproxy, enabled: 50%, scope: tier}", nil,
			"{enabled: 50%, scope: tier, stack: [{haproxy_retry: {}}]}"},
		{"{preset: requests}", nil, "{stack: [{none: {}}]}"},
		{"{preset: haproxy}", []string{at + "retries=5"}, haproxyStack("retries: 5")},
		{"{preset: haproxy}", []string{at + "retries=2x"}, haproxyStack("retries: 6")},
		{"{stack: [{haproxy_retry: {}}]}", []string{at + "stack.haproxy_retry.retries=2x"},
			haproxyStack("retries: 6")},
		{"{preset: haproxy}", []string{at + "stack.haproxy_retry.retries=5"},
			haproxyStack("retries: 5")},
		{"{preset: haproxy}", []string{"edges.*.retry.retry_on=[503]"},
			haproxyStack("retry_on: [503]")},
		{"{preset: haproxy, retries: 9}", []string{at + "retries=null"}, haproxyStack("retries: 3")},
		{"{preset: haproxy}", []string{at + "preset=requests"}, "{stack: [{none: {}}]}"},
		{"{stack: [{max_attempts: {}}], retry_on: [503]}",
			[]string{at + "preset=haproxy", at + "retries=7"}, haproxyStack("retries: 7")},
		{"{stack: [{max_attempts: {}}]}",
			[]string{"edges.web:db.retry={preset: haproxy, retries: 8}"}, haproxyStack("retries: 8")},
		{"none", []string{"edges.web:db.retry={preset: requests}"}, "{stack: [{none: {}}]}"},
	} {
		got, problems := retryOf(t, c.retry, c.sets...)
		if len(problems) > 0 {
			t.Errorf("%s %v: %v", c.retry, c.sets, problems)
			continue
		}
		want, _ := retryOf(t, c.stack)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %v: got %+v, want %+v", c.retry, c.sets, got, want)
		}
	}
}

// What an override says of a preset is wrong where it was said.
func TestMistakesInOverridesOfPresets(t *testing.T) {
	const at = "edges.web:db.retry."
	for _, c := range []struct{ set, want string }{
		{at + "retrys=5", `unknown field "retrys"; did you mean "retries"?`},
		{at + "retries=-2", "edges.web->db.retry.stack.haproxy_retry.retries: "},
		{at + "preset=haprox", `unknown preset "haprox"; did you mean "haproxy"? known: `},
		{at + "stack.none.retries=5", `there is no "none" in edges.web->db.retry.stack`},
	} {
		_, problems := retryOf(t, "{preset: haproxy}", c.set)
		got := problems.Error()
		if !strings.HasPrefix(got, "--set "+c.set+": ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want it to say %s", c.set, got, c.want)
		}
	}
}

// The long form knows no presets: a run of it is the same.
func TestTheLongFormHasTheStack(t *testing.T) {
	d := openText(t, framed("", "", "retry: {preset: haproxy, retries: 5}"))
	text, problems := d.Resolved(Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if strings.Contains(string(text), "preset") {
		t.Errorf("a preset is left:\n%s", text)
	}
	first, _, _ := d.Build(Options{})
	second, _, problems := openText(t, string(text)).Build(Options{})
	if len(problems) > 0 || !reflect.DeepEqual(first, second) {
		t.Errorf("%v: reads as %+v, want %+v", problems, second, first)
	}
}

// Every preset that ships can be written, alone and with each of its settings, and the schema knows
// it. Each setting leads to a field of a policy, and no word is one that every retry has.
func TestShippedPresetsAreRight(t *testing.T) {
	g, schema := builtins(), compileSchema(t)
	if len(g.presets()) != len(shippedPresets()) {
		t.Error("a preset names a policy that does not exist")
	}
	for _, p := range shippedPresets() {
		text := strings.Replace(pair3,
			"{stack: [{max_attempts: {attempts: 4}}, {ratio_budget: {ratio: 10%}}]}",
			"{preset: "+p.full()+"}", 1)
		_, problems := openText(t, text).Plan(Options{})
		for _, problem := range problems {
			t.Errorf("%s: %v", p.full(), problem)
		}
		if err := validate(schema, []byte(text)); err != nil {
			t.Errorf("%s: the schema refuses it: %v", p.full(), err)
		}
		checkPresetSettings(t, g, p)
		if len(p.source) < 10 || !strings.HasSuffix(strings.TrimSpace(p.doc), ".") {
			t.Errorf("%s: source %q, doc %q", p.full(), p.source, p.doc)
		}
		switch p.sure {
		case policies.FromSource, policies.FromDocument, policies.Believed:
		default:
			t.Errorf("%s: how sure is %q", p.full(), p.sure)
		}
	}
}

func checkPresetSettings(t *testing.T, g *grammar, p *preset) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range p.settings {
		for _, path := range s.paths {
			if f := g.settingField(p, path); f == nil || strings.Count(path, ".") != 1 {
				t.Errorf("%s: %s leads to %s, which is no setting of its stack", p.full(), s.word, path)
			}
		}
		taken := g.of(reflect.TypeFor[model.Retry]()).field(s.word) != nil
		if taken && (s.word != "retry_on" || p.retryOn != nil) || seen[s.word] {
			t.Errorf("%s: %s means something else already", p.full(), s.word)
		}
		for _, word := range besidePreset {
			seen[word] = true
		}
		seen[s.word] = true
	}
}

// Words for what policies do lead to policies that there are.
func TestMeantPoliciesExist(t *testing.T) {
	for word, names := range meantPolicies {
		if _, ok := policies.Builtins().Lookup(word); ok {
			t.Errorf("%s is a policy itself", word)
		}
		for _, name := range names {
			if _, ok := policies.Builtins().Lookup(name); !ok {
				t.Errorf("%s: there is no policy %s", word, name)
			}
		}
	}
}

// Of a product with several versions the newest stands without its version.
func TestNewestVersionIsTheDefault(t *testing.T) {
	newest := map[string]int{}
	for _, p := range shippedPresets() {
		if !p.older {
			newest[p.name]++
		}
		for _, text := range []string{p.full(), p.name + "-" + p.version} {
			if got := builtins().preset(text); got != p {
				t.Errorf("%s is not found", text)
			}
		}
	}
	for _, p := range shippedPresets() {
		if newest[p.name] != 1 {
			t.Errorf("%s has %d newest versions", p.name, newest[p.name])
		}
	}
}
