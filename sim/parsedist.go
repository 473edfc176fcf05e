package sim

import (
	"fmt"
	"strconv"
	"strings"

	"cascadesim/sim/internal/number"
)

// distForms shows each distribution as it is written; errors quote them.
var distForms = map[string]string{
	"exp":       "exp 3ms",
	"uniform":   "uniform min=1ms max=5ms",
	"normal":    "normal mean=10ms sd=2ms",
	"lognormal": "lognormal p50=3ms p99=40ms, or lognormal mean=5ms sigma=1.2",
	"erlang":    "erlang k=4 mean=1s",
	"pareto":    "pareto min=1ms alpha=2",
}

// ParseDist reads a distribution as people write it: a duration alone is a constant, anything
// else begins with its name. Lengths are kept exactly, not rounded to nanoseconds.
// A mixture has no short form; MixDist builds it.
func ParseDist(text string) (Dist, error) {
	d, err := parseDist(strings.Fields(text))
	if err != nil {
		return Dist{}, fmt.Errorf("distribution %q: %w", text, err)
	}
	return d, nil
}

// MustParseDist is ParseDist for texts known to be right: defaults and tests. It panics.
func MustParseDist(text string) Dist {
	d, err := ParseDist(text)
	if err != nil {
		panic("sim: " + err.Error())
	}
	return d
}

func parseDist(words []string) (Dist, error) {
	if len(words) == 0 {
		return Dist{}, fmt.Errorf("expected a duration or one of %s", distNames)
	}
	if c := words[0][0]; c == '.' || c == '-' || (c >= '0' && c <= '9') {
		if len(words) > 1 {
			return Dist{}, fmt.Errorf("unexpected %q after a constant", words[1])
		}
		x, err := parseNanos(words[0])
		if err != nil {
			return Dist{}, err
		}
		return newConst(x)
	}
	form, known := distForms[words[0]]
	if !known {
		return Dist{}, fmt.Errorf("unknown distribution %q: expected a duration or one of %s",
			words[0], distNames)
	}
	a := distArgs{form: form, words: words[1:]}
	// "exp 3ms" is short for "exp mean=3ms".
	if words[0] == "exp" && len(a.words) == 1 && !strings.Contains(a.words[0], "=") {
		a.words = []string{"mean=" + a.words[0]}
	}
	return buildDist(words[0], &a)
}

const distNames = "exp, uniform, normal, lognormal, erlang, pareto"

// buildDist reads the settings of the named distribution, all of them and no others.
func buildDist(name string, a *distArgs) (Dist, error) {
	switch {
	case name == "exp" && a.have("mean"):
		return a.done(newExp(a.nanos("mean")))
	case name == "uniform" && a.have("min", "max"):
		return a.done(newUniform(a.nanos("min"), a.nanos("max")))
	case name == "normal" && a.have("mean", "sd"):
		return a.done(newNormal(a.nanos("mean"), a.nanos("sd")))
	case name == "lognormal" && a.have("p50", "p99"):
		return a.done(newLogNormalP(a.nanos("p50"), a.nanos("p99")))
	case name == "lognormal" && a.have("mean", "sigma"):
		return a.done(newLogNormalMean(a.nanos("mean"), a.plain("sigma")))
	case name == "erlang" && a.have("k", "mean"):
		k := a.plain("k")
		if k > maxStages || k != float64(int(k)) {
			return a.done(Dist{}, fmt.Errorf("erlang: k must be whole and at most %d", maxStages))
		}
		return a.done(newErlang(int(k), a.nanos("mean")))
	case name == "pareto" && a.have("min", "alpha"):
		return a.done(newPareto(a.nanos("min"), a.plain("alpha")))
	}
	return Dist{}, fmt.Errorf("expected %s", a.form)
}

// distArgs are the words name=value of a distribution; the first error sticks.
type distArgs struct {
	form  string
	words []string
	err   error
}

// have reports whether the settings are exactly these, each once, in any order.
func (a *distArgs) have(keys ...string) bool {
	if len(a.words) != len(keys) {
		return false
	}
	for _, key := range keys {
		if _, ok := a.value(key); !ok {
			return false
		}
	}
	return true
}

func (a *distArgs) value(key string) (string, bool) {
	for _, word := range a.words {
		if k, v, ok := strings.Cut(word, "="); ok && k == key {
			return v, true
		}
	}
	return "", false
}

func (a *distArgs) nanos(key string) float64 {
	text, _ := a.value(key)
	x, err := parseNanos(text)
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("%s: %w", key, err)
	}
	return x
}

func (a *distArgs) plain(key string) float64 {
	text, _ := a.value(key)
	value, rest, ok := number.Split(text)
	if !ok || rest != "" {
		if a.err == nil {
			a.err = fmt.Errorf("%s=%s: expected a plain number, as in %s", key, text, a.form)
		}
		return 1
	}
	x, _ := value.Float64()
	return x
}

// done prefers what was misread over what followed from it.
func (a *distArgs) done(d Dist, err error) (Dist, error) {
	if a.err != nil {
		return Dist{}, a.err
	}
	return d, err
}

func parseNanos(text string) (float64, error) {
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("%q must not be negative", text)
	}
	exact, err := number.Nanos(text)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, err)
	}
	x, _ := exact.Float64()
	return x, nil
}

func nanos(x float64) string { return number.FormatNanos(x) }

// String writes d as ParseDist reads it; a mixture is written as in files, {mix: [...]}.
func (d Dist) String() string {
	switch d.kind {
	case kindConst:
		return nanos(d.a)
	case kindExp:
		return "exp " + nanos(d.a)
	case kindUniform:
		return "uniform min=" + nanos(d.a) + " max=" + nanos(d.b)
	case kindNormal:
		return "normal mean=" + nanos(d.a) + " sd=" + nanos(d.b)
	case kindLogNormal:
		return "lognormal " + d.logNormalForm()
	case kindErlang:
		return fmt.Sprintf("erlang k=%d mean=%s", d.k, nanos(d.Mean()))
	case kindPareto:
		return "pareto min=" + nanos(d.a) + " alpha=" + number.Shift(d.b, 0)
	case kindMix:
		var parts []string
		for i, part := range d.mix.of {
			share := number.Shift(d.mix.shares[i], 2)
			parts = append(parts, "{share: "+share+"%, of: "+part.String()+"}")
		}
		return "{mix: [" + strings.Join(parts, ", ") + "]}"
	}
	return "unknown distribution " + strconv.Itoa(int(d.kind))
}

// logNormalForm writes the percentiles to twelve digits, which removes what Ln and Exp lost.
func (d Dist) logNormalForm() string {
	p99 := Exp(d.a + float64(d.b*NormQuantile(0.99)))
	return "p50=" + nanos(digits12(Exp(d.a))) + " p99=" + nanos(digits12(p99))
}

func digits12(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 11, 64), 64)
	return y
}
