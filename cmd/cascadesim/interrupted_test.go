package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cascadesim/experiments"
)

// stopAfter runs a command that is interrupted when so many replications of a batch are finished.
// One worker makes sure that no other is.
func stopAfter(n int, args ...string) (status int, stdout, stderr *bytes.Buffer) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if n == 0 {
		cancel()
	}
	env, stdout, stderr := quiet()
	env.Watch = func(p experiments.Progress) {
		if p.Done == n {
			cancel()
		}
	}
	return run(ctx, env, append(args, "--workers", "1")), stdout, stderr
}

// fileOf writes a world with one check and returns its name.
func fileOf(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".yaml")
	text := `name: ` + name + `
tiers: {web: {steps: [{work: 10ms}]}}
clients: {users: {arrivals: 100/s, call: web}}
duration: 10s
checks: [{name: served, measure: clients.users.ok_per_s, min: 1/s}]
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnInterruptedRunSaysWhatItsNumbersAre(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := stopAfter(3, "run", fileOf(t, "a"), "--replications", "10",
		"--json", "-o", dir)
	if status != exitFailed {
		t.Errorf("status %d, want %d: %s", status, exitFailed, stderr)
	}
	const want = "interrupted: 3 of 10 replications are in these numbers"
	written, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{stdout.Bytes(), written} {
		var got struct {
			Replications int
			Warnings     []string
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.Replications != 3 || !slices.Contains(got.Warnings, want) {
			t.Errorf("got %+v, want the warning %q", got, want)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the page does not say %q (%v)", want, err)
	}
}

func TestAnInterruptionAfterTheLastReplicationIsNone(t *testing.T) {
	status, stdout, stderr := stopAfter(3, "run", fileOf(t, "a"), "--replications", "3")
	if status != exitOK || strings.Contains(stdout.String()+stderr.String(), "interrupted") {
		t.Errorf("status %d: %s%s; everything was finished", status, stdout, stderr)
	}
}

// junit is what a build server reads.
type junit struct {
	Suites []struct {
		Name   string `xml:"name,attr"`
		Tests  int    `xml:"tests,attr"`
		Errors int    `xml:"errors,attr"`
		Cases  []struct {
			Name  string `xml:"name,attr"`
			Error *struct {
				Message string `xml:"message,attr"`
			} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestAnInterruptedCheckIsNoSuccess(t *testing.T) {
	for finished, want := range map[int]string{
		2: "interrupted: 2 of 4 replications are in these numbers",
		0: "interrupted: 0 of 4 replications are in these numbers",
	} {
		file := filepath.Join(t.TempDir(), "checks.xml")
		args := []string{"check", fileOf(t, "a"), fileOf(t, "b"), "--seeds", "1-4", "--junit", file}
		status, stdout, stderr := stopAfter(finished, args...)
		if status != exitFailed {
			t.Errorf("status %d, want %d", status, exitFailed)
		}
		if !strings.Contains(stderr.String(), "interrupted: 0 of 2 scenarios were judged") {
			t.Errorf("stderr is %q", stderr)
		}
		if finished > 0 && !(strings.Contains(stdout.String(), "yes (2 of 2)") &&
			strings.Contains(stdout.String(), want)) {
			t.Errorf("what was finished is not judged: %s", stdout)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got junit
		if err := xml.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Suites) != 2 {
			t.Fatalf("%d suites, want one for each scenario:\n%s", len(got.Suites), text)
		}
		for i, message := range []string{want, "interrupted before it began; nothing was judged"} {
			s := got.Suites[i]
			if s.Errors != 1 || s.Tests < 1 || s.Cases[0].Error == nil ||
				s.Cases[0].Error.Message != message {
				t.Errorf("suite %s lacks the error %q:\n%s", s.Name, message, text)
			}
		}
	}
}

func TestAnInterruptedTraceSaysSo(t *testing.T) {
	for args, want := range map[string]string{
		"--failed":          "interrupted: the request was not followed to its end",
		"--until-event=900": "interrupted: the run did not come as far as that event",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		env, _, stderr := quiet()
		if got := run(ctx, env, []string{"trace", "two-tier", args}); got != exitFailed {
			t.Errorf("%s: status %d, want %d", args, got, exitFailed)
		}
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: stderr is %q, want %q in it", args, stderr, want)
		}
	}
}
