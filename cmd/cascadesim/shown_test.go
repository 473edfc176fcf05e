//go:build !race

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// What only shows something starts no goroutine, so that the race detector has nothing to see.
func TestScriptsThatShow(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/shown", RequireExplicitExec: true, UpdateScripts: *update,
	})
}
