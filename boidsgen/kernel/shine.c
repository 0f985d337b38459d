/* Pictures in full color: what lit.compose defines by four pictures in codes, at once for each pixel. Those
   of films have red, green and blue, those of pages opacity besides. */

enum { FULL = 65535 /* frame.FULL_LIGHT */, GRAIN = 64 /* frame.SIDE */ };

/* The place of a pixel in a pattern that repeats. */
INLINE int grain_at(int row, int column) { return (row & (GRAIN - 1)) * GRAIN + (column & (GRAIN - 1)); }

/* A color of four numbers in parts of 256, of which the finest of the dither is added to each. */
INLINE unsigned cut_off(bits four, byte finest) {
  const bits every = ~0ULL / 65535;
  four = (four + every * finest) >> 8 & every * 255;
  four |= four >> 8;
  return (unsigned)((four & 65535) | (four >> 16 & 0xffff0000));
}

typedef byte bytes __attribute__((vector_size(16)));
/* Light of three parts, and what is left of the ground's. */
typedef int layer __attribute__((vector_size(16)));

INLINE layer layer_at(const int *place) {
  layer found;
  __builtin_memcpy(&found, place, sizeof found);
  return found;
}

INLINE bytes bytes_at(const byte *place) {
  bytes found;
  __builtin_memcpy(&found, place, sizeof found);
  return found;
}

/* What is seen of a lit picture: arrays (rows, columns) with a margin or without, or none. */
typedef struct {
  const byte *bright, *solid, *dither;
  const word *painted, *codes, *solids, *numbers;
  const word *empty; /* codes of all of the ground, as it is seen */
  const integer *coarse;
  const int *layers;
  const byte *finest;
  integer wide, left;
  int part, columns, step, brightest, tones, slow, sky, shades;
} Lighted;

/* The light of the ground of a pixel. */
INLINE void ground_light(const Lighted *seen, int row, int column, int *light) {
  integer place = (integer)row * seen->columns + column;
  int shade = seen->solid && seen->solid[place] <= seen->shades ? seen->solid[place] : 0;
  int blends = !shade && !seen->bright && seen->part;
  const word *here = shade ? seen->solids + 3 * (shade - 1)
                     : seen->bright
                         ? seen->painted + 3 * seen->bright[place]
                         : seen->painted + 3 * (row * seen->wide + seen->left + column);
  unsigned there = (unsigned)seen->part, rest = PARTS - there;
  for (int part = 0; part < 3; part++)
    light[part] = blends ? (int)((here[part] * rest + here[part + 3] * there) / PARTS) : here[part];
}

INLINE unsigned color_of(const Lighted *seen, int row, int column, const int *light) {
  unsigned finest = seen->finest[grain_at(row, column)], color = 255u << 24;
  for (int part = 0; part < 3; part++) {
    int bright = light[part] < FULL ? light[part] : FULL;
    color |= (seen->numbers[bright > 0 ? bright : 0] + finest) >> 8 << (8 * part);
  }
  return color;
}

/* The coarse tone below overlays. */
INLINE integer coarse_at(const Lighted *seen, int row, int column) {
  integer place = (integer)row * seen->columns + column;
  if (seen->empty) {
    int tone = seen->empty[place] / seen->step;
    return tone < seen->tones ? seen->coarse[tone] : 0;
  }
  if (seen->solid && seen->solid[place]) return seen->coarse[seen->tones + seen->solid[place] - 1];
  if (!seen->bright) {
    integer from = row < seen->sky ? seen->slow : seen->left + (2 * seen->part >= PARTS);
    return seen->coarse[seen->codes[row * seen->wide + from + column] / seen->step];
  }
  return seen->coarse[(seen->bright[place] * seen->brightest + seen->dither[place]) / BRIGHTEST];
}

enum { FOUR = 4 }; /* lit.SHARES */

