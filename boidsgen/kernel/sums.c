/* Neighbor sums: what `neighbors.neighbor_sums` computes, several boids at a time.

   Boids that follow each other in a row of the grid are lanes: they share the candidates of all their
   cells, each of which is compared with every lane. A lane adds its own neighbors one after the other in
   the order of the grid. */

#define TOGETHER 4   /* reductions that are computed in one pass over the candidates */
#define MOST_ROWS 64 /* results that a group has at most */

/* Boids whose results stand together: what is computed on the way stays in the first-level cache. */
#define BLOCK 128

/* One sum over the neighbors of each boid; planned from a `neighbors.Request`. */
typedef struct {
  double squared;    /* square of the radius */
  double closest;    /* square of the smallest distance; 0 where those at the same place count */
  double cosine;     /* of half the field of view */
  integer quantity;  /* what is added up, */
  integer nearest;   /* of how many of the nearest; 0 = all */
  integer shared;    /* whether it is about the same neighbors as the one before */
  integer sees_part; /* does not see all round */
  integer result;    /* where the result goes: the cell of (1 + d, n) counts and sums */
} Reduction;

enum { BOUNDED, EVERYONE, UNBOUNDED };

/* Reductions about the same sources that are computed together; the last one of a group may be computed as
   it moves. */
typedef struct {
  integer kind;
  integer own;     /* whether the boids themselves are the sources */
  integer local;   /* whether it is computed as they move */
  integer sources; /* Sources */
  integer sources_at;
  integer joined;   /* memory for (2 d, m) sources of several groups; 0 = none */
  integer headings; /* memory for (d, n) headings; 0 = none */
  integer reductions;
  integer reductions_at;
  integer adds;
  integer noticed;
  integer unfilled; /* memory (n,) of unbounded ones */
  integer owner;    /* the term that has it alone; 0 = any may share it */
  double radius;
} NeighborQuery;

/* Where the sums of an entry go: rows of `stride` numbers, a count and then a vector for each reduction. */
typedef struct {
  double *row[MOST_ROWS][4];
  int adds; /* whether sums are added to what is there, as over a further group of sources */
} QueryResult;

INLINE void write(const QueryResult *result, int reduction, integer place, double count,
                  const double total[3], int first) {
  double *const *row = result->row[reduction];
  row[0][place] = result->adds ? row[0][place] + count : count;
  for (int a = first; a < 3; a++) row[1 + a][place] = result->adds ? row[1 + a][place] + total[a] : total[a];
}

INLINE double divisor_of(integer quantity, double squared) {
  if (quantity == OFFSET || quantity == VELOCITY) return 1.0;
  double divisor = quantity == INVERSE ? squared : square_root(squared);
  if (quantity == INVERSE_SQUARE) divisor *= squared;
  return divisor == 0.0 ? 1.0 : divisor;
}

/* What the boids of the lanes have found so far. */
typedef struct {
  lanes speed;
  mask count[TOGETHER];
  lanes total[TOGETHER][3];
} Found;

/* Add a candidate to the sums of one reduction, for the lanes to which it is a neighbor; `chosen` are
   those of the reduction before, and `possible` those in whose own ranges it stands. */
INLINE mask tally(const int first, const int r, const Reduction *reduction, const lanes own_velocity[3],
                  mask self, Found *found, const lanes offset[3], lanes squared, mask chosen, mask possible,
                  const double *const velocity[3], integer j) {
  if (r == 0 || !reduction->shared) {
    chosen = (squared < all(reduction->squared)) & (squared >= all(reduction->closest)) & possible;
    if (reduction->closest == 0.0) chosen &= all_whole(j) != self;
    if (reduction->sees_part) {
      lanes ahead = own_velocity[first] * offset[first];
      for (int a = first + 1; a < 3; a++) ahead += own_velocity[a] * offset[a];
      chosen &= (ahead > found->speed * roots(squared) * all(reduction->cosine)) | (found->speed == all(0.0));
    }
  }
  found->count[r] -= chosen;
  if (reduction->quantity == VELOCITY) {
    for (int a = first; a < 3; a++) found->total[r][a] += pick(chosen, all(velocity[a][j]));
  } else if (reduction->quantity == OFFSET) {
    for (int a = first; a < 3; a++) found->total[r][a] += pick(chosen, offset[a]);
  } else if (any(chosen)) {
    lanes divisor = squared;
    if (reduction->quantity != INVERSE) divisor = roots(squared);
    if (reduction->quantity == INVERSE_SQUARE) divisor = squared * divisor;
    if (reduction->closest == 0.0) divisor = choose(divisor > all(0.0), divisor, all(1.0));
    for (int a = first; a < 3; a++) found->total[r][a] += pick(chosen, offset[a] / divisor);
  }
  return chosen;
}

