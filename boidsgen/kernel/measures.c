/* Measures of a state: what `simulation/measures.py` defines, many of them in one call.

   Sums over boids keep the order of numpy's. Pairs are found by the grid, and their offsets never depend
   on it: they are the minimum images of the positions as they are, so that counts, groups and nearest
   distances are numpy's, too. */

#define ANY_OF(wanted, one, other) (((wanted) >> (one) & 1) || ((wanted) >> (other) & 1))
#define MEASURES (COLLISIONS_AVOIDED + 1)
#define UNDEFINED -1.0 /* no measure is below zero */
#define FEW 64         /* boids whom no grid helps */
/* Boids without a near one who are sooner compared with all than looked for in a coarser grid. */
#define LONELY 16
/* Boids from which on groups are joined by another search, where it goes more than twice as far. */
#define CROWD 256
#define PADDING 8 /* numbers behind a row that lanes may run over */

/* Lengths of vectors (3, n), shape (n,); as `geometry.length`. */
static void lengths(double *const vector[3], integer count, int first, double *length) {
  for (integer i = 0; i < count; i++) length[i] = vector[first][i] * vector[first][i];
  for (int a = first + 1; a < 3; a++)
    for (integer i = 0; i < count; i++) length[i] += vector[a][i] * vector[a][i];
  for (integer i = 0; i < count; i++) length[i] = square_root(length[i]);
}

/* Vectors brought to length 1; as `geometry.unit`. */
static void units(double *const vector[3], const double *length, integer count, int first,
                  double *const unit[3]) {
  for (integer i = 0; i < count; i++) {
    double factor = 1.0 / larger(length[i], SHORTEST);
    for (int a = first; a < 3; a++) unit[a][i] = vector[a][i] * factor;
  }
}

/* Length of the sum of cross products; as `measures._turning`. */
static double turning(double *const arm[3], double *const velocity[3], integer count, int first,
                      double *product) {
  double squared = 0.0;
  for (int a = first; a < 3; a++)
    for (int b = a + 1; b < 3; b++) {
      for (integer i = 0; i < count; i++)
        product[i] = arm[a][i] * velocity[b][i] - arm[b][i] * velocity[a][i];
      double total = pairwise_sum(product, count);
      squared += total * total;
    }
  return square_root(squared);
}

/* One coordinate of the center; as `Population.center`. `row` is memory for three rows. */
static double center_along(const double *position, integer count, double period, double *row) {
  double many = (double)count, total = 0.0;
  if (period == 0.0) {
    for (integer i = 0; i < count; i++) total += position[i];
    return total / many;
  }
  double per_length = 2.0 * PI / period;
  double *angle = row;
  double *sines = row + count + PADDING;
  double *cosines = sines + count + PADDING;
  for (integer i = 0; i < count; i++) {
    double place = position[i];
    angle[i] = per_length * (place >= 0.0 && place < period ? place : remainder_of(place, period));
  }
  for (int k = 0; k < PADDING; k++) angle[count + k] = 0.0;
  for (integer i = 0; i < count; i += LANES) {
    lanes sine_of, cosine_of;
    wave_lanes(*(loose *)(angle + i), &sine_of, &cosine_of);
    *(loose *)(sines + i) = sine_of;
    *(loose *)(cosines + i) = cosine_of;
  }
  double turn = heading(pairwise_sum(sines, count) / many, pairwise_sum(cosines, count) / many);
  return remainder_of(period / (2.0 * PI) * turn, period);
}

