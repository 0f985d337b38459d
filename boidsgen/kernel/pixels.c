/* Pixels: the loops that lead the profile of drawing.

   Each entry equals the function of that name in boidsgen/drawing or boidsgen/output, byte for byte. An
   array is a pointer and a number of elements; what an index from data would put outside is left out.
   Planes are (rows, columns) from the top left. Those with a margin have it on all sides: a row is
   `columns + 2 * margin` long. */

typedef unsigned char byte;
typedef unsigned short word;

#define IN(type, name) const type *restrict name, int name##_size
#define OUT(type, name) type *restrict name, int name##_size

enum {
  TILE = 6,          /* glow.TILE */
  SIDE = 32,         /* glow.HUE_BITS */
  SHIFT = 10,        /* glow.SHIFT */
  HUES = 16,         /* glow.HUES */
  COVERED = 1 << 15, /* glow.COVERED */
  FINE = 3,          /* binary logarithm of frame.SUBLEVELS */
  OVERLAYS = 256,    /* canvas.OVERLAY_CODES */
  FAINT = 1,         /* canvas.FAINT */
  BRIGHTEST = 255,   /* backgrounds.BRIGHTEST */
  PARTS = 32,        /* backgrounds.STRIPS */
  BLURS = 3,         /* glow.BLURS */
  LEFT = 16,         /* lit.LEFT_BITS */
  UNIT = 22,         /* fraction of the weights of Pillow's resize, in bits */
  MEAN = 6,          /* video._MEAN */
  FIELD = 16,        /* video._FIELD */
};

INLINE int inside(integer index, int size) { return (bits)index < (bits)size; }

/* True if a box of a plane lies in it, and in one with a margin of this size. */
INLINE int boxed(int top, int bottom, int left, int right, int columns, int size, int margin, int bordered) {
  return 0 <= top && 0 <= left && 0 <= margin && right <= columns && (integer)bottom * columns <= size &&
         (bottom + 2LL * margin) * (columns + 2LL * margin) <= bordered;
}

/* Eight bytes at once, to compare them. */
INLINE bits eight(const byte *place) {
  bits value;
  __builtin_memcpy(&value, place, 8);
  return value;
}

/* ---- Canvas ---- */

INLINE void put(byte *codes, int size, integer place, const byte *ladder, int steps, integer step) {
  if (inside(place, size) && inside(step, steps) && ladder[step] > codes[place]) codes[place] = ladder[step];
}

/* canvas.draw_trace: codes of a flat canvas; line, flat, coverage (k,); a tone per line; code by tone and
   coverage. */
ENTRY(void, draw_trace)
(OUT(byte, codes), IN(integer, line), IN(integer, flat), IN(byte, coverage), IN(integer, tone),
 IN(byte, ladder)) {
  for (int i = 0; i < flat_size && i < line_size && i < coverage_size; i++)
    if (inside(line[i], tone_size))
      put(codes, codes_size, flat[i], ladder, ladder_size, tone[line[i]] + coverage[i]);
}

#if !defined(__wasm__) /* pages add sprites to a buffer */
/* canvas.draw_sprites: first, count (sprites,) of the entries in offset, coverage; number, pixel, tone
   (n,). */
ENTRY(void, draw_sprites)
(OUT(byte, codes), IN(integer, first), IN(integer, count), IN(int, offset), IN(byte, coverage),
 IN(integer, number), IN(integer, pixel), IN(integer, tone), IN(byte, ladder)) {
  for (int i = 0; i < number_size && i < pixel_size && i < tone_size; i++) {
    if (!inside(number[i], (int)least(first_size, count_size)) || first[number[i]] < 0) continue;
    integer end = least(first[number[i]] + count[number[i]], least(offset_size, coverage_size));
    for (integer entry = first[number[i]]; entry < end; entry++)
      put(codes, codes_size, pixel[i] + offset[entry], ladder, ladder_size, tone[i] + coverage[entry]);
  }
}

#endif
/* ---- Accumulation ---- */

/* Room for flat pixels in a buffer, as far as all of its planes reach. */
INLINE int room_of(int sums, int fronts, int tiles) {
  return (int)least(fronts ? least(sums, fronts) : sums, (integer)tiles << TILE);
}

