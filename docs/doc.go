// Package docs makes the pages and the picture of this folder that nobody writes by hand.
//
//  1. Pages lists the generated pages; each is written from what the program itself reads: the
//     types and tags of the file format, the registry of policies.
//  2. Chart draws the picture of the README from the windows.csv of a run of the replay.
//  3. The tests of this package compare the files with what is made here, run the commands of the
//     README and look for their output, and measure what the page on memory says; the self-test's
//     own test compares the page of its values. go test ./docs -update rewrites the files.
//
// So no page says what the program does not do, and a change of the program shows in the pages.
package docs
