package sim

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Fingerprint summarises all events of a run by ingredient, so that two runs that differ say in
// what: the same kinds at other times, other outcomes, other luck. Each ingredient is a sum of
// well mixed records; the order in which records are added does not matter, their number does.
// The zero value is the fingerprint of nothing.
type Fingerprint struct {
	Times    uint64 // who, kind and when
	Kinds    uint64 // who and kind
	Outcomes uint64 // who, kind and how it ended
	Draws    uint64 // who and what chance gave
	N        uint64 // records added, draws not counted
}

// Mark is who and kind of a record, mixed.
type Mark uint64

// MarkOf is the mark of something of this kind that happens to who.
func MarkOf(kind uint8, who Ident) Mark {
	return Mark(finalise(uint64(who) + (uint64(kind)+1)*purposeStep))
}

// Add records an event: something of this kind happened to who, and ended in outcome.
func (f *Fingerprint) Add(at Time, kind uint8, who Ident, outcome uint8) {
	f.AddMark(at, MarkOf(kind, who), outcome)
}

// AddMark is Add in two parts, each of which is small enough for the compiler to inline.
func (f *Fingerprint) AddMark(at Time, m Mark, outcome uint8) {
	h := uint64(m)
	f.Kinds += h
	f.Times += fold(h, uint64(at), 0xa0761d6478bd642f)
	f.Outcomes += fold(h, uint64(outcome), 0xe7037ed1a0b428db)
	f.N++
}

// AddDraw records a length of time that chance gave to who.
func (f *Fingerprint) AddDraw(who Ident, v Time) {
	f.Draws += fold(uint64(who), uint64(v), 0x8ebc6af09c88c6e3)
}

// fold mixes a well mixed h with any v, by the folded product of wyhash.
func fold(h, v, salt uint64) uint64 {
	hi, lo := bits.Mul64(h^salt, v^0x589965cc75374cc3)
	return hi ^ lo
}

// String writes the upper 32 bits of each ingredient: k1f2e3d4c-t…-o…-d….
func (f Fingerprint) String() string { return f.Kto() + fmt.Sprintf("-d%08x", f.Draws>>32) }

// Kto is String without the draws, for comparing simulators that draw in different ways.
func (f Fingerprint) Kto() string {
	return fmt.Sprintf("k%08x-t%08x-o%08x", f.Kinds>>32, f.Times>>32, f.Outcomes>>32)
}

// Diff names the ingredients in which f and g differ when written ("times, draws"), and is
// empty when they agree.
func (f Fingerprint) Diff(g Fingerprint) string {
	var names []string
	for _, in := range []struct {
		name string
		a, b uint64
	}{
		{"kinds", f.Kinds, g.Kinds}, {"times", f.Times, g.Times},
		{"outcomes", f.Outcomes, g.Outcomes}, {"draws", f.Draws, g.Draws},
	} {
		if in.a>>32 != in.b>>32 {
			names = append(names, in.name)
		}
	}
	return strings.Join(names, ", ")
}

// ParseFingerprint reads what String or Kto wrote. The result has only the bits that were
// written, and no N; Diff and String take it like the original.
func ParseFingerprint(text string) (Fingerprint, error) {
	var f Fingerprint
	into := []struct {
		letter byte
		sum    *uint64
	}{{'k', &f.Kinds}, {'t', &f.Times}, {'o', &f.Outcomes}, {'d', &f.Draws}}
	parts := strings.Split(text, "-")
	bad := fmt.Errorf("fingerprint %q: expected k, t, o and d with 8 hex digits each, "+
		"as in k1f2e3d4c-t00112233-o44556677-d8899aabb", text)
	if len(parts) != 3 && len(parts) != 4 {
		return f, bad
	}
	for i, part := range parts {
		if len(part) != 9 || part[0] != into[i].letter {
			return Fingerprint{}, bad
		}
		v, err := strconv.ParseUint(part[1:], 16, 32)
		if err != nil {
			return Fingerprint{}, bad
		}
		*into[i].sum = v << 32
	}
	return f, nil
}
