package report

import (
	"math"
	"testing"
	"time"
)

func TestNumbersAreWrittenTheWayPeopleSayThem(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Rate, 61576, "61.6k/s"},
		{Rate, 999.7, "1k/s"},
		{Rate, 999.2, "999/s"},
		{Rate, 0, "0/s"},
		{Rate, 2.5e6, "2.5M/s"},
		{Share, 0.2071, "20.7%"},
		{Share, 0.00004, "<0.01%"},
		{Share, 0.9996, "99.96%"},
		{Share, 0.999996, ">99.99%"},
		{Share, 1, "100%"},
		{Share, 0, "0%"},
		{Count, 1234567, "1,234,567"},
		{Count, 999, "999"},
		{Count, 29052400, "29.1M"},
		{Count, -1200, "-1,200"},
		{Count, 2.5e9, "2.5G"},
		{Duration, 0.0125, "12.5ms"},
		{Duration, 59.99, "60s"},
		{Duration, 90, "1m30s"},
		{Duration, 3*3600 + 62, "3h01m02s"},
		{Duration, 0, "0s"},
		{Factor, 9.87, "9.87x"},
		{Factor, math.NaN(), None},
		{Share, math.Inf(1), None},
		{Level, 0.034, "0.034"},
	} {
		if got := c.unit.Format(c.v); got != c.want {
			t.Errorf("%s of %v is %q, want %q", c.unit, c.v, got, c.want)
		}
	}
}

func TestClocksReadInUTCOrFromTheStart(t *testing.T) {
	utc := Clock{Epoch: time.Date(2026, 8, 17, 12, 58, 0, 0, time.FixedZone("east", 3600))}
	for _, c := range []struct {
		clock Clock
		s     float64
		want  string
	}{
		{utc, 0, "11:58"},
		{utc, 90, "11:59:30"},
		{utc, 0.25, "11:58:00.250"},
		{Clock{}, 90, "01:30"},
		{Clock{}, 3725.5, "1:02:05.500"},
		{Clock{}, math.NaN(), "never"},
	} {
		if got := c.clock.Format(c.s); got != c.want {
			t.Errorf("%v s are %q, want %q", c.s, got, c.want)
		}
	}
}
