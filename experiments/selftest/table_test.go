package selftest_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"cascadesim/docs"
	"cascadesim/experiments/selftest"
)

// TestTheTableHolds runs every case, and compares the page of values, which is of the small size,
// with what came out.
func TestTheTableHolds(t *testing.T) {
	o := selftest.Options{Size: selftest.SizeSmall}
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		o.Size = selftest.SizeAll
	}
	if s := os.Getenv("CASCADESIM_ONLY"); s != "" {
		o.Only = strings.Split(s, ",")
	}
	outcomes, err := selftest.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := selftest.Write(&b, outcomes, selftest.Text); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	for _, o := range outcomes {
		if o.Failed() {
			t.Errorf("%s %s: got %v, want %v (%s); %s", o.ID, o.What, o.Got, o.Want, o.Tolerance, o.Detail)
		}
	}
	if o.Size == selftest.SizeSmall && o.Only == nil {
		comparePage(t, outcomes)
	}
}

func comparePage(t *testing.T, outcomes []selftest.Outcome) {
	t.Helper()
	page, err := docs.Validation(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/validation.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is, should := strings.Split(string(text), "\n"), strings.Split(page, "\n")
	for i := range min(len(is), len(should)) {
		if is[i] != should[i] {
			t.Fatalf("%s:%d is not what came out; make docs rewrites it\ngot  %q\nwant %q", file, i+1,
				is[i], should[i])
		}
	}
	if len(is) != len(should) {
		t.Errorf("%s has %d lines, want %d; make docs rewrites it", file, len(is), len(should))
	}
}