/* True if so many bytes are zero. */
INLINE int nothing(const byte *place, int count) {
  bytes any = {0};
  bits rest = 0;
  int at = 0;
  for (; at + 16 <= count; at += 16) any |= bytes_at(place + at);
  for (; at < count; at++) rest |= place[at];
  bits halves[2];
  __builtin_memcpy(halves, &any, sizeof halves);
  return !(rest | halves[0] | halves[1]);
}

/* LaidMarsh.reflect: at the four thresholds what a row of the water shows of fine levels (rows, columns);
   returns 0 if nothing. */
INLINE int mirrored(byte *found, const byte *fine, const byte *rippled, int above, int shore, int columns) {
  const byte *seen[3];
  for (int k = 0; k < 3; k++)
    seen[k] = fine + most(least(above - (int[]){0, 2, 5}[k], shore - 1), 0) * columns;
  int begin = columns, end = 0; /* of what is not empty */
  for (int column = 0; column + 8 <= columns; column += 8)
    if (eight(seen[0] + column) | eight(seen[1] + column) | eight(seen[2] + column)) {
      begin = (int)least(begin, column);
      end = column + 8;
    }
  for (int column = columns & ~7; column < columns; column++)
    if (seen[0][column] | seen[1][column] | seen[2][column]) {
      begin = (int)least(begin, column);
      end = column + 1;
    }
  if (begin >= end) return 0;
  begin = (int)most(begin - 1, 0), end = (int)least(end + 1, columns);
  for (int share = 0; share < FOUR; share++) {
    byte *sums = found + share * columns;
    for (int column = 0; column < begin; column++) sums[column] = 0;
    for (int column = end; column < columns; column++) sums[column] = 0;
    for (int column = begin; column < end; column++)
      sums[column] = (byte)(((seen[0][column] + 2 * share) >> FINE) +
                            ((seen[1][column] + 2 * share) >> FINE) +
                            ((seen[2][column] + 2 * share) >> FINE));
    for (int column = begin, before = 0; column < end; column++) {
      int own = sums[column], beside = column > 0 && column < columns - 1;
      int sum = own + (beside ? before + sums[column + 1] : 0);
      before = own;
      sums[column] = rippled[sum & 255];
    }
  }
  return 1;
}

/* What lies over the ground: animals, their image in the water, the light of predators and overlays. */
typedef struct {
  const bits *sums;
  const word *fronts, *cover;
  const byte *touched, *curve, *glowing, *halo, *drawn, *below, *rippled;
  const int *above;
  int above_size, curve_size, cover_size, layers_size, margin, hues, glows, strongest, shore;
  int top, bottom, left, right; /* of the box in which animals are */
} Covering;

INLINE void put_color(byte *picture, integer place, unsigned color, int channels) {
  if (channels == 4) {
    __builtin_memcpy(picture + 4 * place, &color, 4);
    return;
  }
  picture[3 * place] = (byte)color;
  picture[3 * place + 1] = (byte)(color >> 8);
  picture[3 * place + 2] = (byte)(color >> 16);
}

/* Draw all of that over a picture of the empty ground (rows, columns, channels).

   mirror (4 columns,) to work in; fine (rows, columns), or none, is written above the shore; known
   (strongest + 1, BRIGHTEST + 1, 4), or none, is kept from one picture to the next, at first 0; sums, fronts,
   cover, drawn, below and glowing have a margin; halo and solid are planes, or none. Painted is light by
   brightness, (BRIGHTEST + 1, 3), or (rows, wide, 3). Layers are those of one tone, and of overlays. */
