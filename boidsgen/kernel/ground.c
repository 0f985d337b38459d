/* Grounds of the lit look that are painted once: water over sand, and the sky over still water. Each row is
   painted SPAN pixels at a time. Light is written as whole numbers, and dithered to numbers from 0 to 255
   where there is room for those. */

#if defined(__wasm__)
/* What is painted once is small in pages rather than fast. */
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif

enum { SPAN = 64 /* a multiple of all numbers of lanes */, PHASES = 5 };

/* Light of some pixels, red, green and blue. */
typedef struct {
  double part[3][SPAN];
} Pixels;

/* Where a ground is painted; numbers are, too, where there is a threshold for each pixel. */
typedef struct {
  word *light;
  byte *number;
  const double *threshold;
  double powers[256]; /* the light of the numbers from 0 to 255, as `frame._powers` */
  int columns, rows;
} Ground;

INLINE void powers_of(double *powers) {
  powers[0] = 0.0;
  for (int k = 1; k < 256; k++) powers[k] = exponential(2.2 * logarithm((double)k / 255.0));
}

static Ground ground_in(word *light, int light_size, byte *number, int number_size, const double *threshold,
                        int threshold_size, int columns) {
  Ground found = {.light = light, .threshold = threshold, .columns = columns};
  int dithered = light_size == number_size && threshold_size >= light_size / 3;
  found.number = dithered ? number : 0;
  found.rows = columns > 0 ? light_size / (3 * columns) : 0;
  powers_of(found.powers);
  return found;
}

/* frame.whole_light and frame.dithered of the pixels from (row, column) on. */
static void paint(const Ground *ground, const Pixels *pixels, int row, int column) {
  int count = (int)least(SPAN, ground->columns - column);
  integer place = 3 * ((integer)row * ground->columns + column);
  for (int part = 0, low = 0; part < 3; part++)
    for (int k = 0; k < count; k++) {
      double given = smaller(larger(pixels->part[part][k], 0.0), 1.0);
      ground->light[place + 3 * k + part] = (word)rint(given * 65535.0);
      if (!ground->number) continue;
      while (low < 254 && ground->powers[low + 1] <= given) low++;
      while (ground->powers[low] > given) low--;
      double share = (given - ground->powers[low]) / (ground->powers[low + 1] - ground->powers[low]);
      ground->number[place + 3 * k + part] = (byte)(low + (share > ground->threshold[place / 3 + k]));
    }
}

/* What is painted: from a place on, in pixels of a picture of a size, and how many of those one pixel covers;
   it may be larger than the picture. As `frame.uncut`. */
typedef struct {
  double left, top, step, wide, high;
} View;

/* The centers of the pixels from a column on, less so much. */
INLINE lanes centers(const View *view, int column, double less) {
  lanes found = {0.0};
  for (int lane = 0; lane < LANES; lane++)
    found[lane] = view->left + view->step * ((double)(column + lane) + 0.5);
  return found - all(less);
}

/* The center of a row. */
INLINE double middle_of(const View *view, int row) { return view->top + view->step * (row + 0.5); }

/* A depth below an edge; above it, as if one came to a halt within reach. */
INLINE double halted(double depth, double reach) {
  return depth < 0.0 ? reach * (exponential(depth / reach) - 1.0) : depth;
}

static void waves(lanes angle, lanes *sines, lanes *cosines) { wave_lanes(angle, sines, cosines); }

static lanes sines_of(lanes angle) {
  lanes sines, cosines;
  waves(angle, &sines, &cosines);
  return sines;
}

static lanes cosines_of(lanes angle) {
  lanes sines, cosines;
  waves(angle, &sines, &cosines);
  return cosines;
}

/* ---- Reef ---- */

/* reef.RECORD: a reef, how it is seen, and the constants of the module. */
typedef struct {
  double sun[2], glow[3], sand[3], sparkle[3];
  double half, up, toward, origin[2], scale, distance;
  double glow_size[2], bright, rays, waves[4][2], fan, sink, fog, around, level, net_aside, net_above;
  double strength, shallow, phases[PHASES];
  View view;
} Reef;

enum { REEF = sizeof(Reef) / sizeof(double), FINE_RAYS = 8193 /* tangents that rays are known at */ };

/* The part of a gradient, stops (n, 4) of place and light, at a place; as `frame.blended`. */
INLINE void blend(double *light, const double *stops, int count, double place) {
  int piece = 0;
  place = smaller(larger(place, stops[0]), stops[4 * (count - 1)]);
  while (piece < count - 2 && stops[4 * piece + 4] <= place) piece++;
  const double *from = stops + 4 * piece, *to = from + 4;
  double share = (place - from[0]) / (to[0] - from[0]);
  for (int part = 0; part < 3; part++) light[part] = from[1 + part] * (1.0 - share) + to[1 + part] * share;
}

