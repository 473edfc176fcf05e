// Package stats keeps what a run measures and says how far it can be trusted.
//
//  1. A Histogram takes lengths of time one by one and later gives quantiles.
//  2. Histograms of windows or replications merge into one, in any order.
//  3. MeanInterval turns one number per replication, and BatchMeans one long series, into an
//     Interval: a mean with 95 % confidence bounds.
//  4. A Warning is a doubt about a number that travels with it into every report.
//
// Counts, sums, minima and maxima are exact. Quantiles are within 0.4 % of the exact order
// statistic. Nothing depends on the order of additions except where the order is the data
// (BatchMeans). The same input gives the same bits on every machine.
package stats
