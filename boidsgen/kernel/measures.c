/* Measures of a state: what `simulation/measures.py` defines, many of them in one call.

   Sums over boids keep the order of numpy's. Pairs are found by the grid, and their offsets never depend on it: they are
   the minimum images of the positions as they are, so that counts, groups and nearest distances are numpy's, too. */

enum {
  POLARIZATION, ROTATION, ANGULAR_MOMENTUM, DISPERSION, MEAN_SPEED, SPEED_SPREAD, PREDATOR_DISTANCE, NEAREST_DISTANCE,
  GROUPS, LARGEST_GROUP, CLOSE_ENCOUNTERS, COLLISIONS_AVOIDED, MEASURES
}; /* as `native_measures.NAMES` */

#define ANY_OF(wanted, one, other) (((wanted) >> (one) & 1) || ((wanted) >> (other) & 1))
#define UNDEFINED (__builtin_nan(""))
#define FEW 64    /* boids whom no grid helps; as `profiles.FEW` */
#define LONELY 16 /* boids without a near one who are sooner compared with all than looked for in a coarser grid */
#define PADDING 8 /* numbers behind a row that lanes may run over */

typedef double loose __attribute__((vector_size(8 * LANES), aligned(8), may_alias)); /* lanes anywhere in memory */

INLINE double shortened(double offset, double period) {
  return period != 0.0 ? offset - period * rint(offset / period) : offset;
}

/* Lengths of vectors (3, n), shape (n,); as `geometry.length`. */
static void lengths(double *const vector[3], integer count, int first, double *length) {
  for (integer i = 0; i < count; i++) length[i] = vector[first][i] * vector[first][i];
  for (int a = first + 1; a < 3; a++)
    for (integer i = 0; i < count; i++) length[i] += vector[a][i] * vector[a][i];
  for (integer i = 0; i < count; i++) length[i] = square_root(length[i]);
}

/* Vectors brought to length 1; as `geometry.unit`. `factor` (n,) receives what they are multiplied by. */
static void units(double *const vector[3], const double *length, integer count, int first, double *factor,
                  double *const unit[3]) {
  for (integer i = 0; i < count; i++) factor[i] = 1.0 / larger(length[i], SHORTEST);
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++) unit[a][i] = vector[a][i] * factor[i];
}

