package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/topologies"

	"github.com/spf13/cobra"
)

// choice is which scenario is meant, and what is changed in it.
type choice struct {
	variant      string
	sets         []string
	setsB        []string // of a second run alone, after sets
	scale        string
	until        string
	seed         uint64
	seedGiven    bool
	replications int // 0: the scenario's
	// latencies asks for durations by window of every client, for charts.
	latencies bool
}

// register adds the flags that every command with a scenario has.
func (c *choice) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.variant, "variant", "", "a variant of the scenario; list names them")
	f.StringArrayVar(&c.sets, "set", nil,
		"PATH=VALUE, such as tiers.db.slots=32; may be given again; web:db means web->db")
	f.StringVar(&c.scale, "scale", "", "simulate a part of the system, such as 1/100")
	f.StringVar(&c.until, "until", "", "end the run at this time, such as 5m or 14:30")
	f.Uint64Var(&c.seed, "seed", 1, "what all chance follows from (default: the scenario's)")
	completesFlag(cmd, "variant", completeVariants)
	f.Lookup("seed").DefValue = "0" // the scenario's is the default; help does not show a zero
}

// loading is the choice as the loader takes it.
func (c choice) loading() (load.Options, error) {
	o := load.Options{Variant: c.variant, Sets: c.sets, SetsB: c.setsB, Until: c.until}
	if c.scale != "" {
		scale, err := parseScale(c.scale)
		if err != nil {
			return o, err
		}
		o.Scale = &scale
	}
	if c.seedGiven {
		o.Seed = &c.seed
	}
	if c.replications != 0 {
		o.Replications = &c.replications
	}
	return o, nil
}

// parseScale reads 1/200 or 0.005.
func parseScale(text string) (float64, error) {
	over, under, ratio := strings.Cut(text, "/")
	a, err := strconv.ParseFloat(strings.TrimSpace(over), 64)
	b := 1.0
	if err == nil && ratio {
		b, err = strconv.ParseFloat(strings.TrimSpace(under), 64)
	}
	if err != nil || !(a > 0) || !(b > 0) || a > b {
		return 0, fmt.Errorf("--scale %s: expected 1/100, or a number above 0 and up to 1", text)
	}
	return a / b, nil
}

// picked is a scenario, ready to run.
type picked struct {
	choice
	options  load.Options
	name     string // as on the command line
	short    string // of the scenario
	document *load.Document
	scenario *model.Scenario
	plan     *model.Plan
	warned   <-chan struct{} // closed once run has said what is dangerous; nil: it says nothing
}

// source finds what a name means: a file, or an entry of the catalogue.
func source(name string) (load.Source, string, error) {
	info, err := os.Stat(name)
	switch {
	case name == "":
		return load.Source{}, "", errors.New("the name is empty; give one of cascadesim list, or a file")
	case name == "-", name == "/dev/stdin":
		return load.Source{}, "", notAFile(name)
	case err == nil && info.Mode().IsRegular():
		short := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		return load.File(name, topologies.Files()), short, nil
	case err == nil && info.IsDir():
		return load.Source{}, "", fmt.Errorf("%s is a directory; name one of its files", name)
	case err == nil:
		return load.Source{}, "", notAFile(name)
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"):
		return load.Source{}, "", fmt.Errorf("there is no file %s", name)
	}
	src, err := topologies.Open(name)
	if err != nil {
		return src, "", fmt.Errorf("%w; cascadesim list shows them, and there is no such file", err)
	}
	return src, strings.TrimSuffix(path.Base(src.Name), ".yaml"), nil
}

// notAFile refuses streams: what was read from one cannot be replayed.
func notAFile(name string) error {
	return fmt.Errorf("%s: scenarios are read from files, which can be run again, and not from "+
		"streams; write it into a file and name that", name)
}

// open reads the document that a name means.
func open(name string) (*load.Document, string, error) {
	src, short, err := source(name)
	if err != nil {
		return nil, "", err
	}
	document, problems := load.Open(src)
	if document == nil {
		return nil, "", problems
	}
	return document, short, nil
}

// pick reads, changes, checks and compiles a scenario. The error holds everything that is wrong.
func pick(c choice, name string) (*picked, error) {
	document, short, err := open(name)
	if err != nil {
		return nil, err
	}
	return c.of(document, name, short)
}

