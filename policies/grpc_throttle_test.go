package policies

import (
	"math"
	"testing"
)

// TestGRPCTokensFollowTheTestsOfTheirProducts restates the sequences of C-core's and Java's own
// unit tests: F fails and S succeeds, then the tokens that are left and whether a retry may follow.
func TestGRPCTokensFollowTheTestsOfTheirProducts(t *testing.T) {
	type step struct {
		op     byte
		tokens float64
		above  bool
	}
	for _, c := range []struct {
		implementation string
		ratio          float64
		steps          []step
	}{
		{"cpp", 1.6, []step{
			{'F', 3, true}, {'S', 4, true}, {'F', 3, true}, {'F', 2, false}, {'F', 1, false},
			{'F', 0, false}, {'F', 0, false}, {'S', 1.6, false}, {'S', 3.2, true},
			{'F', 2.2, true}, {'F', 1.2, false}, {'S', 2.8, true}, {'F', 1.8, false},
			{'S', 3.4, true}, {'F', 2.4, true},
		}},
		{"java", 0.8, []step{
			{'F', 3, true}, {'F', 2, false}, {'F', 1, false}, {'F', 0, false}, {'F', 0, false},
			{'S', 0.8, false}, {'S', 1.6, false}, {'S', 2.4, true}, {'S', 3.2, true},
			{'S', 4, true}, {'S', 4, true},
		}},
	} {
		b := newGRPCTokens(newGRPCThrottling(c.implementation, 4, c.ratio))
		for i, s := range c.steps {
			switch s.op {
			case 'F':
				if got := b.fail(); got != s.above {
					t.Errorf("%s, step %d: permitted %t", c.implementation, i, got)
				}
			case 'S':
				b.succeed()
			}
			if got := b.tokens / 1000; got != s.tokens || b.above() != s.above {
				t.Errorf("%s, step %d (%c): %v tokens, above the threshold %t, want %v, %t",
					c.implementation, i, s.op, got, b.above(), s.tokens, s.above)
			}
		}
	}
}

// TestGRPCCutsTheRatioToThousandths: what Go keeps, Java and C-core do not see; and a ratio of
// three decimals is never cut below itself.
func TestGRPCCutsTheRatioToThousandths(t *testing.T) {
	for _, c := range []struct{ ratio, whole float64 }{
		{0.0999, 99}, {0.1, 100}, {0.29, 290}, {0.57, 570}, {1.001, 1001}, {0.001, 1},
		{1.6, 1600},
	} {
		for _, implementation := range []string{"java", "cpp"} {
			if got := newGRPCThrottling(implementation, 10, c.ratio).credit; got != c.whole {
				t.Errorf("%s earns %v thousandths for %v, want %v",
					implementation, got, c.ratio, c.whole)
			}
		}
		if got := newGRPCThrottling("go", 10, c.ratio).credit; got != c.ratio {
			t.Errorf("go earns %v for %v", got, c.ratio)
		}
	}
}

// TestGRPCThrottlesAtHalfOfAnOddBucket: half of 5 is 2.5 everywhere.
func TestGRPCThrottlesAtHalfOfAnOddBucket(t *testing.T) {
	for _, implementation := range []string{"go", "java", "cpp"} {
		b := newGRPCTokens(newGRPCThrottling(implementation, 5, 0.1))
		for i, want := range []bool{true, true, false} {
			if got := b.fail(); got != want {
				t.Errorf("%s: failure %d permits a retry: %t", implementation, i+1, got)
			}
		}
		if got := b.share(); math.Abs(got-0.4) > 1e-15 {
			t.Errorf("%s: %v left, want 2 of 5", implementation, got)
		}
	}
}
