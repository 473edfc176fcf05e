package unit

import (
	"fmt"
	"math/big"

	"cascadesim/sim/internal/number"
)

// CPU is a part of processors in thousandths of a core, at least 0.
type CPU float64

// String is FormatCPU.
func (c CPU) String() string { return FormatCPU(c) }

// ParseCPU reads processors as Kubernetes writes them: 200m is a fifth of a core, 1.5 one and a
// half. Unlike there, parts of a thousandth are read too.
func ParseCPU(text string) (CPU, error) {
	if err := unsigned("cpu", text); err != nil {
		return 0, err
	}
	value, rest, ok := number.Split(text)
	switch {
	case ok && rest == "":
		value.Mul(value, big.NewRat(1000, 1))
	case !ok || rest != "m":
		return 0, fmt.Errorf("cpu %q: expected cores such as 2 or 0.5, or thousandths such as 200m",
			text)
	}
	x, _ := value.Float64()
	return CPU(x), nil
}

// FormatCPU writes c in thousandths: 200m.
func FormatCPU(c CPU) string {
	if text, odd := unreadable(float64(c)); odd {
		return text + "m"
	}
	return number.Shift(float64(c), 0) + "m"
}
