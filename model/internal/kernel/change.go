package kernel

// schedule puts the timeline into the engine, before anything else, so that at an instant changes
// come first: of the seed, of settings in the order of the file, then ends of pauses, then their
// starts, then autoscalers. The marks of the timeline go into the result.
func (w *world) schedule() {
	end := w.p.End + w.p.Drain
	for i := range w.p.Reseeds {
		if at := w.p.Reseeds[i].At; at < end {
			w.en.At(at, evReseed, uint32(i))
		}
	}
	for i := range w.p.Changes {
		if at := w.p.Changes[i].At; at < end && w.p.Changes[i].Trigger == 0 {
			w.en.At(at, evChange, uint32(i))
		}
	}
	w.pauses = make([]pauseState, len(w.p.Pauses))
	for i := range w.p.Pauses {
		if at := w.p.Pauses[i].To; at < end && w.p.Pauses[i].Trigger == 0 {
			w.en.At(at, evUnpause, uint32(i))
		}
	}
	for i := range w.p.Pauses {
		if at := w.p.Pauses[i].From; at < end && w.p.Pauses[i].Trigger == 0 {
			w.en.At(at, evPause, uint32(i))
		}
	}
	w.scalers = make([]scalerState, len(w.p.Scalers))
	for i := range w.p.Scalers {
		w.initScaler(i, end)
	}
	for i := range w.p.Crashes {
		p := &w.p.Crashes[i]
		if p.When == nil {
			continue
		}
		if at := p.When[0].Over / Looks; at < end {
			w.en.At(at, evCrashLook, uint32(i))
		}
	}
	w.scheduleTriggers(end)
	for i := range w.p.Controls {
		if at := w.p.Controls[i].From; at < end && w.p.Controls[i].Trigger == 0 {
			w.en.At(at, evControl, uint32(i))
		}
	}
}

func (w *world) onChange(id uint32) {
	c := &w.p.Changes[id]
	if w.tracer != nil {
		w.traceText(w.p.Params[c.Param].Path)
	}
	w.set(c)
}
