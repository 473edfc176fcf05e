// Package report writes results for people and for other programs.
//
// How a result becomes something to read:
//
//  1. Runs of a plan come in, together with their summary and the judgement of their checks.
//  2. Numbers become tables and charts, which know nothing of where they are shown.
//  3. A writer lays them out: text for terminals, one page for browsers, CSV, JSON and JUnit for
//     other programs.
//
// A report sees only results: it simulates nothing and judges nothing. Rates and counts that it
// shows to people are those of the real system, divided by the scale; the JSON keeps simulated
// counts. The same result gives the same bytes. Names and docs may come from untrusted files and
// are escaped wherever they are shown.
package report
