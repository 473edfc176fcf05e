// Package check reads what replications recorded and judges it: measures, checks, recovery, the
// summary of a run. It imports the world and knows no files.
//
//  1. Parse turns a measure's text (clients.web.failed_share) into a Measure: which cells of a
//     Result it adds up, its kind and its unit. A name that does not exist is reported with the
//     nearest that does.
//  2. Validate reports all that is wrong with a scenario's checks, before anything runs; Needs
//     says which durations have to be kept for each window, so that the checks can be read.
//  3. Judge reads each check from each replication (one range, or bins and a take of them),
//     compares with the bounds and counts replications.
//  4. Recover finds the verdict, the time and the surge of a replication; Summarize writes the
//     stable object of a run; Series gives one measure by bins, for charts; Conditions gives both
//     sides of "first tries plus retries against capacity" as measured.
//
// What counts when. A request counts, with all that becomes of it, in the window in which it
// started; an attempt in the window in which it was offered; a tier's counters when they happen.
// A check without from and to reads from the end of the warm-up to the end of the run; counters
// and their ratios then include the drain, since what was started before it ends there; rates,
// gauges and bins do not, since arrivals have stopped. A range that is written out is read as
// written. Requests and attempts that have not ended are in neither ok nor failed: near the end
// of a run without a drain, shares of ok and of failed are both a little low.
//
// Guarantees. Everything reads as the real system: counts, rates and counted gauges are divided
// by the scale, except in Summary, whose counts are simulated ones. A value that does not exist (a
// ratio over nothing, a quantile of nobody) is no number: it meets no bound, and it is never
// taken for 0. A time that was looked for and not found is never: see Judge. Nothing here depends
// on the order of a map, and the same results give the same bytes.
package check