/* Measures that are sums over boids, at least one; `row` is memory for ten rows. */
static void measure_boids(const Points *boids, const double *period, int first, int wanted, double *row,
                          double *value) {
  integer count = boids->count, stride = count + PADDING;
  double many = (double)count;
  double *speed = row;
  double *some = row + stride;
  double *away = row + 2 * stride;
  double *unit[3];
  double *arm[3];
  double *const *velocity = boids->velocity;
  for (int a = first; a < 3; a++) {
    unit[a] = row + (3 + a) * stride;
    arm[a] = row + (6 + a) * stride;
  }
  lengths(velocity, count, first, speed);
  double mean = pairwise_sum(speed, count) / many, squared = 0.0;
  value[MEAN_SPEED] = mean;
  for (integer i = 0; i < count; i++) some[i] = (speed[i] - mean) * (speed[i] - mean);
  value[SPEED_SPREAD] = square_root(pairwise_sum(some, count) / many);
  if (ANY_OF(wanted, ROTATION, DISPERSION) || ANY_OF(wanted, ANGULAR_MOMENTUM, ANGULAR_MOMENTUM)) {
    for (int a = first; a < 3; a++) {
      double center = center_along(boids->position[a], count, period[a], unit[first]);
      for (integer i = 0; i < count; i++) arm[a][i] = shortened(boids->position[a][i] - center, period[a]);
    }
    lengths(arm, count, first, away);
    value[DISPERSION] = pairwise_sum(away, count) / many;
    for (integer i = 0; i < count; i++) some[i] = away[i] * speed[i];
    if (ANY_OF(wanted, ANGULAR_MOMENTUM, ANGULAR_MOMENTUM)) {
      double whole = pairwise_sum(some, count), turned = turning(arm, velocity, count, first, some);
      value[ANGULAR_MOMENTUM] = whole != 0.0 ? smaller(1.0, turned / whole) : UNDEFINED;
    }
    units(arm, away, count, first, arm);
  }
  units(velocity, speed, count, first, unit);
  for (int a = first; a < 3; a++) {
    double total = 0.0;
    for (integer i = 0; i < count; i++) total += unit[a][i];
    squared += total * total;
  }
  value[POLARIZATION] = smaller(1.0, square_root(squared) / many);
  if (ANY_OF(wanted, ROTATION, ROTATION))
    value[ROTATION] = smaller(1.0, turning(arm, unit, count, first, some) / many);
}

/* The smallest distance from any predator, of `predators` (d, m); as `PredatorDistance`. */
static double predator_distance(const Points *boids, const double *predator, integer predators,
                                const double *period, int first) {
  double least_squared = INFINITE;
  for (integer p = 0; p < predators; p++)
    for (integer i = 0; i < boids->count; i++) {
      vector offset = {0.0};
      for (int a = first; a < 3; a++)
        offset[a] = shortened(boids->position[a][i] - predator[(a - first) * predators + p], period[a]);
      least_squared = smaller(least_squared, dot(offset, offset, first));
    }
  return square_root(least_squared);
}

/* Bounds on the square of a distance, of each flock or boid: such as `below(radius)`, so that no root is
   needed. */
enum {
  SEEN,    /* within perception, */
  ROOM,    /* separation, */
  HALF,    /* and half of it */
  QUARTER, /* a quarter of its square */
  BOUNDS
};

/* Boids sorted by cell, what is known of each, (n,) in that order, and what is found out about pairs. */
typedef struct {
  Grid grid;
  const double *period;
  double half[3]; /* the largest offset that no period is taken from, where all are inside the world */
  double *bound[BOUNDS];
  double *near;  /* square of the distance from the nearest, infinite if not known */
  integer *root; /* a boid of the same group, the first of them itself */
  integer *same; /* where the run of boids of its group ends, as it was found out before */
  mask close;
  mask avoided;
} Met;

INLINE integer root_of(integer *root, integer boid) {
  while (root[boid] != boid) boid = root[boid] = root[root[boid]];
  return boid;
}

/* The smallest square of a distance that is not below a radius once its root is rounded. */
static double below(double radius) {
  Pattern square = {radius * radius}, before = square;
  for (before.pattern--; square.pattern && square_root(before.value) >= radius; before.pattern--)
    square = before;
  return square.value;
}

/* The larger bound of a boid and each of some others, or of all where they are alike. */
INLINE lanes bound_of(const int alike, const Met *met, int which, lanes own, integer j) {
  if (alike) return own;
  lanes other = loaded(met->bound[which] + j);
  return choose(own > other, own, other);
}

/* Which pairs are on a collision course; as `CollisionsAvoided.count`. */
INLINE mask collide(const int first, const int alike, const Met *met, const lanes *offset, lanes squared,
                    lanes quarter, integer i, integer j) {
  const Points *boids = &met->grid.boids;
  lanes closing = all(0.0), drifted = all(0.0);
  for (int a = first; a < 3; a++) {
    lanes drift = loaded(boids->velocity[a] + j) - all(boids->velocity[a][i]);
    closing -= offset[a] * drift;
    drifted += drift * drift;
  }
  const lanes bound = bound_of(alike, met, QUARTER, quarter, j);
  return (closing > all(0.0)) & (squared - closing * closing / drifted < bound);
}

