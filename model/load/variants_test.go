package load

import (
	"fmt"
	"strings"
	"testing"
)

const wrongVariants = `
variants:
  v1: {set: {tiers.dbb.slots: 200}}
  v2: {checks: [recover]}
  v3: {like: v1, set: {tiers.db.slots: 2}}
  right: {set: {tiers.db.slots: 2}}
`

// A mistake in a variant is found by whoever runs the file, whichever variant it is.
func TestPlanReportsVariantsThatAreNotSelected(t *testing.T) {
	d := openText(t, pair3+wrongVariants)
	want := `a.yaml:23:14: variant v1: tiers.dbb.slots: there is no "dbb" in tiers; ` +
		`did you mean "db"?
a.yaml:24:17: variant v2: checks: there is no check "recover" to keep; did you mean "recovers"?`
	for _, variant := range []string{"", "right", "v1", "v3"} {
		plan, problems := d.Plan(Options{Variant: variant})
		if got := problems.Error(); got != want || plan != nil {
			t.Errorf("variant %q:\n got %s\nwant %s", variant, got, want)
		}
	}
}

// What is wrong with the document itself is said of the document, and not again of each variant.
func TestVariantsDoNotRepeatTheDocument(t *testing.T) {
	text := strings.Replace(pair3, "slots: 4", "slots: 4.5", 1)
	d := openText(t, text+"variants: {a: {set: {tiers.db.slots: 2}}, b: {}}\n")
	if _, problems := d.Plan(Options{}); len(problems) != 1 {
		t.Errorf("%d problems, want one: %v", len(problems), problems)
	}
	// A --set that repairs the document is enough.
	if _, problems := d.Plan(Options{Sets: []string{"tiers.web.slots=4"}}); len(problems) != 0 {
		t.Errorf("repaired: %v", problems)
	}
}

// Documents with very many variants cost no more to open than one of them.
func TestVeryManyVariantsAreNotBuilt(t *testing.T) {
	text := pair3 + "variants:\n  wrong: {set: {tiers.dbb.slots: 200}}\n"
	for i := range mostVariants {
		text += fmt.Sprintf("  v%d: {set: {tiers.db.slots: 2}}\n", i)
	}
	if _, problems := openText(t, text).Plan(Options{}); len(problems) != 0 {
		t.Error(problems)
	}
}
