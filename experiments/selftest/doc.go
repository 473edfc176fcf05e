// Package selftest is the table of what the simulator must reproduce: closed forms of queueing
// theory, arithmetic of retries and budgets, storms that tip or do not, properties of the engine.
//
//  1. Each file of cases is a world as users write them. Its x-selftest section says which cases it
//     holds, of how many requests, and which variants they run; each variant's checks say what is
//     expected, and how far off it may be.
//  2. A case goes the way of every run: load, compile, run, check. What checks cannot express is
//     read by a statistic or a verification of this package.
//  3. What is expected is computed anew from a formula, never taken from a run; the printed figure
//     of the file must agree with it. Where there is no formula, the figure is that of the source.
//  4. The first tenth of a run is left out. The interval beside each value is that of 20 batch
//     means, or of the replications.
//  5. A small size runs fewer requests or seeds first, and the stated number where a value fails.
//  6. A value passes when it lies within its tolerance; or when the 95 % interval holds what is
//     expected and is narrower than twice the tolerance.
//
// The same version gives the same table on every machine, whatever the number of workers. A figure
// under dispute stays in the table, marked, with its tolerance as it was.
package selftest
