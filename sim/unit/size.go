package unit

import (
	"fmt"
	"math/big"
	"strings"

	"cascadesim/sim/internal/number"
)

// Size is a number of bytes, at least 0.
type Size int64

// String is FormatSize.
func (s Size) String() string { return FormatSize(s) }

// sizeUnits, the largest first; of two that are as short the first is written.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"TB", 1e12}, {"TiB", 1 << 40}, {"GB", 1e9}, {"GiB", 1 << 30}, {"MB", 1e6}, {"MiB", 1 << 20},
	{"kB", 1e3}, {"KiB", 1 << 10}, {"B", 1},
}

// ParseSize reads 512MB, 1.5GiB, 64kB, 20B or 0, which must come out whole. kB, MB, GB and TB are
// powers of 1000, KiB, MiB, GiB and TiB of 1024.
func ParseSize(text string) (Size, error) {
	if err := unsigned("size", text); err != nil {
		return 0, err
	}
	value, rest, ok := number.Split(text)
	if ok && rest == "" && value.Sign() == 0 {
		return 0, nil
	}
	for _, u := range sizeUnits {
		if !ok || rest != u.name {
			continue
		}
		value.Mul(value, big.NewRat(u.bytes, 1))
		if !value.IsInt() {
			return 0, fmt.Errorf("size %q: must be a whole number of bytes", text)
		}
		if !value.Num().IsInt64() {
			return 0, fmt.Errorf("size %q: too large", text)
		}
		return Size(value.Num().Int64()), nil
	}
	return 0, fmt.Errorf("size %q: expected bytes such as 512MB or 2GiB%s", text,
		meantSize(text, rest, ok))
}

// meantSize suggests a unit for a number with another one, or none.
func meantSize(text, rest string, ok bool) string {
	if !ok {
		return ""
	}
	if rest == "" {
		return fmt.Sprintf("; did you mean %sMB?", text)
	}
	for _, u := range sizeUnits {
		if strings.EqualFold(rest, u.name) || strings.EqualFold(rest+"B", u.name) {
			return fmt.Sprintf("; did you mean %s?", strings.TrimSuffix(text, rest)+u.name)
		}
	}
	return ""
}

// FormatSize writes s as ParseSize reads it, in the unit in which it is shortest.
func FormatSize(s Size) string {
	if s == 0 {
		return "0"
	}
	best := ""
	for _, u := range sizeUnits {
		text := exactly(int64(s), u.bytes) + u.name
		if best == "" || len(text) < len(best) {
			best = text
		}
	}
	return best
}

// exactly writes a whole number of bytes in a unit, with all its decimals.
func exactly(bytes, unit int64) string {
	r := big.NewRat(bytes, unit)
	text := r.FloatString(40) // 2^-40 has forty decimals
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
