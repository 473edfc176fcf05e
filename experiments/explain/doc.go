// Package explain says what happened in a run, from what was measured, and which layer did it.
//
//  1. Outages are the stretches in which too many of a client's requests failed (outage.go).
//  2. Facts are what was measured around them, each with its time: limits that were reached, lines
//     that grew longer than their callers wait, edges that multiplied, what ended it (facts.go).
//  3. The loop of a tier is what retries of all layers add to its first tries, against what is left
//     of its capacity (loop.go). A gain above 1 means that the retries alone keep it overloaded.
//  4. The run is repeated on the same luck with the retries of one edge switched off, for each edge
//     that retried (ablate.go). The edge without which an outage ends is the one that kept it.
//  5. The ledger accounts for every attempt of every edge (ledger.go).
//
// Every sentence carries its numbers, of the real system; none is a guess. What cannot be measured
// is left out.
package explain
