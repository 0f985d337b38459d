/* Processor detection: the one part of the library that exists once, compiled for any processor of its kind.

   BUILT is the sum of the numbers of lanes in the library, each a power of two. */

#include "lanes.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of cpuid 1 (ECX), cpuid 7 (EBX) and of the registers that the operating system saves (XCR0). */
#define OSXSAVE (1u << 27)
#define AVX (1u << 28)
#define AVX2 (1u << 5)
#define AVX512 (1u << 16 | 1u << 17 | 1u << 31) /* F, DQ and VL, as build.py specs for them */
#define YMM 0x06u
#define ZMM 0xe6u

static unsigned saved_registers(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/* The sum of the numbers of lanes that processor and operating system can run. */
static unsigned runnable(void) {
  unsigned a, b, c, d, extended;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) || !(c & AVX)) return 1 | 2;
  if (!__get_cpuid_count(7, 0, &a, &extended, &c, &d) || !(extended & AVX2)) return 1 | 2;
  unsigned saved = saved_registers();
  if ((saved & YMM) != YMM) return 1 | 2;
  return 1 | 2 | 4 | ((extended & AVX512) == AVX512 && (saved & ZMM) == ZMM ? 8 : 0);
}
#else
static unsigned runnable(void) { return 1 | 2; }
#endif

/* The sum of the numbers of lanes that this library has and this processor runs, as in 1 | 2 | 4. */
EXPORT unsigned boidsgen_lanes(void) { return BUILT & runnable(); }
