/* Exact arithmetic: the functions of `exact.py`, made of the operations that IEEE 754 fixes. */

#define PI 3.141592653589793
#define WHOLE 4503599627370496.0 /* from here on, 2^52, every number is whole */
#define SHORTEST 1e-162          /* as `geometry.SHORTEST` */

INLINE double with_sign(double value, double sign) { return __builtin_copysign(value, sign); }

/* The nearest whole number, of two the even one. */
INLINE double rint(double value) {
  double size = magnitude(value);
  return size < WHOLE ? with_sign(size + WHOLE - WHOLE, value) : value;
}

/* The same of each lane; the sign of a zero is that of the number. */
INLINE lanes rint_lanes(lanes value) {
  mask sign = (mask)value & (mask)all(-0.0);
  lanes size = (lanes)((mask)value ^ sign);
  lanes whole = (lanes)((mask)(size + all(WHOLE) - all(WHOLE)) | sign);
  return choose(size < all(WHOLE), whole, value);
}

INLINE double floor_of(double value) {
  double whole = rint(value);
  return whole > value ? whole - 1.0 : whole;
}

INLINE double square_root(double value) { return __builtin_sqrt(value); }

INLINE lanes roots(lanes value) {
#if defined(__clang__)
#if LANES > 1 && __has_builtin(__builtin_elementwise_sqrt)
  return __builtin_elementwise_sqrt(value);
#endif
#elif LANES == 8 && defined(__AVX512F__)
  return __builtin_ia32_sqrtpd512_mask(value, value, -1, 4); /* 4: rounded as everything is */
#elif LANES == 4 && defined(__AVX__)
  return __builtin_ia32_sqrtpd256(value);
#elif LANES == 2 && defined(__SSE2__)
  return __builtin_ia32_sqrtpd(value);
#endif
  for (int lane = 0; lane < LANES; lane++) value[lane] = square_root(value[lane]);
  return value;
}

/* The image along an axis of this period that is nearest to the middle; 0 = it does not repeat. */
INLINE double nearest_image(double offset, double middle, double period) {
  return period != 0.0 ? offset - period * rint((offset - middle) / period) : offset;
}

INLINE double shortened(double offset, double period) { return nearest_image(offset, 0.0, period); }

INLINE lanes shortened_lanes(lanes offset, double period) {
  return period != 0.0 ? offset - period * rint_lanes(offset / period) : offset;
}

/* The remainder with the sign of the divisor, which is positive; as `numpy.mod`, exact. */
static double remainder_of(double value, double divisor) {
  double rest = magnitude(value), part = divisor;
  if (!(rest < INFINITE)) return rest - rest;
  while (part <= rest * 0.5) part *= 2.0;
  for (; part >= divisor; part *= 0.5) rest = rest >= part ? rest - part : rest;
  if (rest == 0.0) return 0.0;
  return value < 0.0 ? divisor - rest : rest;
}

/* Horner's rule. */
INLINE double series(const double *coefficients, int terms, double squared) {
  double total = coefficients[terms - 1];
  for (int term = terms - 2; term >= 0; term--) total = total * squared + coefficients[term];
  return total;
}

static const double SINE[9] = {1.0,
                               -1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0,
                               1.0 / 355687428096000.0};
static const double COSINE[10] = {1.0,
                                  -1.0 / 2,
                                  1.0 / 24,
                                  -1.0 / 720,
                                  1.0 / 40320,
                                  -1.0 / 3628800,
                                  1.0 / 479001600,
                                  -1.0 / 87178291200.0,
                                  1.0 / 20922789888000.0,
                                  -1.0 / 6402373705728000.0};

/* The sine of an angle in radians, so many quarter turns ahead; as `exact._wave`. */
static double wave(double angle, int quarters) {
  double turns = rint(angle * (2.0 / PI));
  if (magnitude(turns) > 1e12) {
    angle = with_sign(remainder_of(magnitude(angle), 2.0 * PI), angle);
    turns = rint(angle * (2.0 / PI));
  }
  double rest = angle;
  rest -= turns * 1.5707963267341256;
  rest -= turns * 6.077100506303966e-11;
  rest -= turns * 2.0222662487959506e-21;
  int phase = (int)(((integer)turns + quarters) & 3);
  double squared = rest * rest;
  double value = phase & 1 ? series(COSINE, 10, squared) : rest * series(SINE, 9, squared);
  return phase & 2 ? -value : value;
}

INLINE double sine(double angle) { return wave(angle, 0); }
INLINE double cosine(double angle) { return wave(angle, 1); }

/* Sine and cosine of angles up to a million radians, several at a time. */
INLINE void wave_lanes(lanes angle, lanes *sines, lanes *cosines) {
  lanes turns = rint_lanes(angle * all(2.0 / PI));
  lanes rest = angle;
  lanes sine_series = all(SINE[8]);
  lanes cosine_series = all(COSINE[9]);
  rest -= turns * all(1.5707963267341256);
  rest -= turns * all(6.077100506303966e-11);
  rest -= turns * all(2.0222662487959506e-21);
  lanes squared = rest * rest;
  for (int term = 7; term >= 0; term--) sine_series = sine_series * squared + all(SINE[term]);
  for (int term = 8; term >= 0; term--) cosine_series = cosine_series * squared + all(COSINE[term]);
  mask phase = (mask)(turns + all(1.5 * WHOLE)); /* its last digits are those of the whole number */
  mask odd = (phase & all_whole(1)) != 0, sign = (mask)all(-0.0);
  sine_series *= rest;
  lanes sine_of = choose(odd, cosine_series, sine_series);
  lanes cosine_of = choose(odd, sine_series, cosine_series);
  *sines = (lanes)((mask)sine_of ^ (((phase & all_whole(2)) != 0) & sign));
  *cosines = (lanes)((mask)cosine_of ^ ((((phase + all_whole(1)) & all_whole(2)) != 0) & sign));
}

