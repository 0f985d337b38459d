/* The kernel: one translation unit of several chapters, compiled once for each number of lanes.

   numpy defines every result; each entry names the function that it equals, to the bit. Flags: -O3
   -ffp-contract=off, never -ffast-math. The same sources become a native library and WebAssembly. */

#include "lanes.h"
#include "records.h"
#include "exact.c"
#include "random.c"
#include "world.c"
#include "grid.c"
#include "sums.c"
#include "pixels.c"
#include "ground.c"
#include "shine.c"
#if defined(__wasm__)
/* The rest, which a boid passes through once, is small rather than fast in pages. */
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
#include "rules.c"
#include "step.c"
#include "plan.c"
#include "measures.c"
#include "lzw.c"
#if defined(__wasm__)
#include "animals.c"
#include "page.c"
#pragma clang attribute pop
#endif
