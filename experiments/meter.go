package experiments

import (
	"sync"

	"cascadesim/model"
)

// meter adds up the progress of replications that run side by side.
type meter struct {
	mu     sync.Mutex
	report func(Progress)
	share  []float64
	events []uint64
	ended  int
}

func newMeter(n int, report func(Progress)) *meter {
	return &meter{report: report, share: make([]float64, n), events: make([]uint64, n)}
}

// tell notes how far replication i is.
func (m *meter) tell(i int, p model.Progress) {
	if m.report == nil || p.End <= 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share[i] = min(p.Now.Seconds()/p.End.Seconds(), 1)
	m.events[i] = p.Events
	m.say()
}

// done notes that replication i is finished.
func (m *meter) done(i int, events uint64) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share[i] = 1
	m.events[i] = events
	m.ended++
	m.say()
}

// say is called with the lock held, so that reports come one at a time and never go back.
func (m *meter) say() {
	p := Progress{Done: m.ended, Total: len(m.share)}
	for i, s := range m.share {
		p.Share += s / float64(len(m.share))
		p.Events += m.events[i]
	}
	m.report(p)
}
