package load

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"cascadesim/model"
	"cascadesim/policies"
)

// listed is a policy of the test, whose settings are lists.
type listed struct {
	Codes []int    `yaml:"codes" doc:"Statuses."`
	Words []string `yaml:"words" enum:"reset|5xx|503" doc:"Conditions."`
	Most  int      `yaml:"most" doc:"Retries; -1: none."`
}

// listedPolicies are the built-in policies and that one.
var listedPolicies = policies.Builtins().With(policies.NewKind(policies.Spec{
	Name: "listed", Doc: "Has lists.", Gates: true,
}, listed{Codes: []int{503}, Words: []string{"reset"}},
	func(listed) []error { return nil }, func(listed) func() policies.Policy {
		return func() policies.Policy { return policies.Policy{} }
	}))

// openListed opens a document whose edge has that policy with some settings, and maybe problems.
func openListed(settings string) (*Document, model.Problems) {
	text := framed("", "", "retry: {stack: [{listed: "+settings+"}]}")
	return Open(Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(text)}}, Name: "a.yaml",
		Policies: listedPolicies})
}

func TestSettingsMayBeLists(t *testing.T) {
	for _, c := range []struct {
		settings, set string
		want          listed
		problem       string // instead
	}{
		{"{}", "", listed{[]int{503}, []string{"reset"}, 0}, ""},
		{"{most: -1}", "", listed{[]int{503}, []string{"reset"}, -1}, ""},
		{"{codes: [500, 502], words: [5xx, 503]}", "",
			listed{[]int{500, 502}, []string{"5xx", "503"}, 0}, ""},
		{"{codes: []}", "", listed{nil, []string{"reset"}, 0}, ""},
		{"{}", "edges.web:db.retry.stack.listed.codes=[429]",
			listed{[]int{429}, []string{"reset"}, 0}, ""},
		{"{codes: [1, 2]}", "edges.web:db.retry.stack.listed.codes=null",
			listed{[]int{503}, []string{"reset"}, 0}, ""},
		{"{codes: 503}", "", listed{},
			`a.yaml:10:58: edges.web->db.retry.stack.listed.codes: expected a list, not "503"; ` +
				"write [503]"},
		{"{codes: [503, x]}", "", listed{},
			`a.yaml:10:64: edges.web->db.retry.stack.listed.codes.1: count "x"`},
		{"{words: [reset, rest]}", "", listed{},
			`a.yaml:10:66: edges.web->db.retry.stack.listed.words.1: "rest" is none of reset, 5xx, ` +
				`503; did you mean "reset"?`},
		{"{}", "edges.web:db.retry.stack.listed.words=5xx", listed{}, "--set " +
			`edges.web:db.retry.stack.listed.words=5xx: edges.web->db.retry.stack.listed.words: ` +
			`expected a list, not "5xx"; write [5xx]`},
	} {
		d, problems := openListed(c.settings)
		o := Options{}
		if c.set != "" {
			o.Sets = []string{c.set}
		}
		top, _, more := d.Build(o)
		problems = append(problems, more...)
		if c.problem != "" {
			if got := problems.Error(); !strings.HasPrefix(got, c.problem) {
				t.Errorf("%s %s: got  %s\nwant %s", c.settings, c.set, got, c.problem)
			}
			continue
		}
		if len(problems) > 0 {
			t.Errorf("%s %s: %v", c.settings, c.set, problems)
			continue
		}
		got := *top.Edges[0].Retry.Stack[0].Settings.(*listed)
		if len(got.Codes) == 0 {
			got.Codes = nil
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: got %v, want %v", c.settings, c.set, got, c.want)
		}
	}
}

// What is written out is read as the same lists.
func TestListsSurviveARoundTrip(t *testing.T) {
	d, _ := openListed("{codes: [500, 502], words: [5xx, 503]}")
	text, problems := d.Resolved(Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	again, problems := Open(Source{FS: fstest.MapFS{"a.yaml": {Data: text}}, Name: "a.yaml",
		Policies: listedPolicies})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	first, _, _ := d.Build(Options{})
	second, _, _ := again.Build(Options{})
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%s\nreads as %+v, want %+v", text, second, first)
	}
}

// An editor is told of the same mistakes.
func TestSchemaKnowsLists(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(listedPolicies)))
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
	for settings, ok := range map[string]bool{
		"{codes: [500, 502], words: [5xx, 503]}": true,
		"{codes: []}":                            true,
		"{most: -1}":                             true,
		"{most: x}":                              false,
		"{codes: 503}":                           false,
		"{codes: [x]}":                           false,
		"{words: [rest]}":                        false,
		"{words: reset}":                         false,
	} {
		text := framed("", "", "retry: {stack: [{listed: "+settings+"}]}")
		if err := validate(s, []byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", settings, err, ok)
		}
	}
}
