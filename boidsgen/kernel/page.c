/* What only pages need: random numbers and places for animals that come later, what steers a single one,
   polygons and sprites, which Pillow draws for clips, and what numpy does there in one line. */

enum { SUBPIXELS = 4 /* shapes.SUBPIXELS */, SAMPLES = 4 };

/* The next number of a stream, evenly spread in [0, 1), or of the normal distribution. */
ENTRY(double, uniform)(double *cells, int stream) { return random((Stream *)(cells + stream)); }
ENTRY(double, normal)(double *cells, int stream) {
  return standard_normal((Stream *)(cells + stream), cells + program_in(cells)->layers_at);
}

ENTRY(double, sine_of)(double angle) { return sine(angle); }
ENTRY(double, cosine_of)(double angle) { return cosine(angle); }
ENTRY(double, cube_root_of)(double number) { return cube_root(number); }

/* Positions and velocities (d, n) of animals that a curve carries, as they come at a time; as
   `run.Stepper._placed`. */
ENTRY(void, place_on_curve)(double *cells, int curve, double time, double *position, double *velocity,
                            int count) {
  const Program *program = program_in(cells);
  int first = (int)program->world.first;
  for (int i = 0; i < count; i++) {
    vector place[2], still = {0.0};
    for (int later = 0; later < 2; later++) {
      double since = later ? time : time - program->dt;
      place[later] = curve_position((const Curve *)(cells + curve), since + program->dt, i, first);
      confine(place + later, &still, &program->world);
    }
    vector way = displacement(place[1] - place[0], &program->world);
    for (int a = first; a < 3; a++) {
      position[(a - first) * count + i] = place[0][a];
      velocity[(a - first) * count + i] = way[a] / program->dt;
    }
  }
}

/* Bring new animals (d, n) out of solid obstacles, and into the world. */
ENTRY(void, confine_new)(double *cells, double *position, double *velocity, int count) {
  const Group nobody = {0};
  Points points = points_of((int)program_in(cells)->world.first, count, position, velocity);
  confine_all(program_in(cells), &nobody, cells, points.position, points.velocity, count, 0, 0);
}

/* What everything that steers would change of an animal's velocity: of each term a vector, at its number.
   The first `movers` groups move before. Returns 0, or how many cells `starts` must have. */
ENTRY(int, explain)
(double *cells, int movers, int number, int animal, double *changes, integer *starts, int room,
 double *scratch) {
  Group *group = group_in(cells, number);
  Batch we = {.cells = cells,
              .program = program_in(cells),
              .group = group,
              .first = (int)program_in(cells)->world.first};
  Points points = points_of(we.first, group->count, cells + group->position, cells + group->velocity);
  const Grid *grid = (const Grid *)(cells + we.program->grid_at);
  const Term *term = (const Term *)(cells + group->terms_at);
  integer entry = animal;
  int needed = 0;
  for (int mover = 0; mover < movers && !needed; mover++)
    needed = move_group(cells, mover, starts, room, scratch);
  if (!needed) needed = reduce_all(cells, number, starts, room, scratch);
  if (needed) return needed;
  CALL(attract)(cells);
  if (group->local) {
    const NeighborQuery *local = (const NeighborQuery *)(cells + group->queries_at) + group->queries - 1;
    const QueryResult result = results_in(group, scratch);
    points = grid->boids;
    for (entry = 0; points.number[entry] != animal; entry++) continue;
    reduce_some(grid, (const Reduction *)(cells + local->reductions_at), (int)group->local, entry, entry + 1,
                1, &result, 0, scratch + 4 * BLOCK * group->rows);
  }
  gather(we.first, &we, &points, entry, 1, scratch);
  take(we.first, &we, &points, entry, 1);
  we.rows = scratch;
  Lead lead[MOST_LEADS];
  int leads = find_leads(we.first, &we, lead);
  for (integer t = 0; t < group->terms; t++) {
    contribute(we.first, &we, term + t);
    give_way(we.first, &we, term, t, lead, leads);
    for (int a = 0; a < 3; a++) changes[3 * term[t].told + a] = a < we.first ? 0.0 : we.vector[a][0];
  }
  return 0;
}

/* How much of its squares a polygon covers, from 0 to 255, (high, wide); as Pillow, which takes whole
   samples. corner (2 n,) is x and y of each in samples, SAMPLES along a square; crossed (n,) is room to
   work. */
ENTRY(void, cover_squares)
(OUT(byte, square), IN(int, corner), OUT(double, crossed), int wide, int high) {
  int corners = corner_size / 2, first = high * SAMPLES, last = 0;
  if (wide * high > square_size || corners > crossed_size) return;
  for (int k = 1; k < corner_size; k += 2) {
    first = (int)least(first, corner[k]);
    last = (int)most(last, corner[k]);
  }
  for (int k = 0; k < wide * high; k++) square[k] = 0;
  for (int row = (int)most(first, 0); row <= last && row < high * SAMPLES; row++) {
    int found = 0, cell = 0;
    for (int k = 0, before = corners - 1; k < corners; before = k++) {
      int y = corner[2 * k + 1], v = corner[2 * before + 1], bottom = y > v ? y : v;
      if (y == v || row < (y < v ? y : v) || row > bottom || (row == bottom && row < last)) continue;
      double x = corner[2 * k], u = corner[2 * before], across = u + (row - v) * (x - u) / (y - v);
      int place = found++;
      for (; place && crossed[place - 1] > across; place--) crossed[place] = crossed[place - 1];
      crossed[place] = across;
    }
    for (int k = 1; k < found; k += 2) {
      int stop = (int)least(1 - (integer)floor_of(0.5 - crossed[k]), wide * SAMPLES);
      for (cell = (int)most(cell, (integer)floor_of(crossed[k - 1] + 0.5)); cell < stop;) {
        int next = (int)least(cell - cell % SAMPLES + SAMPLES, stop);
        square[row / SAMPLES * wide + cell / SAMPLES] += (byte)(next - cell);
        cell = next;
      }
    }
  }
  for (int k = 0; k < wide * high; k++)
    square[k] = (byte)((square[k] * 255 + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES));
}