/* Of ranges of all lanes: where they begin and end together, and the part in the middle that they share. */
typedef struct {
  integer begin;
  integer inner;
  integer outer;
  integer end;
} Span;

INLINE Span span_of(const Search *search, int range) {
  const mask begin = search->begin[range], end = search->end[range];
  Span span = {begin[0], begin[0], end[0], end[0]};
  for (int lane = 1; lane < LANES; lane++) {
    span.begin = least(span.begin, begin[lane]);
    span.inner = most(span.inner, begin[lane]);
    span.outer = least(span.outer, end[lane]);
    span.end = most(span.end, end[lane]);
  }
  return span;
}

/* Compute a few reductions for the boids of a search. */
INLINE void add_up(const int first, const int reductions, const Reduction *reduction, int base,
                   const Search *search, const QueryResult *result) {
  const Points *sources = &search->grid->sources;
  const double *const position[3] = {sources->position[0], sources->position[1], sources->position[2]};
  const double *const velocity[3] = {sources->velocity[0], sources->velocity[1], sources->velocity[2]};
  const int repeats = search->grid->repeats;
  lanes own_position[3], own_velocity[3];
  for (int a = first; a < 3; a++) {
    own_position[a] = search->position[a];
    own_velocity[a] = search->velocity[a];
  }
  Found found;
  found.speed = own_velocity[first] * own_velocity[first];
  for (int a = first + 1; a < 3; a++) found.speed += own_velocity[a] * own_velocity[a];
  found.speed = roots(found.speed);
  for (int r = 0; r < reductions; r++) {
    found.count[r] = all_whole(0);
    for (int a = first; a < 3; a++) found.total[r][a] = all(0.0);
  }
  for (int k = 0; k < search->ranges; k++) {
    const mask own_begin = search->begin[k], own_end = search->end[k];
    const Span span = span_of(search, k);
    const integer inner = span.inner, outer = span.outer;
    lanes shift[3];
    for (int a = first; a < 3; a++) shift[a] = all(search->range[k].shift[a]);
    for (integer j = span.begin; j < span.end; j++) {
      mask possible = all_whole(-1), chosen = possible;
      if (j < inner || j >= outer) possible = (all_whole(j) >= own_begin) & (all_whole(j) < own_end);
      lanes offset[3], squared;
      for (int a = first; a < 3; a++) {
        offset[a] = all(position[a][j]) + shift[a] - own_position[a];
        if (repeats) offset[a] = shortened_lanes(offset[a], search->grid->axis[a].period);
        squared = a == first ? offset[a] * offset[a] : squared + offset[a] * offset[a];
      }
      chosen = tally(first, 0, reduction, own_velocity, search->self, &found, offset, squared, chosen,
                     possible, velocity, j);
      if (reductions > 1)
        chosen = tally(first, 1, reduction + 1, own_velocity, search->self, &found, offset, squared, chosen,
                       possible, velocity, j);
      if (reductions > 2)
        chosen = tally(first, 2, reduction + 2, own_velocity, search->self, &found, offset, squared, chosen,
                       possible, velocity, j);
      if (reductions > 3)
        chosen = tally(first, 3, reduction + 3, own_velocity, search->self, &found, offset, squared, chosen,
                       possible, velocity, j);
    }
  }
  for (int r = 0; r < reductions; r++)
    for (int lane = 0; lane < search->boids; lane++) {
      double total[3] = {0.0};
      for (int a = first; a < 3; a++) total[a] = found.total[r][a][lane];
      write(result, base + r, search->place[lane], (double)found.count[r][lane], total, first);
    }
}

/* `add_up` for each number of reductions, so that sums stay in registers. */
static void add_up_some(int reductions, const Reduction *reduction, int base, const Search *search,
                        const QueryResult *result) {
#define CASE(first, count)                                                                                   \
  case 2 * count + first:                                                                                    \
    add_up(first, count, reduction, base, search, result);                                                   \
    break;
  switch (2 * reductions + search->grid->first) {
    CASE(0, 1) CASE(1, 1) CASE(0, 2) CASE(1, 2) CASE(0, 3) CASE(1, 3) CASE(0, 4) CASE(1, 4)
  }
#undef CASE
}

/* What a boid finds that looks at its candidates alone: a row for each coordinate of the offsets, and so
   on. */
typedef struct {
  double *offset[3];
  double *squared;
  double *rank;
  integer *source;
  integer *chosen;
  integer count;
} Near;