/* reef.net */
static lanes net(lanes right, lanes down, const double *phases) {
  lanes x = right + all(0.9) * sines_of(all(0.23) * down + all(0.31) * right);
  lanes y = down + all(0.9) * sines_of(all(0.19) * right - all(0.27) * down + all(1.0));
  lanes a = x, b = y, total = all(0.0);
  for (int k = 0; k < PHASES; k++) {
    lanes phase = all(phases[k]), before = a;
    a = x + cosines_of(phase - a) + sines_of(phase + b);
    b = y + sines_of(phase - b) + cosines_of(phase + before);
    lanes product, one = sines_of(a + phase), other = cosines_of(b + phase);
    product = one * other;
    total += larger_lanes(product, -product) / roots(one * one + other * other + all(1e-6));
  }
  lanes mean = total / all(1.25 * PHASES), bright = larger_lanes(all(1.14) - mean * roots(mean), all(0.0));
  for (int k = 0; k < 4; k++) bright *= bright;
  return bright;
}

/* The table of reef.rays. */
static void find_rays(double *table, const Reef *reef) {
  for (int k = 0; k < FINE_RAYS; k++) {
    double fine = (double)k / 1024.0 - 4.0, total = 0.0;
    for (int wave = 0; wave < 4; wave++) {
      double count = reef->waves[wave][0];
      total += reef->waves[wave][1] * sine(2.2 * count * fine + count);
    }
    double bright = larger(total / 2.2, 0.0), wide = fine / reef->fan;
    table[k] = bright * square_root(bright) * exponential(-(wide * wide));
  }
}

/* Add to pixels the specks (n, 4) that are in them, column, row, radius and light of each; as
   `reef.snow`. Beyond a picture there are the same again. */
static void snow(Pixels *pixels, const double *specks, int count, const double *color, const View *view,
                 int row, int column, int stop) {
  double right = view->wide * floor_of((view->left + view->step * (column + stop) / 2) / view->wide);
  double down = view->high * floor_of(middle_of(view, row) / view->high);
  for (const double *speck = specks; speck < specks + 4 * count; speck += 4) {
    double x = (speck[0] + right - view->left) / view->step, y = (speck[1] + down - view->top) / view->step;
    double radius = larger(speck[2] / view->step, 0.5);
    int reach = (int)(3 * radius) + 1, first = (int)most((int)x - reach, column);
    int last = (int)least((int)x + reach, stop - 1);
    if (row < (int)y - reach || row > (int)y + reach) continue;
    for (int at = first; at <= last; at++) {
      double below = row + 0.5 - y, across = at + 0.5 - x;
      double bright = speck[3] * exponential(-((below * below + across * across) / (2 * radius * radius)));
      for (int part = 0; part < 3; part++) pixels->part[part][at - column] += bright * color[part];
    }
  }
}

