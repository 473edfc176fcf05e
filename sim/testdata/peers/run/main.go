// Peers times the event engine of package sim beside others that do the same work: C, ns-3, SimPy,
// and Go as one writes it without much thought; then cascadesim itself on some worlds. Run it in the root of the module; it needs gcc, g++
// and Debian's libns3-dev and python3-simpy3, and says which is missing. Engines run in turn, so
// that what else the machine does falls on all of them, and times are of processors, not of walls.
//
//	go run ./sim/testdata/peers/run [rounds [peers|worlds|full]]
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const here = "sim/testdata/peers"

// peer is one engine doing one workload; Command prints a time in nanoseconds first, or is a Go
// benchmark that reports one.
type peer struct {
	name    string
	command func(size int) []string
}

// contest is a workload at some sizes; the first peer is who the others are compared with.
type contest struct {
	title, per string
	sizes      []int
	peers      []peer
}

// parts are what can be asked for; all but full are when nothing is.
var parts = []string{"", "peers", "worlds", "full"}

func main() {
	rounds, part := 5, ""
	if len(os.Args) > 1 {
		n, err := strconv.Atoi(os.Args[1])
		if err == nil && len(os.Args) > 2 {
			part = os.Args[2]
		}
		if err != nil || n < 1 || len(os.Args) > 3 || !slices.Contains(parts, part) {
			fail("usage: peers [rounds [peers|worlds|full]], rounds being 1 or more")
		}
		rounds = n
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(dir)
	program := build(dir)
	if part == "" || part == "peers" {
		for _, c := range contests(program) {
			c.hold(rounds)
		}
	}
	if part == "" || part == "worlds" {
		showWorlds(worlds(), program("cascadesim"), program("out"), rounds)
		showSweep(program("cascadesim"), rounds)
	}
	if part == "full" {
		showWorlds(full(), program("cascadesim"), program("out"), rounds)
	}
}

// build compiles everybody and returns how to name a program.
func build(dir string) func(string) string {
	program := func(name string) string { return filepath.Join(dir, name) }
	cc := []string{"-O2", "-ffp-contract=off", "-I", here}
	must("install Go", "go", "test", "-c", "-o", program("sim"), "./sim")
	must("install Go", "go", "build", "-pgo", "cmd/cascadesim/cascadesim.pgo",
		"-o", program("cascadesim"), "./cmd/cascadesim")
	for _, name := range []string{"hold", "station"} {
		must("apt-get install gcc", "gcc",
			append(slices.Clone(cc), "-o", program(name), filepath.Join(here, name+".c"), "-lm")...)
	}
	must("apt-get install g++ libns3-dev", "g++",
		append(slices.Clone(cc), "-o", program("ns3"), filepath.Join(here, "station.cc"), "-lns3-core")...)
	must("apt-get install python3-simpy3", "/usr/bin/python3", "-c", "import simpy")
	return program
}

func contests(program func(string) string) []contest {
	benchmark := func(name string) func(int) []string {
		return func(size int) []string {
			return []string{program("sim"), "-test.run", "^$", "-test.bench",
				fmt.Sprintf("^%s$/^%d$", name, size), "-test.benchtime", "1s"}
		}
	}
	fixed := func(args ...string) func(int) []string {
		return func(size int) []string { return append(slices.Clone(args), strconv.Itoa(size)) }
	}
	simpy := func(style string) func(int) []string {
		return func(size int) []string {
			requests := strconv.Itoa(max(100_000, 20*size))
			return []string{"/usr/bin/python3", here + "/station.py", style, requests, strconv.Itoa(size)}
		}
	}
	return []contest{
		{"A pending event taken and another scheduled, by how many are pending", "hold",
			[]int{1e3, 1e5, 1e6}, []peer{
				{"package sim", benchmark("BenchmarkHold")},
				{"the same in C", func(size int) []string {
					return []string{program("hold"), strconv.Itoa(size), "3000000"}
				}},
			}},
		{"Stations with timeout and two retries, by how many there are", "request",
			[]int{1, 1000, 10_000}, []peer{
				{"package sim", benchmark("BenchmarkStation")},
				{"the same in C", fixed(program("station"), "2000000")},
				{"ns-3", fixed(program("ns3"), "500000")},
				{"Go, container/heap and closures", benchmark("BenchmarkClosures")},
				{"SimPy, callbacks", simpy("callbacks")},
				{"SimPy, processes", simpy("processes")},
			}},
	}
}

// hold runs all peers in turn and prints the medians, and those of the rounds' ratios.
func (c contest) hold(rounds int) {
	fmt.Printf("**%s**: processor ns per %s, median of %d rounds; in brackets the ratio to the first line\n\n",
		c.title, c.per, rounds)
	fmt.Print("| engine |")
	for _, size := range c.sizes {
		fmt.Printf(" %d |", size)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|", len(c.sizes)))
	rows := make([]string, len(c.peers))
	for _, size := range c.sizes {
		times, ratios := make([][]float64, len(c.peers)), make([][]float64, len(c.peers))
		for range rounds {
			for i, p := range c.peers {
				t := timed(p.command(size))
				times[i] = append(times[i], t)
				ratios[i] = append(ratios[i], t/times[0][len(times[0])-1])
			}
		}
		for i := range c.peers {
			rows[i] += fmt.Sprintf(" %.4g (%.3g) |", median(times[i]), median(ratios[i]))
		}
	}
	for i, p := range c.peers {
		fmt.Printf("| %s |%s\n", p.name, rows[i])
	}
	fmt.Println()
}

var reported = regexp.MustCompile(`([0-9.]+) cpu-ns/`)

// timed runs a peer once.
func timed(command []string) float64 {
	text, err := exec.Command(command[0], command[1:]...).Output()
	if err != nil {
		fail(strings.Join(command, " "), ": ", err)
	}
	word, _, _ := bytes.Cut(text, []byte(" "))
	if m := reported.FindSubmatch(text); m != nil {
		word = m[1]
	}
	t, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		fail(strings.Join(command, " "), " printed no time:\n", string(text))
	}
	return t
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func must(missing, name string, args ...string) {
	if text, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		fail(name, " ", strings.Join(args, " "), ": ", err, "\n", string(text), "if it is missing: ", missing)
	}
}

func fail(words ...any) {
	fmt.Fprintln(os.Stderr, fmt.Sprint(words...))
	os.Exit(1)
}