#define NEAR_ROWS 7 /* of as many numbers as sources, and one more */

/* Memory for what a boid finds. */
INLINE Near near_memory(double *memory, integer sources) {
  integer row = sources + 1;
  return (Near){{memory, memory + row, memory + 2 * row},
                memory + 3 * row,
                memory + 4 * row,
                (integer *)(memory + 5 * row),
                (integer *)(memory + 6 * row),
                0};
}

/* Keep the `wanted` nearest of the chosen, in their order; among equally near ones the first found. */
static integer keep_nearest(Near *near, integer chosen, integer wanted) {
  integer ranks = 0, places = 0, kept = 0;
  double *rank = near->rank;
  for (integer i = 0; i < chosen; i++) {
    double squared = near->squared[near->chosen[i]];
    if (ranks == wanted && squared >= rank[wanted - 1]) continue;
    ranks = least(ranks + 1, wanted);
    integer slot = ranks - 1;
    for (; slot > 0 && rank[slot - 1] > squared; slot--) rank[slot] = rank[slot - 1];
    rank[slot] = squared;
  }
  double farthest = rank[wanted - 1];
  for (integer i = 0; i < wanted; i++) places += rank[i] == farthest;
  for (integer i = 0; i < chosen; i++) {
    double squared = near->squared[near->chosen[i]];
    if (squared < farthest || (squared == farthest && places > 0)) {
      places -= squared == farthest;
      near->chosen[kept++] = near->chosen[i];
    }
  }
  return kept;
}

/* Compute all reductions of one boid about its candidates; returns the fewest neighbors of a reduction
   that is about the nearest, less how many it wants. */
static integer reduce_alone(const Reduction *reduction, int reductions, const Points *points, int first,
                            vector velocity, Near *near, integer place, const QueryResult *result) {
  integer kept = 0, unfilled = 0;
  double speed = length_of(velocity, first);
  for (int r = 0; r < reductions; r++) {
    if (r == 0 || !reduction[r].shared) {
      kept = 0;
      int sees_all = !reduction[r].sees_part || speed == 0.0;
      for (integer k = 0; k < near->count; k++) {
        double squared = near->squared[k];
        near->chosen[kept] = k;
        kept += (squared < reduction[r].squared) & (squared >= reduction[r].closest);
      }
      integer around = sees_all ? 0 : kept;
      kept = sees_all ? kept : 0;
      for (integer i = 0; i < around; i++) {
        integer k = near->chosen[i];
        double ahead = velocity[first] * near->offset[first][k];
        for (int a = first + 1; a < 3; a++) ahead += velocity[a] * near->offset[a][k];
        near->chosen[kept] = k;
        kept += ahead > speed * square_root(near->squared[k]) * reduction[r].cosine;
      }
      if (reduction[r].nearest && kept > reduction[r].nearest)
        kept = keep_nearest(near, kept, reduction[r].nearest);
      if (reduction[r].nearest) unfilled = least(unfilled, kept - reduction[r].nearest);
    }
    double total[3] = {0.0};
    for (integer i = 0; i < kept; i++) {
      integer k = near->chosen[i];
      double divisor = divisor_of(reduction[r].quantity, near->squared[k]);
      for (int a = first; a < 3; a++)
        total[a] += reduction[r].quantity == VELOCITY ? points->velocity[a][near->source[k]]
                                                      : near->offset[a][k] / divisor;
    }
    write(result, r, place, (double)kept, total, first);
  }
  return unfilled;
}

/* Find the sources of a boid within its limit, a squared distance, among its candidates: here lanes are some
   that follow each other, the last of which may be beyond the range, where memory goes on. Few of them are
   near enough, so that boids that looked together would mostly wait for each other. */
INLINE void gather_near(const int first, const int repeats, const Search *search, int boid, double limit,
                        Near *near) {
  /* Copies, since lists could lie over the originals for all that a compiler knows. */
  const Points sources = search->grid->sources;
  Near own = *near;
  const integer self = search->self[boid];
  const lanes within = all(limit);
  lanes here[3], shift[3], offset[3];
  double period[3];
  for (int a = first; a < 3; a++) {
    here[a] = all(search->position[a][boid]);
    period[a] = search->grid->axis[a].period;
  }
  own.count = 0;
  for (int k = 0; k < search->ranges; k++) {
    const integer end = search->end[k][boid];
    for (int a = first; a < 3; a++) shift[a] = all(search->range[k].shift[a]);
    for (integer j = search->begin[k][boid]; j < end; j += LANES) {
      lanes squared = all(0.0);
      for (int a = first; a < 3; a++) {
        offset[a] = loaded(sources.position[a] + j) + shift[a] - here[a];
        if (repeats) offset[a] = shortened_lanes(offset[a], period[a]);
        squared += offset[a] * offset[a];
      }
      const mask found = squared < within;
      if (!any(found)) continue;
      for (int lane = 0; lane < LANES; lane++) {
        if (!found[lane] || j + lane == self || j + lane >= end) continue;
        for (int a = first; a < 3; a++) own.offset[a][own.count] = offset[a][lane];
        own.squared[own.count] = squared[lane];
        own.source[own.count++] = j + lane;
      }
    }
  }
  near->count = own.count;
}

