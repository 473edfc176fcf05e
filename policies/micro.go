package policies

import (
	"fmt"
	"math"
)

// micro is how many parts a token has in the arithmetic of budgets. Ten deposits of 0.1 must make
// exactly one token, which binary fractions do not: added up as floats, ten tenths fall short of 1
// and the eleventh call pays for a retry that the tenth has earned.
const micro = 1_000_000

// micros is x in whole millionths, to the nearest.
func micros(x float64) int64 { return int64(math.Floor(float64(x*micro) + 0.5)) }

// checkRatio bounds the ratio of a budget: more than 100 retries for each call is a slip, and less
// than a millionth of one cannot be counted.
func checkRatio(ratio float64) []error {
	switch {
	case !(ratio >= 0 && ratio <= 100):
		return []error{fmt.Errorf("ratio: %v; 0 to 100, where 10%% is 0.1", ratio)}
	case ratio > 0 && micros(ratio) == 0:
		return []error{fmt.Errorf("ratio: %v; 0, or at least one millionth", ratio)}
	}
	return nil
}
