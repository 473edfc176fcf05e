package stats

import "math"

// Interval is a mean and the bounds between which the true one lies with 95 % confidence, if
// the values behind it are independent and not too far from normal.
type Interval struct {
	Mean   float64 // NaN without values
	Lo, Hi float64 // -Inf and +Inf when fewer than two values cannot bound anything
	SD     float64 // sample standard deviation of the values; 0 for fewer than two
	N      int     // values
}

// Half is half the width of the interval.
func (i Interval) Half() float64 { return (i.Hi - i.Lo) / 2 }

// Holds reports whether x lies within the interval, bounds included.
func (i Interval) Holds(x float64) bool { return i.Lo <= x && x <= i.Hi }

// MeanInterval is Student's 95 % interval for the mean of independent values, such as one per
// replication. Two passes over the slice in its order keep the result the same everywhere.
func MeanInterval(values []float64) Interval {
	n := len(values)
	if n == 0 {
		return Interval{Mean: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}
	}
	mean := sum(values) / float64(n)
	if n == 1 {
		return Interval{Mean: mean, Lo: math.Inf(-1), Hi: math.Inf(1), N: 1}
	}
	squares := 0.0
	for _, v := range values {
		off := v - mean
		squares += float64(off * off)
	}
	sd := math.Sqrt(squares / float64(n-1))
	half := float64(StudentT95(n-1) * sd / math.Sqrt(float64(n)))
	return Interval{Mean: mean, Lo: mean - half, Hi: mean + half, SD: sd, N: n}
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

const (
	// batches is few enough for each to be long, so that neighbours hardly depend on each
	// other, and enough for the quantile of Student's t to be near that of the normal
	// (Schmeiser, Operations Research 30, 1982: 10 to 30).
	batches = 20

	// leastBatch is the least number of values that make a batch.
	leastBatch = 2
)

// BatchMeans is the interval for the mean of one long series whose neighbours depend on each
// other, such as successive latencies: 20 batches in order, and the interval of their means.
// Values that fill no batch are left out at the beginning, where a run is least settled. N is
// the number of batches: 0 for a series shorter than 40, which bounds nothing.
func BatchMeans(series []float64) Interval {
	size := len(series) / batches
	if size < leastBatch {
		i := MeanInterval(nil)
		if len(series) > 0 {
			i.Mean = sum(series) / float64(len(series))
		}
		return i
	}
	series = series[len(series)-size*batches:]
	means := make([]float64, batches)
	for i := range means {
		means[i] = sum(series[i*size:(i+1)*size]) / float64(size)
	}
	return MeanInterval(means)
}

// student95 holds the 97.5 % quantile of Student's t for 1 to 30 degrees of freedom.
var student95 = [31]float64{math.Inf(1),
	12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356,
	2.4469118511, 2.3646242516, 2.3060041352, 2.2621571628, 2.2281388520,
	2.2009851601, 2.1788128297, 2.1603686565, 2.1447866879, 2.1314495456,
	2.1199052992, 2.1098155778, 2.1009220402, 2.0930240544, 2.0859634473,
	2.0796138447, 2.0738730679, 2.0686576104, 2.0638985616, 2.0595385528,
	2.0555294386, 2.0518305165, 2.0484071418, 2.0452296421, 2.0422724563,
}

// StudentT95 is the factor of a two-sided 95 % interval with df degrees of freedom: +Inf below
// 1, within 3e-8 of exact above 30.
func StudentT95(df int) float64 {
	if df < len(student95) {
		return student95[max(df, 0)]
	}
	// Cornish-Fisher expansion about the normal quantile (Abramowitz and Stegun 26.7.5). The
	// four numerators are constants of z = 1.959963984540054.
	n := float64(df)
	const z = 1.959963984540054
	const z2 = z * z
	const g1 = z * (z2 + 1) / 4
	const g2 = z * (5*z2*z2 + 16*z2 + 3) / 96
	const g3 = z * (3*z2*z2*z2 + 19*z2*z2 + 17*z2 - 15) / 384
	const g4 = z * (79*z2*z2*z2*z2 + 776*z2*z2*z2 + 1482*z2*z2 - 1920*z2 - 945) / 92160
	return z + (g1+(g2+(g3+g4/n)/n)/n)/n
}