/* `gather_near` for each number of dimensions, and with or without a minimum image. */
static void gather_around(const Search *search, int boid, double limit, Near *near) {
  const int repeats = search->grid->repeats != 0;
  if (search->grid->first)
    repeats ? gather_near(1, 1, search, boid, limit, near) : gather_near(1, 0, search, boid, limit, near);
  else
    repeats ? gather_near(0, 1, search, boid, limit, near) : gather_near(0, 0, search, boid, limit, near);
}

#define MANY 64    /* candidates of a boid with which it pays to look closely at which are near enough */
#define ENOUGH 1.8 /* the nearest are looked for first where this many times their number should be, */
#define WIDER 1.6  /* by the candidates, which are in a box so many times as wide as a ball of its volume */

/* How far boids look at first, as squares: as far as the nearest few should be, by the
   candidates. Who finds too few looks again, so that the guess changes no bit. */
static void first_reach(const Search *search, const Reduction *reduction, int reductions, double widest,
                        double *limit) {
  double wanted = 0.0, plain = 0.0;
  for (int r = 0; r < reductions; r++) {
    if (reduction[r].nearest)
      wanted = larger(wanted, (double)reduction[r].nearest);
    else
      plain = larger(plain, reduction[r].squared);
  }
  for (int lane = 0; lane < LANES; lane++) {
    double candidates = 0.0, part;
    for (int k = 0; k < search->ranges; k++)
      candidates += (double)(search->end[k][lane] - search->begin[k][lane]);
    part = ENOUGH * wanted / larger(candidates, 1.0);
    part = WIDER * (search->grid->first ? square_root(part) : cube_root(part));
    limit[lane] = part < 1.0 && widest < INFINITE ? larger(part * part * widest, plain) : widest;
  }
}

/* Compute reductions of which some are about the nearest so many: each boid of a search alone, as
   `reduce_some`. */
static void reduce_each_alone(Search *search, integer many, const Reduction *reduction, int reductions,
                              double widest, const QueryResult *result, integer *unfilled, double *scratch) {
  const Grid *grid = search->grid;
  Near near = near_memory(scratch, grid->sources.count);
  double limit[LANES];
  for (int lane = 0; lane < LANES; lane++) limit[lane] = widest;
  if (many > MANY * LANES) {
    first_reach(search, reduction, reductions, widest, limit);
    prune_cells(search, limit);
  }
  for (int lane = 0; lane < LANES; lane++)
    if (lane >= search->boids || (unfilled && unfilled[search->place[lane]] >= 0)) limit[lane] = -1.0;
  for (int pending = 1; pending; find_ranges(search)) {
    pending = 0;
    for (int lane = 0; lane < search->boids; lane++) {
      if (limit[lane] < 0.0) continue;
      gather_around(search, lane, limit[lane], &near);
      vector velocity = vector_in(search->velocity, lane);
      integer place = search->place[lane];
      integer missing = reduce_alone(reduction, reductions, &grid->sources, grid->first, velocity,
                                     &near, place, result);
      if (unfilled) unfilled[place] = missing;
      /* Who has found too few looks once more, as far as boids see. */
      limit[lane] = missing < 0 && limit[lane] < widest ? widest : -1.0;
      pending |= limit[lane] > 0.0;
    }
  }
}

/* Compute all reductions of the boids `begin` to `end` of a grid. Places in `result` are the boids'
   numbers, or where `blocked` count from `begin`. `unfilled` (count,), where given, receives by number
   what `reduce_alone` returns, and only boids where it is negative are looked at. As
   `neighbors.neighbor_sums`. */
