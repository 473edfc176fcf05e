// Package limit finds where a world stops to recover: the largest load, the longest trigger, the
// smallest budget.
//
//  1. Search takes an experiment with one axis, a range, and constraints. A value is good when
//     the share of replications in which every constraint holds is at least Share, bad when it is
//     less. Both ends are tried first: one must be good and the other bad, or there is no limit.
//  2. Between them it halves the way. At each value replications are run, in batches, until a
//     binomial test says on which side of Share their chance lies; a value that stays in doubt
//     after the most replications is in the grey zone, and ends the search.
//  3. Every look at every value may be wrong; together they may be so with at most the chance that
//     Confidence leaves. What is said of the limit is therefore said of the whole search.
//  4. Map asks two axes and shows which cases hold where: a world that is well when it starts well
//     and stuck when it was pushed has two stable states there, and that is hysteresis. Of an
//     experiment with up_and_down the cases are the two ways of one run through all values of an
//     axis: where each row of the other tips, recovers, and has both states.
//  5. Last runs until a time has come (a collapse) or the run ends: a mean time with its interval
//     for worlds that tip by chance. Where runs hardly see that, they are branched where they come
//     near it. Fold is the load at which a mean field has no well state left; chance tips a small
//     world long before.
//
// The same luck is used at each value, so that the answer moves with the value alone.
package limit
