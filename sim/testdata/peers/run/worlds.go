package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// world is something to simulate with the program as users do, all recording on.
type world struct {
	doc  string
	args []string
}

// worlds are run by the program itself, start and tables included.
func worlds() []world {
	chain, station := here+"/chain.yaml", here+"/station.yaml"
	replay := []string{"github-2026-08-17", "--scale", "1/100", "-o", "{dir}"}
	return []world{
		{"the station above, one", []string{station}},
		{"a thousand of them", []string{station, "--set", "tiers.server.replicas=1000",
			"--set", "clients.users.arrivals.rate=900k/s", "--until", "5s"}},
		{"the same, 10^8 requests", []string{station, "--set", "tiers.server.replicas=1000",
			"--set", "clients.users.arrivals.rate=900k/s", "--until", "111s"}},
		{"five tiers, calm", []string{chain}},
		{"five tiers, storm", []string{chain, "--variant", "storm"}},
		{"github-2026-08-17 at 1/100, with its page", replay},
		{"its first minute: nearly all of it is the start", []string{"github-2026-08-17", "--until", "12:59"}},
	}
}

// full is the replay as large as it was, which takes an hour and a half.
func full() []world {
	return []world{{"github-2026-08-17 at scale 1, with its page",
		[]string{"github-2026-08-17", "--scale", "1", "-o", "{dir}"}}}
}

// cost is what the medians of some runs were.
type cost struct {
	cpu, wall, events, requests, memory float64
}

func (w world) run(program, dir string) cost {
	args := []string{"run", "--json"}
	for _, a := range w.args {
		args = append(args, strings.ReplaceAll(a, "{dir}", dir))
	}
	c := exec.Command(program, args...)
	began := time.Now()
	text, err := c.Output()
	wall := time.Since(began)
	if err != nil {
		fail(strings.Join(c.Args, " "), ": ", err)
	}
	var said struct {
		Totals      struct{ Requests float64 }
		Performance struct{ Events float64 }
	}
	if err := json.Unmarshal(text, &said); err != nil {
		fail(strings.Join(c.Args, " "), ": ", err)
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		cpu: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), wall: wall.Seconds(),
		events: said.Performance.Events, requests: said.Totals.Requests,
		memory: float64(usage.Maxrss) * 1024,
	}
}

// showWorlds runs all of them in turn and prints medians.
func showWorlds(worlds []world, program, dir string, rounds int) {
	runs := make([][]cost, len(worlds))
	for range rounds {
		for i, w := range worlds {
			runs[i] = append(runs[i], w.run(program, dir))
		}
	}
	fmt.Printf("**Worlds**: `cascadesim run`, as `make build` compiles it, median of %d rounds of the whole program\n\n", rounds)
	fmt.Println("| world | M events | CPU s | M events per CPU s | ns per request | wall s | peak MB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for i, w := range worlds {
		of := func(get func(cost) float64) float64 {
			var v []float64
			for _, c := range runs[i] {
				v = append(v, get(c))
			}
			return median(v)
		}
		cpu := of(func(c cost) float64 { return c.cpu })
		events := of(func(c cost) float64 { return c.events })
		requests := of(func(c cost) float64 { return c.requests })
		fmt.Printf("| %s | %.4g | %.3g | %.3g | %.0f | %.3g | %.0f |\n", w.doc, events/1e6, cpu,
			events/cpu/1e6, cpu/max(requests, 1)*1e9, of(func(c cost) float64 { return c.wall }),
			of(func(c cost) float64 { return c.memory })/1e6)
	}
	fmt.Print("\nThe command lines, after `cascadesim run`:\n\n")
	for _, w := range worlds {
		line := strings.ReplaceAll(strings.Join(w.args, " "), "{dir}", "out")
		fmt.Printf("- %s: `%s`\n", w.doc, line)
	}
	fmt.Println()
}

// showSweep compares one worker with two.
func showSweep(program string, rounds int) {
	var ratios []float64
	for range rounds {
		var walls [2]float64
		for i := range walls {
			c := exec.Command(program, "run", "two-tier", "--replications", "24", "--workers", fmt.Sprint(i+1))
			began := time.Now()
			if err := c.Run(); err != nil {
				fail(strings.Join(c.Args, " "), ": ", err)
			}
			walls[i] = time.Since(began).Seconds()
		}
		ratios = append(ratios, walls[0]/walls[1])
	}
	fmt.Printf("Twenty-four replications of two-tier by two workers are done %.2f times as fast as by one.\n",
		median(ratios))
}
