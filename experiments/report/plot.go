package report

import "html/template"

// Plot is a chart over something else than time, such as the settings of a sweep. What it shows
// comes as numbers too, for readers without a screen or without JavaScript.
type Plot struct {
	ID    string // of the element, fixed so that pages are equal to the byte
	Title string
	Doc   string // how to read it
	// Option is what ECharts draws, as JSON that is safe within a script element. Under the key
	// cascadesim it says which kind of plot it is, and what the page's script adds.
	Option  []byte
	Height  int // in pixels
	Numbers Table
}

// Script is the option, which ends no script: JSON has what could escaped.
func (p Plot) Script() template.JS { return template.JS(p.Option) }

func (p Plot) visible() Plot {
	p.Title, p.Doc, p.Numbers = Visible(p.Title), Visible(p.Doc), p.Numbers.visible()
	return p
}
