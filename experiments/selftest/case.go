package selftest

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cascadesim/model/load"

	"go.yaml.in/yaml/v4"
)

//go:embed cases/*.yaml
var files embed.FS

// Case is one row of the table, which may measure several things.
type Case struct {
	ID        string // V1, C7
	What      string // the setup in a few words
	Source    string // the formula, or who says so
	Tolerance string // E exact, A1 within 1 %, A2, A5, S nine of ten seeds
}

// form is a case as a file writes it. A case may stand in several files.
type form struct {
	ID         string    `yaml:"id"`
	What       string    `yaml:"what"`
	Source     string    `yaml:"source"`
	Tolerance  string    `yaml:"tolerance"`
	Requests   string    `yaml:"requests"`    // first tries at the stated size; empty: its duration
	Small      string    `yaml:"small"`       // fewer, if the interval still decides; empty: as many
	SmallSeeds int       `yaml:"small_seeds"` // replications of the small size; 0: the file's
	Rate       float64   `yaml:"rate"`        // requests per second of a closed loop
	Runs       []runForm `yaml:"runs"`
	Verify     string    `yaml:"verify"` // name of a verification that looks at all runs

	doc  *load.Document
	file string
}

// runForm is one variant of the file's world.
type runForm struct {
	Variant string        `yaml:"variant"`
	What    string        `yaml:"what"`
	Compute []computeForm `yaml:"compute"`
	Verify  []computeForm `yaml:"verify"` // what the verification reads, by name

	Disputed string `yaml:"disputed"` // why the stated figures of this variant may be wrong
}

// computeForm is a statistic that is no measure of checks.
type computeForm struct {
	Name      string `yaml:"name"`
	Statistic string `yaml:"statistic"`
	Printed   string `yaml:"printed"`
	Within    string `yaml:"within"`
	Min       string `yaml:"min"`
	Max       string `yaml:"max"`
	Disputed  string `yaml:"disputed"` // of this value alone
}

// table reads the embedded files, once. A mistake in one of them is a mistake of this package.
var table = sync.OnceValue(func() []*form {
	names, err := fs.Glob(files, "cases/*.yaml")
	if err != nil {
		panic(fmt.Sprintf("selftest: %v", err))
	}
	var all []*form
	for _, name := range names {
		all = append(all, readFile(name)...)
	}
	slices.SortStableFunc(all, func(a, b *form) int { return compareIDs(a.ID, b.ID) })
	return all
})

func readFile(name string) []*form {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("selftest: %v", err))
	}
	var section struct {
		Cases []*form `yaml:"x-selftest"`
	}
	if err := yaml.Unmarshal(text, &section); err != nil {
		panic(fmt.Sprintf("selftest: %s: %v", name, err))
	}
	doc, problems := load.Open(load.Source{FS: files, Name: name})
	if doc == nil {
		panic(fmt.Sprintf("selftest: %s", problems.Error()))
	}
	for _, f := range section.Cases {
		f.doc, f.file = doc, name
	}
	return section.Cases
}

// compareIDs puts V9 before V12 and V35 before V35b; letters go by the alphabet, except that the
// numbered validation cases come first.
func compareIDs(a, b string) int {
	rank := func(id string) (int, int, string) {
		group := strings.IndexByte("VCX", id[0])
		digits := strings.TrimRight(id[1:], "abcd")
		n, err := strconv.Atoi(digits)
		if err != nil {
			panic(fmt.Sprintf("selftest: the case %q has no number", id))
		}
		return group, n, id[1+len(digits):]
	}
	ga, na, ta := rank(a)
	gb, nb, tb := rank(b)
	switch {
	case ga != gb:
		return ga - gb
	case na != nb:
		return na - nb
	}
	return strings.Compare(ta, tb)
}

// Cases lists the table in its order.
func Cases() []Case {
	var out []Case
	for _, f := range table() {
		if n := len(out); n > 0 && out[n-1].ID == f.ID {
			if !strings.Contains(out[n-1].Source, f.Source) {
				out[n-1].Source += ", " + f.Source
			}
			continue
		}
		out = append(out, Case{f.ID, f.What, f.Source, f.Tolerance})
	}
	return out
}
