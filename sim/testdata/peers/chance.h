/* The same chance as package sim draws, so that the same workload makes the same trace: splitmix64
   streams named by a seed and a word, exponentials by a ziggurat whose tables come from portable
   exp and ln. Build with -ffp-contract=off: a fused product would differ in the last bit. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef struct { uint64_t state; } stream;

static uint64_t finalise(uint64_t z) {
	z = (z ^ z >> 27) * 0x3c79ac492ba7b653u;
	z = (z ^ z >> 33) * 0x1c69b3f74ac4ae35u;
	return z ^ z >> 27;
}

static stream named(uint64_t seed, const char *name) {
	uint64_t h = 0xcbf29ce484222325u;
	for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	stream r = {finalise(finalise(seed + 0xd1b54a32d192ed03u) ^ h)};
	return r;
}

static inline uint64_t bits64(stream *r) {
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline double uniform(stream *r) { return (double)(bits64(r) >> 11) * 0x1p-53; }

static inline uint64_t below(stream *r, uint64_t n) {
	return (uint64_t)((unsigned __int128)bits64(r) * n >> 64);
}

static const double exp_series[7][2] = {
	{1, 1}, {1.0 / 2, 1.0 / 6}, {1.0 / 24, 1.0 / 120}, {1.0 / 720, 1.0 / 5040},
	{1.0 / 40320, 1.0 / 362880}, {1.0 / 3628800, 1.0 / 39916800},
	{1.0 / 479001600, 1.0 / 6227020800},
};
static const double ln_series[7][2] = {
	{1, 1.0 / 3}, {1.0 / 5, 1.0 / 7}, {1.0 / 9, 1.0 / 11}, {1.0 / 13, 1.0 / 15},
	{1.0 / 17, 1.0 / 19}, {1.0 / 21, 1.0 / 23}, {1.0 / 25, 0},
};

static double series(const double c[7][2], double x) {
	double xx = x * x, even = c[6][0], odd = c[6][1];
	for (int i = 5; i >= 0; i--) {
		even = even * xx + c[i][0];
		odd = odd * xx + c[i][1];
	}
	return even + odd * x;
}

#define LN2_HI 6.93147180369123816490e-01
#define LN2_LO 1.90821492927058770002e-10

static double power2(int64_t k) {
	uint64_t b = (uint64_t)(k + 1023) << 52;
	double d;
	memcpy(&d, &b, sizeof d);
	return d;
}

static double exp_portable(double x) {
	double k = floor(x * 1.44269504088896338700 + 0.5);
	double r = (x - k * LN2_HI) - k * LN2_LO, half = floor(k / 2);
	return series(exp_series, r) * power2((int64_t)half) * power2((int64_t)(k - half));
}

static double ln_portable(double x) {
	uint64_t b;
	memcpy(&b, &x, sizeof b);
	int64_t e = (int64_t)(b >> 52) - 1022;
	b = (b & (((uint64_t)1 << 52) - 1)) | (uint64_t)1022 << 52;
	double m;
	memcpy(&m, &b, sizeof m);
	if (m < 0.70710678118654752440) {
		m *= 2;
		e--;
	}
	double s = (m - 1) / (m + 1), p = series(ln_series, s * s), k = (double)e;
	return k * LN2_HI + (2 * s * p + k * LN2_LO);
}

#define ZIG_R 7.69711747013104972
#define ZIG_V 3.9496598225815571993e-3
static double zig_x[257], zig_f[257], zig_w[256];
static uint64_t zig_k[256];

static void chance_init(void) {
	zig_x[0] = ZIG_V * exp_portable(ZIG_R);
	zig_x[1] = ZIG_R;
	for (int i = 2; i < 256; i++)
		zig_x[i] = -ln_portable(ZIG_V / zig_x[i - 1] + exp_portable(-zig_x[i - 1]));
	for (int i = 0; i < 257; i++) zig_f[i] = exp_portable(-zig_x[i]);
	for (int i = 0; i < 256; i++) {
		zig_k[i] = (uint64_t)(int64_t)(zig_x[i + 1] / zig_x[i] * 0x1p53);
		zig_w[i] = zig_x[i] * 0x1p-53;
	}
}

static double exponential(stream *r);

static __attribute__((noinline)) double exp_edge(stream *r, uint64_t i, double x) {
	if (i == 0) return ZIG_R + exponential(r);
	double up = uniform(r) * (zig_f[i + 1] - zig_f[i]);
	return zig_f[i] + up < exp_portable(-x) ? x : exponential(r);
}

static inline double exponential(stream *r) {
	uint64_t u = bits64(r), i = u & 255, j = u >> 11;
	double x = (double)j * zig_w[i];
	return j < zig_k[i] ? x : exp_edge(r, i, x);
}

/* The processor time of this process in nanoseconds. */
static double cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
