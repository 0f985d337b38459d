/* Grounds of the lit look that are painted once: water over sand, and the sky over still water. Each row is
   painted SPAN pixels at a time. Light is written as whole numbers, and dithered to numbers from 0 to 255
   where there is room for those. */

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

/* The centers of the pixels from a column on, less so much. */
INLINE lanes centers(int column, double less) {
  lanes found = {0.0};
  for (int lane = 0; lane < LANES; lane++) found[lane] = (double)(column + lane) + 0.5;
  return found - all(less);
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
   `reef.snow`. */
static void snow(Pixels *pixels, const double *specks, int count, const double *color, int row, int column,
                 int stop) {
  for (const double *speck = specks; speck < specks + 4 * count; speck += 4) {
    double x = speck[0], y = speck[1], radius = speck[2];
    int reach = (int)(3 * radius) + 1, first = (int)most((int)x - reach, column);
    int last = (int)least((int)x + reach, stop - 1);
    if (row < (int)y - reach || row > (int)y + reach) continue;
    for (int at = first; at <= last; at++) {
      double down = row + 0.5 - y, across = at + 0.5 - x;
      double bright = speck[3] * exponential(-((down * down + across * across) / (2 * radius * radius)));
      for (int part = 0; part < 3; part++) pixels->part[part][at - column] += bright * color[part];
    }
  }
}

/* reef.paint_aside: light and number (rows, columns, 3); stops (n, 4), specks (n, 4). */
ENTRY(void, paint_aside)
(OUT(word, light), OUT(byte, number), IN(double, threshold), IN(double, stops), IN(double, specks),
 IN(double, record), int columns) {
  const Reef *reef = (const Reef *)record;
  double rays[FINE_RAYS];
  if (record_size < REEF || stops_size < 8) return;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  find_rays(rays, reef);
  for (int row = 0; row < ground.rows; row++) {
    double y = (row + 0.5) / ground.rows, water[3], fallen = y / reef->glow_size[1];
    double below = reef->bright * exponential(-(fallen * fallen)), sunk = exponential(-y / reef->sink);
    /* The sand that is seen in this row; as `reef.floor`. */
    double high = -(row + 0.5 - reef->origin[1]) / reef->scale, slope = high / reef->distance;
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
        lanes x = centers(column + k, 0.0) / all((double)columns);
        lanes aside = x - all(reef->sun[0]), from = aside / all(reef->glow_size[0]);
        lanes glow = all(below) * exponential_lanes(-(from * from)), shown = all(0.0), lit = all(0.0);
        if (seen) {
          lanes place = centers(column + k, reef->origin[0]) / all(reef->scale) * all(near) / all(reef->half);
          place = smaller_lanes(larger_lanes(place, all(-40.0)), all(40.0));
          lanes around = place / all(reef->around);
          shown = all(0.95) * exponential_lanes(all(haze) - around * around);
          lit = all(reef->strength) *
                net(all(reef->net_aside) * place, all(reef->net_aside * ahead), reef->phases);
        }
        lanes tangent = aside * all((double)columns / ground.rows) / all(y + reef->sink), beam = all(0.0);
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
      snow(&pixels, specks, specks_size / 4, reef->sparkle, row, column, (int)least(column + SPAN, columns));
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(column + k, 0.0) / all((double)columns), off = (x - all(0.5)) / all(0.72);
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
  if (record_size < REEF || stops_size < 8) return;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  double middle = (reef->sun[0] - 0.5) * columns / ground.rows;
  for (int row = 0; row < ground.rows; row++) {
    double y = (row + 0.5) / ground.rows - 0.5, top = y + 0.5;
    for (int column = 0; column < columns; column += SPAN) {
      Pixels pixels;
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(column + k, (double)columns / 2) / all((double)ground.rows), left = x - all(middle);
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
} Marsh;

/* marsh.paint_marsh: light and number (rows, columns, 3). The sky has a gradient (rows, 3); `above` is
   the row of it that each row below the shore mirrors, by water (n, 3) and reeds (n,). Land (n, columns)
   is what they and the bank cover, of 255; `width` columns are a picture, and so many before its `start`. */
ENTRY(void, paint_marsh)
(OUT(word, light), OUT(byte, number), IN(double, threshold), IN(double, gradient), IN(byte, land),
 IN(int, above), IN(double, water), IN(double, reeds), IN(double, record), int columns, int width,
 int start) {
  const Marsh *marsh = (const Marsh *)record;
  Ground ground = ground_in(light, light_size, number, number_size, threshold, threshold_size, columns);
  int rows = ground.rows, shore = rows - above_size, lands = columns > 0 ? land_size / columns : 0;
  if (record_size < (int)(sizeof(Marsh) / sizeof(double)) || gradient_size < 3 * rows || shore < 0 ||
      width < 1 || least(water_size / 3, reeds_size) < above_size)
    return;
  for (int row = 0; row < rows; row++) {
    int below = row - shore, seen = below < 0 ? row : (int)most(least(above[below], rows - 1), 0);
    int mirrored = (int)most(2 * shore - row, 0);
    const byte *bank = row < lands ? land + (integer)row * columns : 0;
    const byte *image = below > 0 && mirrored < least(shore, lands) ? land + (integer)mirrored * columns : 0;
    double y = (seen + 0.5) / rows, high = (y - marsh->sun[1]) * marsh->down;
    double off = (y - marsh->vignette_row) * 2;
    for (int column = 0; column < columns; column += SPAN) {
      Pixels pixels;
      for (int k = 0; k < SPAN; k += LANES) {
        lanes x = centers(column + k - start, 0.0) / all((double)width);
        lanes wide = (x - all(marsh->sun[0])) * all(marsh->across), away = wide * wide + all(high * high);
        lanes glow = all(0.0), covered = all(0.0), reflected = all(0.0);
        for (int halo = 0; halo < 2; halo++)
          glow += all(marsh->halos[halo][0]) * exponential_lanes(-away / all(marsh->halos[halo][1]));
        lanes side = x - all(0.5), aside = smaller_lanes(larger_lanes(side, -side) * all(2.0), all(1.0));
        lanes corner = all(1.0) - all(marsh->vignette) * (aside * aside + all(off * off));
        for (int lane = 0; lane < LANES && column + k + lane < columns; lane++) {
          if (bank) covered[lane] = marsh->opaque * (bank[column + k + lane] / 255.0);
          if (image) reflected[lane] = image[column + k + lane] / 255.0 * reeds[below];
        }
        for (int part = 0; part < 3; part++) {
          lanes found = (all(gradient[3 * seen + part]) + glow * all(marsh->shine[part])) * corner;
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
