package report

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"
)

// The template, style and script of the page, and ECharts, which draws its charts. All of it goes
// into each page, so that a page opens without a network and years later.
//
//go:embed assets/page.html assets/page.css assets/page.js assets/plots.js assets/echarts.min.js.gz
//go:embed assets/third_party
var assets embed.FS

// pageTemplate is parsed when the first page is made; it is safe for use by several goroutines.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/page.html"))
})

// Notices is what the licences of the embedded files ask to be said along with them.
func Notices() string {
	return string(mustAsset("third_party/NOTICE.md"))
}

// ECharts is the script of Apache ECharts, unpacked. The file is part of the binary: a
// broken one is a broken build.
func ECharts() []byte {
	r, err := gzip.NewReader(bytes.NewReader(mustAsset("echarts.min.js.gz")))
	if err != nil {
		panic(fmt.Sprintf("report: embedded ECharts: %v", err))
	}
	script, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("report: embedded ECharts: %v", err))
	}
	return script
}

func mustAsset(name string) []byte {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(fmt.Sprintf("report: embedded file: %v", err))
	}
	return data
}