INLINE void draw_over(byte *picture, byte *fine, byte *mirror, word *known, const Covering *over,
                      const Lighted *seen, int rows, int channels) {
  int columns = seen->columns, hues = over->hues, glows = over->glows, shore = over->shore;
  int deep = over->fronts != 0, step = seen->step, strongest = over->strongest;
  integer stride = columns + 2LL * over->margin;
  const bits *sums = over->sums;
  const word *fronts = over->fronts;
  const byte *touched = over->touched, *drawn = over->drawn, *below = over->below;
  const byte *glowing = over->glowing, *halo = over->halo;
  const byte *solid = channels == 4 ? seen->solid : 0; /* a page paints bodies here, a film before */
  const int *layers = seen->layers;
  for (int row = 0; row < rows; row++) {
    const byte *reflected = row >= shore && row - shore < over->above_size ? mirror : 0;
    if (reflected && !mirrored(mirror, fine, over->rippled, over->above[row - shore], shore, columns))
      reflected = 0;
    integer shift = (row + over->margin) * stride + over->margin, begin = (integer)row * columns;
    int only_animals = glows == 1 && !solid && !reflected && nothing(drawn + shift, columns);
    for (int start = 0; start < columns; start += 8) {
      integer at = shift + start, place = begin + start;
      int left_over = (1 << TILE) - (int)(at & ((1 << TILE) - 1)); /* of the tile */
      if (only_animals && left_over >= 8 && !touched[at >> TILE]) {
        start += (left_over & ~7) - 8;
        continue;
      }
      int end = (int)least(start + 8, columns);
      if (end == start + 8 && !eight(drawn + at) && !(glows > 1 && eight(glowing + at)) &&
          !(halo && eight(halo + place)) && !(solid && eight(solid + place)) &&
          !(reflected && eight(mirror + (FOUR - 1) * columns + start))) {
        if (!touched[at >> TILE] && !touched[(at + 7) >> TILE]) continue;
        bits any = deep ? eight((const byte *)(fronts + at)) | eight((const byte *)(fronts + at + 4)) : 0;
        for (int k = 0; k < 8; k++) any |= sums[at + k];
        if (!any) continue;
      }
      for (int column = start; column < end; column++) {
        at = shift + column, place = begin + column;
        int boxes = over->top <= row && row < over->bottom && over->left <= column && column < over->right;
        bits sum = boxes ? sums[at] : 0, thickness = sum >> SIDE;
        int hue = boxes && deep ? fronts[at] & (HUES - 1) : 0;
        int thick = thickness < (bits)over->curve_size ? (int)thickness : over->curve_size - 1;
        int level = sum || hue ? over->curve[thick] : 0;
        if (fine && row < shore) fine[place] = (byte)level;
        int lit = glows > 1 ? (byte)(glowing[at] + (halo ? halo[place] : 0)) : 0, light[3];
        lit = lit < strongest ? lit : strongest;
        /* Light alone over a brightness has a color that is worked out once. */
        int alone = known && level < 2 && !hue && !drawn[at] && !(seen->solid && seen->solid[place]);
        if (alone && lit < 2) continue;
        word *color = alone ? known + 4 * (lit << 8 | seen->bright[place]) : 0;
        if (color && color[3]) {
          byte finer = seen->finest[grain_at(row, column)];
          if (channels == 4) put_color(picture, place, cut_off(eight((const byte *)color), finer), 4);
          for (int k = 0; k < 3 && channels == 3; k++)
            picture[3 * place + k] = (byte)((color[k] + finer) >> 8);
          continue;
        }
        int averaged = hues > 1 && !deep && sum, ink = drawn[at];
        layer total = {0, 0, 0, FOUR << LEFT};
        int covered = ink && inside(at, over->cover_size) && over->cover[at];
        if (ink || averaged || reflected || (lit >= 2 && (level >= 2 || hue))) {
          float mean = averaged ? (float)(sum & ((1ULL << SIDE) - 1)) / (float)thickness : 0;
          int inked = ink ? step + (int)coarse_at(seen, row, column) * OVERLAYS + ink : 0;
          total = (layer){0};
          for (int share = 0; share < FOUR; share++) {
            int high = reflected ? mirror[share * columns + column] : (level + 2 * share) >> FINE;
            int own = averaged ? (int)(mean + ((float)(2 * share) * 0.0625f + 0.25f)) : hue;
            int code = (high * hues + own) * glows + ((lit + 2 * share) >> FINE);
            if (ink && !((covered || high > FAINT) && ink == below[at])) code = inked;
            total += layer_at(layers + 4 * (inside(code, over->layers_size / 4) ? code : 0));
          }
        } else if (level >= 2 || hue || lit >= 2) { /* of the thresholds so many lead to the higher level */
          int high = lit >= 2 ? lit : level, next = lit >= 2 ? 1 : hues * glows;
          int higher = (high & ((1 << FINE) - 1)) >> 1, code = (high >> FINE) * next + hue * glows;
          if (code + (higher ? next : 0) >= step) continue;
          const int *one = layers + 4 * code;
          total = layer_at(one) * (FOUR - higher) + layer_at(higher ? one + 4 * next : one) * higher;
        } else if (!(solid && solid[place]))
          continue;
        ground_light(seen, row, column, light);
        for (int k = 0; k < 3; k++)
          light[k] = (int)(total[k] + ((integer)total[3] * light[k] >> LEFT) + 2) >> 2;
        put_color(picture, place, color_of(seen, row, column, light), channels);
        if (!color) continue;
        for (int k = 0; k < 3; k++) color[k] = seen->numbers[light[k] < FULL ? light[k] : FULL];
        color[3] = BRIGHTEST << 8;
      }
    }
  }
}

