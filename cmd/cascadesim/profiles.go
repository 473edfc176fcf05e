package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"
)

// profiles are the files that say where a command spent time and memory, for go tool pprof; those
// without a name are not written.
type profiles struct{ cpu, memory string }

func (p *profiles) register(c *cobra.Command) {
	c.Flags().StringVar(&p.cpu, "cpuprofile", "", "write where the time went, for go tool pprof")
	c.Flags().StringVar(&p.memory, "memprofile", "",
		"write where memory was allocated, for go tool pprof")
}

// during does the work of a command and writes the profiles of it, also of one that failed.
func (p profiles) during(do func() error) error {
	var spent bytes.Buffer
	if p.cpu != "" {
		if err := pprof.StartCPUProfile(&spent); err != nil {
			return fmt.Errorf("--cpuprofile: %w", err)
		}
	}
	err := do()
	if p.cpu != "" {
		pprof.StopCPUProfile()
		err = errors.Join(err, writeFile(p.cpu, func(w io.Writer) error {
			_, err := spent.WriteTo(w)
			return err
		}))
	}
	if p.memory != "" {
		runtime.GC() // a profile of memory is as of the last collection
		err = errors.Join(err, writeFile(p.memory, func(w io.Writer) error {
			return pprof.Lookup("allocs").WriteTo(w, 0)
		}))
	}
	return err
}
