// Package model is what a run is made of: what was declared, what that compiles to, and what a run
// recorded.
//
//  1. A Topology says which tiers there are and who calls whom under which policies; a Scenario
//     says what happens to them. Both are plain data in real-world values. Package model/load
//     reads them from files; a program may write them as Go values.
//  2. Compile resolves every name, checks everything that can be checked before a run and reports
//     all that is wrong at once, each with its path.
//  3. It divides rates, slots, limits and populations by the scale, and says where rounding or
//     small numbers make the scaled system another one than the real.
//  4. It lays the world out as arrays: tiers, replicas, edges, steps, and one param for each field
//     that may change during a run. The timeline becomes a list of changes to params in time order.
//  5. Plan.Run simulates one replication. A Plan never changes and may be run by any number of
//     goroutines at once.
//
// The same topology, scenario and registry give the same plan, and the same plan and seed the same
// result. What the parts mean, to the nanosecond, is written in docs/semantics.md.
package model