#if defined(__wasm__)
typedef word words __attribute__((vector_size(16)));

INLINE words words_at(const word *place) {
  words found;
  __builtin_memcpy(&found, place, sizeof found);
  return found;
}

#define LOWER(value) __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7)
#define UPPER(value) __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15)
#define HIGH_BYTES(one, other)                                                                             \
  __builtin_shufflevector((bytes)(one), (bytes)(other), 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, \
                          29, 31)

/* backgrounds._clouded: the brightness of what stands still under two clouds, or none, (n,) each. */
ENTRY(void, brighten)(OUT(byte, bright), IN(byte, still), IN(byte, glow), IN(byte, shadow)) {
  int count = (int)least(bright_size, still_size), dark = (int)least(count, shadow_size);
  int lit = (int)least(count, glow_size);
  for (int i = 0; i < count; i += 16) {
    bytes value = {0};
    int many = (int)least(16, count - i);
    if (many < 16) { /* the last ones again, where they are fewer; a picture has more than sixteen pixels */
      if (i < 16) return;
      i = count - 16;
    }
    value = bytes_at(still + i);
    if (dark == count) {
      bytes shade = bytes_at(shadow + i);
      words low = __builtin_convertvector(LOWER(value), words) * __builtin_convertvector(LOWER(shade), words);
      words high = __builtin_convertvector(UPPER(value), words);
      high *= __builtin_convertvector(UPPER(shade), words);
      value -= HIGH_BYTES(low, high);
    }
    if (lit == count) {
      bytes sum = value + bytes_at(glow + i);
      value = sum | (bytes)(sum < value); /* no more than BRIGHTEST */
    }
    __builtin_memcpy(bright + i, &value, sizeof value);
  }
}

/* Opaque colors (rows, columns) of a brightness, by a table of numbers in parts of 256, (BRIGHTEST + 1, 4);
   finest (GRAIN, GRAIN) is added before the fraction is cut off. */
ENTRY(void, paint_bright)
(OUT(unsigned, picture), IN(byte, bright), IN(word, table), IN(byte, finest), int columns) {
  int rows = columns > 0 ? (int)least(picture_size, bright_size) / columns : 0;
  if (table_size < 4 * (BRIGHTEST + 1) || finest_size < GRAIN * GRAIN) return;
  for (int row = 0, place = 0; row < rows; row++)
    for (int column = 0; column < columns; column++, place++) {
      bits four = eight((const byte *)(table + 4 * bright[place]));
      picture[place] = cut_off(four, finest[grain_at(row, column)]);
    }
}

/* The same of a sky (rows, wide, 4), from a part of a column on, in PARTS; columns differ by less than four
   numbers. Picture is (rows, columns, 4), finest (GRAIN, GRAIN, 4). */