INLINE void add(bits *sums, word *fronts, byte *touched, integer place, byte coverage, word strength,
                word front) {
  bits thickness = (word)(coverage * strength) >> SHIFT;
  sums[place] += thickness * ((1ULL << SIDE) + (front & (HUES - 1)));
  touched[place >> TILE] = 1;
  word seen = coverage >= 128 ? front | COVERED : front;
  if (fronts && seen > fronts[place]) fronts[place] = seen;
}

/* glow.add_sprites: flat sums, fronts (or none) and touched tiles; sprites as above; the rest is
   (n,). */
ENTRY(void, add_sprites)
(OUT(bits, sums), OUT(word, fronts), OUT(byte, touched), IN(integer, first), IN(integer, count),
 IN(int, offset), IN(byte, coverage), IN(integer, sprite), IN(integer, pixel), IN(word, strength),
 IN(word, front)) {
  int animals = (int)least(least(sprite_size, pixel_size), least(strength_size, front_size));
  int room = room_of(sums_size, fronts_size, touched_size), sprites = (int)least(first_size, count_size);
  word *deep = fronts_size ? fronts : 0;
  for (int i = 0; i < animals; i++) {
    if (!inside(sprite[i], sprites) || first[sprite[i]] < 0) continue;
    integer end = least(first[sprite[i]] + count[sprite[i]], least(offset_size, coverage_size));
    for (integer entry = first[sprite[i]]; entry < end; entry++)
      if (inside(pixel[i] + offset[entry], room))
        add(sums, deep, touched, pixel[i] + offset[entry], coverage[entry], strength[i], front[i]);
  }
}

/* glow.add_trace: line, flat, coverage (k,); strength and front per line. */
ENTRY(void, add_trace)
(OUT(bits, sums), OUT(word, fronts), OUT(byte, touched), IN(integer, line), IN(integer, flat),
 IN(byte, coverage), IN(word, strength), IN(word, front)) {
  int room = room_of(sums_size, fronts_size, touched_size), lines = (int)least(strength_size, front_size);
  word *deep = fronts_size ? fronts : 0;
  for (int i = 0; i < flat_size && i < line_size && i < coverage_size; i++)
    if (inside(line[i], lines) && inside(flat[i], room))
      add(sums, deep, touched, flat[i], coverage[i], strength[line[i]], front[line[i]]);
}

/* glow.clear_sums: only where tiles were touched. */
ENTRY(void, clear_sums)(OUT(bits, sums), OUT(word, fronts), OUT(byte, touched)) {
  for (int tile = 0; tile < touched_size; tile++) {
    if (!touched[tile]) continue;
    integer begin = (integer)tile << TILE, end = begin + (1 << TILE);
    for (integer place = begin; place < least(end, sums_size); place++) sums[place] = 0;
    for (integer place = begin; place < least(end, fronts_size); place++) fronts[place] = 0;
    touched[tile] = 0;
  }
}

#if !defined(__wasm__) /* pages have colors, and no codes */
/* glow.add_levels: codes, levels, grain (rows, columns); sums and fronts with a margin; curve by
   thickness. */
ENTRY(void, add_levels)
(OUT(word, codes), OUT(byte, levels), IN(bits, sums), IN(word, fronts), IN(byte, touched), IN(byte, curve),
 IN(byte, grain), int top, int bottom, int left, int right, int columns, int margin, int hues, int step) {
  int size = (int)least(least(codes_size, levels_size), grain_size), deep = fronts_size > 0;
  integer stride = columns + 2LL * margin;
  if (!boxed(top, bottom, left, right, columns, size, margin,
             (int)least(sums_size, deep ? fronts_size : sums_size)))
    return;
  for (integer row = top; row < bottom; row++) {
    integer begin = (row + margin) * stride + left + margin, end = begin + right - left;
    integer shift = row * columns + left - begin;
    for (integer tile = begin >> TILE; tile << TILE < end && tile < touched_size; tile++) {
      if (!touched[tile]) continue;
      for (integer place = most(tile << TILE, begin); place < least((tile + 1) << TILE, end); place++) {
        bits sum = sums[place], thickness = sum >> SIDE;
        word hue = deep ? fronts[place] & (HUES - 1) : 0;
        if (!sum && !hue) continue;
        byte dither = grain[place + shift];
        byte level = (byte)(curve[least((integer)thickness, curve_size - 1)] + dither) >> FINE;
        if (hues > 1 && !deep) {
          float mean = (float)(sum & ((1ULL << SIDE) - 1)) / (float)thickness;
          hue = (word)(int)(mean + ((float)dither * 0.0625f + 0.25f));
        }
        levels[place + shift] = level;
        codes[place + shift] += (word)((level * hues + hue) * step);
      }
    }
  }
}

