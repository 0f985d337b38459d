/* Functions that compilers call although there is no libc: of memory, as in C11, and the few that Windows
   expects.

   Only this library sees them. The empty assembly keeps a compiler from taking a loop for the function
   that it is in, and calling that. */

#include <stddef.h>

#define KEEP_LOOP __asm__ volatile("" ::: "memory")
#define HIDDEN __attribute__((visibility("hidden")))

typedef unsigned long long __attribute__((may_alias, aligned(1))) word;

HIDDEN void *memset(void *target, int value, size_t count) {
  unsigned char *to = target, byte = (unsigned char)value;
  const word eight = byte * 0x0101010101010101u;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    *(word *)(to + i) = eight;
    KEEP_LOOP;
  }
  for (; i < count; i++) {
    to[i] = byte;
    KEEP_LOOP;
  }
  return target;
}

HIDDEN void *memmove(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  size_t i = 0;
  if (to > from && to < from + count) {
    while (count-- > 0) {
      to[count] = from[count];
      KEEP_LOOP;
    }
    return target;
  }
  for (; i + 8 <= count; i += 8) {
    *(word *)(to + i) = *(const word *)(from + i);
    KEEP_LOOP;
  }
  for (; i < count; i++) {
    to[i] = from[i];
    KEEP_LOOP;
  }
  return target;
}

HIDDEN void *memcpy(void *restrict target, const void *restrict source, size_t count) {
  return memmove(target, source, count);
}

HIDDEN int memcmp(const void *one, const void *other, size_t count) {
  const unsigned char *a = one, *b = other;
  for (size_t i = 0; i < count; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    KEEP_LOOP;
  }
  return 0;
}

#if defined(_WIN32)
/* The start of the library, called by the loader: there is nothing to initialize. */
int DllMainCRTStartup(void *library, unsigned reason, void *reserved);
int DllMainCRTStartup(void *library, unsigned reason, void *reserved) {
  (void)library;
  (void)reason;
  (void)reserved;
  return 1;
}

/* Called with the size of a large stack frame in rax, before it is used: touches each of its pages, from
   the top, since Windows adds only the next page to a stack. It changes no register. */
__asm__(".globl ___chkstk_ms\n"
        "___chkstk_ms:\n"
        "  pushq %rcx\n"
        "  pushq %rax\n"
        "  leaq 24(%rsp), %rcx\n"
        "1:\n"
        "  cmpq $4096, %rax\n"
        "  jb 2f\n"
        "  subq $4096, %rcx\n"
        "  testb %cl, (%rcx)\n"
        "  subq $4096, %rax\n"
        "  jmp 1b\n"
        "2:\n"
        "  subq %rax, %rcx\n"
        "  testb %cl, (%rcx)\n"
        "  popq %rax\n"
        "  popq %rcx\n"
        "  retq\n");
#endif