ENTRY(void, paint_sky)
(OUT(byte, picture), IN(word, sky), IN(word, finest), int left, int part, int columns, int wide) {
  if (columns < 4 || left < 0 || left + (part > 0) > wide - columns || part < 0 || part > PARTS) return;
  int rows = (int)least(picture_size / (4 * columns), sky_size / (4 * wide)), next = part ? 4 : 0;
  if (finest_size < 4 * GRAIN * GRAIN) return;
  for (int row = 0; row < rows; row++) {
    const word *from = sky + 4 * ((integer)row * wide + left), *added = finest + 4 * grain_at(row, 0);
    byte *to = picture + 4 * (integer)row * columns;
    for (int column = 0; column < columns; column += 4) {
      int start = (int)least(column, columns - 4); /* the last ones again, where they are fewer than four */
      words found[2];
      for (int half = 0; half < 2; half++) {
        int at = 4 * start + 8 * half;
        words here = words_at(from + at), way = words_at(from + at + next) - here;
        typedef short steps __attribute__((vector_size(16)));
        found[half] = here + (words)(((steps)way * (short)part) >> 5);
        found[half] += words_at(added + (at & (4 * GRAIN - 1)));
      }
      bytes colors = HIGH_BYTES(found[0], found[1]);
      __builtin_memcpy(to + 4 * start, &colors, sizeof colors);
    }
  }
}

/* The colors of land and water (rows, columns) from a row on, as backgrounds.pan and lit.interpolate. */
ENTRY(void, paint_land)
(OUT(unsigned, picture), IN(word, painted), IN(word, numbers), IN(byte, finest), int first, int left,
 int part, int columns, int wide) {
  const Lighted seen = {.painted = painted, .numbers = numbers, .finest = finest, .wide = wide, .left = left,
                        .part = part, .columns = columns};
  if (columns < 1 || first < 0 || left < 0 || left + (part > 0) > wide - columns || part < 0 || part > PARTS)
    return;
  int rows = (int)least(picture_size / columns, painted_size / (3 * wide));
  if (numbers_size <= FULL || finest_size < GRAIN * GRAIN) return;
  for (int row = first; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      int light[3];
      ground_light(&seen, row, column, light);
      picture[(integer)row * columns + column] = color_of(&seen, row, column, light);
    }
}