/* canvas.add_overlays: codes, levels (rows, columns); drawn, ground, cover (or none) with a margin; coarse
   (tones,). */
ENTRY(void, add_overlays)
(OUT(word, codes), IN(byte, levels), IN(byte, drawn), IN(byte, ground), IN(word, cover), IN(integer, coarse),
 int columns, int margin, int step, int first) {
  integer stride = columns + 2LL * margin, bordered = least(drawn_size, ground_size);
  int rows = columns > 0 ? (int)least(codes_size, levels_size) / columns : 0;
  if (step < 1 || !boxed(0, rows, 0, columns, columns, rows * columns, margin, (int)bordered)) return;
  for (int row = 0; row < rows; row++) {
    integer shift = (row + margin) * stride + margin, place;
    for (int column = 0; column < columns; column++) {
      while (column + 8 <= columns && !eight(drawn + shift + column)) column += 8;
      byte code = column < columns ? drawn[shift + column] : 0;
      if (!code) continue;
      place = (integer)row * columns + column;
      int below = levels[place] > FAINT || (inside(shift + column, cover_size) && cover[shift + column]);
      integer tone = codes[place] / step;
      if ((below && code == ground[shift + column]) || !inside(tone, coarse_size)) continue;
      codes[place] = (word)(first + coarse[tone] * OVERLAYS + code);
    }
  }
}

#endif
/* ---- Clouds and light ---- */

/* The mean over `wide` cells of a line, `apart` from each other; `result` may not be `cells`. */
INLINE void mean_along(const integer *cells, integer *result, int count, int apart, int wide) {
  integer sum = 0;
  int reach = wide / 2;
  for (int ahead = 0; ahead < count + reach; ahead++) {
    if (ahead < count) sum += cells[(integer)ahead * apart];
    if (ahead >= wide) sum -= cells[(integer)(ahead - wide) * apart];
    if (ahead >= reach) result[(integer)(ahead - reach) * apart] = sum / wide;
  }
}

INLINE void blur_with(integer *cells, integer *scratch, int rows, int columns, int wide) {
  for (int pass = 0; pass < BLURS; pass++) {
    for (int column = 0; column < columns; column++)
      mean_along(cells + column, scratch + column, rows, columns, wide);
    for (int row = 0; row < rows; row++)
      mean_along(scratch + row * columns, cells + row * columns, columns, 1, wide);
  }
}

/* glow.blur: cells (rows, columns), not negative, and as many to work in. */
ENTRY(void, blur)(OUT(integer, cells), OUT(integer, scratch), int columns, int reach) {
  int size = (int)least(cells_size, scratch_size), rows = columns > 0 ? size / columns : 0;
  if (reach == 2) /* a constant width spares divisions */
    blur_with(cells, scratch, rows, columns, 5);
  else if (reach == 3)
    blur_with(cells, scratch, rows, columns, 7);
  else if (reach >= 0)
    blur_with(cells, scratch, rows, columns, 2 * reach + 1);
}

/* Pillow's bilinear mix of two bytes, with rounded weights in parts of 1 << UNIT. */
INLINE byte mixed(byte one, byte other, int weight) {
  return (byte)((one * ((1 << UNIT) - weight) + other * weight + (1 << (UNIT - 1))) >> UNIT);
}

/* Weight of the next of two cells that are `half` fine ones apart, at the fine one of this number after
   the middle. */
INLINE int weight_at(int number, int half) {
  return (int)(0.5 + (2 * number + 1 - half % 2) / (2.0 * half) * (1 << UNIT));
}

INLINE void widen_half(const byte *cells, byte *fine, int columns, int half) {
  for (int number = 0; number < half; number++) {
    int weight = weight_at(number, half);
    for (int cell = -1; cell < columns; cell++) {
      integer place = (integer)cell * half + half / 2 + number;
      if (inside(place, columns * half))
        fine[place] = mixed(cells[most(cell, 0)], cells[least(cell + 1, columns - 1)], weight);
    }
  }
}

