package main

import (
	"testing"
	"time"
)

// A bar appears after a while, and not where warnings are still being written.
func TestBarWaitsForWhatIsWritten(t *testing.T) {
	b := &bar{began: time.Now()}
	if b.due() {
		t.Error("a bar appears at once")
	}
	b.began = b.began.Add(-time.Hour)
	if !b.due() {
		t.Error("a bar does not appear")
	}
	done := make(chan struct{})
	if b.after(done).due() {
		t.Error("a bar appears before the warnings")
	}
	close(done)
	if !b.due() {
		t.Error("a bar does not appear after the warnings")
	}
	var nobody *bar
	if nobody.after(done) != nil {
		t.Error("a bar for nobody")
	}
}
