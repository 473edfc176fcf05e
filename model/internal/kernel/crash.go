package kernel

import "cascadesim/sim"

// crashState is what a rule that takes replicas down remembers.
type crashState struct {
	watches []watch
	down    []*replica // of one look
}

func (w *world) initCrashes() {
	w.crashes = make([]crashState, len(w.p.Crashes))
	for i := range w.crashes {
		p := &w.p.Crashes[i]
		if p.When == nil {
			w.tiers[p.Tier].memory, w.tiers[p.Tier].apart = p, true
		}
		w.crashes[i].watches = make([]watch, len(p.When))
		for k := range p.When {
			w.initWatch(&w.crashes[i].watches[k], &p.When[k])
		}
	}
}

// onCrashLook looks at all replicas of a tier that are in rotation, and takes down those whose
// condition is met.
func (w *world) onCrashLook(id uint32) {
	p, s := &w.p.Crashes[id], &w.crashes[id]
	s.down = s.down[:0]
	for k := range s.watches {
		r := &w.replicas[w.p.Tiers[p.Tier].First+k]
		switch {
		case !r.inRotation():
			s.watches[k].anew()
		case w.watched(&s.watches[k]):
			s.watches[k].anew()
			s.down = append(s.down, r)
		}
	}
	if len(s.down) > 0 {
		w.crash(p, s.down)
	}
	w.atMost(w.now+p.When[0].Over/Looks, evCrashLook, id)
}

// fuller follows an attempt that a replica has let in: with more of them than it has memory for it
// is looked at in an event of its own.
func (w *world) fuller(r *replica) {
	if r.held() > r.tier.memory.Most && !r.full {
		r.full = true
		w.en.At(w.now, evFull, uint32(r.index))
	}
}

// held is how many attempts are in a replica's memory.
func (r *replica) held() int { return r.inSystem + r.backlog.Len() }

// onFull takes down a replica that is out of memory.
func (w *world) onFull(id uint32) {
	r := &w.replicas[id]
	r.full = false
	if p := r.tier.memory; r.held() > p.Most {
		w.crash(p, []*replica{r})
	}
}

// crash takes replicas of a tier down together.
func (w *world) crash(p *Crash, all []*replica) {
	for _, r := range all {
		who := w.seed.Ident("tier/" + r.tier.p.Name).Child(uint64(r.number)).Child(r.crashes)
		d := who.Draw(forDown)
		r.crashes++
		r.series.Gauges[w.window].Crashes++
		down := min(p.Down.Sample(&d), sim.MaxTime-w.now)
		w.takeOut(r, outage{byCrash, p.Flows, w.now + down})
		w.en.At(w.now+down, evUp, uint32(r.index))
	}
	t := all[0].tier
	w.rotate(t)
	if w.tracer != nil {
		w.traceText("crash " + t.p.Name)
	}
	w.cut(all, p.Flows)
}

// onUp brings a replica back that had crashed.
func (w *world) onUp(id uint32) {
	r := &w.replicas[id]
	w.renew(r)
	w.emptyCaches([]*replica{r})
	w.letIn(r, byCrash)
	w.rotate(r.tier)
	w.fill(r)
}
