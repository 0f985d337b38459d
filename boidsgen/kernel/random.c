/* Random numbers: numpy's streams, PCG64 (M. E. O'Neill, PCG, 2014), and what is drawn from them.

   A stream is four 64-bit words: state and increment, the higher word first, as numpy's bit generator has
   them. */

typedef struct {
  bits high;
  bits low;
  bits increment_high;
  bits increment_low;
} Stream;

/* Product of two 64-bit words: the lower word, and the higher one in `high`. */
INLINE bits product(bits a, bits b, bits *high) {
  bits a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
  bits middle = a1 * b0 + (a0 * b0 >> 32), carried = a0 * b1 + (middle & 0xffffffffu);
  *high = a1 * b1 + (middle >> 32) + (carried >> 32);
  return a * b;
}

/* The next 64 bits. */
INLINE bits next(Stream *stream) {
  const bits high = 0x2360ed051fc65da4ULL, low = 0x4385df649fccf645ULL;
  bits above, state_low = product(stream->low, low, &above);
  bits state_high = above + stream->high * low + stream->low * high;
  stream->low = state_low + stream->increment_low;
  stream->high = state_high + stream->increment_high + (stream->low < state_low);
  bits mixed = stream->high ^ stream->low;
  int turn = (int)(stream->high >> 58);
  return mixed >> turn | mixed << (-turn & 63);
}

/* Evenly spread in [0, 1). */
INLINE double random(Stream *stream) { return (double)(next(stream) >> 11) * 0x1p-53; }

static void fill(Stream *stream, double *number, integer count) {
  for (integer i = 0; i < count; i++) number[i] = random(stream);
}

/* Of the standard normal distribution, by numpy's ziggurat of 256 layers (J. A. Doornik, An Improved
   Ziggurat Method, 2005). `layers` (2, 256): of each layer the numbers that are surely within it, and its
   width by 2^52. */
static double ziggurat(Stream *stream, const double *layers) {
  const double radius = 3.6541528853610088, inverse = 0.2736612373297583;
  for (;;) {
    bits drawn = next(stream);
    int layer = (int)(drawn & 255);
    double size = (double)(drawn >> 9 & 0xfffffffffffffULL), width = layers[256 + layer];
    double number = drawn & 256 ? -(size * width) : size * width;
    if (size < layers[layer]) return number;
    if (layer == 0) {
      for (;;) {
        double beyond = -inverse * logarithm(1.0 - random(stream)), room = -logarithm(1.0 - random(stream));
        if (room + room > beyond * beyond) return drawn >> 17 & 1 ? -(radius + beyond) : radius + beyond;
      }
    }
    double edge = width * 0x1p52, inner = layers[255 + layer] * 0x1p52;
    double below = exponential(-0.5 * edge * edge);
    double above = layer == 1 ? 1.0 : exponential(-0.5 * inner * inner);
    if ((above - below) * random(stream) + below < exponential(-0.5 * number * number)) return number;
  }
}

/* The same with the tail rounded, as `exact.normal`. */
static double standard_normal(Stream *stream, const double *layers) {
  double number = ziggurat(stream, layers);
  return magnitude(number) > 3.654152885361009 ? rint(number / 0x1p-36) * 0x1p-36 : number;
}

/* As `geometry.directions`, from what `fill` has drawn: angles, and in 3D heights behind them. */
static vector direction(const double *drawn, integer count, integer number, int first) {
  double angle = -PI + (PI - -PI) * drawn[number];
  if (first) return (vector){0.0, cosine(angle), sine(angle)};
  double height = -1.0 + (1.0 - -1.0) * drawn[count + number], across = square_root(1.0 - height * height);
  return (vector){cosine(angle) * across, sine(angle) * across, height};
}