/* reef.paint_aside: light and number (rows, columns, 3); stops (n, 4), specks (n, 4). */
ENTRY(void, paint_aside)
(OUT(word, light), OUT(byte, number), IN(double, threshold), IN(double, stops), IN(double, specks),
 IN(double, record), int columns) {
  const Reef *reef = (const Reef *)record;
  const View *view = &reef->view;
  double rays[FINE_RAYS];
  if (record_size < REEF || stops_size < 8) return;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  find_rays(rays, reef);
  for (int row = 0; row < ground.rows; row++) {
    double y = middle_of(view, row) / view->high, water[3], fallen = larger(y, 0.0) / reef->glow_size[1];
    double depth = halted(y, reef->sink); /* of rays, which do not meet above */
    double below = reef->bright * exponential(-(fallen * fallen)), sunk = exponential(-depth / reef->sink);
    /* The sand that is seen in this row; as `reef.floor`. */
    double high = -(middle_of(view, row) - reef->origin[1]) / reef->scale, slope = high / reef->distance;
    double steep = reef->toward - slope * reef->up;
    double way = (reef->level * reef->half - high * reef->up) / (steep > 0.01 ? steep : 0.01);
    double near = 1.0 - way / reef->distance, ahead = high * near * reef->toward - way * reef->up;
    double haze = -reef->fog * larger(smaller(-way / reef->half, 40.0), 0.0);
    int seen = steep > 0.01 && way < reef->distance;
    ahead = smaller(larger(ahead / reef->half, -40.0), 40.0);
    blend(water, stops, stops_size / 4, y);
    double lower = (y - 0.45) / 0.8, lower_squared = lower * lower;
    for (int column = 0; column < columns; column += SPAN) {
      Pixels pixels;
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(view, column + k, 0.0) / all(view->wide);
        lanes aside = x - all(reef->sun[0]), from = aside / all(reef->glow_size[0]);
        lanes glow = all(below) * exponential_lanes(-(from * from)), shown = all(0.0), lit = all(0.0);
        if (seen) {
          lanes place = centers(view, column + k, reef->origin[0]) / all(reef->scale) * all(near);
          place /= all(reef->half);
          place = smaller_lanes(larger_lanes(place, all(-40.0)), all(40.0));
          lanes around = place / all(reef->around);
          shown = all(0.95) * exponential_lanes(all(haze) - around * around);
          lit = all(reef->strength) *
                net(all(reef->net_aside) * place, all(reef->net_aside * ahead), reef->phases);
        }
        lanes tangent = aside * all(view->wide / view->high) / all(depth + reef->sink), beam = all(0.0);
        for (int lane = 0; lane < LANES; lane++) {
          double at = smaller(larger(tangent[lane], -4.0), 3.99) * 1024 + 4096;
          int low = (int)at;
          beam[lane] = (rays[low] * (1.0 - (at - low)) + rays[low + 1] * (at - low)) * sunk;
        }
        for (int part = 0; part < 3; part++) {
          lanes found = all(water[part]) + glow * all(reef->glow[part]);
          found += shown * (all(reef->sand[part]) + lit * all(reef->sparkle[part]) - found);
          found += beam * all(reef->rays * reef->glow[part]);
          *(loose *)(pixels.part[part] + k) = found;
        }
      }
      snow(&pixels, specks, specks_size / 4, reef->sparkle, view, row, column,
           (int)least(column + SPAN, columns));
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(view, column + k, 0.0) / all(view->wide), off = (x - all(0.5)) / all(0.72);
        lanes left = larger_lanes(all(1.0) - all(0.4) * (off * off + all(lower_squared)), all(0.25));
        for (int part = 0; part < 3; part++) {
          lanes found = loaded(pixels.part[part] + k) * left;
          *(loose *)(pixels.part[part] + k) = found / (all(1.0) + all(0.12) * found);
        }
      }
      paint(&ground, &pixels, row, column);
    }
  }
}

/* reef.paint_above: light and number (rows, columns, 3); stops (n, 4). */
ENTRY(void, paint_above)
(OUT(word, light), OUT(byte, number), IN(double, threshold), IN(double, stops), IN(double, record),
 int columns) {
  const Reef *reef = (const Reef *)record;
  const View *view = &reef->view;
  if (record_size < REEF || stops_size < 8) return;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  double middle = (reef->sun[0] - 0.5) * view->wide / view->high;
  for (int row = 0; row < ground.rows; row++) {
    double y = middle_of(view, row) / view->high - 0.5, top = y + 0.5;
    for (int column = 0; column < columns; column += SPAN) {
      Pixels pixels;
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(view, column + k, view->wide / 2) / all(view->high), left = x - all(middle);
        lanes away = roots(left * left + all(top * top)), water[3];
        for (int lane = 0; lane < LANES; lane++) {
          double mixed[3];
          blend(mixed, stops, stops_size / 4, away[lane]);
          for (int part = 0; part < 3; part++) water[part][lane] = mixed[part];
        }
        lanes bumps = sines_of(all(9.0) * x + all(1.3)) * all(sine(7.0 * y));
        bumps += sines_of(all(4.0) * x + all(11.0 * y));
        lanes lit = net(all(reef->net_above) * x, all(reef->net_above * y), reef->phases);
        lit = all(reef->shallow) * lit * larger_lanes(all(1.2) - all(0.6) * away, all(0.2));
        for (int part = 0; part < 3; part++)
          *(loose *)(pixels.part[part] + k) =
              water[part] * (all(1.0) + all(0.05) * bumps) + lit * all(reef->sparkle[part]);
      }
      paint(&ground, &pixels, row, column);
    }
  }
}

/* ---- Marsh ---- */

/* marsh.Marsh: a marsh and the constants of its light. */
typedef struct {
  double sun[2], across, down, halos[2][2], shine[3], vignette, vignette_row, ink[3], land[3], opaque;
  View view;
} Marsh;

