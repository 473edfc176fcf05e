package early

import (
	"os"
	"runtime/debug"
	"time"

	"cascadesim/sim/huge"
)

// Until the first event the heap gets a dozen megabytes, nearly all of which stays. Page by page
// they would cost 1,500 faults, and collecting from 4 MB on four collections that find nothing.
const (
	heap    = 32 << 20 // bytes that the heap grows by at once
	patient = 400      // percent; collections come from 16 MB on
	start   = 100 * time.Millisecond
)

// init has large pages under the first megabytes of the heap, which take no memory until they are
// written to, and has it collected more seldom during the start, but from then on as ever. Who asks
// for other collections by GOGC gets these.
func init() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(-1) // so that what is made here is garbage when a collection looks
	huge.Prefer(make([]byte, heap))
	debug.SetGCPercent(patient)
	time.AfterFunc(start, func() { debug.SetGCPercent(usual) })
}
