package sim

import (
	"strings"
	"testing"
)

type record struct {
	at      Time
	kind    uint8
	who     Ident
	outcome uint8
}

func records(n int) []record {
	r := Seed(1).Stream("records")
	all := make([]record, n)
	for i := range all {
		all[i] = record{Time(r.Intn(1e9)), uint8(r.Intn(8)), root.Child(uint64(i)), uint8(r.Intn(4))}
	}
	return all
}

func fingerprint(all []record) Fingerprint {
	var f Fingerprint
	for _, e := range all {
		f.Add(e.at, e.kind, e.who, e.outcome)
		f.AddDraw(e.who, e.at/2)
	}
	return f
}

func TestFingerprintDoesNotDependOnOrder(t *testing.T) {
	all := records(1000)
	want := fingerprint(all)
	r := Seed(2).Stream("order")
	for i := len(all) - 1; i > 0; i-- {
		j := r.Intn(uint64(i + 1))
		all[i], all[j] = all[j], all[i]
	}
	if got := fingerprint(all); got != want {
		t.Errorf("shuffled records give %v, want %v", got, want)
	}
}

func TestFingerprintNamesWhatDiffers(t *testing.T) {
	for want, change := range map[string]func(all []record){
		"":                              func([]record) {},
		"times, draws":                  func(all []record) { all[500].at += 2 },
		"outcomes":                      func(all []record) { all[500].outcome ^= 1 },
		"kinds, times, outcomes":        func(all []record) { all[500].kind++ },
		"kinds, times, outcomes, draws": func(all []record) { all[500].who++ },
		"times, outcomes, draws":        func(all []record) { swapTimes(all); all[0].outcome ^= 1 },
	} {
		all := records(1000)
		before := fingerprint(all)
		change(all)
		if got := before.Diff(fingerprint(all)); got != want {
			t.Errorf("differences are %q, want %q", got, want)
		}
	}
}

// swapTimes keeps the set of times and gives two of them to the other event.
func swapTimes(all []record) { all[1].at, all[2].at = all[2].at, all[1].at }

// TestRecordsOfOneEventDoNotCancel: sums, unlike exclusive ors, notice an event counted twice.
func TestRecordsOfOneEventDoNotCancel(t *testing.T) {
	var f Fingerprint
	f.Add(5, 1, root, 0)
	once := f
	f.Add(5, 1, root, 0)
	f.Add(5, 1, root, 0)
	if f.Diff(once) != "kinds, times, outcomes" || f.N != 3 {
		t.Errorf("one record three times gives %v (N=%d), once %v", f, f.N, once)
	}
	if (f.Diff(Fingerprint{})) == "" {
		t.Error("three records look like none")
	}
}

func TestFingerprintIsReadBack(t *testing.T) {
	f := fingerprint(records(10))
	g, err := ParseFingerprint(f.String())
	if err != nil {
		t.Fatal(err)
	}
	if g.String() != f.String() || f.Diff(g) != "" {
		t.Errorf("%v is read as %v", f, g)
	}
	short, err := ParseFingerprint(f.Kto())
	if err != nil || short.Kto() != f.Kto() {
		t.Errorf("%s is read as %s, %v", f.Kto(), short.Kto(), err)
	}
	if !strings.HasPrefix(f.String(), f.Kto()+"-d") {
		t.Errorf("%v does not begin with %s", f, f.Kto())
	}
	for _, bad := range []string{"", "k1-t2-o3-d4", "t00000000-k00000000-o00000000",
		"k0000000g-t00000000-o00000000", f.String() + "-x00000000"} {
		if _, err := ParseFingerprint(bad); err == nil {
			t.Errorf("%q is read without an error", bad)
		}
	}
}

func BenchmarkFingerprintAdd(b *testing.B) {
	var f Fingerprint
	for i := Time(0); b.Loop(); i++ {
		f.Add(i, 3, root+Ident(i), 1)
	}
	sinkWord = f.Times + f.Kinds + f.Outcomes
}