/* The ranges around a row of cells, those first that boids in the middle of the row look at: returns how
   many all are, and `middle` how many these. Unless `alone`, rows before are left out, whose boids have
   looked at this row already. */
static int ranges_ahead(const Grid *grid, integer x, integer y, int alone, CellRange *range, int *middle) {
  integer own = (x * grid->axis[1].cells + y) * grid->axis[2].cells;
  int all_ranges = ranges_around(grid, x, y, range), kept = 0;
  *middle = 0;
  for (int k = 0; k < all_ranges; k++) {
    if (!alone && range[k].base + range[k].first < own) continue;
    CellRange one = range[k];
    range[kept] = range[*middle];
    range[one.first ? kept : (*middle)++] = one;
    kept++;
  }
  return kept;
}

/* Look at every two boids near each other in the grid, once; or `alone` at all near those whose nearest is
   not known; or `joining`, once more, at those in different groups. */
INLINE void look_at_pairs(const int first, const int inside, const int alone, const int joining,
                          const int alike, Met *met) {
  const Grid *grid = &met->grid;
  const Points *boids = &grid->boids;
  integer last_x = -1;
  integer last_y = -1;
  integer reach = grid->axis[2].reach;
  integer last_cell = grid->axis[2].cells - 1;
  integer *root = met->root;
  int ranges = 0, middle = 0;
  CellRange range[MOST_RANGES];
  mask lane_number, sign = (mask)all(-0.0);
  lanes here[3], half[3], period[3], offset[3];
  for (int lane = 0; lane < LANES; lane++) lane_number[lane] = lane;
  for (int a = first; a < 3; a++) {
    half[a] = all(met->half[a]);
    period[a] = all(met->period[a]);
  }
  for (integer i = 0; i < boids->count; i++) {
    if (alone && met->near[i] < INFINITE) continue;
    integer x = first ? 0 : cell_along(grid->axis, boids->position[0][i]);
    integer y = cell_along(grid->axis + 1, boids->position[1][i]);
    integer z = cell_along(grid->axis + 2, boids->position[2][i]), own = root_of(root, i);
    if (x != last_x || y != last_y) {
      ranges = ranges_ahead(grid, x, y, alone, range, &middle);
      last_x = x;
      last_y = y;
    }
    for (int a = first; a < 3; a++) here[a] = all(boids->position[a][i]);
    lanes best = all(met->near[i]), bound[BOUNDS];
    for (int b = 0; b < BOUNDS; b++) bound[b] = all(met->bound[b][i]);
    for (int k = 0; k < (z >= reach && z + reach <= last_cell ? middle : ranges); k++) {
      const integer *starts = grid->starts + range[k].base;
      integer from = starts[least(most(z - reach, range[k].first), range[k].last)];
      integer until = starts[least(most(z + reach + 1, range[k].first), range[k].last)];
      if (!alone) from = most(from, i + 1);
      mask entry = all_whole(from) + lane_number, end = all_whole(until);
      if (joining && from < until && met->same[from] >= until && root[from] == own) continue;
      for (integer j = from; j < until; j += LANES, entry += all_whole(LANES)) {
        mask joins = (mask)loaded((const double *)(root + j)) != all_whole(own);
        if (joining && !any(joins)) continue;
        lanes squared = all(0.0);
        for (int a = first; a < 3; a++) {
          offset[a] = loaded(boids->position[a] + j) - here[a];
          if (inside) {
            lanes turn = pick((lanes)((mask)offset[a] & ~sign) > half[a], period[a]);
            offset[a] -= (lanes)((mask)turn | ((mask)offset[a] & sign));
          } else
            offset[a] = shortened_lanes(offset[a], met->period[a]);
          squared += offset[a] * offset[a];
        }
        mask valid = entry < end;
        if (alone) valid &= entry != all_whole(i);
        squared = choose(valid, squared, all(INFINITE));
        best = choose(squared < best, squared, best);
        if (alone) continue;
        joins &= squared < bound_of(alike, met, SEEN, bound[SEEN], j);
        if (joining) {
          if (!any(joins)) continue;
        } else {
          loose *near = (loose *)(met->near + j);
          *near = choose(squared < *near, squared, *near);
          mask close = squared < bound_of(alike, met, HALF, bound[HALF], j);
          mask nearing = ~close & (squared < bound_of(alike, met, ROOM, bound[ROOM], j));
          met->close -= close;
          if (!any(joins | nearing)) continue;
          met->avoided -= nearing & collide(first, alike, met, offset, squared, bound[QUARTER], i, j);
        }
        for (int lane = 0; lane < LANES; lane++)
          if (joins[lane]) {
            integer other = root_of(root, j + lane), before = least(own, other);
            root[most(own, other)] = root[j + lane] = before;
            own = before;
          }
      }
    }
    double nearest = best[0];
    for (int lane = 1; lane < LANES; lane++) nearest = best[lane] < nearest ? best[lane] : nearest;
    met->near[i] = nearest;
  }
}

