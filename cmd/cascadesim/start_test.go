package main

import (
	"io"
	"testing"
)

// BenchmarkStart is all that run does before the first event: read, build, lint.
func BenchmarkStart(b *testing.B) {
	env := system()
	env.Stderr = io.Discard
	for b.Loop() {
		p, err := pick(choice{}, "github-2026-08-17")
		if err != nil {
			b.Fatal(err)
		}
		p.warn(env)
	}
}