/* draw_over for a page: picture (rows, columns), bright and dither likewise, or a sky to pan over. */
ENTRY(void, shine)
(OUT(unsigned, picture), OUT(byte, fine), OUT(byte, mirror), OUT(word, known), IN(bits, sums),
 IN(word, fronts), IN(byte, touched), IN(byte, curve), IN(byte, glowing), IN(byte, halo),
 IN(byte, drawn), IN(byte, below),
 IN(byte, solid), IN(word, solids), IN(byte, bright), IN(byte, dither), IN(word, painted), IN(word, codes),
 IN(integer, coarse), IN(int, layers), IN(word, numbers), IN(byte, finest), IN(int, above), IN(byte, rippled),
 int top, int bottom, int left, int right, int columns, int margin, int hues, int glows, int step,
 int strongest, int brightest, int tones, int shore, int wide, int first, int part, int slow, int sky) {
  int rows = columns > 0 ? picture_size / columns : 0, pixels = rows * columns, deep = fronts_size > 0;
  integer stride = columns + 2LL * margin, bordered = least(sums_size, least(drawn_size, below_size));
  integer hidden = deep ? least(bordered, fronts_size) : bordered;
  const Covering over = {.sums = sums, .fronts = deep ? fronts : 0, .touched = touched, .curve = curve,
                      .glowing = glowing, .halo = halo_size ? halo : 0, .drawn = drawn, .below = below,
                      .rippled = rippled, .above = above, .above_size = above_size, .curve_size = curve_size,
                      .layers_size = layers_size, .margin = margin, .hues = hues, .glows = glows,
                      .strongest = strongest, .shore = shore, .top = top, .bottom = bottom, .left = left,
                      .right = right};
  const Lighted seen = {.bright = bright_size ? bright : 0, .solid = solid_size ? solid : 0, .dither = dither,
                        .painted = painted, .codes = codes, .solids = solids, .numbers = numbers,
                        .coarse = coarse, .layers = layers, .finest = finest, .wide = wide, .left = first,
                        .part = part, .columns = columns, .step = step, .brightest = brightest,
                        .tones = tones, .slow = slow, .sky = sky, .shades = solids_size / 3};
  if (step < 1 || curve_size < 1 || numbers_size <= FULL || finest_size < GRAIN * GRAIN ||
      !boxed(top, bottom, left, right, columns, pixels, margin, (int)bordered) ||
      !boxed(0, rows, 0, columns, columns, pixels, margin, (int)hidden) ||
      (glows > 1 && !boxed(0, rows, 0, columns, columns, pixels, margin, glowing_size)) ||
      (known_size && (known_size < 4 * (strongest + 1) * (BRIGHTEST + 1) || !bright_size)) ||
      (halo_size && halo_size < pixels) || (solid_size && solid_size < pixels) || fine_size < pixels ||
      mirror_size < FOUR * columns || layers_size / 4 < step || (above_size && rippled_size < 256) ||
      touched_size <= (stride * (rows + 2LL * margin) - 1) >> TILE)
    return;
  if (bright_size ? bright_size < pixels || dither_size < pixels || painted_size < 3 * (BRIGHTEST + 1)
                  : first < 0 || first + (part > 0) > wide - columns || slow < 0 || slow > first ||
                        codes_size < (integer)rows * wide || painted_size < 3LL * rows * wide)
    return;
  draw_over((byte *)picture, fine, mirror, known_size ? known : 0, &over, &seen, rows, 4);
}
#else
/* What all pictures over a ground have: it is by brightness (rows, columns) with its light (BRIGHTEST + 1,
   3), or painted (rows, wide, 3) and seen from a part of a column on; solid (rows, columns), or none. */
INLINE int lies(const Lighted *seen, int rows, int bright_size, int painted_size, int solid_size,
                int numbers_size, int finest_size) {
  integer pixels = (integer)rows * seen->columns;
  if (numbers_size <= FULL || finest_size < GRAIN * GRAIN || (solid_size && solid_size < pixels)) return 0;
  if (bright_size) return bright_size >= pixels && painted_size >= 3 * (BRIGHTEST + 1);
  return 0 <= seen->left && seen->left + (seen->part > 0) <= seen->wide - seen->columns && 0 <= seen->part &&
         seen->part <= PARTS && painted_size >= 3LL * rows * seen->wide;
}

/* lit.paint_ground: picture (rows, columns, 3), of a ground as above. */
ENTRY(void, paint_ground)
(OUT(byte, picture), IN(byte, bright), IN(word, painted), int left, int part, int wide, IN(byte, solid),
 IN(word, solids), IN(word, numbers), IN(byte, finest), int columns) {
  int rows = columns > 0 ? picture_size / (3 * columns) : 0;
  const Lighted seen = {.bright = bright_size ? bright : 0, .solid = solid_size ? solid : 0,
                        .painted = painted, .solids = solids, .numbers = numbers, .finest = finest,
                        .wide = wide, .left = left, .part = part, .columns = columns,
                        .shades = solids_size / 3};
  if (!lies(&seen, rows, bright_size, painted_size, solid_size, numbers_size, finest_size)) return;
  word table[4 * (BRIGHTEST + 1)] = {0}; /* numbers by brightness, in parts of 256 */
  for (int i = 0; bright_size && i <= BRIGHTEST; i++)
    for (int k = 0; k < 3; k++) table[4 * i + k] = numbers[painted[3 * i + k]];
  unsigned there = (unsigned)part, rest = PARTS - there;
  for (int row = 0; row < rows; row++) {
    integer place = (integer)row * columns, end = place + columns;
    const word *here = painted + (bright_size ? 0 : 3 * ((integer)row * wide + left));
    for (int column = 0; place < end; column++, place++, here += bright_size ? 0 : 3) {
      unsigned finer = finest[grain_at(row, column)];
      for (int k = 0; k < 3; k++) {
        unsigned light = bright_size ? 0 : part ? (here[k] * rest + here[k + 3] * there) / PARTS : here[k];
        unsigned number = bright_size ? table[4 * bright[place] + k] : numbers[light];
        picture[3 * place + k] = (byte)((number + finer) >> 8);
      }
    }
    if (!solid_size) continue;
    for (int column = 0; column < columns; column++) {
      int light[3];
      if (!solid[(integer)row * columns + column]) continue;
      ground_light(&seen, row, column, light);
      put_color(picture, (integer)row * columns + column, color_of(&seen, row, column, light), 3);
    }
  }
}

