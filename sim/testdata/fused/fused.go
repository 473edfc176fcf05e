// Package fused holds what TestNoFusedOperations must find: a product that
// feeds a sum, which the arm64 compiler rounds once instead of twice.
package fused

// Line is a*x + b, unprotected.
func Line(a, x, b float64) float64 { return a*x + b }

// Safe is the same with a product of its own.
func Safe(a, x, b float64) float64 { return float64(a*x) + b }
