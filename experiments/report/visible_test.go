package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// invisible are characters that turn the order of text, hide in it or steer a terminal.
const invisible = "\u202e\u2066\u200b\ufeff\u00ad\U000e0041\x1b\u009b\u2028\x7f"

func TestInvisibleCharactersReachNeitherPageNorTerminal(t *testing.T) {
	h := "a" + invisible + "b"
	p := handMade()
	p.Title, p.Doc, p.Source, p.Replay = h, h, h+"\n"+h, h
	p.Facts, p.Notes = []Fact{{h, h}}, []Note{{Bad, h}}
	p.Spans[0].Name, p.Spans[0].Doc = h, h
	p.Charts[0].Title, p.Charts[0].Doc, p.Charts[0].Lines[0].Name = h, h, h
	p.Tables[0].Title, p.Tables[0].Doc, p.Tables[0].Head[0].Name = h, h, h
	p.Tables[0].Rows[0].Cells[0] = h
	p.More = p.Tables
	for _, r := range invisible {
		if strings.ContainsRune(structure(render(t, p)), r) {
			t.Errorf("the page holds %U", r)
		}
	}
	if p.Title != h || p.Tables[0].Rows[0].Cells[0] != h {
		t.Error("writing a page has changed it")
	}
	var out bytes.Buffer
	if err := p.Tables[0].WriteText(&out, Terminal{}); err != nil {
		t.Fatal(err)
	}
	strip := Strip{Axis: p.Axis, Lines: p.Charts[0].Lines, Spans: p.Spans, Title: "t"}
	if err := strip.WriteText(&out, Terminal{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), invisible) {
		t.Errorf("invisible characters reach the terminal: %q", out.String())
	}
}

func TestJSONEscapesInvisibleCharactersAndKeepsThem(t *testing.T) {
	var run Run
	run.Summary.Warnings = []string{"a" + invisible + "b\n"}
	var out bytes.Buffer
	if err := run.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), invisible) {
		t.Errorf("invisible characters stand in the JSON: %q", out.String())
	}
	var back struct{ Warnings []string }
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Warnings) != 1 || back.Warnings[0] != run.Summary.Warnings[0] {
		t.Errorf("read again as %q, want %q", back.Warnings, run.Summary.Warnings)
	}
}
