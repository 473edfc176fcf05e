package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// Page is a report to read in a browser. Every string in it may come from an untrusted file: the
// template escapes them all.
type Page struct {
	Title    string
	Doc      string
	Facts    []Fact
	Notes    []Note
	Tables   []Table   // before the charts
	Pictures []Picture // for readers without JavaScript, of what Plots show
	Plots    []Plot
	Axis     Axis
	Spans    []Span // in order of their start
	Charts   []Chart
	More     []Table // after the charts
	Source   string  // the scenario as it was run, with every default written out
	Replay   string  // the command line that gives this result again
}

// Fact is one condition or result, such as seed: 1.
type Fact struct{ Name, Value string }

// Note is one sentence that the reader must not miss.
type Note struct {
	Tone Tone
	Text string
}

// Picture is a figure that was drawn already, for a light and a dark page. It is shown as an image,
// so that nothing in it can run.
type Picture struct {
	Title, Doc, Alt   string
	LightSVG, DarkSVG []byte
}

// Light is the picture for a light page, as an address.
func (p Picture) Light() template.URL { return template.URL(dataURL(p.LightSVG)) }

// Dark is the picture for a dark page, as an address.
func (p Picture) Dark() template.Srcset { return template.Srcset(dataURL(p.DarkSVG)) }

func dataURL(svg []byte) string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
}

// tableRows is how many rows of a chart are written out for readers without JavaScript.
const tableRows = 48

// view is what the template sees.
type view struct {
	Page
	CSS     template.CSS
	Charts  []chartView
	ECharts template.JS
	Script  template.JS
	Plotter template.JS // what the script needs of plots
	Notices string
}

type chartView struct {
	Chart
	Option template.JS
	Table  Table
}

// WriteHTML writes the page as one file that loads nothing else. The same page gives the same
// bytes.
func (p Page) WriteHTML(w io.Writer) error {
	p = p.visible()
	v := view{
		Page: p, Notices: Notices(),
		CSS:     template.CSS(mustAsset("page.css")),
		ECharts: template.JS(ECharts()),
		Script:  template.JS(mustAsset("page.js")),
		Plotter: template.JS(mustAsset("plots.js")),
	}
	for _, c := range p.Charts {
		option, err := c.Option(p.Axis, p.Spans)
		if err != nil {
			return fmt.Errorf("write page: %w", err)
		}
		v.Charts = append(v.Charts, chartView{
			// The JSON of the option has <, >, & and the two line separators of Unicode escaped, so
			// that no string in it can end the script element.
			Chart: c, Option: template.JS(option), Table: c.table(p.Axis, tableRows),
		})
	}
	// Into memory first: a template that fails must not leave half a page behind.
	var out bytes.Buffer
	if err := pageTemplate().Execute(&out, v); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}
