package main

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the outputs of scripts and of the manual's examples")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cascadesim": func() { os.Exit(run(context.Background(), system(), os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, UpdateScripts: *update,
	})
}
