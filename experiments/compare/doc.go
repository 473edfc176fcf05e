// Package compare says in what two scenarios differ.
//
//  1. Both run with the same seeds, and so on the same luck: arrivals, work and failures that both
//     have are the same in both.
//  2. Each measure is read from each replication of both; the differences of pairs have a mean and
//     a t interval. One that holds 0 is no detectable difference, and said to be so.
//
// What only one of the two has, such as an edge, is not compared.
package compare
