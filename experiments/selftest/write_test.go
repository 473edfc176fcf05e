package selftest

import (
	"math"
	"strings"
	"testing"
)

// sample is an outcome of each kind.
func sample() []Outcome {
	none := math.Inf(1)
	return []Outcome{
		{ID: "V1", What: "W", Unit: "s", Want: 0.005, Got: 0.0050232, SD: 0.0001, Lo: 0.00496,
			Hi: 0.00508, Tolerance: "2 %", OK: true, Detail: "4M requests"},
		{ID: "V34", What: "tips", Unit: "of 10", Want: 9, Got: 7, SD: math.NaN(), Lo: -none, Hi: none,
			Tolerance: "at least", Detail: "10 seeds"},
		{ID: "X1", What: "a | b", Want: math.NaN(), Got: 123456.7, SD: math.NaN(), Lo: -none, Hi: none,
			Tolerance: "at most 2", Disputed: true, Reason: "it is said twice"},
	}
}

func TestMarkdownIsOneRowToAnOutcome(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, sample(), Markdown); err != nil {
		t.Fatal(err)
	}
	want := `| case | value | expected | measured | sd | 95 % interval | tolerance |  | of |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| V1 | W | 5ms | 5.0232ms | 100us | 4.96ms .. 5.08ms | 2 % | ok | 4M requests |
| V34 | tips | 9 of 10 | 7 of 10 | - | - | at least | FAILS | 10 seeds |
| X1 | a \| b | - | 123457 | - | - | at most 2 | disputed |  |

Disputed, X1 a | b: it is said twice.

3 values: 1 hold, 1 fail, 1 are disputed
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextIsAligned(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, sample(), Text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	column := strings.Index(lines[0], "expected")
	for _, l := range lines[1:3] {
		if l[column-1] != ' ' || l[column] == ' ' {
			t.Errorf("nothing begins at column %d of %q", column, l)
		}
	}
	if err := Write(&b, nil, "html"); err == nil {
		t.Error("a format that does not exist was accepted")
	}
}