/* The largest offset between two places from zero to a period that is not shortened by it; as rounding has
   it. */
static double half_of(double period) {
  Pattern next = {period / 2};
  next.pattern++;
  return next.value / period > 0.5 ? period / 2 : next.value;
}

/* Let boids look twice as far in the same grid; whether its cells, and the room for ranges, allow it. */
static int widen(Grid *grid) {
  integer ranges = 1;
  for (int a = grid->first; a < 3; a++) {
    const Axis *axis = grid->axis + a;
    if (axis->shift != 0.0 && axis->cells < 4 * axis->reach + 1) return 0;
    ranges *= a < 2 ? 4 * axis->reach + 1 : 3;
  }
  if (ranges > MOST_RANGES) return 0;
  for (int a = grid->first; a < 3; a++) grid->axis[a].reach *= 2;
  return 1;
}

/* Sort boids into a grid for searches within a radius, or within twice as much until its cells have room
   among `starts`; returns the radius. A search goes a little further, since cells are found by rounded
   numbers. `memory`: nine rows. */
static double arrange_within(const Points *boids, double radius, integer *starts, integer room,
                             double *memory, Met *met) {
  Grid *grid = &met->grid;
  double widest = 0.0;
  for (int a = grid->first; a < 3; a++) widest = larger(widest, met->period[a]);
  grid->sources = *boids;
  integer cells = divide(grid, met->period, radius + 1e-9 * (radius + widest));
  for (; cells + 2 > room; radius *= 2.0)
    cells = divide(grid, met->period, 2.0 * radius + 1e-9 * (2.0 * radius + widest));
  grid->starts = starts;
  grid->boids = grid->sources = arrange(grid, boids, cells, starts, memory);
  return radius;
}

/* Give each sorted boid the bounds of its flock. */
static void bound_boids(const double (*flock)[1 + BOUNDS], Met *met) {
  const Points *boids = &met->grid.boids;
  for (integer k = 0; k < boids->count; k++) {
    integer before = boids->number[k], f = 0;
    while (before >= (integer)flock[f][0]) before -= (integer)flock[f++][0];
    for (int b = 0; b < BOUNDS; b++) met->bound[b][k] = flock[f][1 + b];
  }
}

/* Store the first boid of each one's group, by number, in place of bounds; returns how many groups there
   are. */
static integer store_members(integer *member, Met *met) {
  integer count = met->grid.boids.count, *lowest = (integer *)met->bound[SEEN], groups = 0;
  const integer *number = met->grid.boids.number;
  for (integer k = 0; k < count; k++) lowest[k] = number[k];
  for (integer k = 0; k < count; k++) {
    integer root = root_of(met->root, k);
    lowest[root] = least(lowest[root], number[k]);
    groups += root == k;
  }
  for (integer k = 0; k < count; k++) member[number[k]] = lowest[root_of(met->root, k)];
  return groups;
}

/* Begin with the groups found so far: their roots among the sorted boids, and where each run of boids of the
   same one ends, in place of a bound. */
