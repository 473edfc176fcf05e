// Package load reads topologies and scenarios from YAML into the types of package model, and says
// everything that is wrong with them at once, each mistake with its file, line and column.
//
//  1. Open reads one document: a topology file, a scenario file and the topology it names, or both
//     in one file. Parsing (parse.go) yields nodes that remember where they stand; size, depth and
//     aliases are bounded, so that files of strangers are safe to load.
//
//  2. Every short form is expanded to its one long form (expand.go). What may stand where is known
//     from the tags of package model's types and of the policies' settings (grammar.go).
//
//  3. Build applies the overrides: defaults first, then load, the variant and those it is like,
//     and what the caller sets, left to right (override.go, path.go). Each is a path and a value.
//     Edges that exist only by a call are made from the defaults (edges.go).
//
//  4. The document is decoded strictly (decode.go, leaf.go). Times of the timeline and of checks
//     become instants (clock.go, timeline.go, checks.go), set entries are resolved against the
//     fields that may change during a run (setting.go).
//
//  5. Plan goes on to compile the result and to check its checks, and gives the problems of those
//     steps their places; Resolved writes the document in the long form (dump.go). Schema and
//     Reference describe the format from the same tags.
//
// What a topology and a scenario mean together, such as a call to nowhere, is package model's to
// say when it compiles them; this package says what is wrong with how they are written.
//
// A Document is immutable: any number of goroutines may Build from it at once. The same document
// and options give the same result, whatever the order of Go's maps. What belongs to a later
// version is refused with a word that says so, never accepted and ignored.
package load
