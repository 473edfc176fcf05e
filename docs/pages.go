package docs

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"cascadesim/experiments/selftest"
	"cascadesim/model/load"
)

// Page is a page that is made, not written.
type Page struct {
	File string // in this folder
	Text func() (string, error)
}

// validationFile is the page that takes long: what came out of the self-test.
const validationFile = "validation.md"

// Pages are all of them.
func Pages() []Page {
	return []Page{
		{"file-reference.md", fileReference},
		{"policies.md", policyReference},
		{"presets.md", presetReference},
		{validationFile, validation},
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
	outcomes, err := selftest.Run(context.Background(), selftest.Options{Size: selftest.SizeSmall})
	if err != nil {
		return "", fmt.Errorf("run the self-test: %w", err)
	}
	return Validation(outcomes)
}

// Validation is the page of the self-test's cases and of what came out of all of them.
func Validation(outcomes []selftest.Outcome) (string, error) {
	var b strings.Builder
	b.WriteString(head(validationFile))
	b.WriteString("## Cases\n\n| case | what | source | tolerance |\n|---|---|---|---|\n")
	for _, c := range selftest.Cases() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.ID, cell(c.What), cell(c.Source), c.Tolerance)
	}
	b.WriteString("\n## Values\n\n")
	err := selftest.Write(&b, outcomes, selftest.Markdown)
	return b.String(), err
}

// cell is text that stands in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
