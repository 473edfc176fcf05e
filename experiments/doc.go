// Package experiments runs a plan many times and compares what comes out.
//
// How replications become a result:
//
//  1. A plan and a list of seeds come in; a plan is immutable, so that all replications share it.
//  2. Workers take seeds side by side. Each writes its result into the place of its seed.
//  3. Results are read in the order of the seeds, whatever the order in which they were finished.
//
// The number of workers changes only how long it takes. Cancelling keeps the replications that are
// finished. A replication that breaks a conservation law stops all of them, and the error says
// which seed replays it: there is no wrong number to keep. Nor is there when a plan's own Run says
// that it cannot go on, as in a world in which time stands still.
package experiments
