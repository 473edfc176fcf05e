package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"cascadesim/model/load"
	"cascadesim/policies"
)

// What is listed and shown stays within the terminal.
func TestWhatIsShownFitsTheTerminal(t *testing.T) {
	commands := [][]string{{"list"}, {"list", "presets"}, {"show", "preset", "envoy", "istio"},
		{"show", "preset", "aws-sdk-standard", "grpc-xds"}}
	for _, p := range load.Presets() {
		commands = append(commands, []string{"show", "preset", p.Full()})
	}
	for _, k := range policies.Builtins().Kinds() {
		commands = append(commands, []string{"show", "policy", k.Name})
	}
	for _, args := range commands {
		var out bytes.Buffer
		env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			Getenv: func(name string) string {
				return map[string]string{"COLUMNS": "100"}[name]
			}}
		if status := run(context.Background(), env, args); status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%v: a line of %d columns: %s", args, n, line)
			}
		}
	}
}