/* glow.enlarge: a coarse plane (rows, columns) in `half` times as many cells, mixed linearly, each of them
   2 x 2 pixels of the plane (high, wide); scratch has room for two rows of them. */
ENTRY(void, enlarge)(OUT(byte, plane), OUT(byte, scratch), IN(byte, coarse), int columns, int half,
                     int wide) {
  if (columns < 1 || half < 1 || wide < 1 || 2LL * columns * half > scratch_size) return;
  int rows = coarse_size / columns, high = plane_size / wide, fine = columns * half;
  if (rows < 1 || high > 2LL * rows * half || wide > 2LL * fine) return;
  byte *above = scratch + fine, *below = scratch;
  widen_half(coarse, below, columns, half);
  for (int cell = -1; cell < rows; cell++) {
    byte *before = above;
    above = below;
    below = before;
    widen_half(coarse + least(cell + 1, rows - 1) * columns, below, columns, half);
    for (int number = 0; number < half; number++) {
      integer row = 2 * ((integer)cell * half + half / 2 + number);
      if (!inside(row, high)) continue;
      int weight = weight_at(number, half), last = wide / 2;
      byte *line = plane + row * wide, *next = row + 1 < high ? line + wide : line;
      for (int column = 0; column < last; column++)
        line[2 * column] = line[2 * column + 1] = next[2 * column] = next[2 * column + 1] =
            mixed(above[column], below[column], weight);
      if (wide % 2) line[wide - 1] = next[wide - 1] = mixed(above[last], below[last], weight);
    }
  }
}

#if !defined(__wasm__) /* likewise */
/* backgrounds.tone: codes, brightness (or none), still, grain (rows, columns); glow and shadow each in a box;
   all within one box. */
ENTRY(void, tone)
(OUT(word, codes), OUT(byte, seen), IN(byte, still), IN(byte, grain), IN(byte, glow), IN(byte, shadow),
 IN(int, boxes), int columns, int brightest, int step) {
  if (boxes_size != 12) return;
  const int *all = boxes, *lit = boxes + 4, *dark = boxes + 8; /* top, bottom, left, right */
  int size = (int)least(least(codes_size, still_size), grain_size);
  if (seen_size) size = (int)least(size, seen_size);
  for (int i = 0; i < 12; i += 4)
    if (!boxed(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3], columns, size, 0, size)) return;
  integer lit_wide = lit[3] - lit[2], dark_wide = dark[3] - dark[2];
  if ((lit[1] - lit[0]) * lit_wide > glow_size || (dark[1] - dark[0]) * dark_wide > shadow_size) return;
  for (int row = all[0]; row < all[1]; row++) {
    word *code = codes + (integer)row * columns;
    const byte *bright = still + (integer)row * columns, *dither = grain + (integer)row * columns;
    for (int column = all[2]; column < all[3]; column++) code[column] = bright[column];
    if (dark[0] <= row && row < dark[1]) {
      const byte *plane = shadow + (row - dark[0]) * dark_wide;
      word *part = code + dark[2];
      for (int i = 0; i < dark_wide; i++) part[i] -= (word)(part[i] * plane[i]) >> 8;
    }
    if (lit[0] <= row && row < lit[1]) {
      const byte *plane = glow + (row - lit[0]) * lit_wide;
      word *part = code + lit[2];
      for (int i = 0; i < lit_wide; i++) part[i] += plane[i];
    }
    for (int column = all[2]; column < all[3]; column++) {
      word value = code[column] < BRIGHTEST ? code[column] : BRIGHTEST;
      if (seen_size) seen[(integer)row * columns + column] = (byte)value;
      unsigned share = (word)(value * brightest + dither[column]);
      code[column] = (word)(((share + 1 + ((share + 1) >> 8)) >> 8) * step); /* share / BRIGHTEST */
    }
  }
}

#define ABOVE (~0ULL / 255 * (bits)(256 - (1 << FINE))) /* bits of eight bytes that are a level or more */

