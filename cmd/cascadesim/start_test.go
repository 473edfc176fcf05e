package main

import (
	"io"
	"math"
	"os"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"
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

// A start puts collections off; sweeps of hours need them at the usual pace after that.
func TestCollectionsComeAsEverAfterTheStart(t *testing.T) {
	want := uint64(100)
	if set := os.Getenv("GOGC"); set == "off" {
		want = math.MaxUint64
	} else if n, err := strconv.ParseUint(set, 10, 64); err == nil {
		want = n
	}
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for range 100 {
		metrics.Read(percent)
		if percent[0].Value.Uint64() == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("a second after the start the heap may still grow by %d %%, not %d",
		percent[0].Value.Uint64(), want)
}
