package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cascadesim/experiments/report/figure"

	"github.com/spf13/cobra"
)

// mostBeside is how many runs are compared at most: more lines nobody tells apart.
const mostBeside = 8

// beside is what differs in the runs that stand beside the first.
type beside struct {
	variants []string // each makes a run of its own
	setsB    []string
}

func (b *beside) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&b.variants, "variant-b", nil,
		"a variant for the run beside it; may be given again, for one more run")
	c.Flags().StringArrayVar(&b.setsB, "set-b", nil, "PATH=VALUE for the runs beside it alone")
	completesFlag(c, "variant-b", completeVariants)
}

// line is what was said, as flags.
func (b beside) line() string {
	line := ""
	for _, v := range b.variants {
		line += " --variant-b " + quoted(v)
	}
	for _, set := range b.setsB {
		line += " --set-b " + quoted(set)
	}
	return line
}

// side is one of the runs that are compared.
type side struct {
	choice
	given string // as on the command line
}

// sides are all runs: the first, then each other name, or the first again, in each variant.
func (b beside) sides(first choice, names []string) []side {
	out := []side{{first, names[0]}}
	others := names[1:]
	if len(others) == 0 && len(b.variants)+len(b.setsB) > 0 {
		others = names
	}
	variants := b.variants
	if len(variants) == 0 {
		variants = []string{first.variant}
	}
	for _, name := range others {
		for _, v := range variants {
			one := first
			one.variant, one.setsB = v, b.setsB
			out = append(out, side{one, name})
		}
	}
	return out
}

// directory says whether it is what run -o wrote.
func (s side) directory() bool {
	info, err := os.Stat(s.given)
	return err == nil && info.IsDir()
}

// sameLuck takes the seed of the first, unless the run is one that was kept with its own.
func (s *side) sameLuck(first *picked) {
	if !s.seedGiven && !s.directory() {
		s.seed, s.seedGiven = first.scenario.Seed, true
	}
}

// pick reads and compiles it. Of a directory that run wrote it is the scenario with the seed there.
func (s *side) pick() (*picked, error) {
	if !s.directory() {
		p, err := pick(s.choice, s.given)
		if err == nil {
			s.seed, s.seedGiven = p.scenario.Seed, true // for the line that says how to do it again
		}
		return p, err
	}
	file := filepath.Join(s.given, "summary.json")
	data, err := os.ReadFile(file)
	switch {
	case err != nil && exists(filepath.Join(s.given, "sweep.json")):
		return nil, fmt.Errorf("%s is a directory of sweep -o, which is no run: report writes its page "+
			"alone, chart draws its figures", s.given)
	case err != nil:
		return nil, fmt.Errorf("%s is no directory of run -o: %w", s.given, err)
	}
	var summary struct{ Seed uint64 }
	if err := json.Unmarshal(data, &summary); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	c := s.choice
	if !c.seedGiven {
		c.seed, c.seedGiven = summary.Seed, true
	}
	return pick(c, filepath.Join(s.given, "scenario.yaml"))
}

// line is the command that takes this run and others, with what is changed in all of them.
func (s side) line(verb string, names []string) string {
	line := "cascadesim " + verb
	for _, name := range names {
		line += " " + quoted(name)
	}
	if s.variant != "" {
		line += " --variant " + quoted(s.variant)
	}
	for _, set := range s.sets {
		line += " --set " + quoted(set)
	}
	if s.scale != "" {
		line += " --scale " + quoted(s.scale)
	}
	if s.until != "" {
		line += " --until " + quoted(s.until)
	}
	if s.seedGiven {
		line += fmt.Sprintf(" --seed %d", s.seed)
	}
	return line
}

// label is what tells the run from the others: the directory, or what differs.
func (s side) label(p *picked) string {
	named := *p
	if s.directory() {
		named.name = filepath.Clean(s.given)
	}
	return nameOf(&named)
}

// told makes names of figures that are the same tell them apart.
func told(figures []figure.Figure) {
	names := make([]string, len(figures))
	for i, f := range figures {
		names[i] = f.Name
	}
	for i, name := range distinct(names) {
		figures[i].Name = name
	}
}

// distinct numbers names that occur more than once.
func distinct(names []string) []string {
	out := slices.Clone(names)
	for i, name := range names {
		n, before := 0, 0
		for k, other := range names {
			if other == name {
				n++
				if k < i {
					before++
				}
			}
		}
		if n > 1 {
			out[i] = fmt.Sprintf("%s #%d", name, before+1)
		}
	}
	return out
}
