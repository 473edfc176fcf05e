package unit

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"cascadesim/sim"
	"cascadesim/sim/internal/number"
)

// Op is what a change does to the value in force.
type Op uint8

// The four operations. Only multiplying and adding depend on the value in force and stack.
const (
	Replace Op = iota
	Multiply
	Add
	Subtract
)

// Change is what a timeline does to a value: 1.5x multiplies it, +3s and -10 add and subtract,
// anything else replaces it. The kind of the field decides how Text is read, so a Change is
// checked only when a method below applies it.
type Change struct {
	Op   Op
	By   Factor // when Op is Multiply
	Text string // when it is not: the value, without its sign
}

// ParseChange reads a change.
func ParseChange(text string) (Change, error) {
	switch {
	case text == "":
		return Change{}, fmt.Errorf("change is empty")
	case text == "+" || text == "-":
		return Change{}, fmt.Errorf("change %q: expected a value after the sign, as in +3s", text)
	case text[0] == '+':
		return Change{Op: Add, Text: text[1:]}, nil
	case text[0] == '-':
		return Change{Op: Subtract, Text: text[1:]}, nil
	}
	if value, rest, ok := number.Split(text); ok && rest == "x" {
		x, _ := value.Float64()
		return Change{Op: Multiply, By: Factor(x)}, nil
	}
	return Change{Op: Replace, Text: text}, nil
}

// String writes c as ParseChange reads it.
func (c Change) String() string {
	switch c.Op {
	case Multiply:
		return c.By.String()
	case Add:
		return "+" + c.Text
	case Subtract:
		return "-" + c.Text
	}
	return c.Text
}

// Duration returns what c makes of old, to the nearest nanosecond. No limit times anything but
// 0 is no limit; nothing can be added to it.
func (c Change) Duration(old sim.Time) (sim.Time, error) {
	v, err := apply(c, int64(old), wholeKind[sim.Time]{
		parse: ParseDuration, limitless: sim.Never, word: "none", most: longest,
	})
	return v, c.wrap(FormatDuration(old), err)
}

// Count returns what c makes of old, to the nearest whole number.
func (c Change) Count(old Count) (Count, error) {
	v, err := apply(c, int64(old), wholeKind[Count]{
		parse: ParseCount, limitless: Unlimited, word: "unlimited", most: math.MaxInt64,
	})
	return v, c.wrap(FormatCount(old), err)
}

// Rate returns what c makes of old.
func (c Change) Rate(old Rate) (Rate, error) {
	v, err := applyFloat(c, old, math.MaxFloat64, ParseRate)
	return v, c.wrap(FormatRate(old), err)
}

// Share returns what c makes of old; +5% adds five percentage points.
func (c Change) Share(old Share) (Share, error) {
	v, err := applyFloat(c, old, 1, ParseShare)
	return v, c.wrap(FormatShare(old), err)
}

// Ratio returns what c makes of old.
func (c Change) Ratio(old Ratio) (Ratio, error) {
	v, err := applyFloat(c, old, math.MaxFloat64, ParseRatio)
	return v, c.wrap(FormatRatio(old), err)
}

// Factor returns what c makes of old. A factor itself is written like a multiplication and is
// read as one: to replace a factor is not possible, 2x doubles it.
func (c Change) Factor(old Factor) (Factor, error) {
	v, err := applyFloat(c, old, math.MaxFloat64, ParseFactor)
	return v, c.wrap(FormatFactor(old), err)
}

func (c Change) wrap(old string, err error) error {
	if err == nil || c.Op == Replace {
		return err
	}
	return fmt.Errorf("change %s of %s: %w", c, old, err)
}

// wholeKind is what apply must know of durations and counts.
type wholeKind[T ~int64] struct {
	parse     func(string) (T, error)
	limitless T      // the value that sets no limit
	word      string // how it is written
	most      T      // the largest value that is a limit
}

func apply[T ~int64](c Change, old int64, kind wholeKind[T]) (T, error) {
	if c.Op == Replace {
		return kind.parse(c.Text)
	}
	free := T(old) == kind.limitless
	if c.Op == Multiply {
		if free && c.By > 0 {
			return kind.limitless, nil
		}
		x := float64(old) * float64(c.By)
		if !(x < float64(kind.most)) {
			return 0, fmt.Errorf("too large; for no limit write %s", kind.word)
		}
		return T(math.Floor(float64(x) + 0.5)), nil
	}
	by, err := kind.parse(c.Text)
	if err != nil {
		return 0, err
	}
	if free || by == kind.limitless {
		return 0, fmt.Errorf("%s is no number to add to or subtract", kind.word)
	}
	if c.Op == Subtract {
		by = -by
	}
	v := T(old) + by
	if v < 0 || v > kind.most {
		return 0, fmt.Errorf("falls below 0 or is too large")
	}
	return v, nil
}

// applyFloat calculates with the decimals that people wrote, not with their nearest floats:
// 30% less 10% is 20%, and less 10% twice more is 0.
func applyFloat[T ~float64](c Change, old T, most float64, parse func(string) (T, error),
) (T, error) {
	if c.Op == Replace {
		return parse(c.Text)
	}
	exact, ok := decimal(float64(old))
	if !ok {
		return 0, fmt.Errorf("%v is no number to change", float64(old))
	}
	if c.Op == Multiply {
		by, _ := decimal(float64(c.By))
		exact.Mul(exact, by)
	} else {
		v, err := parse(c.Text)
		if err != nil {
			return 0, err
		}
		by, _ := decimal(float64(v))
		if c.Op == Subtract {
			by.Neg(by)
		}
		exact.Add(exact, by)
	}
	x, _ := exact.Float64()
	switch {
	case x < 0:
		return 0, fmt.Errorf("falls below 0")
	case x > most && most == 1:
		return 0, fmt.Errorf("exceeds 1 (100%%)")
	case x > most:
		return 0, fmt.Errorf("is too large")
	}
	return T(x), nil
}

// decimal is the shortest decimal that reads as x; ok is false for infinities and NaN.
func decimal(x float64) (exact *big.Rat, ok bool) {
	return new(big.Rat).SetString(strconv.FormatFloat(x, 'e', -1, 64))
}
