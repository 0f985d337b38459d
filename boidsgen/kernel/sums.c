/* Neighbor sums: what `vectorized.neighbor_sums` answers, several boids at a time.

   Boids that follow each other in a row of the grid are lanes: they share the candidates of all their cells, each of
   which is compared with every lane. A lane adds its own neighbors one after the other in the order of the grid. */

enum { OFFSET, VELOCITY, CONSTANT, INVERSE, INVERSE_SQUARE }; /* what is added up; as `sums.Quantity` */

#define CLOSEST 1e-30       /* square of `sums.COINCIDENT` */
#define TOGETHER 4          /* requests that are answered in one pass over the candidates */

/* One sum over the neighbors of each boid; as `sums.Request`. */
typedef struct {
  double squared, closest, cosine; /* squares of the radius and of the smallest distance; of half the field of view */
  integer quantity, nearest;       /* what is added up, of how many of the nearest; 0 = all */
  integer shared, sees_part;       /* whether it is about the same neighbors as the one before; does not see all round */
  integer answer;                  /* where the answer goes: the cell of (1 + d, n) counts and sums */
} Request;

/* Where the sums of an entry go: rows of `stride` numbers, a count and then a vector for each request. */
typedef struct {
  double *row[64][4];
  int adds; /* whether they are added to what is there, as over a further group of sources */
} Answer;

INLINE void write(const Answer *answer, int request, integer place, double count, const double total[3], int first) {
  double *const *row = answer->row[request];
  row[0][place] = answer->adds ? row[0][place] + count : count;
  for (int a = first; a < 3; a++) row[1 + a][place] = answer->adds ? row[1 + a][place] + total[a] : total[a];
}

INLINE double divisor_of(integer quantity, double squared) {
  if (quantity == INVERSE) return squared;
  return quantity == CONSTANT ? square_root(squared) : squared * square_root(squared);
}

/* The boids of the lanes, and what they have found so far. */
typedef struct {
  lanes position[3], velocity[3], speed;
  mask count[TOGETHER];
  lanes total[TOGETHER][3];
} Together;

/* Add a candidate to the sums of one request, for the lanes to which it is a neighbor; `chosen` are those of the request
   before, and `possible` those in whose own ranges it stands. */
INLINE mask tally(const int first, const int r, const Request *request, Together *we, const lanes offset[3],
                  lanes squared, mask chosen, mask possible, const double *const velocity[3], integer j) {
  if (r == 0 || !request->shared) {
    chosen = (squared < all(request->squared)) & (squared >= all(request->closest)) & possible;
    if (request->sees_part) {
      lanes ahead = we->velocity[first] * offset[first];
      for (int a = first + 1; a < 3; a++) ahead += we->velocity[a] * offset[a];
      chosen &= (ahead > we->speed * roots(squared) * all(request->cosine)) | (we->speed == all(0.0));
    }
  }
  we->count[r] -= chosen;
  if (request->quantity == VELOCITY) {
    for (int a = first; a < 3; a++) we->total[r][a] += pick(chosen, all(velocity[a][j]));
  } else if (request->quantity == OFFSET) {
    for (int a = first; a < 3; a++) we->total[r][a] += pick(chosen, offset[a]);
  } else if (any(chosen)) {
    lanes divisor = squared;
    if (request->quantity != INVERSE) divisor = roots(squared);
    if (request->quantity == INVERSE_SQUARE) divisor = squared * divisor;
    for (int a = first; a < 3; a++) we->total[r][a] += pick(chosen, offset[a] / divisor);
  }
  return chosen;
}

/* The ranges of all lanes together, and the part of it that they share. */
typedef struct {
  integer begin, inner, outer, end;
} Span;

INLINE Span span_of(mask begin, mask end) {
  Span span = {begin[0], begin[0], end[0], end[0]};
  for (int lane = 1; lane < LANES; lane++) {
    span.begin = least(span.begin, begin[lane]), span.inner = most(span.inner, begin[lane]);
    span.outer = least(span.outer, end[lane]), span.end = most(span.end, end[lane]);
  }
  return span;
}