INLINE void glow_along(word *code, const byte *light, const byte *cloud, const byte *dither, int count,
                       int brightest) {
  for (int i = 0; i < count; i++) {
    /* Where there is no light, the dither alone, if it is below a level, makes none. */
    while (i + 8 <= count && !eight(light + i) && !(cloud && eight(cloud + i)) &&
           !(eight(dither + i) & ABOVE))
      i += 8;
    if (i == count) return;
    int bright = (byte)(light[i] + (cloud ? cloud[i] : 0));
    code[i] += (byte)((bright < brightest ? bright : brightest) + dither[i]) >> FINE;
  }
}

/* glow.add_glow: codes, grain (rows, columns); drawn with a margin; a cloud from (top, left) on, `wide`
   columns. */
ENTRY(void, add_glow)
(OUT(word, codes), IN(byte, drawn), IN(byte, cloud), IN(byte, grain), int top, int left, int wide,
 int columns, int margin, int brightest) {
  int rows = columns > 0 ? (int)least(codes_size, grain_size) / columns : 0;
  int high = wide > 0 ? cloud_size / wide : 0;
  integer stride = columns + 2LL * margin;
  if (!boxed(0, rows, 0, columns, columns, rows * columns, margin, drawn_size)) return;
  if (!boxed(top, top + high, left, left + wide, columns, rows * columns, 0, rows * columns)) return;
  for (int row = 0; row < rows; row++) {
    word *code = codes + (integer)row * columns;
    const byte *light = drawn + (row + margin) * stride + margin, *dither = grain + (integer)row * columns;
    int begin = top <= row && row < top + high ? left : columns;
    int end = begin < columns ? left + wide : columns;
    glow_along(code, light, 0, dither, begin, brightest);
    const byte *near = cloud + (begin < end ? (integer)(row - top) * wide : 0);
    glow_along(code + begin, light + begin, near, dither + begin, end - begin, brightest);
    glow_along(code + end, light + end, 0, dither + end, columns - end, brightest);
  }
}

#endif
/* ---- Strokes ---- */

INLINE float floor_float(float value) {
  float whole = (float)(int)value;
  return whole > value ? whole - 1.0f : whole;
}

/* shapes.cover: line, flat, coverage (room,) are written; start, end (n, 2); an edge for each line, or one
   for all. Returns the number of pixels; their order is that of the lines. */
ENTRY(int, cover)
(OUT(integer, line), OUT(integer, flat), OUT(byte, coverage), IN(double, start), IN(double, end),
 IN(float, edge), IN(float, half), int beside, int stride, int corner) {
  int room = (int)least(least(line_size, flat_size), coverage_size), found = 0;
  int lines = (int)least(start_size, end_size) / 2;
  if (half_size < 1 || edge_size < (edge_size == 1 ? 1 : lines)) return 0;
  for (int i = 0; i < lines; i++) {
    const double *from = start + 2 * i, *to = end + 2 * i;
    int steep = __builtin_fabs(to[1] - from[1]) > __builtin_fabs(to[0] - from[0]);
    /* Along the direction in which the line is longer, and across it. */
    const float begin[2] = {(float)from[steep], (float)from[!steep]};
    const float stop[2] = {(float)to[steep], (float)to[!steep]};
    integer low = (integer)floor_float((begin[0] < stop[0] ? begin[0] : stop[0]) - half[0]);
    integer high = (integer)floor_float((begin[0] > stop[0] ? begin[0] : stop[0]) + half[0]);
    float far_edge = edge_size == 1 ? edge[0] : edge[i];
    float x_way = stop[0] - begin[0], y_way = stop[1] - begin[1];
    float size = __builtin_sqrtf(x_way * x_way + y_way * y_way), slope = x_way != 0 ? y_way / x_way : 0.0f;
    float ahead = size > 0 ? x_way / size : 1.0f, aside = size > 0 ? y_way / size : 0.0f;
    int one_on = steep ? stride : 1, one_aside = steep ? 1 : stride;
    for (integer place = low; place <= high; place++) {
      float x = (float)place + 0.5f - begin[0], across = floor_float(begin[1] + x * slope);
      float y = across + 0.5f - begin[1], far = x * ahead + y * aside, off = x * aside - y * ahead;
      integer pixel = place * one_on + ((integer)across - beside) * one_aside + corner;
      for (int side = -beside; side <= beside; side++, pixel += one_aside) {
        float along = (float)side * aside + far, beyond = along - size, out = off - (float)side * ahead;
        beyond = -along > beyond ? -along : beyond;
        beyond = beyond > 0.0f ? beyond : 0.0f;
        float full = (far_edge - __builtin_sqrtf(out * out + beyond * beyond)) * 255.0f;
        if (!(full >= 1.0f)) continue;
        if (found == room) return found;
        line[found] = i;
        flat[found] = pixel;
        coverage[found++] = (byte)(full < 255.0f ? full : 255.0f);
      }
    }
  }
  return found;
}