// of compiles an open document. It leaves the document as it is, for other variants of it.
func (c choice) of(document *load.Document, name, short string) (*picked, error) {
	o, err := c.loading()
	if err != nil {
		return nil, err
	}
	if !document.Runs() && c.until == "" && len(document.Problems().Errors()) == 0 {
		return nil, fmt.Errorf("%s says nothing of how long to run; choose one of its scenarios "+
			"(cascadesim list scenarios) or add --set duration=10m", name)
	}
	p := &picked{choice: c, options: o, name: name, short: short, document: document}
	plan, problems := document.Plan(o)
	if plan == nil {
		return nil, problems
	}
	p.scenario = plan.Scenario
	p.plan, err = p.record(plan)
	return p, err
}

// seriesCells bounds the memory for durations by window: a histogram is about a kilobyte.
const seriesCells = 50_000

// record asks for the series that checks and charts need.
func (p *picked) record(plan *model.Plan) (*model.Plan, error) {
	plan.World.Series = check.Needs(plan)
	w := plan.World
	if cells := int64(len(w.Clients)) * int64(w.End/w.Window); !p.latencies || cells > seriesCells {
		return plan, nil
	}
	var names []string
	for _, c := range w.Clients {
		names = append(names, c.Name)
	}
	return plan.WantSeries(model.Series{Clients: names})
}

// label is what results are to say of where they come from.
func (p *picked) label() report.Label {
	return report.Label{
		Version: version, Scenario: p.short, Variant: p.variant,
		Source: p.resolved(), Replay: p.command("run"),
	}
}

// resolved is the scenario with all that was changed and every default in it, as YAML. An earlier
// end is no part of a scenario, so it is said in front.
func (p *picked) resolved() string {
	text, _, _ := p.document.Bundle(p.options)
	if p.until != "" {
		return "# run with --until " + strings.ReplaceAll(p.until, "\n", " ") + "\n" + string(text)
	}
	return string(text)
}

// beside are the files that the resolved scenario names.
func (p *picked) beside() []output {
	_, files, _ := p.document.Bundle(p.options)
	var out []output
	for _, f := range files {
		out = append(out, output{f.Name, func(w io.Writer) error {
			_, err := f.WriteTo(w)
			return err
		}})
	}
	return out
}

// command is the command line that does the same again.
func (p *picked) command(verb string) string {
	words := []string{"cascadesim", verb, quoted(p.name)}
	if p.variant != "" {
		words = append(words, "--variant", quoted(p.variant))
	}
	for _, s := range slices.Concat(p.sets, p.setsB) {
		words = append(words, "--set", quoted(s))
	}
	if p.scale != "" {
		words = append(words, "--scale", quoted(p.scale))
	}
	if p.until != "" {
		words = append(words, "--until", quoted(p.until))
	}
	if p.replications != 0 && verb == "run" {
		words = append(words, "--replications", strconv.Itoa(p.replications))
	}
	if verb == "run" {
		words = append(words, "--seed", strconv.FormatUint(p.scenario.Seed, 10))
	}
	return strings.Join(words, " ")
}

// replayTrace is the command line that goes to where a law was broken.
func (p *picked) replayTrace(b *experiments.Broken) string {
	line := fmt.Sprintf("%s --seed %d", p.command("trace"), b.Seed)
	if b.Event > 0 {
		line += fmt.Sprintf(" --until-event %d", b.Event)
	}
	return line
}

// hints are what may be looked at next.
func (p *picked) hints(f runFlags) []string {
	var out []string
	if p.variant == "" {
		for _, v := range p.document.Variants() {
			out = append(out, fmt.Sprintf("cascadesim run %s --variant %s", quoted(p.name), quoted(v.Name)))
			break
		}
	}
	if len(p.scenario.Checks) > 0 {
		out = append(out, p.command("check"))
	}
	if f.dir == "" {
		out = append(out, p.command("run")+" -o out    (a page to explore)")
	}
	return append(out, p.command("trace")+" --failed    (the life of a request that failed)")
}

// quoted is a word as a shell takes it.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,%@+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
