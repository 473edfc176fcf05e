package check

import (
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
)

// noStage is what a control that has not begun, or has ended, is in.
const noStage = "none"

// controlMeasures are what there is to measure of a control, each a figure of the whole run.
var controlMeasures = []string{"stage", "steps_back", "missed", "entered.STAGE"}

func controlNames(w *model.World) []string {
	out := make([]string, len(w.Controls))
	for i, c := range w.Controls {
		out[i] = c.Name
	}
	return out
}

func stageNames(c *kernel.Control) []string {
	out := make([]string, len(c.Stages))
	for i, s := range c.Stages {
		out[i] = s.Name
	}
	return out
}

// pickControl finds the control of a name; it is one, as stages add up to nothing.
func (m *Measure) pickControl(w *model.World, name string) error {
	m.control = slices.Index(controlNames(w), name)
	switch {
	case m.control >= 0:
		return nil
	case len(w.Controls) == 0:
		return bad("", "no control %q: the timeline has none", name)
	}
	return bad(didYouMean(name, controlNames(w)), "no control %q", name)
}

// readControl reads stage, steps_back, missed or entered.STAGE.
func (m *Measure) readControl(w *model.World, what string) error {
	m.Kind, m.what = Whole, what
	if stage, ok := strings.CutPrefix(what, "entered."); ok {
		known := stageNames(&w.Controls[m.control])
		m.Unit, m.what, m.stage = Time, "entered", slices.Index(known, stage)
		if m.stage < 0 {
			return bad(didYouMean(stage, known), "no stage %q", stage)
		}
		return nil
	}
	switch what {
	case "stage":
		m.Unit = Word
	case "steps_back", "missed":
		m.Unit = Count
	default:
		return bad(didYouMean(what, controlMeasures), "no measure %q of controls", what)
	}
	return nil
}

// words are the words that a measure can be.
func (m Measure) words(w *model.World) []string {
	if m.of == "controls" {
		return append(stageNames(&w.Controls[m.control]), noStage)
	}
	return verdicts
}

// control is what a replication's control did.
func (rd reader) control(m Measure) reading {
	now, back, missed := noStage, 0, 0
	for _, s := range rd.r.Stages {
		if s.Control != m.control {
			continue
		}
		if s.Stage < 0 {
			now = noStage
			continue
		}
		if m.what == "entered" && s.Stage == m.stage {
			return plain(s.At.Seconds())
		}
		now, missed = rd.w.Controls[m.control].Stages[s.Stage].Name, missed+s.Misses
		if s.Back {
			back++
		}
	}
	switch m.what {
	case "stage":
		return reading{x: none, word: now, bin: -1}
	case "steps_back":
		return plain(float64(back))
	case "missed":
		return plain(float64(missed))
	}
	return reading{x: none, never: true, bin: -1, looked: rd.w.End.Seconds()}
}
