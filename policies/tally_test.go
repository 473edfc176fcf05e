package policies

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTallyAgreesWithAList compares the ring with a plain list of all events ever.
func TestTallyAgreesWithAList(t *testing.T) {
	type event struct {
		slot   int64
		earned bool
	}
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.Int64Range(1, 12).Draw(t, "keep")
		grace := rapid.Int64Range(0, 1).Draw(t, "grace")
		var ring tally
		var list []event
		now := int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			now += rapid.SampledFrom([]int64{0, 0, 1, 1, 2, 5, 20}).Draw(t, "gap")
			ring.roll(now, keep, grace)
			e := event{slot: now, earned: rapid.Bool().Draw(t, "earned")}
			if list = append(list, e); e.earned {
				ring.earn(now)
			} else {
				ring.spend(now)
			}
			var earned, spent int64
			for _, e := range list {
				switch age := now - e.slot; {
				case e.earned && age < keep:
					earned++
				case !e.earned && age < keep+grace:
					spent++
				}
			}
			if ring.earned != earned || ring.spent != spent {
				t.Fatalf("slot %d: got %d earned and %d spent, want %d and %d",
					now, ring.earned, ring.spent, earned, spent)
			}
		}
		if len(ring.cells) > 16 {
			t.Fatalf("%d cells for a window of %d slots", len(ring.cells), keep+grace)
		}
	})
}
