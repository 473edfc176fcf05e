// Package splitting estimates how likely something rare is from runs that are branched where they
// come near it: adaptive multilevel splitting (Cérou and Guyader 2007).
//
//  1. Once simulates so many paths, each of steps with a level that says how near it is. A path is
//     as good as its highest level; one that reaches the top is the rare event.
//  2. The paths that are worst, all that tie, are given up. In the place of each a path that was
//     better is taken up to the first step at which it was, and goes on from there with other luck.
//     That happens again and again, until all have reached the top.
//  3. If K of N were given up, a share 1 - K/N of what was left was better: the product of these
//     shares estimates how likely the top is. Its mean is exact for any number of paths and any
//     levels, with ties too (Bréhier, Gazeau, Goudenège, Lelièvre, Rousset 2016), if the level of
//     a step follows from what happened until its end.
//
// Once is repeated independently, for an interval. A probability p takes about N ln(1/p) paths,
// where plain runs take 100/p of them for the same precision. How well the level says what comes
// decides how far estimates scatter, and nothing else.
package splitting
