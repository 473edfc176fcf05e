package docs

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The picture has two panels over one axis of time: shares of failed requests above, the rate at
// the token service below. Lengths are in pixels.
const (
	width, height = 900, 560
	left, right   = 60, 880
	top1, bottom1 = 74, 274
	top2, bottom2 = 330, 510

	day      = 31620.0 // seconds from 12:58 to 21:45
	bin      = 60.0    // seconds that one point of a line stands for
	mostRate = 110_000.0
	mostFail = 0.7
)

// sums are what a point is made of: of a client failed and all requests per second, of a tier
// arrivals per second; and how many windows were added.
type sums struct{ part, whole, windows float64 }

// Chart draws the replay of 17 August 2026 from the windows.csv that a run of it wrote.
func Chart(w io.Writer, windows io.Reader) error {
	lines, err := readLines(windows)
	if err != nil {
		return err
	}
	var b strings.Builder
	frame(&b)
	reported(&b)
	events(&b)
	share := func(s sums) float64 { return s.part / s.whole / mostFail }
	rate := func(s sums) float64 { return s.whole / s.windows / mostRate }
	line(&b, lines["archive"], "#c2410c", top1, bottom1, share)
	line(&b, lines["web"], "#1d4ed8", top1, bottom1, share)
	line(&b, lines["token_service"], "#6d28d9", top2, bottom2, rate)
	label(&b, 402, y(top1, bottom1, 0.47/mostFail), "archive and raw downloads", "#c2410c")
	label(&b, 402, y(top1, bottom1, 0.19/mostFail), "web and API", "#1d4ed8")
	label(&b, 345, y(top2, bottom2, 0.85), "requests at the token service", "#6d28d9")
	b.WriteString("</svg>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// readLines adds up the rows of the three lines by bins of time.
func readLines(windows io.Reader) (map[string][]sums, error) {
	rows, err := csv.NewReader(windows).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read windows: %w", err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	lines := map[string][]sums{}
	for _, wanted := range []struct{ of, name, part, whole string }{
		{"client", "web", "failed_per_s", "requests_per_s"},
		{"client", "archive", "failed_per_s", "requests_per_s"},
		{"tier", "token_service", "", "arrivals_per_s"},
	} {
		points := make([]sums, int(day/bin))
		for _, row := range rows[1:] {
			if row[column["of"]] != wanted.of || row[column["name"]] != wanted.name {
				continue
			}
			at, err := strconv.ParseFloat(row[column["time_s"]], 64)
			if err != nil {
				return nil, fmt.Errorf("read windows: %w", err)
			}
			p := &points[int(at/bin)]
			p.windows++
			if wanted.part != "" {
				p.part += number(row[column[wanted.part]])
			}
			p.whole += number(row[column[wanted.whole]])
		}
		lines[wanted.name] = points
	}
	return lines, nil
}

// number reads a cell; an empty one counts nothing.
func number(cell string) float64 {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return 0
	}
	return v
}

func x(seconds float64) float64 { return left + float64((right-left)*seconds)/day }

// y is where a value from 0 to 1 stands between two edges.
func y(top, bottom, v float64) float64 { return bottom - float64((bottom-top)*v) }

func clock(hour, minute int) float64 { return float64((hour-12)*3600 + (minute-58)*60) }

func line(
	b *strings.Builder, points []sums, colour string, top, bottom float64, v func(sums) float64,
) {
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="1.8" points="`, colour)
	for i, p := range points {
		if p.windows > 0 {
			fmt.Fprintf(b, "%.1f,%.1f ", x((float64(i)+0.5)*bin), y(top, bottom, v(p)))
		}
	}
	b.WriteString("\"/>\n")
}

func label(b *strings.Builder, x, y float64, text, colour string) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="%s" font-weight="600">%s</text>`+"\n", x, y, colour,
		text)
}

func frame(b *strings.Builder) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="system-ui, sans-serif" font-size="13" fill="#374151">`+"\n", width, height)
	b.WriteString("<title>GitHub, 17 August 2026: simulated failures and token requests</title>\n")
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	b.WriteString(`<text x="60" y="26" font-size="16" font-weight="600" fill="#111827">` +
		"GitHub, 17 August 2026, replayed: lines are simulated, bands are what was reported</text>\n")
	for _, share := range []int{0, 20, 40, 60} {
		at := y(top1, bottom1, float64(share)/100/mostFail)
		rule(b, at, strconv.Itoa(share)+" %")
	}
	for _, rate := range []int{0, 50, 100} {
		at := y(top2, bottom2, float64(rate)*1000/mostRate)
		rule(b, at, strconv.Itoa(rate)+"k/s")
	}
	label(b, left, top1-10, "requests that failed", "#111827")
	label(b, left, top2-10, "load of the token service (its capacity is 20k/s)", "#111827")
	for hour := 13; hour <= 21; hour++ {
		at := x(clock(hour, 0))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d:00</text>`+"\n", at, bottom2+22,
			hour)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">UTC</text>`+"\n", right, bottom2+40)
}

func rule(b *strings.Builder, at float64, text string) {
	fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#e5e7eb"/>`+"\n", left, at, right)
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, at+4, text)
}

// reported shades what the operators of the real system published.
func reported(b *strings.Builder) {
	band := func(from, to, top, bottom, low, high float64, colour string) {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" opacity="0.16"/>`+
			"\n", x(from), y(top, bottom, high), x(to)-x(from), float64((bottom-top)*(high-low)), colour)
	}
	band(clock(13, 45), clock(16, 36), top1, bottom1, 0.18/mostFail, 0.22/mostFail, "#1d4ed8")
	band(clock(14, 4), clock(16, 36), top1, bottom1, 0.48/mostFail, 0.52/mostFail, "#c2410c")
	band(0, clock(14, 25), top2, bottom2, 7000/mostRate, 9000/mostRate, "#6d28d9")
	band(clock(14, 31), clock(19, 13), top2, bottom2, 70000/mostRate, 100000/mostRate, "#6d28d9")
}

// events marks what happened, in both panels; odd ones stand a line lower, so that none overlap.
func events(b *strings.Builder) {
	for i, e := range []struct {
		at   float64
		text string
	}{
		{clock(13, 28), "peak"}, {clock(14, 25), "late endpoint"}, {clock(16, 34), "nodes paused"},
		{clock(19, 13), "half the retries off"}, {clock(20, 8), "all off"}, {clock(20, 30), "403, ramp"},
	} {
		fmt.Fprintf(b, `<path d="M%.1f %dV%dM%.1f %dV%d" stroke="#9ca3af" stroke-dasharray="3 3"/>`+"\n",
			x(e.at), top1, bottom1, x(e.at), top2, bottom2)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" font-size="11">%s</text>`+"\n", x(e.at)+3,
			bottom1+15+14*(i%2), e.text)
	}
}