static void resume_groups(const integer *member, Met *met) {
  integer count = met->grid.boids.count, *place = (integer *)met->bound[ROOM];
  const integer *number = met->grid.boids.number;
  met->same = (integer *)met->bound[HALF];
  for (integer k = 0; k < count; k++) place[number[k]] = k;
  for (integer k = 0; k < count; k++) met->root[k] = place[member[number[k]]];
  for (integer k = count - 1; k >= 0; k--)
    met->same[k] = k + 1 < count && met->root[k] == met->root[k + 1] ? met->same[k + 1] : k + 1;
}

/* Look at all pairs that matter: those within a radius; where `nearest` is given, until it has everyone's
   distance from the nearest, by searches whose radius doubles; and those of different groups within
   `perceived`. Most boids of a group are joined by near pairs already. `member`: the first boid of each
   one's group; `flock`: of each flock the number of boids, which is a double, and their bounds. */
static void meet_all(const Points *boids, int first, double radius, double perceived,
                     const double (*flock)[1 + BOUNDS], double *nearest, integer *member, double *memory,
                     integer *starts, integer room, Met *met) {
  int inside = 1, arranged = 0;
  integer count = boids->count, groups = 0;
  for (int a = first; a < 3; a++) {
    double period = met->period[a];
    met->half[a] = period != 0.0 ? half_of(period) : INFINITE;
    for (integer i = 0; i < count && period != 0.0; i++)
      inside &= boids->position[a][i] >= 0.0 && boids->position[a][i] <= period;
  }
  met->grid.first = first;
  if (count <= FEW || radius == 0.0) radius = INFINITE;
  for (int pass = 0;; pass++) {
    if (!arranged) radius = arrange_within(boids, radius, starts, room, memory, met);
    const integer *number = met->grid.boids.number;
    for (integer k = 0; k < count; k++) met->near[k] = pass ? nearest[number[k]] : INFINITE;
    if (pass)
      look_at_pairs(first, 0, 1, 0, 1, met);
    else {
      bound_boids(flock, met);
      for (integer k = 0; k < count; k++) met->root[k] = k;
      if (inside && (integer)flock[0][0] == count)
        first ? look_at_pairs(1, 1, 0, 0, 1, met) : look_at_pairs(0, 1, 0, 0, 1, met);
      else
        look_at_pairs(first, inside, 0, 0, 0, met);
      integer found = store_members(member, met);
      groups = radius < perceived ? found : 1;
    }
    integer lonely = 0;
    for (integer k = 0; k < count && nearest; k++) {
      int known = met->near[k] < radius * radius;
      nearest[number[k]] = known ? met->near[k] : INFINITE;
      lonely += !known;
    }
    if (!lonely || radius == INFINITE) break;
    arranged = widen(&met->grid);
    radius = !arranged && (lonely <= LONELY || pass > 12) ? INFINITE : 2.0 * radius;
  }
  for (integer i = 0; i < count && nearest; i++) nearest[i] = square_root(nearest[i]);
  if (groups < 2) return;
  arrange_within(boids, perceived, starts, room, memory, met);
  bound_boids(flock, met);
  resume_groups(member, met);
  look_at_pairs(first, 0, 0, 1, 0, met);
  store_members(member, met);
}

/* Numbers for the starts of cells of a grid. */
INLINE int starts_for(int boids) { return 8 * boids + 1024; }

/* Cells of memory that `measure` needs for so many boids and flocks. */
ENTRY(int, measure_cells)(int boids, int flocks) {
  return 17 * (boids + PADDING) + (1 + BOUNDS) * flocks + starts_for(boids);
}

