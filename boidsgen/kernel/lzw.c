/* LZW: palette indices as the image data of a GIF (CompuServe, GIF89a, 1990, appendix F).

   Codes of 9 to 12 bits, the lowest bit first, in blocks of at most 255 bytes behind their length. Codes
   below CLEAR are pixels, those from END + 1 on sequences of them. */

enum {
  CLEAR = 256,  /* forgets all sequences */
  END = 257,    /* the last code of an image */
  CODES = 4096, /* of 12 bits */
  SLOTS = 8192, /* of the hash table: a power of two, twice as many as there are sequences */
};

typedef struct {
  byte *to;
  int size;  /* room */
  int at;    /* where the next byte goes */
  int block; /* where the length of its block is */
  int width; /* bits of a code */
  int held;  /* bits that wait until they are a byte */
  unsigned waiting;
} Packing;

static void append(Packing *packing, unsigned value) {
  if (packing->at - packing->block > 255) packing->block = packing->at++;
  if (inside(packing->at, packing->size)) packing->to[packing->at] = (byte)value;
  if (inside(packing->block, packing->size))
    packing->to[packing->block] = (byte)(packing->at - packing->block);
  packing->at++;
}

static void emit(Packing *packing, unsigned code) {
  packing->waiting |= code << packing->held;
  for (packing->held += packing->width; packing->held >= 8; packing->held -= 8, packing->waiting >>= 8)
    append(packing, packing->waiting);
}

/* pictures.pack: the image data of pixel (n,). Returns its length, of which there is at most `packed_size`
   to be seen; 2 n + 16 bytes are always enough. table (SLOTS,) is room to work. */
ENTRY(int, pack)(OUT(byte, packed), IN(byte, pixel), OUT(unsigned, table)) {
  Packing packing = {.to = packed, .size = packed_size, .at = 2, .block = 1, .width = 9};
  if (packed_size < 2 || pixel_size < 1 || table_size < SLOTS) return 0;
  unsigned prefix = pixel[0], last = END;
  packed[0] = 8; /* bits of a pixel */
  __builtin_memset(table, 0, SLOTS * sizeof *table);
  emit(&packing, CLEAR);
  for (int i = 1; i < pixel_size; i++) {
    unsigned key = prefix << 8 | pixel[i], slot = key * 2654435761u >> 19, found;
    while ((found = table[slot]) && found >> 12 != key) slot = (slot + 1) & (SLOTS - 1);
    if (found) {
      prefix = found & (CODES - 1);
      continue;
    }
    emit(&packing, prefix);
    prefix = pixel[i];
    table[slot] = key << 12 | ++last;
    if (last == 1u << packing.width) packing.width++;
    if (last < CODES) continue;
    packing.width = 12;
    emit(&packing, CLEAR);
    packing.width = 9;
    last = END;
    __builtin_memset(table, 0, SLOTS * sizeof *table);
  }
  emit(&packing, prefix);
  if (++last == 1u << packing.width && last < CODES) packing.width++;
  emit(&packing, END);
  if (packing.held) append(&packing, packing.waiting);
  if (inside(packing.at, packed_size)) packed[packing.at] = 0; /* an empty block */
  return packing.at + 1;
}