#if !defined(__wasm__) /* pages cut sprites of their own, and draw no planes */
/* ---- Sprites ---- */

enum {
  SQUARES = 4,   /* shapes.SUBPIXELS */
  HEADINGS = 64, /* shapes.HEADINGS */
};

/* shapes.cut: first, count (sprites,), offset, coverage (room,) are written; sprite, begin, side (n,);
   squares of bodies at headings of the first quarter. Returns the number of pixels, with those used
   before. */
ENTRY(int, cut)
(OUT(integer, first), OUT(integer, count), OUT(int, offset), OUT(byte, coverage), IN(integer, sprite),
 IN(byte, squares), IN(integer, begin), IN(integer, side), int used, int stride, int faintest) {
  int room = (int)least(offset_size, coverage_size), sprites = (int)least(first_size, count_size);
  for (int i = 0; i < sprite_size && i < begin_size && i < side_size; i++) {
    integer number = sprite[i];
    if (!inside(number, sprites) || !inside(begin[i], squares_size) || !inside(side[i], 1 << 15)) continue;
    int wide = (int)side[i], pixels = wide / SQUARES - 1;
    if (begin[i] + wide * wide > squares_size || used < 0) continue;
    /* A quarter turn brings the last column to the first row: where a picture begins, and its next row and
       column. */
    const int corner[4] = {0, wide - 1, wide * wide - 1, (wide - 1) * wide};
    const int down[4] = {wide, -1, -wide, 1}, across[4] = {1, wide, -1, -wide};
    int place = (int)(number % (SQUARES * SQUARES)), started = used;
    int turn = (int)(number / (SQUARES * SQUARES) % HEADINGS) / (HEADINGS / 4);
    int next = down[turn], beside = across[turn];
    const byte *body = squares + begin[i] + corner[turn] + (SQUARES - place / SQUARES) * next +
                       (SQUARES - place % SQUARES) * beside;
    for (int row = 0; row < pixels; row++)
      for (int column = 0; column < pixels; column++) {
        const byte *cell = body + SQUARES * (row * next + column * beside);
        int sum = 0;
        for (int k = 0; k < SQUARES * SQUARES; k++) sum += cell[k / SQUARES * next + k % SQUARES * beside];
        if (sum / (SQUARES * SQUARES) < faintest || used >= room) continue;
        offset[used] = (row - pixels / 2) * stride + column - pixels / 2;
        coverage[used++] = (byte)(sum / (SQUARES * SQUARES));
      }
    first[number] = started, count[number] = used - started;
  }
  return used;
}

/* ---- YUV planes ---- */

/* The planes of one block of 2 x 2 pixels, whose first is at `where`. */
INLINE void convert_block(byte *planes, const byte *colors, const byte *dither, integer where, int block,
                          int blocks, int columns) {
  bits sums[3] = {0, 0, 0};
  for (int row = 0; row < 2; row++, where += columns) { /* two pixels side by side are halves of a number */
    const byte *color = colors + 3 * where;
    bits pair[3];
    for (int part = 0; part < 3; part++) {
      pair[part] = color[part] | (bits)color[part + 3] << 32;
      sums[part] += pair[part];
    }
    bits light = 11966 * pair[0] + 40254 * pair[1] + 4064 * pair[2];
    planes[where] = (byte)(((unsigned)light + 0x108000) >> 16);
    planes[where + 1] = (byte)(((light >> 32) + 0x108000) >> 16);
  }
  int red = (int)(sums[0] + (sums[0] >> 32)), green = (int)(sums[1] + (sums[1] >> 32));
  int blue = (int)(sums[2] + (sums[2] >> 32)), added = (dither[block] << 10) + (128 << 18);
  planes[4 * blocks + block] = (byte)((-6596 * red - 22189 * green + 28785 * blue + added) >> 18);
  planes[5 * blocks + block] = (byte)((28785 * red - 26145 * green - 2640 * blue + added) >> 18);
}

