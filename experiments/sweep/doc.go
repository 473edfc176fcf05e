// Package sweep runs an experiment and recommends a setting.
//
// How a question becomes a sentence:
//
//  1. New lays out the points of the axes (a grid, a Latin hypercube, a Sobol sequence) and the
//     cells in which they run: a case at one value of each axis that matters there. Points that a
//     case does not tell apart share a cell. Every cell is compiled before anything runs.
//  2. Execute runs rounds. Each cell gets the least of its replications; the same replication of
//     any two cells has the same seed, and so the same luck. Between rounds the race drops points
//     that clearly violate a constraint or are clearly worse than the best, and cells of the others
//     get more where an interval is wide or a constraint in doubt, within the budget of runs.
//  3. Objectives are means with t intervals; constraints are shares of replications with exact
//     intervals; differences are of pairs on the same luck. An interval holds though it is looked
//     at after every round, and who is clearly worse is so for all points and rounds together.
//     Results in two groups are called so, and compared by their worse group.
//  4. The recommended point is, of those that meet every constraint, the one whose objectives, each
//     by how far it ranges and by its weight, add up to least; among those that do not differ
//     detectably from it the tie decides. A constraint binds when the best point without
//     constraints violates it.
//  5. The recommended point and its neighbours run again under each change of the sensitivity.
//
// All of this is a function of the experiment and the version. Replications are kept by what they
// are of, so that whatever was run before, here, in another shard or by a worker elsewhere, is used
// and not run again: resuming, merging and distributing change no byte of a result.
package sweep
