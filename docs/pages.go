package docs

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"cascadesim/experiments/selftest"
	"cascadesim/model/load"
	"cascadesim/policies"
)

// Page is a page that is made, not written.
type Page struct {
	File string // in this folder
	Text func() (string, error)
}

// Pages are all of them.
func Pages() []Page {
	return []Page{
		{"file-reference.md", fileReference},
		{"policies.md", policyReference},
		{"validation.md", validation},
	}
}

// What stands above the generated part is written by hand.
//
//go:embed heads
var heads embed.FS

func head(file string) string {
	text, err := heads.ReadFile("heads/" + file)
	if err != nil {
		panic("docs: " + err.Error())
	}
	return string(text)
}

func fileReference() (string, error) {
	return head("file-reference.md") + load.Reference(nil), nil
}

// validation runs the self-test, which takes a minute or so.
func validation() (string, error) {
	var b strings.Builder
	b.WriteString(head("validation.md"))
	b.WriteString("## Cases\n\n| case | what | source | tolerance |\n|---|---|---|---|\n")
	for _, c := range selftest.Cases() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.ID, cell(c.What), cell(c.Source), c.Tolerance)
	}
	b.WriteString("\n## Values\n\n")
	outcomes, err := selftest.Run(context.Background(), selftest.Options{Size: selftest.SizeSmall})
	if err != nil {
		return "", fmt.Errorf("run the self-test: %w", err)
	}
	err = selftest.Write(&b, outcomes, selftest.Markdown)
	return b.String(), err
}

// cell is text that stands in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func policyReference() (string, error) {
	var b strings.Builder
	b.WriteString(head("policies.md"))
	for _, k := range policies.Builtins().Kinds() {
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n%s\n\n", k.Name, strings.Join(roles(k), ", "), k.Doc)
		writeSettings(&b, k)
		fmt.Fprintf(&b, "```yaml\n- %s: %s\n```\n\n", k.Name, example(k))
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// example is the settings as a file may write them; a policy without any takes an empty map.
func example(k *policies.Kind) string {
	if k.Example == "" {
		return "{}"
	}
	return k.Example
}

// roles are what a policy does, in words.
func roles(k *policies.Kind) []string {
	place := "of a caller's stack"
	if k.Callee {
		place = "of a tier's admission"
	}
	out := []string{place}
	for _, r := range []struct {
		does bool
		word string
	}{
		{k.Gates, "gate"}, {k.Paces, "pacer"}, {k.Observes, "observer"}, {k.Refuses, "may refuse"},
		{k.Spends, "spends"}, {k.Stateful, "has state"},
	} {
		if r.does {
			out = append(out, r.word)
		}
	}
	out[0] = strings.ToUpper(out[0][:1]) + out[0][1:]
	return out
}

func writeSettings(b *strings.Builder, k *policies.Kind) {
	if len(k.Fields()) == 0 {
		return
	}
	b.WriteString("| setting | default | | meaning |\n|---|---|---|---|\n")
	for _, f := range k.Fields() {
		mark, doc := "", f.Doc
		if f.Scales {
			mark = "S"
		}
		if len(f.Enum) > 0 {
			doc += " One of " + strings.Join(f.Enum, ", ") + "."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Name, f.Default(), mark, cell(doc))
	}
	b.WriteString("\n")
}
