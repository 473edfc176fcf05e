package figure

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model"
)

// mostLines is how many lines a panel has at most.
const mostLines = 6

// timeline is what an incident looks like: who fails, what is sent, how far it is multiplied.
func timeline(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("timeline", rd.name()+": what failed and what was sent")
	fails := Panel{Title: "Requests that failed", Unit: report.Share}
	var words []string
	for i, c := range plan.World.Clients {
		l := Line{Name: c.Name, Values: rd.failed(c.Name), Color: i}
		if v, bin := at(l.Values); v > 0 {
			words = append(words, fmt.Sprintf("requests of %s fail most at %s, %s of them", c.Name,
				rd.clock(bin), report.Share.Format(v)))
		}
		fails.Lines = append(fails.Lines, l)
	}
	sent := Panel{Title: "Attempts over each edge", Unit: report.Rate}
	by := Panel{Title: "Attempts for each request", Unit: report.Factor}
	for _, e := range plan.World.Edges {
		name := "edges." + e.Name
		sent.Lines = append(sent.Lines,
			Line{Name: e.Name, Values: rd.series(name + ".attempts_per_s")})
		if !e.HasRetry {
			continue
		}
		l := Line{Name: e.Name, Values: rd.series(name + ".amplification")}
		if v, bin := at(l.Values); v > 1.1 {
			words = append(words, fmt.Sprintf("%s makes up to %s attempts for each request, at %s", e.Name,
				report.Factor.Format(v), rd.clock(bin)))
		}
		by.Lines = append(by.Lines, l)
	}
	sent.Lines, by.Lines = busiest(sent.Lines, mostLines), busiest(by.Lines, mostLines)
	coloured(&sent, &by)
	f.Panels = []Panel{fails, sent}
	if len(by.Lines) > 0 {
		f.Panels = append(f.Panels, by)
	}
	f.Caption = "Above, the share of each client's requests that failed; below, attempts over the " +
		"busiest edges and attempts for each request. Bars are what the timeline did."
	none := "nothing failed"
	if len(sent.Lines) == 0 {
		none = "nothing was sent"
	}
	f.Alt = sentences(words, none)
	return f, rd.err
}

// sentences joins words for who cannot see the picture.
func sentences(words []string, none string) string {
	if len(words) == 0 {
		return strings.ToUpper(none[:1]) + none[1:] + "."
	}
	words = few(words)
	return strings.ToUpper(words[0][:1]) + strings.Join(words, "; ")[1:] + "."
}

// mostSaid is how many things are said of a picture in words.
const mostSaid = 20

// few are the first of them, and how many more there are.
func few(words []string) []string {
	if len(words) <= mostSaid {
		return words
	}
	return append(slices.Clone(words[:mostSaid]), fmt.Sprintf("%d more", len(words)-mostSaid))
}

// latency is percentiles of requests that ended well.
func latency(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("latency", rd.name()+": latency of requests that ended well")
	var words []string
	for i, c := range plan.World.Clients {
		if r.Clients[i].Series == nil {
			continue
		}
		p := Panel{Title: "Latency of " + c.Name, Unit: report.Duration}
		for k, stat := range []string{"p50", "p95", "p99"} {
			values := rd.series("clients." + c.Name + ".latency." + stat)
			p.Lines = append(p.Lines, Line{Name: stat, Values: values, Color: 2 - k})
			if v, bin := at(values); stat == "p99" && v > 0 {
				words = append(words, fmt.Sprintf("the 99th percentile of %s is highest at %s, %s", c.Name,
					rd.clock(bin), report.Duration.Format(v)))
			}
		}
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("latency: no durations were kept for each window; the run has too many")
	}
	f.Caption = "Percentiles of the latency of requests that ended well, by the time at which they " +
		"started. Where all failed there is a gap."
	f.Alt = sentences(words, "no request ended well")
	return f, rd.err
}

// queues is what waits and what is in flight.
func queues(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("queue", rd.name()+": attempts in line and in flight")
	line := Panel{Title: "In line, waiting for a slot", Unit: report.Level}
	flight := Panel{Title: "In flight: admitted and not yet answered", Unit: report.Level}
	for _, name := range report.Places(plan) {
		path := "tiers." + name
		line.Lines = append(line.Lines,
			Line{Name: name, Values: rd.series(path + ".in_line")})
		flight.Lines = append(flight.Lines,
			Line{Name: name, Values: rd.series(path + ".in_system")})
	}
	var words []string
	line.Lines, flight.Lines = busiest(line.Lines, mostLines), busiest(flight.Lines, mostLines)
	coloured(&line, &flight)
	for _, p := range []*Panel{&line, &flight} {
		for _, l := range p.Lines {
			v, bin := at(l.Values)
			words = append(words, fmt.Sprintf("%s of %s at most %s, at %s",
				strings.ToLower(strings.SplitN(p.Title, ":", 2)[0]), l.Name, report.Level.Format(v),
				rd.clock(bin)))
		}
		if len(p.Lines) > 0 {
			f.Panels = append(f.Panels, *p)
		}
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("queue: nothing was ever in line or in flight")
	}
	f.Caption = "Means over each step of time, of the busiest tiers and named replicas."
	f.Alt = sentences(words, "nothing waited")
	return f, rd.err
}

// budgets is what is left of what callers' policies hold.
func budgets(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("budget", rd.name()+": what is left of budgets")
	var words []string
	for e := range plan.World.Edges {
		edge := &plan.World.Edges[e]
		for k, use := range edge.Stack {
			if k >= len(r.Edges[e].Level) || r.Edges[e].Level[k] == nil {
				continue
			}
			values := rd.series("edges." + edge.Name + ".level." + use.Name)
			p := Panel{Title: edge.Name + ", " + use.Name, Unit: report.Share,
				Lines: []Line{{Name: "left", Values: values, Color: len(f.Panels)}}, Height: 110}
			if use.Low > 0 {
				p.Lines = append(p.Lines, level("alert below "+report.Share.Format(use.Low), use.Low, rd.n))
			}
			f.Panels = append(f.Panels, p)
			low := 1.0
			for _, v := range values {
				if v < low {
					low = v
				}
			}
			words = append(words, fmt.Sprintf("%s of %s is lowest at %s", use.Name, edge.Name,
				report.Share.Format(low)))
		}
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("budget: no policy of this world holds tokens")
	}
	f.Caption = "The share of tokens that is left, mean of all states of a policy; of a breaker how " +
		"far it is closed."
	f.Alt = sentences(words, "nothing")
	return f, rd.err
}

// level is a limit over the whole time.
func level(name string, v float64, n int) Line {
	l := Line{Name: name, Values: make([]float64, n), Level: true}
	for i := range l.Values {
		l.Values[i] = v
	}
	return l
}