/* The measures of one instant, as `measure`. */
static void measure_instant(const double *world, int flocks, const double *position, const double *velocity,
                            const double *predator, int predators, int wanted, double *value,
                            integer *member, double *memory) {
  int first = (int)world[0], alone = wanted >> NEAREST_NEIGHBOR_DISTANCE & 1;
  integer count = 0, groups = 0, largest = 0;
  double perceived = 0.0, apart = 0.0;
  for (int f = 0; f < flocks; f++) {
    double boids = world[4 + 3 * f];
    count += (integer)boids;
    if (boids > 0.0) {
      perceived = larger(perceived, world[5 + 3 * f]);
      apart = larger(apart, world[6 + 3 * f]);
    }
  }
  integer stride = count + PADDING;
  double *nearest = memory, *row = nearest + stride, *more = row + 10 * stride;
  double (*flock)[1 + BOUNDS] = (double (*)[1 + BOUNDS])(more + 6 * stride);
  Met met = {.period = world + 1,
             .near = more,
             .root = (integer *)(more + stride),
             .close = all_whole(0),
             .avoided = all_whole(0)};
  for (int b = 0; b < BOUNDS; b++) met.bound[b] = more + (2 + b) * stride;
  const Points boids = points_of(first, count, position, velocity);
  for (int m = 0; m < MEASURES; m++) value[m] = UNDEFINED;
  if (count) measure_boids(&boids, met.period, first, wanted, row, value);
  if (count && predators)
    value[PREDATOR_DISTANCE] = predator_distance(&boids, predator, predators, met.period, first);
  int grouped = ANY_OF(wanted, GROUPS, LARGEST_GROUP) && perceived < INFINITE;
  int counted = ANY_OF(wanted, CLOSE_ENCOUNTERS, COLLISIONS_AVOIDED) && apart < INFINITE;
  double radius = counted ? apart : 0.0, joined = grouped ? perceived : 0.0;
  for (int f = 0; f < flocks; f++) {
    double seen = grouped ? world[5 + 3 * f] : 0.0;
    double apart_by = counted ? world[6 + 3 * f] : 0.0;
    double *bound = flock[f] + 1;
    flock[f][0] = world[4 + 3 * f];
    bound[SEEN] = below(seen);
    bound[ROOM] = below(apart_by);
    bound[HALF] = below(apart_by / 2);
    bound[QUARTER] = apart_by * apart_by / 4;
  }
  for (integer i = 0; i < count; i++) member[i] = i;
  /* Most nearest ones are closer than boids want, and join groups. */
  if ((alone || grouped) && radius == 0.0) radius = apart > 0.0 ? smaller(apart, perceived) : perceived;
  if (count < CROWD || joined < radius + radius) radius = larger(radius, joined);
  if (count > 1 && (alone || radius > 0.0)) {
    integer *starts = (integer *)(flock + flocks);
    meet_all(&boids, first, radius, joined, (const double (*)[1 + BOUNDS]) flock, alone ? nearest : 0, member,
             row, starts, starts_for((int)count), &met);
  }
  if (count > 1 && alone) value[NEAREST_NEIGHBOR_DISTANCE] = pairwise_sum(nearest, count) / (double)count;
  if (counted) {
    value[CLOSE_ENCOUNTERS] = value[COLLISIONS_AVOIDED] = 0.0;
    for (int lane = 0; lane < LANES; lane++) {
      value[CLOSE_ENCOUNTERS] += (double)met.close[lane];
      value[COLLISIONS_AVOIDED] += (double)met.avoided[lane];
    }
  }
  integer *members = (integer *)row;
  for (integer i = 0; i < count; i++) {
    member[i] = perceived < INFINITE ? member[i] : 0;
    members[i] = 0;
    largest = most(largest, ++members[member[i]]);
    groups += member[i] == i;
  }
  value[GROUPS] = (double)groups;
  if (count) value[LARGEST_GROUP] = (double)largest / (double)count;
}

/* At each of some instants, which stand one after the other in `position` and `velocity` (d, n), `predator`
   (d, m) and `value`: the measures with a bit in `wanted` that are defined, others -1. And at the last one
   the number of the first one in each boid's group, (n,). `world` has the first axis, three periods, and of
   each of f flocks its boids and their radii of perception and separation; flocks stand one after the other,
   too. As `measures.values_of`. */
ENTRY(void, measure)(int instants, const double *world, int flocks, const double *position,
                     const double *velocity, const double *predator, int predators, int wanted, double *value,
                     integer *member, double *memory) {
  integer dimension = 3 - (integer)world[0], size = 0;
  for (int f = 0; f < flocks; f++) size += dimension * (integer)world[4 + 3 * f];
  for (integer k = 0; k < instants; k++)
    measure_instant(world, flocks, position + k * size, velocity + k * size,
                    predator + k * dimension * predators, predators, wanted, value + k * MEASURES, member,
                    memory);
}