/* Length of the sum of cross products; as `measures._turning`. */
static double turning(double *const arm[3], double *const velocity[3], integer count, int first, double *product) {
  double squared = 0.0;
  for (int a = first; a < 3; a++)
    for (int b = a + 1; b < 3; b++) {
      for (integer i = 0; i < count; i++) product[i] = arm[a][i] * velocity[b][i] - arm[b][i] * velocity[a][i];
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
  double per_length = 2.0 * PI / period, *angle = row, *sines = row + count + PADDING, *cosines = sines + count + PADDING;
  for (integer i = 0; i < count; i++) {
    double place = position[i];
    angle[i] = per_length * (place >= 0.0 && place < period ? place : remainder_of(place, period));
  }
  for (int k = 0; k < PADDING; k++) angle[count + k] = 0.0;
  for (integer i = 0; i < count; i += LANES) {
    lanes sine_of, cosine_of;
    wave_lanes(*(loose *)(angle + i), &sine_of, &cosine_of);
    *(loose *)(sines + i) = sine_of, *(loose *)(cosines + i) = cosine_of;
  }
  double turn = heading(pairwise_sum(sines, count) / many, pairwise_sum(cosines, count) / many);
  return remainder_of(period / (2.0 * PI) * turn, period);
}

/* Measures that are sums over boids, at least one; `row` is memory for ten rows. */
static void measure_boids(const Crowd *boids, const double *period, int first, int wanted, double *row, double *value) {
  integer count = boids->count, stride = count + PADDING;
  double many = (double)count, *speed = row, *some = row + stride, *away = row + 2 * stride, *velocity[3], *unit[3], *arm[3];
  for (int a = first; a < 3; a++) {
    velocity[a] = (double *)boids->velocity[a];
    unit[a] = row + (3 + a) * stride, arm[a] = row + (6 + a) * stride;
  }
  lengths(velocity, count, first, speed);
  double mean = pairwise_sum(speed, count) / many, squared = 0.0;
  value[MEAN_SPEED] = mean;
  for (integer i = 0; i < count; i++) some[i] = (speed[i] - mean) * (speed[i] - mean);
  value[SPEED_SPREAD] = square_root(pairwise_sum(some, count) / many);
  if (ANY_OF(wanted, ROTATION, DISPERSION) || ANY_OF(wanted, ANGULAR_MOMENTUM, ANGULAR_MOMENTUM)) {
    for (int a = first; a < 3; a++) {
      double center = center_along(boids->position[a], count, period[a], unit[first]);
      for (integer i = 0; i < count; i++) arm[a][i] = boids->position[a][i] - center;
      if (period[a] != 0.0)
        for (integer i = 0; i < count; i++) arm[a][i] -= period[a] * rint(arm[a][i] / period[a]);
    }
    lengths(arm, count, first, away);
    value[DISPERSION] = pairwise_sum(away, count) / many;
    for (integer i = 0; i < count; i++) some[i] = away[i] * speed[i];
    double most_turning = pairwise_sum(some, count), turned = turning(arm, velocity, count, first, some);
    value[ANGULAR_MOMENTUM] = most_turning != 0.0 ? smaller(1.0, turned / most_turning) : UNDEFINED;
    units(arm, away, count, first, some, arm);
  }
  units(velocity, speed, count, first, some, unit);
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
static double predator_distance(const Crowd *boids, const double *predator, integer predators, const double *period,
                                int first) {
  double least_squared = INFINITE;
  for (integer p = 0; p < predators; p++)
    for (integer i = 0; i < boids->count; i++) {
      double offset[3];
      for (int a = first; a < 3; a++)
        offset[a] = shortened(boids->position[a][i] - predator[(a - first) * predators + p], period[a]);
      least_squared = smaller(least_squared, dot(offset, offset, first));
    }
  return square_root(least_squared);
}

/* What is found out about pairs; boids by their numbers. */
typedef struct {
  const double *period, *perception, *separation; /* (3,), (n,) and (n,) */
  double perceived, room, within;                 /* squares of the largest radii, 0 = not asked, and the larger of both */
  integer *root;                                  /* (n,) a boid of the same group with a smaller number, or itself */
  double *nearest;                                /* (n,) distance from the nearest other, infinite until it is known */
  integer close, avoided;
} Met;

INLINE integer root_of(integer *root, integer boid) {
  while (root[boid] != boid) boid = root[boid] = root[root[boid]];
  return boid;
}

/* Two boids that are near each other, by their places in the grid; as `members` and `CollisionsAvoided.count`. */
static void note(Met *met, const Crowd *boids, int first, integer i, integer j, double squared) {
  integer one = boids->number[i], other = boids->number[j];
  double distance = square_root(squared);
  if (squared < met->perceived && distance < larger(met->perception[one], met->perception[other])) {
    integer a = root_of(met->root, one), b = root_of(met->root, other);
    met->root[most(a, b)] = least(a, b);
  }
  if (!(squared < met->room)) return;
  double room = larger(met->separation[one], met->separation[other]), offset[3], drift[3];
  met->close += distance < room / 2;
  if (!(distance < room && distance >= room / 2)) return;
  for (int a = first; a < 3; a++) {
    offset[a] = shortened(boids->position[a][j] - boids->position[a][i], met->period[a]);
    drift[a] = boids->velocity[a][j] - boids->velocity[a][i];
  }
  double closing = -dot(offset, drift, first);
  met->avoided += closing > 0.0 && squared - closing * closing / dot(drift, drift, first) < room * room / 4;
}

/* Look at the pairs of boids nearer than some radius, each of which the grid shows from both sides. */
INLINE void look_at_pairs(const int first, const Grid *grid, double limit, int notes, Met *met) {
  const Crowd *boids = &grid->boids;
  integer last_x = -1, last_y = -1, reach = grid->axis[2].reach;
  int pieces = 0;
  Piece piece[MOST_PIECES];
  mask lane_number;
  for (int lane = 0; lane < LANES; lane++) lane_number[lane] = lane;
  for (integer i = 0; i < boids->count; i++) {
    if (!notes && met->nearest[boids->number[i]] < INFINITE) continue;
    integer x = first ? 0 : cell_along(grid->axis, boids->position[0][i]), y = cell_along(grid->axis + 1, boids->position[1][i]);
    integer z = cell_along(grid->axis + 2, boids->position[2][i]);
    if (x != last_x || y != last_y) pieces = pieces_around(grid, x, y, piece), last_x = x, last_y = y;
    lanes best = all(INFINITE);
    for (int k = 0; k < pieces; k++) {
      const integer *starts = grid->starts + piece[k].base;
      integer from = starts[least(most(z - reach, piece[k].first), piece[k].last)];
      integer until = starts[least(most(z + reach + 1, piece[k].first), piece[k].last)];
      for (integer j = from; j < until; j += LANES) {
        lanes squared = all(0.0);
        for (int a = first; a < 3; a++) {
          lanes offset = *(const loose *)(boids->position[a] + j) - all(boids->position[a][i]), period = all(met->period[a]);
          if (met->period[a] != 0.0) offset -= period * rint_lanes(offset / period);
          squared += offset * offset;
        }
        mask entry = all_whole(j) + lane_number;
        mask closer = (entry < all_whole(until)) & (entry != all_whole(i)) & (squared < all(limit));
        mask noted = closer & (entry > all_whole(i)) & (squared < all(met->within));
        closer &= squared < best;
        best = (lanes)((closer & (mask)squared) | (~closer & (mask)best));
        if (notes && any(noted))
          for (int lane = 0; lane < LANES; lane++)
            if (noted[lane]) note(met, boids, first, i, j + lane, squared[lane]);
      }
    }
    double least_squared = INFINITE;
    for (int lane = 0; lane < LANES; lane++) least_squared = smaller(least_squared, best[lane]);
    met->nearest[boids->number[i]] = square_root(least_squared);
  }
}

/* Look at all pairs that matter; where `alone` on, until every boid's nearest is known, by searches whose radius doubles.
   A search goes a little further than its radius, since cells are found by rounded numbers. */
static void meet_all(const Crowd *boids, int first, int alone, double radius, double *memory, integer *starts, integer room,
                     Met *met) {
  double widest = 0.0;
  for (int a = first; a < 3; a++) widest = larger(widest, met->period[a]);
  for (int pass = 0, notes = radius > 0.0; pass < 64; pass++, notes = 0) {
    Grid grid = {.first = first, .sources = *boids};
    if (boids->count <= FEW) radius = INFINITE;
    if (radius == 0.0) {
      double low, high, volume = 1.0;
      for (int a = first; a < 3; a++) {
        low = high = boids->position[a][0];
        for (integer i = 1; i < boids->count; i++)
          low = smaller(low, boids->position[a][i]), high = larger(high, boids->position[a][i]);
        volume *= high - low;
      }
      volume = 4.0 * volume / (double)boids->count;
      radius = !(volume > 0.0) ? widest * 1e-3 : first ? square_root(volume) : cube_root(volume);
      if (!(radius > 0.0 && radius < INFINITE)) radius = INFINITE;
    }
    integer cells = divide(&grid, met->period, radius + 1e-9 * (radius + widest));
    for (; cells + 2 > room; radius *= 2.0) cells = divide(&grid, met->period, 2.0 * radius + 1e-9 * (2.0 * radius + widest));
    grid.starts = starts;
    grid.boids = grid.sources = arrange(&grid, boids, cells, starts, memory);
    if (first) look_at_pairs(1, &grid, radius * radius, notes, met);
    else look_at_pairs(0, &grid, radius * radius, notes, met);
    integer lonely = 0;
    for (integer i = 0; i < boids->count; i++) lonely += !(met->nearest[i] < INFINITE);
    if (!alone || !lonely || radius == INFINITE) return;
    radius = lonely <= LONELY || pass > 12 ? INFINITE : 2.0 * radius;
  }
}

/* The measures with a bit in `wanted` that are defined, others not a number: `memory` begins with 16 of them, and with the
   first boid of each one's group (n,), whole numbers; in all it has 24 + 15 (n + 8) numbers, and `room` for cells.
   `world` has the first axis, three periods, and radii of perception and separation of each flock, whose boids stand one
   after the other in `position` and `velocity` (d, n). As `measures.measure`. */
ENTRY(void, measure)(const double *world, int flocks, const int *counts, const double *position, const double *velocity,
                     const double *predator, int predators, int wanted, double *memory, int room) {
  int first = (int)world[0];
  integer count = 0, groups = 0, largest = 0;
  for (int f = 0; f < flocks; f++) count += counts[f];
  Crowd boids = {count, {0}, {0}, 0};
  for (int a = first; a < 3; a++) boids.position[a] = position + (a - first) * count, boids.velocity[a] = velocity + (a - first) * count;
  double *value = memory, *perception = memory + 16 + count, *separation = perception + count, *row = separation + 2 * count;
  integer *root = (integer *)(memory + 16);
  Met met = {.period = world + 1, .perception = perception, .separation = separation, .root = root, .nearest = separation + count};
  double perceived = 0.0, apart = 0.0;
  for (integer f = 0, i = 0; f < flocks; f++)
    for (integer k = 0; k < counts[f]; k++, i++) {
      perception[i] = world[4 + 2 * f], separation[i] = world[5 + 2 * f], root[i] = i, met.nearest[i] = INFINITE;
      perceived = larger(perceived, perception[i]), apart = larger(apart, separation[i]);
    }
  for (int m = 0; m < MEASURES; m++) value[m] = UNDEFINED;
  if (count) measure_boids(&boids, met.period, first, wanted, row, value);
  if (count && predators) value[PREDATOR_DISTANCE] = predator_distance(&boids, predator, predators, met.period, first);
  int grouped = ANY_OF(wanted, GROUPS, LARGEST_GROUP) && perceived < INFINITE, alone = wanted >> NEAREST_DISTANCE & 1;
  int counted = ANY_OF(wanted, CLOSE_ENCOUNTERS, COLLISIONS_AVOIDED) && apart < INFINITE;
  double farthest = larger(grouped ? perceived : 0.0, counted ? apart : 0.0);
  met.perceived = grouped ? perceived * perceived : 0.0, met.room = counted ? apart * apart : 0.0;
  met.within = larger(met.perceived, met.room);
  if (count > 1 && (alone || farthest > 0.0)) meet_all(&boids, first, alone, farthest, row, (integer *)(row + 10 * (count + PADDING)), room, &met);
  if (count > 1 && alone) value[NEAREST_DISTANCE] = pairwise_sum(met.nearest, count) / (double)count;
  if (counted) value[CLOSE_ENCOUNTERS] = (double)met.close, value[COLLISIONS_AVOIDED] = (double)met.avoided;
  integer *members = (integer *)row;
  for (integer i = 0; i < count; i++) {
    root[i] = perceived < INFINITE ? root[root[i]] : 0;
    members[i] = 0;
    largest = most(largest, ++members[root[i]]);
    groups += root[i] == i;
  }
  value[GROUPS] = (double)groups;
  if (count) value[LARGEST_GROUP] = (double)largest / (double)count;
}
