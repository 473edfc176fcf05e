package figure

import (
	"bytes"
	"fmt"
	"html/template"

	"cascadesim/experiments/report"
)

// pageOf is a page with one figure. The picture stands in it for readers without JavaScript and for
// printers; ECharts takes its place where it can, so that values are shown under the pointer.
var pageOf = template.Must(template.New("figure").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width">
<style>body{font-family:Helvetica,Arial,sans-serif;margin:2em auto;max-width:{{.Width}}px;
color:{{.Text}};background:{{.Back}}}figure{margin:0}figcaption,code{font-size:14px}
svg{max-width:100%;height:auto}</style></head><body>
{{.Figure}}
<script>{{.ECharts}}</script>
<script>(function(){var e=document.getElementById({{.ID}});var o={{.Option}};
e.style.height={{.Height}}+"px";e.textContent="";
var c=echarts.init(e,null,{renderer:"svg",width:{{.Width}}});
c.setOption(o);})();</script>
</body></html>
`))

// fragment is a figure for a page of somebody else.
var fragment = template.Must(template.New("fragment").Parse(
	`<figure><div id="{{.ID}}" role="img" aria-label="{{.Alt}}">{{.SVG}}</div>
<figcaption>{{.Caption}}<br><code>{{.Command}}</code></figcaption></figure>`))

// Fragment is the figure as a part of a page: the picture, its caption and its command.
func (f Figure) Fragment(svg []byte) ([]byte, error) {
	var out bytes.Buffer
	err := fragment.Execute(&out, struct {
		ID, Alt, Caption, Command string
		SVG                       template.HTML
	}{f.ID, report.Visible(f.Alt), report.Visible(f.Caption), report.Visible(f.Command),
		template.HTML(svg)})
	if err != nil {
		return nil, fmt.Errorf("write fragment: %w", err)
	}
	return out.Bytes(), nil
}

// HTML is the figure as a page of its own, which loads nothing else.
func (f Figure) HTML(svg []byte) ([]byte, error) {
	part, err := f.Fragment(svg)
	if err != nil {
		return nil, err
	}
	option, height, err := f.Option()
	if err != nil {
		return nil, err
	}
	t := f.theme()
	var out bytes.Buffer
	// The JSON of the option has <, > and & escaped, so that no string in it can end the script.
	err = pageOf.Execute(&out, struct {
		Title, ID     string
		Width, Height int
		Text, Back    template.CSS
		Figure        template.HTML
		ECharts       template.JS
		Option        template.JS
	}{report.Visible(f.Title), f.ID, Width, height, template.CSS(t.text), template.CSS(t.back),
		template.HTML(part), template.JS(report.ECharts()), template.JS(option)})
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}

// Markdown names a picture that stands beside the file, with its caption and its command.
func (f Figure) Markdown(picture string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "![%s](%s)\n\n*%s*\n\n```console\n$ %s\n```\n", escaped(f.Alt), picture,
		escaped(f.Caption), report.Visible(f.Command))
	return out.Bytes()
}

// escaped keeps what names hold from being Markdown or markup.
func escaped(s string) string {
	var out bytes.Buffer
	for _, r := range report.Visible(s) {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '&', '!', '|', '#':
			out.WriteByte('\\')
		case '\n':
			r = ' '
		}
		out.WriteRune(r)
	}
	return out.String()
}
