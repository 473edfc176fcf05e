package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"sync"

	"cascadesim/experiments/report"

	"github.com/dop251/goja"
)

// drawing is ECharts, parsed once. Each picture has a machine of its own: names of classes in a
// picture count the pictures that its machine has drawn.
var drawing = sync.OnceValues(func() (*goja.Program, error) {
	return goja.Compile("echarts.js", string(report.ECharts()), false)
})

// the two timers that ECharts wants; nothing waits for anything here.
const timers = "var setTimeout=function(){return 0},clearTimeout=function(){};"

// SVG draws the figure. It stands alone: no scripts, no fonts, no files.
func (f Figure) SVG() ([]byte, error) {
	option, height, err := f.Option()
	if err != nil {
		return nil, err
	}
	program, err := drawing()
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.ID, err)
	}
	vm := goja.New()
	if _, err := vm.RunString(timers); err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.ID, err)
	}
	if _, err := vm.RunProgram(program); err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.ID, err)
	}
	text := fmt.Sprintf(`var c=echarts.init(null,null,{renderer:'svg',ssr:true,width:%d,height:%d});`+
		`c.setOption(%s);var s=c.renderToSVGString();c.dispose();s`, Width, height, option)
	v, err := vm.RunString(text)
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.ID, err)
	}
	return f.described(v.String())
}

// described gives the picture its words, for readers that speak, and proves that it is XML.
func (f Figure) described(svg string) ([]byte, error) {
	open, rest, ok := strings.Cut(svg, ">")
	if !ok || !strings.HasPrefix(open, "<svg") {
		return nil, fmt.Errorf("draw %s: ECharts drew no picture", f.ID)
	}
	var words bytes.Buffer
	for _, part := range []struct{ tag, text string }{{"title", f.Title}, {"desc", f.Alt}} {
		words.WriteString("<" + part.tag + ">")
		if err := xml.EscapeText(&words, []byte(report.Visible(part.text))); err != nil {
			return nil, err
		}
		words.WriteString("</" + part.tag + ">\n")
	}
	out := []byte(open + ` role="img">` + "\n" + words.String() + rest + "\n")
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		if _, err := d.Token(); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("draw %s: no valid XML: %w", f.ID, err)
		}
	}
}
