// Package figure draws runs for documents: one definition of a figure, every kind of file.
//
//  1. A kind (timeline.go, amplification.go, topology.go and so on) reads a replication and lays
//     out a Figure: panels of lines over one axis of time, bars, or a graph, with the words around
//     it.
//  2. Option turns the figure into what ECharts draws (option.go); everything that must not
//     overlap, such as the names of faults, has its place worked out here (lanes.go).
//  3. SVG lets ECharts draw it without a browser (svg.go), PNG renders that at twice the size
//     (png.go), HTML puts it into a page that needs no network (html.go), and Markdown names the
//     picture, says what is to be seen and which command made it (markdown.go).
//
// Equal results give equal bytes. Colours are told apart by people who see few of them, lines by
// their dashes too. Names come from files of strangers and are escaped wherever they are written.
package figure
