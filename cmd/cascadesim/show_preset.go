package main

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model/load"
)

// presetsTable lists the presets of products, each in one line.
func presetsTable() report.Table {
	t := report.Table{Title: "Presets", Doc: "retry: {preset: NAME}; show preset NAME says more",
		Head: []report.Column{{Name: "preset"}, {Name: "tries"}, {Name: "wait before retry n"},
			{Name: "what bounds a storm"}}}
	for _, p := range load.Presets() {
		t.Rows = append(t.Rows, report.Row{Cells: []string{presetName(p), p.Look.Tries,
			p.Look.Delay, p.Look.Guard}})
	}
	return t
}

// presetName is how a file names a preset: an older one with its version.
func presetName(p load.Preset) string {
	if p.Older {
		return p.Full()
	}
	return p.Name
}

// findPreset finds a preset, or says what there is.
func findPreset(name string) (load.Preset, error) {
	p, hint, ok := load.FindPreset(name)
	if !ok {
		return p, fmt.Errorf("there is no preset %q; %s", name, hint)
	}
	return p, nil
}

// showPreset prints what a product does and what may be set.
func showPreset(env Env, name string) error {
	p, err := findPreset(name)
	if err != nil {
		return err
	}
	width := textWidth(env)
	fmt.Fprintf(env.Stdout, "%s\n\n%s\n\n", wrap(p.Full()+": "+p.Product, width),
		wrap(p.Doc, width))
	for _, line := range [][2]string{
		{"tries", p.Look.Tries}, {"wait before retry n", waits(p)}, {"tried again", p.Look.On},
		{"bounds a storm", p.Look.Guard}, {"decided by", decider(p)}, {"stack", stackWords(p)},
		{"source", fmt.Sprintf("%s (%s)", p.Source, p.Sure.Says())}, {"example", exampleOf(p)},
	} {
		fmt.Fprintln(env.Stdout, hanging(line[0], line[1], width))
	}
	if len(p.Parameters) == 0 {
		return nil
	}
	t := report.Table{Head: []report.Column{{Name: "setting"}, {Name: "value"},
		{Name: "policy's default"}, {Name: "unit"}, {Name: "meaning"}},
		Foot: "stack.… is no word of the product and cannot stand beside the preset: only --set and " +
			"variants write it, as a path such as edges.a->b.retry.stack.…"}
	worded := true
	for _, param := range p.Parameters {
		worded = worded && param.Word != ""
		t.Rows = append(t.Rows, report.Row{Cells: []string{param.Name(), param.Value, param.Default,
			param.Unit, param.Doc}})
	}
	if worded {
		t.Foot = ""
	}
	fmt.Fprintln(env.Stdout)
	return t.WriteText(env.Stdout, terminalOf(env))
}

// hanging is a labelled line, its text in a column of its own.
func hanging(label, text string, width int) string {
	const indent = 21
	lines := strings.Split(wrap(text, width-indent), "\n")
	return fmt.Sprintf("%-*s%s", indent, label, strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
}

func waits(p load.Preset) string {
	out := p.Look.Delay
	if p.Look.Jitter != "none" {
		out += "; jitter " + p.Look.Jitter
	}
	if p.Look.Cap != "none" {
		out += "; cap " + p.Look.Cap
	}
	return out
}

// decider is what decides whether an outcome is tried again.
func decider(p load.Preset) string {
	if p.Decides != "" {
		return p.Decides + ", by its settings"
	}
	return "retry_on: [" + strings.Join(p.RetryOn, ", ") + "]"
}

// stackWords are the policies in the order in which they are asked.
func stackWords(p load.Preset) string {
	var names []string
	for _, use := range p.Stack {
		names = append(names, use.Policy)
	}
	return strings.Join(names, ", ")
}

// exampleOf shows how a file names a preset, with one of its settings if it has any.
func exampleOf(p load.Preset) string {
	out := "retry: {preset: " + presetName(p)
	for _, param := range p.Parameters {
		if param.Word != "" {
			out += ", " + param.Word + ": " + param.Value
			break
		}
	}
	return out + "}"
}

// showDifference prints in what two presets differ.
func showDifference(env Env, one, two string) error {
	a, err := findPreset(one)
	if err != nil {
		return err
	}
	b, err := findPreset(two)
	if err != nil {
		return err
	}
	t := report.Table{Head: []report.Column{{Name: "setting"}, {Name: presetName(a)},
		{Name: presetName(b)}}}
	same := 0
	for _, row := range comparison(a, b) {
		if row[1] == row[2] {
			same++
			continue
		}
		t.Rows = append(t.Rows, report.Row{Cells: row[:]})
	}
	t.Foot = fmt.Sprintf("%d more are equal", same)
	if len(t.Rows) == 0 {
		fmt.Fprintf(env.Stdout, "%s and %s differ in nothing\n", one, two)
		return nil
	}
	return t.WriteText(env.Stdout, terminalOf(env))
}

// comparison lays two presets side by side: what they are, then the settings that both have, then
// those that only one has.
func comparison(a, b load.Preset) [][3]string {
	rows := [][3]string{
		{"product", a.Product, b.Product}, {"version", a.Version, b.Version},
		{"known from", a.Sure.Says(), b.Sure.Says()}, {"tries", a.Look.Tries, b.Look.Tries},
		{"wait before retry n", waits(a), waits(b)}, {"tried again", a.Look.On, b.Look.On},
		{"bounds a storm", a.Look.Guard, b.Look.Guard}, {"stack", stackWords(a), stackWords(b)},
		{"decided by", decider(a), decider(b)},
	}
	var both, single [][3]string
	left := slices.Clone(b.Parameters)
	for _, p := range a.Parameters {
		i := counterpart(p, left)
		if i < 0 {
			single = append(single, [3]string{p.Name(), p.Value, "–"})
			continue
		}
		name := p.Name()
		if other := left[i].Name(); other != name {
			name += " / " + other
		}
		both = append(both, [3]string{name, p.Value, left[i].Value})
		left = slices.Delete(left, i, i+1)
	}
	for _, p := range left {
		single = append(single, [3]string{p.Name(), "–", p.Value})
	}
	return slices.Concat(rows, both, single)
}

// counterpart finds the setting of another preset that is the same one of the same policy, however
// its product calls it, or else the one with the same name; -1: there is none.
func counterpart(p load.Parameter, others []load.Parameter) int {
	i := slices.IndexFunc(others, func(o load.Parameter) bool {
		for path := range strings.SplitSeq(o.Path, ", ") {
			if slices.Contains(strings.Split(p.Path, ", "), path) {
				return true
			}
		}
		return false
	})
	if i >= 0 {
		return i
	}
	return slices.IndexFunc(others, func(o load.Parameter) bool { return o.Name() == p.Name() })
}