/* lit.compose: draw_over for a film, over what paint_ground made; the codes of the empty ground are (rows,
   columns). */
ENTRY(void, compose)
(OUT(byte, picture), OUT(byte, fine), OUT(byte, mirror), OUT(word, known), IN(byte, bright),
 IN(word, painted), int left, int part, int wide, IN(byte, solid), IN(word, solids), IN(word, empty),
 IN(bits, sums), IN(word, fronts), IN(byte, touched), IN(byte, curve), IN(byte, glowing), IN(byte, halo),
 IN(byte, drawn), IN(byte, below), IN(word, cover), IN(integer, coarse), IN(int, above), IN(byte, rippled),
 int columns, int margin, int hues, int glows, int step, int brightest, int shore, IN(int, layers),
 IN(word, numbers), IN(byte, finest)) {
  int rows = columns > 0 ? picture_size / (3 * columns) : 0, pixels = rows * columns, deep = fronts_size > 0;
  integer stride = columns + 2LL * margin, bordered = least(sums_size, least(drawn_size, below_size));
  if (deep) bordered = least(bordered, fronts_size);
  if (glows > 1) bordered = least(bordered, glowing_size);
  const Covering over = {.sums = sums, .fronts = deep ? fronts : 0, .cover = cover, .touched = touched,
                      .curve = curve, .glowing = glowing, .halo = halo_size ? halo : 0, .drawn = drawn,
                      .below = below, .rippled = rippled, .above = above, .above_size = above_size,
                      .curve_size = curve_size, .cover_size = cover_size, .layers_size = layers_size,
                      .margin = margin, .hues = hues, .glows = glows, .strongest = brightest, .shore = shore,
                      .bottom = shore, .right = columns};
  const Lighted seen = {.bright = bright_size ? bright : 0, .solid = solid_size ? solid : 0,
                        .painted = painted, .empty = empty, .solids = solids, .numbers = numbers,
                        .coarse = coarse, .layers = layers, .finest = finest, .wide = wide, .left = left,
                        .part = part, .columns = columns, .step = step, .tones = coarse_size,
                        .shades = solids_size / 3};
  if (!lies(&seen, rows, bright_size, painted_size, solid_size, numbers_size, finest_size) || step < 1 ||
      curve_size < 1 || layers_size / 4 < step || empty_size < pixels || shore < 0 || shore > rows ||
      !boxed(0, rows, 0, columns, columns, pixels, margin, (int)bordered) ||
      (known_size && (known_size < 4 * (brightest + 1) * (BRIGHTEST + 1) || !bright_size)) ||
      (halo_size && halo_size < pixels) || (above_size && (rippled_size < 256 || fine_size < pixels)) ||
      mirror_size < FOUR * columns || touched_size <= (stride * (rows + 2LL * margin) - 1) >> TILE)
    return;
  draw_over(picture, fine_size ? fine : 0, mirror, known_size ? known : 0, &over, &seen, rows, 3);
}
#endif