/* The sum of the squares above and to the left of a corner, which may be outside; areas (high + 1, wide +
   1). */
INLINE int area(const int *areas, int high, int wide, int row, int column) {
  return areas[most(least(row, high), 0) * (wide + 1) + most(least(column, wide), 0)];
}

/* shapes.mask: of a body at a heading of the first quarter, the sprites at one so many quarters on, for
   all parts of a pixel. `square` (high, wide) is the part with the body, which begins at `top` and `left`
   of its middle. Sprites are appended to the tables of `add_sprites`, of which so many `entries` are in
   use; returns how many then are. `areas` is room to work. */
ENTRY(int, append_sprites)
(OUT(integer, first), OUT(integer, count), OUT(int, offset), OUT(byte, coverage), IN(byte, square),
 OUT(int, areas), int sprite, int entries, int high, int wide, int top, int left, int quarters, int stride,
 int faintest) {
  int places = SUBPIXELS * SUBPIXELS, columns = wide, size = high * wide;
  if (size > square_size || size + high + wide >= areas_size ||
      sprite + places > least(first_size, count_size))
    return entries;
  for (int k = 0; k < quarters; k++) {
    int before = top, across = high;
    top = -(left + wide);
    left = before;
    high = wide;
    wide = across;
  }
  for (int column = 0; column <= wide; column++) areas[column] = 0;
  for (int row = 0, at = wide + 1; row < high; row++) {
    areas[at++] = 0;
    for (int column = 0, along = 0; column < wide; column++, at++) {
      int place = quarters % 2 ? column * columns + columns - 1 - row : row * columns + column;
      along += square[quarters < 2 ? place : size - 1 - place];
      areas[at] = areas[at - wide - 1] + along;
    }
  }
  for (int place = 0; place < places; place++) {
    int down = top + place / SUBPIXELS, right = left + place % SUBPIXELS;
    first[sprite + place] = entries;
    for (int y = (int)floor_of((double)down / SUBPIXELS); y * SUBPIXELS < down + high; y++)
      for (int x = (int)floor_of((double)right / SUBPIXELS); x * SUBPIXELS < right + wide; x++) {
        int row = y * SUBPIXELS - down;
        int column = x * SUBPIXELS - right;
        int below = row + SUBPIXELS;
        int beyond = column + SUBPIXELS;
        int covered = (area(areas, high, wide, below, beyond) - area(areas, high, wide, below, column) -
                       area(areas, high, wide, row, beyond) + area(areas, high, wide, row, column)) /
                      places;
        if (covered < faintest || entries >= least(offset_size, coverage_size)) continue;
        offset[entries] = y * stride + x;
        coverage[entries++] = (byte)covered;
      }
    count[sprite + place] = entries - first[sprite + place];
  }
  return entries;
}

/* LaidMarsh.reflect: levels (rows, columns), and codes, `step` of which are a level, below the shore.
   `above` is the row of the sky that each row of the water shows, `rippled` the level there by the sum of
   nine. */
ENTRY(void, reflect)
(OUT(word, codes), OUT(byte, levels), IN(int, above), IN(byte, rippled), int columns, int shore, int step) {
  if (columns < 1 || (shore + above_size) * columns > least(codes_size, levels_size) || rippled_size < 256)
    return;
  for (int row = 0; row < above_size; row++) {
    const byte *seen[3];
    for (int k = 0; k < 3; k++)
      seen[k] = levels + most(least(above[row] - (int[]){0, 2, 5}[k], shore - 1), 0) * columns;
    for (int column = 0, place = (shore + row) * columns; column < columns; column++, place++) {
      int beside = column > 0 && column < columns - 1, sum = 0;
      for (int at = column - beside; at <= column + beside; at++)
        sum += seen[0][at] + seen[1][at] + seen[2][at];
      levels[place] = rippled[sum & 255];
      codes[place] += (word)(levels[place] * step);
    }
  }
}

/* frame.fine_numbers */
ENTRY(void, fine_numbers)(OUT(word, numbers)) {
  double powers[256];
  powers_of(powers);
  for (int light = 0, low = 0; light < numbers_size; light++) {
    double given = light / 65535.0;
    while (low < 254 && powers[low + 1] <= given) low++;
    double share = (given - powers[low]) / (powers[low + 1] - powers[low]);
    numbers[light] = (word)(256 * low + (int)(256 * share));
  }
}

/* The colors of codes, by a palette. */
ENTRY(void, color)(OUT(unsigned, picture), IN(word, codes), IN(unsigned, palette)) {
  for (int k = 0; k < least(picture_size, codes_size); k++)
    if (inside(codes[k], palette_size)) picture[k] = palette[codes[k]];
}
