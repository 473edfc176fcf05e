package policies

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cascadesim/sim"
)

var update = flag.Bool("update", false, "rewrite testdata: commit only what you understand")

// TestScripts plays testdata/*.txt. A script is prose behind #, and steps: a command, a line of
// dashes, and what it printed; what only sets the stage prints nothing. Each command is explained
// beside its case in step and once.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

// play answers every command of a script and returns the script with those answers in it.
func play(t *testing.T, text string) string {
	var out strings.Builder
	var s stage
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "" || strings.HasPrefix(line, "#") {
			out.WriteString(line)
			if i < len(lines)-1 {
				out.WriteString("\n")
			}
			continue
		}
		if i+2 < len(lines) && lines[i+1] == "----" {
			i += 2 // the recorded answer
		}
		answer, err := s.step(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out.WriteString(line + "\n")
		if answer != "" {
			out.WriteString("----\n" + answer + "\n")
		}
	}
	return out.String()
}

// stage is one policy, the time, and how often it was asked: the key of its chance.
type stage struct {
	policy Policy
	now    sim.Time
	asked  uint64
}

func (s *stage) step(line string) (string, error) {
	words := strings.Fields(line)
	switch words[0] {
	case "policy": // policy NAME SETTINGS: a fresh state, at time 0
		k, ok := Builtins().Lookup(words[1])
		if !ok {
			return "", fmt.Errorf("no policy %q", words[1])
		}
		settings := k.Settings()
		if err := decodeFlow(strings.Join(words[2:], " "), settings); err != nil {
			return "", err
		}
		if errs := k.Check(settings); len(errs) > 0 {
			return "", fmt.Errorf("%v", errs)
		}
		*s = stage{policy: k.New(settings)}
		return "", nil
	case "at": // at TIME: the clock goes there
		at, err := time.ParseDuration(words[1])
		s.now = sim.Time(at)
		return "", err
	case "level": // level: the share of its tokens that are left
		return strconv.FormatFloat(s.policy.Level(s.now), 'g', 4, 64), nil
	case "waits": // waits N [RETRY_AFTER]: the waits before retries 1 to N of one call
		return s.waits(words[1:])
	}
	return s.repeat(words)
}

// repeat plays COMMAND N [every TIME]; the clock moves after each.
func (s *stage) repeat(words []string) (string, error) {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return "", err
	}
	var every time.Duration
	if len(words) == 4 && words[2] == "every" {
		if every, err = time.ParseDuration(words[3]); err != nil {
			return "", err
		}
	}
	answers := make([]string, n)
	for i := range answers {
		if answers[i], err = s.once(words[0]); err != nil {
			return "", err
		}
		s.now += sim.Time(every)
	}
	return runs(answers), nil
}

func (s *stage) once(command string) (string, error) {
	a := s.attempt(1)
	switch command {
	case "sends": // sends N: first tries are offered
		return word(s.policy.Gate.Admit(s.now, a), "send", "deny"), nil
	case "fails": // fails N: attempts end in an error, and each asks for a retry
		s.observe(a, Error)
		a.N = 2
		return word(s.policy.Gate.Admit(s.now, a), "retry", "deny"), nil
	case "succeeds": // succeeds N: attempts are answered well
		s.observe(a, OK)
		return "", nil
	case "enters": // enters N: attempts arrive at the callee
		return word(s.policy.Admission.Enter(s.now, a), "enter", "reject"), nil
	}
	return "", fmt.Errorf("no command %q", command)
}

func (s *stage) waits(words []string) (string, error) {
	n, err := strconv.Atoi(words[0])
	if err != nil {
		return "", err
	}
	var last Outcome
	if len(words) > 1 {
		after, err := time.ParseDuration(words[1])
		if err != nil {
			return "", err
		}
		last = Outcome{Class: Rejected, RetryAfter: sim.Time(after)}
	}
	var out []string
	a := s.attempt(1)
	for range n {
		a.N++
		a.Chance = s.attempt(1).Chance
		a.Wait = s.policy.Pacer.Wait(s.now, a, last)
		out = append(out, time.Duration(a.Wait).String())
	}
	return strings.Join(out, " "), nil
}

func (s *stage) attempt(n int) *Attempt {
	s.asked++
	return &Attempt{N: n, Chance: sim.Seed(1).Ident("script").Child(s.asked).Draw(0)}
}

func (s *stage) observe(a *Attempt, c Class) {
	if s.policy.Observer != nil {
		s.policy.Observer.Observe(s.now, a, Outcome{Class: c})
	}
}

func word(yes bool, ifYes, ifNo string) string {
	if yes {
		return ifYes
	}
	return ifNo
}

// runs joins answers, and writes more than five equal ones in a row as "send x12".
func runs(answers []string) string {
	var out []string
	for i := 0; i < len(answers); {
		j := i
		for j < len(answers) && answers[j] == answers[i] {
			j++
		}
		if answers[i] == "" {
			return ""
		}
		if j-i > 5 {
			out = append(out, fmt.Sprintf("%s x%d", answers[i], j-i))
		} else {
			out = append(out, answers[i:j]...)
		}
		i = j
	}
	return strings.Join(out, " ")
}