/* The angle of a vector in radians; as `exact.heading`. */
static double heading(double across, double along) {
  static const double arctangent[9] = {0.0,
                                       0.12435499454676144,
                                       0.24497866312686414,
                                       0.35877067027057225,
                                       0.4636476090008061,
                                       0.5585993153435624,
                                       0.6435011087932844,
                                       0.7188299996216245,
                                       0.7853981633974483};
  static const double terms[9] = {1.0,       -1.0 / 3, 1.0 / 5,   -1.0 / 7, 1.0 / 9,
                                  -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
  double high = magnitude(across), wide = magnitude(along), longer = high > wide ? high : wide;
  double slope = (high > wide ? wide : high) / (longer == 0.0 ? 1.0 : longer), step = rint(slope * 8.0);
  double rest = (slope - step / 8.0) / (1.0 + slope * (step / 8.0));
  double angle = arctangent[(int)step] + rest * series(terms, 9, rest * rest);
  if (high > wide) angle = PI / 2 - angle;
  if (along < 0.0) angle = PI - angle;
  return across < 0.0 ? -angle : angle;
}

typedef union {
  double value;
  bits pattern;
} Pattern;

/* The natural logarithm of a normal number above zero; as `exact.logarithm`. */
static double logarithm(double number) {
  Pattern fraction = {number};
  integer exponent = (integer)(fraction.pattern >> 52) - 1022;
  fraction.pattern = (fraction.pattern & 0xfffffffffffffULL) | 0x3fe0000000000000ULL;
  if (fraction.value < 0.7071067811865476) {
    fraction.value *= 2.0;
    exponent--;
  }
  double slope = (fraction.value - 1.0) / (fraction.value + 1.0), squared = slope * slope, total = 2.0 / 23;
  for (int term = 10; term >= 0; term--) total = total * squared + 2.0 / (2 * term + 1);
  return exponent * 0.6931471803691238 + (slope * total + exponent * 1.9082149292705877e-10);
}

static const double POWER_SERIES[14] = {1.0,
                                        1.0,
                                        1.0 / 2,
                                        1.0 / 6,
                                        1.0 / 24,
                                        1.0 / 120,
                                        1.0 / 720,
                                        1.0 / 5040,
                                        1.0 / 40320,
                                        1.0 / 362880,
                                        1.0 / 3628800,
                                        1.0 / 39916800,
                                        1.0 / 479001600,
                                        1.0 / 6227020800.0};

/* e to the power of a number between -700 and 700; as `exact.exponential`. */
static double exponential(double power) {
  double doublings = rint(power / (0.6931471803691238 + 1.9082149292705877e-10));
  Pattern scale;
  scale.pattern = (bits)((integer)doublings + 1023) << 52;
  return series(POWER_SERIES, 14,
                power - doublings * 0.6931471803691238 - doublings * 1.9082149292705877e-10) *
         scale.value;
}

/* The same of several numbers, cut off at -700 and 700. */
INLINE lanes exponential_lanes(lanes power) {
  typedef bits patterns __attribute__((vector_size(8 * LANES)));
  power = smaller_lanes(larger_lanes(power, all(-700.0)), all(700.0));
  lanes doublings = rint_lanes(power / all(0.6931471803691238 + 1.9082149292705877e-10));
  lanes rest = power - doublings * all(0.6931471803691238) - doublings * all(1.9082149292705877e-10);
  lanes total = all(POWER_SERIES[13]);
  for (int term = 12; term >= 0; term--) total = total * rest + all(POWER_SERIES[term]);
  return total * (lanes)(((patterns)(doublings + all(1.5 * WHOLE)) + 1023) << 52);
}

/* A number multiplied with itself so many times, by squaring; as `exact.whole_power`. */
static double whole_power(double base, double exponent) {
  integer left = exponent < 4611686018427387904.0 ? (integer)exponent : 4611686018427387904LL;
  double result = 1.0;
  while (left > 0) {
    if (left & 1) result *= base;
    left >>= 1;
    if (left) base *= base;
  }
  return result;
}

/* The sum in the order of numpy's pairwise summation. */
static double pairwise_sum(const double *value, integer count) {
  if (count < 8) {
    double total = 0.0;
    for (integer i = 0; i < count; i++) total += value[i];
    return total;
  }
  if (count > 128) {
    integer left = count / 2 - (count / 2) % 8;
    return pairwise_sum(value, left) + pairwise_sum(value + left, count - left);
  }
  double part[8];
  integer whole = count - count % 8;
  for (int k = 0; k < 8; k++) part[k] = value[k];
  for (integer i = 8; i < whole; i += 8)
    for (int k = 0; k < 8; k++) part[k] += value[i + k];
  double total = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (integer i = whole; i < count; i++) total += value[i];
  return total;
}