static void reduce_some(const Grid *grid, const Reduction *reduction, int reductions, integer begin,
                        integer end, int blocked, const QueryResult *result, integer *unfilled,
                        double *scratch) {
  const Points *boids = &grid->boids;
  int first = grid->first, alone = unfilled != 0;
  integer last_x = -1, last_y = -1, reach = grid->axis[2].reach;
  double widest = 0.0;
  Search search;
  search.grid = grid;
  search.velocity[0] = all(0.0);
  for (int r = 0; r < reductions; r++) {
    alone |= reduction[r].nearest != 0;
    widest = larger(widest, reduction[r].squared);
  }
  for (integer i = begin; i < end; i += search.boids) {
    integer x = first ? 0 : cell_along(grid->axis, boids->position[0][i]);
    integer y = cell_along(grid->axis + 1, boids->position[1][i]);
    if (x != last_x || y != last_y) {
      search.ranges = ranges_around(grid, x, y, search.range);
      last_x = x;
      last_y = y;
    }
    search.boids = 0;
    for (integer entry = i; entry < least(i + LANES, end); entry++) {
      integer z = cell_along(grid->axis + 2, boids->position[2][entry]);
      integer before = search.boids ? search.cell[search.boids - 1] : z;
      int leaves = !first && cell_along(grid->axis, boids->position[0][entry]) != x;
      if (leaves || cell_along(grid->axis + 1, boids->position[1][entry]) != y || z < before ||
          z > before + 2 * reach)
        break;
      search.cell[search.boids++] = z;
    }
    for (int lane = 0; lane < LANES; lane++) {
      integer entry = i + least(lane, search.boids - 1);
      search.self[lane] = boids->position[2] == grid->sources.position[2] ? entry : -1;
      search.cell[lane] = search.cell[entry - i];
      search.place[lane] = blocked ? entry - begin : boids->number ? boids->number[entry] : entry;
    }
    for (int a = first; a < 3; a++) {
      search.position[a] = spread(boids->position[a] + i, search.boids);
      search.velocity[a] = spread(boids->velocity[a] + i, search.boids);
    }
    integer many = find_ranges(&search);
    if (alone) reduce_each_alone(&search, many, reduction, reductions, widest, result, unfilled, scratch);
    for (int r = 0; !alone && r < reductions; r += TOGETHER)
      add_up_some((int)least(reductions - r, TOGETHER), reduction + r, r, &search, result);
  }
}

/* Sort numbers in place, in ascending order: a heap. */
static void sort(double *value, integer count) {
  for (integer top = count / 2 - 1, end = count; end > 1;) {
    double moved;
    if (top >= 0)
      moved = value[top];
    else {
      moved = value[--end];
      value[end] = value[0];
    }
    integer slot = top >= 0 ? top-- : 0;
    for (integer child; (child = 2 * slot + 1) < end; slot = child) {
      if (child + 1 < end && value[child + 1] > value[child]) child++;
      if (value[child] <= moved) break;
      value[slot] = value[child];
    }
    value[slot] = moved;
  }
}

/* How many of some ascending numbers are below a limit, or at it where `at_it`; as `numpy.searchsorted`. */
static integer how_many_below(const double *value, integer count, double limit, int at_it) {
  integer low = 0, high = count;
  while (low < high) {
    integer middle = (low + high) / 2;
    if (value[middle] < limit || (at_it && value[middle] <= limit))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The result of a reduction about everyone, for all boids, in memory of three rows of as many numbers as
   sources; as `neighbors.sum_over_everyone`. */
static void sum_over_everyone(const Points *boids, const Points *sources, int own, integer quantity,
                              int first, const double *period, const QueryResult *result, double *memory) {
  integer many = sources->count;
  double *const *there = quantity == VELOCITY ? sources->velocity : sources->position;
  double whole[3], *ranked[3];
  for (int a = first; a < 3; a++) {
    whole[a] = pairwise_sum(there[a], many);
    ranked[a] = memory + a * many;
    if (quantity == VELOCITY || period[a] == 0.0) continue;
    for (integer k = 0; k < many; k++) ranked[a][k] = there[a][k];
    sort(ranked[a], many);
  }
  for (integer i = 0; i < boids->count; i++) {
    double total[3] = {whole[0], whole[1], whole[2]};
    for (int a = first; a < 3; a++) {
      if (quantity == VELOCITY && own) total[a] -= there[a][i];
      if (quantity == VELOCITY) continue;
      double here = boids->position[a][i];
      total[a] -= (double)many * here;
      if (period[a] == 0.0) continue;
      integer ahead = many - how_many_below(ranked[a], many, here + period[a] / 2, 1);
      total[a] += period[a] * (double)(how_many_below(ranked[a], many, here - period[a] / 2, 0) - ahead);
    }
    write(result, 0, i, (double)(many - own), total, first);
  }
}