/* video.convert: planes (3 rows / 2, columns); colors before and now (rows, columns, 3); dither (rows columns
   / 4,). */
ENTRY(void, convert)
(OUT(byte, planes), OUT(byte, before), IN(byte, colors), IN(byte, dither), int columns) {
  int pixels = (int)least(least(colors_size, before_size) / 3, planes_size / 3 * 2);
  int rows = columns > 0 ? (int)least(pixels, dither_size * 4LL) / columns & ~1 : 0, half = columns / 2;
  if (columns % 2) return;
  for (int row = 0; row < rows; row += 2)
    for (int column = 0; column < columns; column += 8) { /* as many pixels are compared at once */
      integer where = (integer)row * columns + column, at = 3 * where, next = at + 3LL * columns;
      int count = (int)least(8, columns - column), block = row / 2 * half + column / 2;
      bits differs = count < 8;
      for (int k = 0; k < 24 && count == 8; k += 8)
        differs |= (eight(colors + at + k) ^ eight(before + at + k)) |
                   (eight(colors + next + k) ^ eight(before + next + k));
      if (!differs) continue;
      for (int k = 0; k < 3 * count; k++)
        before[at + k] = colors[at + k], before[next + k] = colors[next + k];
      for (int k = 0; k < count; k += 2)
        convert_block(planes, colors, dither, where + k, block + k / 2, half * (rows / 2), columns);
    }
}

/* `count` blocks of 2 x 2 pixels from (row, column) on. */
INLINE void update_blocks(byte *planes, byte *before, const byte *index, const byte *light,
                          const unsigned *colors, int entries, const unsigned *rounding, integer blocks,
                          int columns, int row, int column, int count, int bytes) {
  integer block = (integer)row / 2 * (columns / 2) + column / 2, place = (integer)row * columns + column;
  for (int i = 0; i < count; i++, block++, place += 2) {
    unsigned sum = rounding[block];
    for (int pixel = 0; pixel < 4; pixel++) {
      integer where = place + pixel / 2 * columns + pixel % 2;
      integer first = where * bytes;
      integer last = first + bytes - 1;
      before[first] = index[first];
      before[last] = index[last];
      int entry = bytes == 1 ? index[first] : index[first] | index[last] << 8;
      entry = entry < entries ? entry : 0;
      planes[where] = light[entry];
      sum += colors[entry];
    }
    planes[4 * blocks + block] = sum >> (FIELD + MEAN);
    planes[5 * blocks + block] = (byte)((sum & ((1u << FIELD) - 1)) >> MEAN);
  }
}

INLINE void update_with(byte *planes, byte *before, const byte *index, const byte *light,
                        const unsigned *colors, int entries, const unsigned *rounding, int columns, int rows,
                        int bytes) {
  integer blocks = (integer)(columns / 2) * (rows / 2);
  int many = 8 / bytes; /* pixels that are compared at once */
  for (int row = 0; row < rows; row += 2)
    for (int column = 0; column < columns; column += many) {
      integer place = ((integer)row * columns + column) * bytes, next = place + (integer)columns * bytes;
      int count = (int)least(many, columns - column);
      if (count == many && eight(index + place) == eight(before + place) &&
          eight(index + next) == eight(before + next))
        continue;
      update_blocks(planes, before, index, light, colors, entries, rounding, blocks, columns, row, column,
                    count / 2, bytes);
    }
}

/* video.update_planes: planes (3 rows / 2, columns); palette entries before and now, as bytes, `bytes`
   each; brightness and colors by entry; rounding (rows columns / 4,). */
ENTRY(void, update_planes)
(OUT(byte, planes), OUT(byte, before), IN(byte, index), IN(byte, light), IN(unsigned, colors),
 IN(unsigned, rounding), int columns, int bytes) {
  integer pixels =
      least(least(before_size, index_size) / bytes, least(planes_size / 3 * 2, rounding_size * 4LL));
  int rows = columns > 0 ? (int)(pixels / columns) & ~1 : 0, entries = (int)least(light_size, colors_size);
  if (columns % 2 || entries < 1) return;
  if (bytes == 1)
    update_with(planes, before, index, light, colors, entries, rounding, columns, rows, 1);
  else if (bytes == 2)
    update_with(planes, before, index, light, colors, entries, rounding, columns, rows, 2);
}
#endif