/* What reeds and bank cover of a picture, of 255 (rows, wide), and where pixels mirror it: at which row. */
typedef struct {
  const byte *cover;
  int rows, wide, first; /* row that is not empty */
  const View *view;
} Land;

/* How much of a pixel it covers, of 1; beyond its columns it is there again. */
INLINE double covered_at(const Land *land, int row, int column, int mirror) {
  const View *view = land->view;
  int many = view->step == 1.0 ? 1 : (int)view->step + 2, total = 0, again = (int)view->wide;
  for (int k = 0; k < many * many; k++) {
    int down = (int)floor_of(view->top + view->step * (row + (k / many + 0.5) / many));
    int right = (int)floor_of(view->left + view->step * (column + (k % many + 0.5) / many));
    if (mirror) down = mirror - down;
    if (down < land->first || down >= land->rows) continue;
    while (right < 0) right += again;
    while (right >= land->wide) right -= again;
    total += land->cover[(integer)down * land->wide + right];
  }
  return total / (255.0 * (many * many));
}

#define MOST_OFF 1.7 /* Distance from the row of the vignette from which on it is no darker */

/* marsh.paint_marsh: light and number (rows, columns, 3). The sky has a gradient (n, 3); `above` is the row
   of it that each row below the shore mirrors, by water (n, 3) and reeds (n,). Land (n, wide) is what they
   and the bank cover, of 255; a picture begins at its column `start`. */
ENTRY(void, paint_marsh)
(OUT(word, light), OUT(byte, number), IN(double, threshold), IN(double, gradient), IN(byte, land),
 IN(int, above), IN(double, water), IN(double, reeds), IN(double, record), int columns, int wide,
 int start) {
  const Marsh *marsh = (const Marsh *)record;
  const View *view = &marsh->view;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  int high = gradient_size / 3, shore = high - above_size, last = above_size - 1;
  if (record_size < (int)(sizeof(Marsh) / sizeof(double)) || shore < 0 || view->wide < 1 ||
      wide < view->wide || least(water_size / 3, reeds_size) < above_size)
    return;
  Land bank = {.cover = land, .rows = land_size / wide, .wide = wide, .view = view};
  while (bank.first < bank.rows * wide && !land[bank.first]) bank.first++;
  bank.first /= wide;
  Land image = bank;
  image.rows = (int)least(bank.rows, shore);
  double steep = last > 0 ? (double)(above[0] - above[last]) / last : 0.0;
  for (int row = 0; row < ground.rows; row++) {
    double center = middle_of(view, row);
    int at = (int)floor_of(center), below = (int)least(at - shore, last);
    int seen = below < 0 ? at : above[below] - (int)(steep * (at - shore - below));
    double y = (seen + (center - at)) / high, away_down = (y - marsh->sun[1]) * marsh->down;
    double off = smaller(larger((y - marsh->vignette_row) * 2, -MOST_OFF), MOST_OFF);
    const double *sky = gradient + 3 * most(least(seen, high - 1), 0);
    for (int column = 0; column < columns; column += SPAN) {
      Pixels pixels;
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(view, column + k, start) / all(view->wide);
        lanes across = (x - all(marsh->sun[0])) * all(marsh->across);
        lanes away = across * across + all(away_down * away_down);
        lanes glow = all(0.0), covered = all(0.0), reflected = all(0.0);
        for (int halo = 0; halo < 2; halo++)
          glow += all(marsh->halos[halo][0]) * exponential_lanes(-away / all(marsh->halos[halo][1]));
        lanes side = x - all(0.5), aside = smaller_lanes(larger_lanes(side, -side) * all(2.0), all(1.0));
        lanes corner = all(1.0) - all(marsh->vignette) * (aside * aside + all(off * off));
        for (int lane = 0; lane < LANES && column + k + lane < columns; lane++) {
          covered[lane] = marsh->opaque * covered_at(&bank, row, column + k + lane, 0);
          if (below <= 0) continue;
          reflected[lane] = covered_at(&image, row, column + k + lane, 2 * shore) * reeds[below];
        }
        for (int part = 0; part < 3; part++) {
          lanes found = (all(sky[part]) + glow * all(marsh->shine[part])) * corner;
          if (below >= 0) {
            found *= all(water[3 * below + part]);
            found += reflected * (all(marsh->ink[part]) - found);
          }
          found += covered * (all(marsh->land[part]) - found);
          *(loose *)(pixels.part[part] + k) = found;
        }
      }
      paint(&ground, &pixels, row, column);
    }
  }
}
#if defined(__wasm__)
#pragma clang attribute pop
#endif
