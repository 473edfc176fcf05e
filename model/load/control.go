package load

import (
	"reflect"

	"cascadesim/model"
	"cascadesim/sim"
)

// control resolves the settings of a control's stages.
func (b *builder) control(f *controlForm, n *node, path string, start sim.Time) *model.Control {
	if f == nil {
		return nil
	}
	out := &model.Control{Pass: f.Pass, Observe: f.Observe, Back: f.Back, CoolDown: f.CoolDown}
	list, stages := n.get("stages"), b.g.of(reflect.TypeFor[[]stageForm]())
	if list.absent() || len(f.Stages) != len(list.items) {
		return out // the decoder has said why
	}
	seen := map[string]bool{}
	for i, s := range f.Stages {
		at := join(join(path, "stages"), keyOf(stages, list, i))
		if s.Name != "" && seen[s.Name] {
			b.add(problem{path: at, at: list.items[i].placeOf("name")}, "two stages are called %q",
				s.Name)
		}
		seen[s.Name] = true
		if s.Name != "" && !nameRule.MatchString(s.Name) {
			b.add(problem{path: at, at: list.items[i].placeOf("name"),
				hint: "names are a-z 0-9 _ and -"}, "%q cannot be the name of a stage", s.Name)
		}
		out.Stages = append(out.Stages, model.Stage{Name: s.Name, Observe: s.Observe, Pass: s.Pass,
			Set: b.settings(s.Set, join(at, "set"), start)})
	}
	return out
}
