package policies

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"cascadesim/sim"
)

// built is a policy with its defaults, changed.
func built[S any](name string, change func(*S)) Policy {
	s := kindOf(name).Settings().(*S)
	if change != nil {
		change(s)
	}
	return kindOf(name).New(s)
}

// table reads the rows of a file of testdata: columns between bars, and prose behind #. The first
// column is a policy and its settings.
func table(t *testing.T, path string, test func(what string, p Policy, columns []string)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.Split(string(text), "\n") {
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		columns := strings.Split(row, "|")
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		name, flow, _ := strings.Cut(columns[0], " ")
		settings := kindOf(name).Settings()
		if err := decodeFlow(flow, settings); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		test(columns[0], kindOf(name).New(settings), columns[1:])
	}
}

// failureOf reads refused, reset, 503, or 503:2 with a Retry-After in seconds.
func failureOf(t *testing.T, text string) Outcome {
	t.Helper()
	switch text {
	case "refused":
		return refusedConnection
	case "reset":
		return resetConnection
	}
	status, hint, hinted := strings.Cut(text, ":")
	o := failed(numberOf(t, status))
	if hinted {
		if o.RetryAfter = sim.Time(numberOf(t, hint)) * sim.Second; o.RetryAfter == 0 {
			o.RetryAfter = RetryNow
		}
	}
	return o
}

func numberOf(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSchedulesOfClientLibraries(t *testing.T) {
	table(t, "testdata/clients/schedules.table", func(what string, p Policy, columns []string) {
		answer := failureOf(t, columns[0])
		draw := 0.0
		if columns[1] == "1" {
			draw = 1 - 0x1p-53
		}
		var want []float64
		for _, word := range strings.Fields(columns[2]) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, x)
		}
		sent, last := libraryCall{policy: p, answer: always(answer), draw: evenly(draw)}.call(0)
		waitsAre(t, fmt.Sprint(what, " ", columns[0]), gaps(sent), want...)
		if last != answer {
			t.Errorf("%s: ended with %+v, want the last failure", what, last)
		}
	})
}

func TestWhatClientLibrariesRetry(t *testing.T) {
	failures := []Outcome{
		refusedConnection, connectTimeout, noReplica, resetConnection, responseTimeout,
		failed(400), failed(408), failed(429), failed(500), failed(501), failed(502), failed(503),
		failed(504), hinting(503, sim.Second), hinting(503, RetryNow),
	}
	table(t, "testdata/clients/retried.table", func(what string, p Policy, columns []string) {
		got := ""
		for i, o := range failures {
			if i == 5 || i == 13 {
				got += " "
			}
			sent, _ := libraryCall{policy: p, answer: always(o), most: 2}.call(0)
			got += word(len(sent) == 2, "y", "n")
		}
		if got != columns[0] {
			t.Errorf("%s: %s, want %s", what, got, columns[0])
		}
	})
}

// What a breaker inside the retry refuses is an exception to Polly, and none that the standard
// handler of Microsoft.Extensions.Http.Resilience takes for transient.
func TestPollyAndRefusalsOfItsBreaker(t *testing.T) {
	for handles, want := range map[string]bool{"any": true, "exceptions": true, "http": false} {
		p := built("polly_retry", func(s *PollyRetry) { s.ShouldHandle = handles })
		if got := p.Condition.Retryable(0, &Attempt{N: 1}, Outcome{Class: Refused}); got != want {
			t.Errorf("%s: tried again %t, want %t", handles, got, want)
		}
	}
}
