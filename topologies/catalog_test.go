package topologies

import (
	"slices"
	"strings"
	"testing"

	"cascadesim/model/load"
)

// Every file of the catalogue loads without a problem, and so does every variant of it, and
// each variant says what it is.
func TestCatalogueLoadsCleanly(t *testing.T) {
	for _, name := range Names() {
		scenarios := Scenarios(name)
		if len(scenarios) == 0 || !scenarios[0].Default {
			t.Errorf("%s has no default scenario: %v", name, scenarios)
		}
		for _, s := range scenarios {
			src, err := Open(s.Name)
			if err != nil {
				t.Errorf("%s: %v", s.Name, err)
				continue
			}
			doc, problems := load.Open(src)
			if doc == nil {
				t.Errorf("%s: %v", s.Name, problems)
				continue
			}
			if got := doc.Check(); len(got) > 0 {
				t.Errorf("%s:\n%v", s.Name, got)
			}
			for _, v := range doc.Variants() {
				if v.Doc == "" || strings.Contains(v.Doc, "\n") {
					t.Errorf("%s: variant %s needs a doc of one line, has %q", s.Name, v.Name, v.Doc)
				}
			}
			if got := doc.Name(); got != name {
				t.Errorf("folder %s holds the topology %s", name, got)
			}
		}
	}
}

// What Open finds in the text of files is what reading them says.
func TestEachTopologyHasOneDefault(t *testing.T) {
	for _, name := range Names() {
		var defaults []string
		for _, s := range Scenarios(name) {
			if s.Default {
				defaults = append(defaults, strings.TrimPrefix(s.Name, name+"/"))
			}
		}
		src, err := Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		found := strings.TrimSuffix(strings.TrimPrefix(src.Name, name+"/"), ".yaml")
		if found == "topology" {
			found = name
		}
		if !slices.Equal(defaults, []string{found}) {
			t.Errorf("%s: by default %q, Open finds %s", name, defaults, found)
		}
	}
}

func TestOpenFindsTheDefaultScenario(t *testing.T) {
	for name, want := range map[string]string{
		"two-tier":          "two-tier/outage.yaml",
		"two-tier/blips":    "two-tier/blips.yaml",
		"two-tier/topology": "two-tier/topology.yaml",
		"mm1":               "mm1/topology.yaml",
		"github-2026-08-17": "github-2026-08-17/incident.yaml",
	} {
		src, err := Open(name)
		if err != nil || src.Name != want {
			t.Errorf("Open(%q) = %q, %v; want %q", name, src.Name, err, want)
		}
	}
}

func TestOpenSuggestsWhatWasMeant(t *testing.T) {
	for name, want := range map[string]string{
		"two-teir":        `there is no topology "two-teir"; did you mean "two-tier"?`,
		"two-tier/blip":   `two-tier has no scenario "blip"; did you mean "blips"?`,
		"two-tier/../mm1": `two-tier has no scenario "../mm1"; known: outage, blips`,
	} {
		if _, err := Open(name); err == nil || err.Error() != want {
			t.Errorf("Open(%q): %v; want %s", name, err, want)
		}
	}
}

// Every scenario and every variant of the catalogue compiles, and its checks can be judged.
func TestCatalogueCompiles(t *testing.T) {
	for _, name := range Names() {
		for _, s := range Scenarios(name) {
			src, _ := Open(s.Name)
			doc, _ := load.Open(src)
			variants := append([]load.VariantInfo{{}}, doc.Variants()...)
			for _, v := range variants {
				_, problems := doc.Plan(load.Options{Variant: v.Name})
				if errs := problems.Errors(); len(errs) > 0 {
					t.Errorf("%s %s:\n%v", s.Name, v.Name, errs)
				}
				for _, w := range problems.Warnings() {
					t.Logf("%s %s: %v", s.Name, v.Name, w)
				}
			}
		}
	}
}
