package policies

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestEnvoyConditions reads a table: a line is a setting, a column an outcome, x what is retried.
func TestEnvoyConditions(t *testing.T) {
	f, err := os.Open("testdata/envoy/conditions.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		s := envoyConditionsOf(t, row[0])
		c := newEnvoyConditions(s)
		for i, name := range rows[0][1:] {
			if got, want := c.match(envoyOutcome(t, name)), row[i+1] == "x"; got != want {
				t.Errorf("%s, %s: retried %t, want %t", row[0], name, got, want)
			}
		}
	}
}

// envoyConditionsOf reads a word or {codes that need none}, then {codes}, limited CODE, grpc,
// hedge.
func envoyConditionsOf(t *testing.T, text string) EnvoyRetry {
	s := envoyDefaults()
	head, tail, _ := strings.Cut(text, " ")
	into := &s.Codes
	if strings.HasPrefix(text, "{") {
		tail, into = text, &s.CodesAlone
	} else {
		s.RetryOn = []string{head}
	}
	for _, w := range strings.Fields(strings.NewReplacer("{", " ", "}", " ").Replace(tail)) {
		switch w {
		case "grpc":
			s.GRPC = true
		case "hedge":
			s.Hedge = true
		case "limited":
			into = &s.Limited
		default:
			code, err := strconv.Atoi(w)
			if err != nil {
				t.Fatal(err)
			}
			*into = append(*into, code)
		}
	}
	if errs := kindOf("envoy_retry").Check(s); len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return s
}

func envoyOutcome(t *testing.T, name string) Outcome {
	switch name {
	case "no replica":
		return Outcome{Class: Rejected, Status: 503, Unreached: true}
	case "refused":
		return Outcome{Class: Dropped, Unreached: true}
	case "reset":
		return Outcome{Class: Dropped}
	case "connect timeout":
		return Outcome{Class: TimedOut, Unreached: true}
	case "timeout":
		return Outcome{Class: TimedOut}
	}
	status, how, _ := strings.Cut(name, " ")
	code, err := strconv.Atoi(status)
	if err != nil {
		t.Fatal(err)
	}
	class := map[string]Class{"": Error, "blocked": Blocked, "rejected": Rejected}[how]
	return Outcome{Class: class, Status: code}
}