/* Answer a few requests for the boids from `begin` on in a row, as many as there are lanes at most. */
INLINE void add_up(const int first, const int requests, const Request *request, int base, const Grid *grid,
                   const Piece *piece, int pieces, const Ranges *ranges, integer begin, int boids, const integer *place,
                   const Answer *answer) {
  const Crowd *crowd = &grid->boids, *sources = &grid->sources;
  const double *const position[3] = {sources->position[0], sources->position[1], sources->position[2]};
  const double *const velocity[3] = {sources->velocity[0], sources->velocity[1], sources->velocity[2]};
  const int repeats = grid->repeats;
  Together we;
  for (int a = first; a < 3; a++)
    for (int lane = 0; lane < LANES; lane++) {
      integer entry = begin + (lane < boids ? lane : boids - 1);
      we.position[a][lane] = crowd->position[a][entry], we.velocity[a][lane] = crowd->velocity[a][entry];
    }
  we.speed = we.velocity[first] * we.velocity[first];
  for (int a = first + 1; a < 3; a++) we.speed += we.velocity[a] * we.velocity[a];
  we.speed = roots(we.speed);
  for (int r = 0; r < requests; r++) {
    we.count[r] = all_whole(0);
    for (int a = first; a < 3; a++) we.total[r][a] = all(0.0);
  }
  for (int k = 0; k < pieces; k++) {
    const mask own_begin = ranges->begin[k], own_end = ranges->end[k];
    /* Between `inner` and `outer` are those that all lanes share. */
    const Span span = span_of(own_begin, own_end);
    const integer inner = span.inner, outer = span.outer;
    lanes shift[3];
    for (int a = first; a < 3; a++) shift[a] = all(piece[k].shift[a]);
    for (integer j = span.begin; j < span.end; j++) {
      mask possible = all_whole(-1), chosen = possible;
      if (j < inner || j >= outer) possible = (all_whole(j) >= own_begin) & (all_whole(j) < own_end);
      lanes offset[3];
      for (int a = first; a < 3; a++) offset[a] = all(position[a][j]) + shift[a] - we.position[a];
      if (repeats)
        for (int a = first; a < 3; a++) {
          double period = grid->axis[a].period;
          if (period != 0.0) offset[a] -= all(period) * rint_lanes(offset[a] / all(period));
        }
      lanes squared = offset[first] * offset[first];
      for (int a = first + 1; a < 3; a++) squared += offset[a] * offset[a];
      chosen = tally(first, 0, request, &we, offset, squared, chosen, possible, velocity, j);
      if (requests > 1) chosen = tally(first, 1, request + 1, &we, offset, squared, chosen, possible, velocity, j);
      if (requests > 2) chosen = tally(first, 2, request + 2, &we, offset, squared, chosen, possible, velocity, j);
      if (requests > 3) chosen = tally(first, 3, request + 3, &we, offset, squared, chosen, possible, velocity, j);
    }
  }
  for (int r = 0; r < requests; r++)
    for (int lane = 0; lane < boids; lane++) {
      double total[3] = {0.0};
      for (int a = first; a < 3; a++) total[a] = we.total[r][a][lane];
      write(answer, base + r, place[lane], (double)we.count[r][lane], total, first);
    }
}

/* Memory of a boid that looks at its candidates alone: a row for each coordinate of the offsets, and so on. */
typedef struct {
  double *offset[3], *squared, *rank;
  integer *source, *around, *chosen;
} Near;

INLINE Near near_memory(double *memory, integer sources) {
  integer row = sources + 1;
  return (Near){{memory, memory + row, memory + 2 * row}, memory + 3 * row, memory + 4 * row,
                (integer *)(memory + 5 * row), (integer *)(memory + 6 * row), (integer *)(memory + 7 * row)};
}

