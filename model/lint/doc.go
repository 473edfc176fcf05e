// Package lint says what a world can do at worst, before it runs, and which of its settings defeat
// each other. It knows no files: findings carry paths, and a loader finds their places.
//
//  1. Each edge that retries is tried out alone: a small world of one caller and one callee, with
//     the edge's own stack, runs in the simulator while everything fails in one way after the
//     other (probe.go). So what a policy does is never written down twice, and a policy that
//     somebody added is known as well as those that ship.
//  2. The graph of calls multiplies what the edges do (graph.go): the most attempts that one
//     request can make at each edge and tier, with budgets and without them, and how long a call
//     can keep its caller waiting (blocking.go).
//  3. The findings compare that with the settings: find*.go, one function for each.
//
// What the figures are. Tries of an edge are the most of one call, budgets and breakers left out.
// Its factor is attempts for each call in a lasting storm in which all fail, budgets at work; (1+b)
// where a budget of ratio b rules. Attempts of a request are the most that any luck can bring
// about, so that chances, weights and earlier failures are not counted on; where each tier makes
// one call they are what happens when all fail. Rates are those of the load at its height.
package lint
