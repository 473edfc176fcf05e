// Package statistics says what a few replications tell: intervals, differences of pairs, shares,
// and whether a mean means anything.
//
//  1. Of values: Of gives the mean and its t interval. Two replications are the least that has one.
//  2. Of pairs on the same luck: Differences, then Of. What two settings share of good and bad luck
//     cancels, so that a difference is known far better than either value.
//  3. Of successes: Share gives the exact binomial (Clopper-Pearson) interval, which holds for few
//     replications and for shares of 0 and 1.
//  4. Modes finds results that fall into two groups with nothing between them: of those the mean is
//     what never happens, and the groups are reported instead.
//
// Nothing here draws numbers or reads clocks; the same values give the same answers, to the bit, on
// any machine: sums are our own, in the order of the values.
package statistics
