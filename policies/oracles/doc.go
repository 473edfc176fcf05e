// Package oracles holds tests that drive the genuine implementations which policies imitate, and
// compare decision by decision. It is a module of its own, so that the program depends on none of
// them.
//
//  1. Each product has a folder with tests alone. A test makes random scripts of answers, waits
//     and hints, and plays each to the product's own module, on virtual time, and to the policy.
//  2. Both must decide the same at every step: how many tries, which state, how much is left of a
//     quota. Where the product throws dice that cannot be set, waits must lie in its range.
//
// What is not written in Go, or cannot be had as a module, is compared with figures of the
// product's own tests instead, beside the policy.
package oracles
