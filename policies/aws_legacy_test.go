package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"
)

// TestAWSLegacyModes: attempts of a call that always fails, and its waits in milliseconds for draws
// of 0 and 1.
func TestAWSLegacyModes(t *testing.T) {
	for _, c := range []struct {
		sdk, service string
		o            Outcome
		attempts     int
		least, most  []sim.Time
	}{
		{"botocore", "general", status(500), 5, []sim.Time{0, 0, 0, 0},
			[]sim.Time{1000, 2000, 4000, 8000}},
		{"botocore", "general", status(509), 5, []sim.Time{0}, []sim.Time{1000}},
		{"botocore", "dynamodb", throttled429, 10, []sim.Time{50, 100, 200, 400, 800},
			[]sim.Time{50, 100, 200, 400, 800}},
		{"java", "general", status(500), 4, []sim.Time{0, 0, 0}, []sim.Time{100, 200, 400}},
		{"java", "general", throttled429, 4, []sim.Time{250, 500, 1000},
			[]sim.Time{500, 1000, 2000}},
		{"java", "dynamodb", status(503), 9, []sim.Time{0, 0}, []sim.Time{25, 50}},
		{"java", "general", status(509), 1, nil, nil},
		{"cpp", "general", Outcome{Class: Dropped}, 11, []sim.Time{0, 50, 100, 200},
			[]sim.Time{0, 50, 100, 200}},
		{"dotnet", "general", Outcome{Class: TimedOut}, 5, []sim.Time{0, 0, 0, 0},
			[]sim.Time{1000, 2000, 4000, 8000}},
		{"js", "general", status(502), 4, []sim.Time{0, 0, 0}, []sim.Time{100, 200, 400}},
		{"js", "dynamodb", status(502), 11, []sim.Time{0, 0, 0}, []sim.Time{50, 100, 200}},
	} {
		s := kindOf("aws_legacy").Settings().(*AWSLegacy)
		s.SDK, s.Service = c.sdk, c.service
		p := kindOf("aws_legacy").New(s)
		course := newDriver(p).play(sim.Never, func(int, sim.Time) Outcome { return c.o })
		if got := len(course.sent); got != c.attempts {
			t.Errorf("%s, %s: %d attempts after %+v, want %d", c.sdk, c.service, got, c.o,
				c.attempts)
		}
		l := p.Pacer.(*awsLegacy)
		var least, most []sim.Time
		for n := range c.least {
			least = append(least, l.wait(n+1, c.o, 0)/ms)
			most = append(most, l.wait(n+1, c.o, 1)/ms)
		}
		if !slices.Equal(least, c.least) || !slices.Equal(most, c.most) {
			t.Errorf("%s, %s: waits %v to %v, want %v to %v", c.sdk, c.service, least, most,
				c.least, c.most)
		}
	}
}

// TestAWSLegacyCaps: Java and .NET have one, the others grow on.
func TestAWSLegacyCaps(t *testing.T) {
	for sdk, want := range map[string]sim.Time{
		"java": 20 * sim.Second, "dotnet": 20 * sim.Second, "botocore": 512 * sim.Second,
		"cpp": 12_800 * ms, "js": 51_200 * ms,
	} {
		s := kindOf("aws_legacy").Settings().(*AWSLegacy)
		s.SDK = sdk
		if got := newAWSLegacy(*s).wait(10, status(500), 1); got != want {
			t.Errorf("%s: retry 10 waits %d, want %d", sdk, got, want)
		}
	}
}
