/* Lanes: several boids or numbers at once, as vectors that the compiler maps to the processor's.

   LANES is 1, 2, 4 or 8 doubles. A lane never sees another one, so that their number changes the speed and
   no bit. No libc, no allocation, no globals: all memory comes from the caller. Entry points take plain
   ints and pointers; ENTRY gives each the number of lanes as a suffix, so that one library holds several
   builds. */

#ifndef LANES
#define LANES 2
#endif

typedef long long integer;
typedef unsigned long long bits;
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long mask __attribute__((vector_size(8 * LANES)));
/* Lanes anywhere in memory. */
typedef double loose __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef double vector __attribute__((vector_size(32))); /* three components, and one that nobody looks at */

#define JOINED(name, number) name##_##number
#define SUFFIXED(name, number) JOINED(name, number)
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define ENTRY(type, name) EXPORT type SUFFIXED(name, LANES)
#if LANES == 1 /* for tests: small rather than fast */
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

#define INFINITE (__builtin_inf())

/* The lanes of `value` where `chosen` is set, elsewhere zero. */
INLINE lanes pick(mask chosen, lanes value) { return (lanes)(chosen & (mask)value); }

/* Where `chosen` is set the lanes of `a`, elsewhere those of `b`. */
INLINE lanes choose(mask chosen, lanes a, lanes b) {
  return (lanes)((chosen & (mask)a) | (~chosen & (mask)b));
}

INLINE mask choose_whole(mask chosen, mask a, mask b) { return (chosen & a) | (~chosen & b); }

INLINE lanes loaded(const double *row) { return *(const loose *)row; }

/* As many numbers as `count`; lanes that are left repeat the last. */
INLINE lanes spread(const double *row, integer count) {
  lanes result = {0.0};
  if (count == LANES) return loaded(row);
  for (int lane = 0; lane < LANES; lane++) result[lane] = row[lane < count ? lane : count - 1];
  return result;
}

/* Less zero, which changes no bit: compilers load that at once, and a lane at a time what a loop fills. */
INLINE lanes all(double value) { return value - (lanes){0.0}; }

/* The vector of one lane. */
INLINE vector vector_in(const lanes along[3], int lane) {
  return (vector){along[0][lane], along[1][lane], along[2][lane]};
}

INLINE mask all_whole(integer value) { return value + (mask){0}; }

/* A bit for each lane that is chosen. */
INLINE int signs(mask chosen) {
#if LANES == 8 && defined(__AVX512DQ__)
  return __builtin_ia32_cvtq2mask512(chosen);
#elif LANES == 4 && defined(__AVX__)
  return __builtin_ia32_movmskpd256((lanes)chosen);
#elif LANES == 2 && defined(__SSE2__)
  return __builtin_ia32_movmskpd((lanes)chosen);
#elif LANES == 2 && defined(__wasm_simd128__)
  return (int)__builtin_wasm_bitmask_i64x2(chosen);
#endif
  integer found = 0;
  for (int lane = 0; lane < LANES; lane++) found |= chosen[lane] & 1LL << lane;
  return (int)found;
}

/* A total, to which a value has been added where `chosen` is set. */
INLINE lanes added(mask chosen, lanes total, lanes value) {
#if LANES == 8 && defined(__AVX512DQ__) && !defined(__clang__)
  return __builtin_ia32_addpd512_mask(total, value, total, signs(chosen), 4); /* 4: rounded as ever */
#else
  return total + pick(chosen, value);
#endif
}

#define EVERY ((1 << LANES) - 1) /* the signs of all lanes */

INLINE int any(mask chosen) { return signs(chosen) != 0; }

/* As numpy's maximum and minimum: what is not a number wins. */
INLINE double larger(double a, double b) { return a >= b || a != a ? a : b; }
INLINE double smaller(double a, double b) { return a <= b || a != a ? a : b; }
INLINE lanes larger_lanes(lanes a, lanes b) { return choose((a >= b) | (a != a), a, b); }
INLINE lanes smaller_lanes(lanes a, lanes b) { return choose((a <= b) | (a != a), a, b); }
INLINE double magnitude(double value) { return __builtin_fabs(value); }
INLINE integer least(integer a, integer b) { return a < b ? a : b; }
INLINE integer most(integer a, integer b) { return a > b ? a : b; }