/* Append the sources from `begin` to `end` to the candidates of a boid at `place`; returns how many there are then. */
static integer meet(const Crowd *crowd, const Axis *axis, int first, const double *shift, const double *place,
                    integer begin, integer end, Near *near, integer found) {
  integer count = end - begin;
  for (int a = first; a < 3; a++) {
    double *offset = near->offset[a] + found, period = axis[a].period;
    const double *position = crowd->position[a] + begin;
    for (integer k = 0; k < count; k++) offset[k] = position[k] + shift[a] - place[a];
    if (period != 0.0)
      for (integer k = 0; k < count; k++) offset[k] -= period * rint(offset[k] / period);
  }
  double *squared = near->squared + found;
  for (integer k = 0; k < count; k++) {
    double sum = near->offset[first][found + k] * near->offset[first][found + k];
    for (int a = first + 1; a < 3; a++) sum += near->offset[a][found + k] * near->offset[a][found + k];
    squared[k] = sum;
    near->source[found + k] = begin + k;
  }
  return found + count;
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

/* Answer all requests of one boid about its `found` candidates; returns the fewest neighbors of a request that is about
   the nearest, less how many it wants. */
static integer answer_alone(const Request *request, int requests, const Crowd *crowd, int first, const double *velocity,
                            Near *near, integer found, integer place, const Answer *answer) {
  integer kept = 0, lacking = 0;
  double speed = 0.0;
  for (int a = first; a < 3; a++) speed += velocity[a] * velocity[a];
  speed = square_root(speed);
  for (int r = 0; r < requests; r++) {
    if (r == 0 || !request[r].shared) {
      kept = 0;
      int sees_all = !request[r].sees_part || speed == 0.0;
      for (integer k = 0; k < found; k++) {
        double squared = near->squared[k];
        near->chosen[kept] = k;
        kept += (squared < request[r].squared) & (squared >= request[r].closest);
      }
      if (!sees_all) {
        integer around = kept;
        kept = 0;
        for (integer i = 0; i < around; i++) {
          integer k = near->chosen[i];
          double ahead = velocity[first] * near->offset[first][k];
          for (int a = first + 1; a < 3; a++) ahead += velocity[a] * near->offset[a][k];
          near->chosen[kept] = k;
          kept += ahead > speed * square_root(near->squared[k]) * request[r].cosine;
        }
      }
      if (request[r].nearest && kept > request[r].nearest) kept = keep_nearest(near, kept, request[r].nearest);
      if (request[r].nearest) lacking = least(lacking, kept - request[r].nearest);
    }
    double total[3] = {0.0};
    for (integer i = 0; i < kept; i++) {
      integer k = near->chosen[i];
      if (request[r].quantity == VELOCITY) {
        for (int a = first; a < 3; a++) total[a] += crowd->velocity[a][near->source[k]];
      } else {
        double divisor = request[r].quantity == OFFSET ? 1.0 : divisor_of(request[r].quantity, near->squared[k]);
        for (int a = first; a < 3; a++) total[a] += near->offset[a][k] / divisor;
      }
    }
    write(answer, r, place, (double)kept, total, first);
  }
  return lacking;
}

/* The sources of each lane within its limit, a squared distance, among the candidates; into `list`, and how many. */
static void gather_near(const Grid *grid, const Piece *piece, int pieces, const Ranges *ranges, const lanes position[3],
                        const double *limit, integer *const list[LANES], integer *count) {
  lanes within;
  for (int lane = 0; lane < LANES; lane++) within[lane] = limit[lane], count[lane] = 0;
  for (int k = 0; k < pieces; k++) {
    const Span span = span_of(ranges->begin[k], ranges->end[k]);
    for (integer j = span.begin; j < span.end; j++) {
      lanes squared = all(0.0);
      for (int a = grid->first; a < 3; a++) {
        lanes offset = all(grid->sources.position[a][j]) + all(piece[k].shift[a]) - position[a];
        double period = grid->axis[a].period;
        if (period != 0.0) offset -= all(period) * rint_lanes(offset / all(period));
        squared += offset * offset;
      }
      mask near = squared < within;
      if (!any(near)) continue;
      near &= (all_whole(j) >= ranges->begin[k]) & (all_whole(j) < ranges->end[k]);
      for (int lane = 0; lane < LANES; lane++)
        if (near[lane]) list[lane][count[lane]++] = (integer)k << 48 | j;
    }
  }
}

/* The listed candidates of one boid at `here`, as `meet`. */
static void meet_listed(const Grid *grid, const Piece *piece, const integer *list, integer count, const double *here,
                        Near *near) {
  for (integer i = 0; i < count; i++) near->squared[i] = 0.0, near->source[i] = list[i] & 0xffffffffffff;
  for (int a = grid->first; a < 3; a++) {
    const double *position = grid->sources.position[a];
    double period = grid->axis[a].period, *offset = near->offset[a];
    for (integer i = 0; i < count; i++) offset[i] = position[near->source[i]] + piece[list[i] >> 48].shift[a] - here[a];
    if (period != 0.0)
      for (integer i = 0; i < count; i++) offset[i] -= period * rint(offset[i] / period);
    for (integer i = 0; i < count; i++) near->squared[i] += offset[i] * offset[i];
  }
}

/* `add_up` for each number of requests, so that sums stay in registers. */
static void add_up_some(int requests, const Request *request, int base, const Grid *grid, const Piece *piece, int pieces,
                        const Ranges *ranges, integer begin, int boids, const integer *place, const Answer *answer) {
#define CASE(first, count) \
  case 2 * count + first: \
    add_up(first, count, request, base, grid, piece, pieces, ranges, begin, boids, place, answer); \
    break;
  switch (2 * requests + grid->first) {
    CASE(0, 1) CASE(1, 1) CASE(0, 2) CASE(1, 2) CASE(0, 3) CASE(1, 3) CASE(0, 4) CASE(1, 4)
  }
#undef CASE
}

#define MANY 64           /* candidates of a boid with which it pays to look closely at which are near enough */
#define ENOUGH 1.8        /* the nearest are looked for first where this many times their number should be, */
#define WIDER 1.6         /* by the candidates, which are in a box so many times as wide as a ball of its volume */

/* How far boids look at first, as squares: as far as the nearest few should be; as `vectorized._first_reach`. */
static void first_reach(const Grid *grid, const Request *request, int requests, const Ranges *ranges, int pieces,
                        double widest, double *limit) {
  double wanted = 0.0, plain = 0.0;
  for (int r = 0; r < requests; r++) {
    if (request[r].nearest) wanted = larger(wanted, (double)request[r].nearest);
    else plain = larger(plain, request[r].squared);
  }
  for (int lane = 0; lane < LANES; lane++) {
    double candidates = 0.0, part;
    for (int k = 0; k < pieces; k++) candidates += (double)(ranges->end[k][lane] - ranges->begin[k][lane]);
    part = ENOUGH * wanted / larger(candidates, 1.0);
    part = WIDER * (grid->first ? square_root(part) : cube_root(part));
    limit[lane] = part < 1.0 && widest < INFINITE ? larger(part * part * widest, plain) : widest;
  }
}

/* Answer requests of boids in a row of which some are about the nearest so many: each boid alone, as `answer_some`. */
static void answer_alone_each(const Grid *grid, const Piece *piece, int pieces, const integer *cell, Ranges *ranges,
                              integer many, const Request *request, int requests, double widest, integer begin, int boids,
                              const integer *place, const Answer *answer, integer *lacking, double *scratch) {
  Near near = near_memory(scratch, grid->sources.count);
  integer *list[LANES], count[LANES];
  double limit[LANES];
  lanes position[3];
  for (int lane = 0; lane < LANES; lane++) {
    list[lane] = (integer *)(scratch + (8 + lane) * (grid->sources.count + 1)), limit[lane] = widest;
    for (int a = grid->first; a < 3; a++) position[a][lane] = grid->boids.position[a][begin + (lane < boids ? lane : boids - 1)];
  }
  if (many > MANY * LANES) {
    first_reach(grid, request, requests, ranges, pieces, widest, limit);
    narrow(grid, piece, pieces, cell, position, limit, ranges);
  }
  for (int lane = 0; lane < LANES; lane++)
    if (lane >= boids || (lacking && lacking[place[lane]] >= 0)) limit[lane] = -1.0;
  for (int pending = 1; pending; ranges_of(grid, piece, pieces, cell, ranges)) {
    pending = 0;
    gather_near(grid, piece, pieces, ranges, position, limit, list, count);
    for (int lane = 0; lane < boids; lane++) {
      if (limit[lane] < 0.0) continue;
      double here[3] = {0.0}, velocity[3] = {0.0};
      for (int a = grid->first; a < 3; a++) here[a] = position[a][lane], velocity[a] = grid->boids.velocity[a][begin + lane];
      meet_listed(grid, piece, list[lane], count[lane], here, &near);
      integer lacks = answer_alone(request, requests, &grid->sources, grid->first, velocity, &near, count[lane], place[lane], answer);
      if (lacking) lacking[place[lane]] = lacks;
      /* Who has found too few looks once more, as far as boids see. */
      limit[lane] = lacks < 0 && limit[lane] < widest ? widest : -1.0;
      pending |= limit[lane] > 0.0;
    }
  }
}

/* Answer all requests of the boids `begin` to `end` of a grid. Places in `answer` are the boids' numbers, or where
   `blocked` count from `begin`. `lacking` (count,), where given, receives by number what `answer_alone` returns, and
   only boids where it is negative are looked at. As `vectorized.neighbor_sums`. */
static void answer_some(const Grid *grid, const Request *request, int requests, integer begin, integer end, int blocked,
                        const Answer *answer, integer *lacking, double *scratch) {
  const Crowd *boids = &grid->boids;
  int first = grid->first, pieces = 0, alone = lacking != 0;
  integer last_x = -1, last_y = -1, reach = grid->axis[2].reach;
  double widest = 0.0;
  Piece piece[MOST_PIECES];
  Ranges ranges;
  for (int r = 0; r < requests; r++) alone |= request[r].nearest != 0, widest = larger(widest, request[r].squared);
  for (integer i = begin; i < end;) {
    integer cell[LANES], place[LANES], x = first ? 0 : cell_along(grid->axis, boids->position[0][i]);
    integer y = cell_along(grid->axis + 1, boids->position[1][i]);
    if (x != last_x || y != last_y) pieces = pieces_around(grid, x, y, piece), last_x = x, last_y = y;
    int together = 0;
    for (; together < LANES && i + together < end; together++) {
      integer entry = i + together, z = cell_along(grid->axis + 2, boids->position[2][entry]);
      if (together) {
        if (!first && cell_along(grid->axis, boids->position[0][entry]) != x) break;
        if (cell_along(grid->axis + 1, boids->position[1][entry]) != y) break;
        if (z < cell[together - 1] || z > cell[together - 1] + 2 * reach) break;
      }
      cell[together] = z;
      place[together] = blocked ? entry - begin : boids->number ? boids->number[entry] : entry;
    }
    for (int lane = together; lane < LANES; lane++) cell[lane] = cell[together - 1];
    integer many = ranges_of(grid, piece, pieces, cell, &ranges);
    if (alone) {
      answer_alone_each(grid, piece, pieces, cell, &ranges, many, request, requests, widest, i, together, place, answer,
                        lacking, scratch);
    } else if (many > MANY * LANES) {
      double limit[LANES];
      lanes position[3];
      for (int lane = 0; lane < LANES; lane++) {
        limit[lane] = widest;
        for (int a = first; a < 3; a++) position[a][lane] = boids->position[a][i + (lane < together ? lane : together - 1)];
      }
      narrow(grid, piece, pieces, cell, position, limit, &ranges);
    }
    for (int r = 0; !alone && r < requests; r += TOGETHER) {
      int some = requests - r < TOGETHER ? requests - r : TOGETHER;
      add_up_some(some, request + r, r, grid, piece, pieces, &ranges, i, together, place, answer);
    }
    i += together;
  }
}

/* Sort numbers in place, in ascending order: a heap. */
static void sort(double *value, integer count) {
  for (integer top = count / 2 - 1, end = count; end > 1;) {
    double moved;
    if (top >= 0) moved = value[top];
    else moved = value[--end], value[end] = value[0];
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
    if (value[middle] < limit || (at_it && value[middle] <= limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The answer to a request about everyone, for all boids, in memory of as many numbers as sources; as
   `sums.sum_over_everyone`. */
static void sum_over_everyone(const Crowd *boids, const Crowd *sources, int own, integer quantity, int first,
                              const double *period, const Answer *answer, double *ranked) {
  integer many = sources->count;
  for (integer i = 0; i < boids->count; i++) {
    double count = (double)(many - own);
    answer->row[0][0][i] = answer->adds ? answer->row[0][0][i] + count : count;
  }
  for (int a = first; a < 3; a++) {
    double *total = answer->row[0][1 + a];
    const double *there = quantity == VELOCITY ? sources->velocity[a] : sources->position[a];
    double whole = pairwise_sum(there, many);
    int repeats = quantity != VELOCITY && period[a] != 0.0;
    if (repeats) {
      for (integer k = 0; k < many; k++) ranked[k] = there[k];
      sort(ranked, many);
    }
    for (integer i = 0; i < boids->count; i++) {
      double sum;
      if (quantity == VELOCITY) {
        sum = own ? whole - there[i] : whole;
      } else {
        double here = boids->position[a][i];
        sum = whole - (double)many * here;
        if (repeats) {
          integer ahead = many - how_many_below(ranked, many, here + period[a] / 2, 1);
          integer behind = how_many_below(ranked, many, here - period[a] / 2, 0);
          sum += period[a] * (double)(behind - ahead);
        }
      }
      total[i] = answer->adds ? total[i] + sum : sum;
    }
  }
}
