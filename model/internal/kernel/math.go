package kernel

import "math"

// The functions of package math that give the same bits on every machine.
func sqrt(x float64) float64  { return math.Sqrt(x) }
func floor(x float64) float64 { return math.Floor(x) }
func ceil(x float64) float64  { return math.Ceil(x) }
