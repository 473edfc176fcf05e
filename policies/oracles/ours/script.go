package ours

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
)

// Step is how one try of a client of HTTP ends.
type Step struct {
	Status int // 0: the connection broke
	Hint   int // Retry-After in seconds; -1: none
	Took   time.Duration
}

// Steps draws a script: statuses of the list, and now and then a broken connection or a hint.
func Steps(t *rapid.T, statuses ...int) []Step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Step {
		return Step{
			Status: rapid.SampledFrom(append([]int{0}, statuses...)).Draw(t, "status"),
			Hint:   rapid.SampledFrom([]int{-1, -1, -1, 0, 1, 2, 45, 100}).Draw(t, "hint"),
			Took:   time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "took")),
		}
	}), 1, 12).Draw(t, "steps")
}

// Script is a transport of net/http that plays steps, of which the last repeats.
type Script struct {
	Steps  []Step
	Header string // of the hint; Retry-After if empty
	Sent   []sim.Time
	start  time.Time
}

// Begin takes the present as the beginning of the call.
func (s *Script) Begin() { s.start = time.Now() }

// Elapsed is the time since the call began.
func (s *Script) Elapsed() sim.Time { return sim.Time(time.Since(s.start)) }

func (s *Script) at(n int) Step { return s.Steps[min(n, len(s.Steps))-1] }

// errBroken is what a broken connection is to a client.
var errBroken = errors.New("read: connection reset by peer")

// RoundTrip plays the next step.
func (s *Script) RoundTrip(request *http.Request) (*http.Response, error) {
	s.Sent = append(s.Sent, s.Elapsed())
	step := s.at(len(s.Sent))
	time.Sleep(step.Took)
	if step.Status == 0 {
		return nil, errBroken
	}
	header := http.Header{}
	if step.Hint >= 0 {
		name := s.Header
		if name == "" {
			name = "Retry-After"
		}
		header.Set(name, strconv.Itoa(step.Hint))
	}
	return &http.Response{StatusCode: step.Status, Header: header, Request: request,
		Body: io.NopCloser(strings.NewReader(""))}, nil
}

// Answer is how try n ends to a policy. unit is what a hint counts in.
func (s *Script) Answer(unit sim.Time) func(n int) (policies.Outcome, sim.Time) {
	return func(n int) (policies.Outcome, sim.Time) {
		step := s.at(n)
		o := policies.Outcome{Class: policies.Error, Status: step.Status}
		switch {
		case step.Status == 0:
			o.Class = policies.Dropped
		case step.Status < 400:
			o = policies.Outcome{Class: policies.OK}
		case step.Hint == 0:
			o.RetryAfter = policies.RetryNow
		case step.Hint > 0:
			o.RetryAfter = sim.Time(step.Hint) * unit
		}
		return o, sim.Time(step.Took)
	}
}
