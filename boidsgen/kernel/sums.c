/* Neighbor sums: what `neighbors.neighbor_sums` computes, several boids at a time.

   Boids that follow each other in a row of the grid are lanes: they share the candidates of all their
   cells, each of which is compared with every lane, once for all reductions. Those near any lane are
   gathered; then each reduction passes over the gathered ones, so that its sums stay in registers. A lane
   adds its own neighbors one after the other in the order of the grid. */

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
  integer rare;      /* whether `addend_of` says what is added */
  integer weighting; /* of velocities and headings, */
  integer relative;  /* and whether they are less the own one */
  double length;     /* of the falloff */
  double exponent;   /* of the falloff */
  double around;     /* square of the distance within which it sees all round */
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

/* A falloff that is finite everywhere; as `falloffs.weights`. */
static double weight_of(integer falloff, double squared, double length, double exponent) {
  if (falloff == CONSTANT) return 1.0;
  double power = falloff == POWER ? -exponent * logarithm(length * length + squared)
                                  : -(square_root(squared) / length);
  return exponential(smaller(larger(power, -700.0), 700.0));
}

/* What a neighbor adds to a sum; as `neighbors._added` and `falloffs.resized`. */
static vector addend_of(const Reduction *reduction, vector offset, double squared, vector its, vector own,
                        int first) {
  integer quantity = reduction->quantity;
  double length = reduction->length, exponent = reduction->exponent, distance;
  if (quantity == VELOCITY || quantity == HEADING) {
    if (quantity == HEADING) its = unit(its, first);
    if (reduction->relative) its -= quantity == HEADING ? unit(own, first) : own;
    if (reduction->weighting == CONSTANT) return its;
    return its * weight_of(reduction->weighting, squared, length, exponent);
  }
  if (quantity == QUARTIC) return offset / (length * length * (length * length) + squared * squared);
  distance = square_root(squared);
  return offset * (weight_of(quantity, squared, length, exponent) / (distance == 0.0 ? 1.0 : distance));
}

/* Of ranges of all lanes: where they begin and end together, and the part in the middle that they share. They
   are in order, unless they have been pruned. */
typedef struct {
  integer begin;
  integer inner;
  integer outer;
  integer end;
} Span;

INLINE Span span_of(const Search *search, int range, int pruned) {
  const integer *begin = (const integer *)(search->begin + range);
  const integer *end = (const integer *)(search->end + range);
  Span span = {begin[0], begin[LANES - 1], end[0], end[LANES - 1]};
  for (int lane = 0; pruned && lane < LANES; lane++) {
    span.begin = least(span.begin, begin[lane]);
    span.inner = most(span.inner, begin[lane]);
    span.outer = least(span.outer, end[lane]);
    span.end = most(span.end, end[lane]);
  }
  return span;
}

/* What the boids of the lanes have found so far. */
typedef struct {
  mask count;
  lanes total[3];
} Found;

#define TOGETHER 128  /* candidates that are looked at together, so that the first-level cache keeps them, */
#define AT_ONCE 512   /* or at most where all must be known */

/* Offsets of many lanes are subtracted again where they are added up, which takes less time than to store
   them. */
#define STORES_OFFSETS (LANES <= 2)

/* Candidates near any boid of a search, in their order, and what its boids have found among them. A square
   is not a number, and so less than nothing, for a lane whose neighbor the candidate is not. */
typedef struct {
  integer count;
  integer source[AT_ONCE];
  integer close[AT_ONCE]; /* which of them push, */
  lanes squared[AT_ONCE];
  lanes narrowed[AT_ONCE]; /* and the squares of those in sight */
  double place[3][AT_ONCE]; /* where they appear; */
  lanes offset[AT_ONCE][3]; /* in the place of that, offsets of few lanes, or where the grid repeats */
  mask missing; /* how many a reduction about the nearest lacks, as a number below zero */
  Found found[MOST_ROWS];
} Gathered;

#define MOST_NEAREST 64 /* of which lanes keep the order */

#define GATHERED_CELLS (integer)((sizeof(Gathered) + sizeof(lanes)) / sizeof(double))

/* The first place in memory where lanes may stand. */
INLINE Gathered *gathered_in(double *memory) {
  const __UINTPTR_TYPE__ wide = sizeof(lanes) - 1;
  return (Gathered *)(((__UINTPTR_TYPE__)memory + wide) & ~wide);
}

/* The offset of a candidate. */
INLINE lanes offset_of(const Search *search, const Gathered *gathered, integer candidate, int axis) {
  if (STORES_OFFSETS || search->grid->repeats) return gathered->offset[candidate][axis];
  return all(gathered->place[axis][candidate]) - search->position[axis];
}

/* Gather those of some candidates of a range that are near any lane's boid. `before`, `behind`: some may be
   before or behind the range of a lane; `alike`: those at the same place count, but not the boid itself. */
INLINE void gather_some(const int first, const int repeats, const int before, const int behind,
                        const int alike, const Search *search, int k, integer begin, integer end,
                        Gathered *gathered) {
  const Grid *grid = search->grid;
  const mask own_begin = search->begin[k], own_end = search->end[k];
  const mask self = search->closest == 0.0 ? search->self : all_whole(-1);
  const lanes limit = search->limit, closest = all(search->closest);
  const double *position[3];
  double shift[3];
  lanes here[3], offset[3];
  integer count = gathered->count;
  for (int a = first; a < 3; a++) {
    position[a] = grid->sources.position[a];
    shift[a] = search->range[k].shift[a];
    here[a] = search->position[a];
  }
  for (integer j = begin; j < end; j++) {
    lanes squared = all(0.0);
    for (int a = first; a < 3; a++) {
      const double place = position[a][j] + shift[a];
      offset[a] = all(place) - here[a];
      if (repeats) offset[a] = shortened_lanes(offset[a], grid->axis[a].period);
      if (STORES_OFFSETS || repeats)
        gathered->offset[count][a] = offset[a];
      else
        gathered->place[a][count] = place;
      squared = a == first ? offset[a] * offset[a] : squared + offset[a] * offset[a];
    }
    mask far = (squared >= limit) | (squared < closest);
    if (before) far |= all_whole(j) < own_begin;
    if (behind) far |= all_whole(j) >= own_end;
    if (alike) far |= all_whole(j) == self;
    far |= (mask)squared;
    gathered->squared[count] = (lanes)far;
    gathered->source[count] = j;
    count += signs(far) != EVERY;
  }
  gathered->count = count;
}

/* Leave each lane so many of its neighbors, the nearest; among equally near ones the first found. */
INLINE void leave_nearest(Gathered *gathered, integer wanted) {
  lanes *squared = gathered->narrowed, best[MOST_NEAREST];
  mask places = all_whole(0);
  for (integer i = 0; i < wanted; i++) best[i] = all(INFINITE);
  for (integer c = 0; c < gathered->count; c++) {
    lanes other = squared[c];
    if (!any(other < best[wanted - 1])) continue;
    for (integer i = 0; i < wanted; i++) { /* it takes the place of one that is further away, and so on */
      mask changed = ((mask)other ^ (mask)best[i]) & (other < best[i]);
      best[i] = (lanes)((mask)best[i] ^ changed);
      other = (lanes)((mask)other ^ changed);
    }
  }
  const lanes farthest = best[wanted - 1];
  mask missing = all_whole(0);
  for (integer i = 0; i < wanted; i++) {
    places -= best[i] == farthest;
    missing += best[i] == all(INFINITE);
  }
  for (integer c = 0; c < gathered->count; c++) {
    mask tied = (squared[c] == farthest) & (places > 0);
    places += tied;
    squared[c] = (lanes)((mask)squared[c] | ~((squared[c] < farthest) | tied));
  }
  gathered->missing = choose_whole(missing < gathered->missing, missing, gathered->missing);
}

/* The squares of those among the gathered that a reduction is about if they are nearer than its radius. */
INLINE const lanes *narrow(const int first, const Search *search, const Reduction *reduction,
                           Gathered *gathered) {
  if (!reduction->sees_part && !reduction->nearest && reduction->closest == search->closest)
    return gathered->squared;
  lanes velocity[3], speed = search->velocity[first] * search->velocity[first];
  for (int a = first; a < 3; a++) velocity[a] = search->velocity[a];
  for (int a = first + 1; a < 3; a++) speed += velocity[a] * velocity[a];
  speed = roots(speed);
  const mask rests = speed == all(0.0);
  const lanes limit = all(reduction->squared), closest = all(reduction->closest);
  const lanes cosine = all(reduction->cosine), around = all(reduction->around);
  for (integer c = 0; c < gathered->count; c++) {
    lanes squared = gathered->squared[c];
    mask hidden = (squared < closest) | (squared >= limit);
    if (reduction->sees_part) {
      lanes ahead = velocity[first] * offset_of(search, gathered, c, first);
      for (int a = first + 1; a < 3; a++) ahead += velocity[a] * offset_of(search, gathered, c, a);
      hidden |= ~((ahead > speed * roots(squared) * cosine) | rests | (squared < around));
    }
    gathered->narrowed[c] = (lanes)((mask)squared | hidden);
  }
  if (reduction->nearest) leave_nearest(gathered, reduction->nearest);
  return gathered->narrowed;
}

/* Add up velocities or offsets of neighbors, or both. */
INLINE void add_vectors(const int first, const int velocities, const int offsets, const Search *search,
                        const Gathered *gathered, const lanes *squared, double radius_squared,
                        Found *velocity, Found *offset) {
  const lanes limit = all(radius_squared);
  const double *flight[3];
  lanes along[3], away[3];
  mask found = all_whole(0);
  for (int a = first; a < 3; a++) {
    flight[a] = search->grid->sources.velocity[a];
    if (velocities) along[a] = velocity->total[a];
    if (offsets) away[a] = offset->total[a];
  }
  for (integer c = 0; c < gathered->count; c++) {
    const mask near = squared[c] < limit;
    const integer j = gathered->source[c];
    found -= near;
    for (int a = first; a < 3 && velocities; a++) along[a] = added(near, along[a], all(flight[a][j]));
    for (int a = first; a < 3 && offsets; a++)
      away[a] = added(near, away[a], offset_of(search, gathered, c, a));
  }
  if (velocities) velocity->count += found;
  if (offsets) offset->count += found;
  for (int a = first; a < 3; a++) {
    if (velocities) velocity->total[a] = along[a];
    if (offsets) offset->total[a] = away[a];
  }
}

/* Add up the pushes of neighbors. Few candidates push anybody, and to divide takes long. */
INLINE void add_pushes(const int first, const Reduction *reduction, const lanes *squared,
                       const Search *search, Gathered *gathered, Found *found) {
  const lanes limit = all(reduction->squared);
  integer pushing = 0;
  for (integer c = 0; c < gathered->count; c++) {
    gathered->close[pushing] = c;
    pushing += signs(squared[c] < limit) != 0;
  }
  lanes total[3];
  for (int a = first; a < 3; a++) total[a] = found->total[a];
  for (integer i = 0; i < pushing; i++) {
    const integer c = gathered->close[i];
    const mask near = squared[c] < limit;
    lanes divisor = squared[c];
    if (reduction->quantity != INVERSE) divisor = roots(divisor);
    if (reduction->quantity == INVERSE_SQUARE) divisor = squared[c] * divisor;
    if (reduction->closest == 0.0) divisor = choose(divisor > all(0.0), divisor, all(1.0));
    found->count -= near;
    for (int a = first; a < 3; a++) total[a] += pick(near, offset_of(search, gathered, c, a) / divisor);
  }
  for (int a = first; a < 3; a++) found->total[a] = total[a];
}

/* Add up what is rare, lane by lane. */
static void add_rare(const int first, const Reduction *reduction, const lanes *squared, const Search *search,
                     const Gathered *gathered, Found *found) {
  const Points *sources = &search->grid->sources;
  for (integer c = 0; c < gathered->count; c++)
    for (int lane = 0; lane < LANES; lane++) {
      vector offset = {0.0}, its = {0.0}, own = {0.0};
      if (!(squared[c][lane] < reduction->squared)) continue;
      for (int a = first; a < 3; a++) {
        offset[a] = offset_of(search, gathered, c, a)[lane];
        its[a] = sources->velocity[a][gathered->source[c]];
        own[a] = search->velocity[a][lane];
      }
      vector added = addend_of(reduction, offset, squared[c][lane], its, own, first);
      for (int a = first; a < 3; a++) found->total[a][lane] += added[a];
      found->count[lane]++;
    }
}

/* Add what has been gathered to all reductions of a search, and empty it. */
INLINE void add_gathered(const int first, const Reduction *reduction, int reductions, const Search *search,
                         Gathered *gathered) {
  const lanes *squared = gathered->squared;
  for (int r = 0; r < reductions; r++) {
    const Reduction *one = reduction + r;
    Found *found = gathered->found + r;
    if (r == 0 || !one->shared) squared = narrow(first, search, one, gathered);
    if (one->rare) {
      add_rare(first, one, squared, search, gathered, found);
      continue;
    }
    integer next = r + 1 < reductions && one[1].shared && !one[1].rare ? one[1].quantity : one->quantity;
    if (one->quantity > VELOCITY)
      add_pushes(first, one, squared, search, gathered, found);
    else if (one->quantity == VELOCITY && next == OFFSET)
      add_vectors(first, 1, 1, search, gathered, squared, one->squared, found, found + 1);
    else if (one->quantity == OFFSET && next == VELOCITY)
      add_vectors(first, 1, 1, search, gathered, squared, one->squared, found + 1, found);
    else if (one->quantity == VELOCITY)
      add_vectors(first, 1, 0, search, gathered, squared, one->squared, found, found);
    else
      add_vectors(first, 0, 1, search, gathered, squared, one->squared, found, found);
    r += one->quantity + next == OFFSET + VELOCITY;
  }
  gathered->count = 0;
}

/* Write what the chosen boids of a search have found. */
INLINE void write_found(const int first, int reductions, const Search *search, const Found *found, int chosen,
                        const QueryResult *result) {
  const int together = search->in_row && chosen == EVERY && !result->adds;
  for (int r = 0; r < reductions; r++) {
    lanes count = (lanes)(found[r].count | (mask)all(WHOLE)) - all(WHOLE);
    if (together) {
      *(loose *)(result->row[r][0] + search->place[0]) = count;
      for (int a = first; a < 3; a++)
        *(loose *)(result->row[r][1 + a] + search->place[0]) = found[r].total[a];
      continue;
    }
    for (int lane = 0; lane < search->boids; lane++) {
      double total[3] = {0.0};
      for (int a = first; a < 3; a++) total[a] = found[r].total[a][lane];
      if (chosen >> lane & 1) write(result, r, search->place[lane], count[lane], total, first);
    }
  }
}

/* Compute reductions for the boids of a search, who share their candidates. Returns whether there was room,
   which some about the nearest need for all candidates at once. */
INLINE int add_up(const int first, const Reduction *reduction, int reductions, int at_once,
                  const Search *search, Gathered *gathered) {
  const integer room = at_once ? AT_ONCE : TOGETHER;
  gathered->count = 0;
  gathered->missing = all_whole(0);
  for (int r = 0; r < reductions; r++) {
    gathered->found[r].count = all_whole(0);
    for (int a = first; a < 3; a++) gathered->found[r].total[a] = all(0.0);
  }
  for (int k = 0; k < search->ranges; k++) {
    const Span span = span_of(search, k, at_once);
    for (integer j = span.begin, end; j < span.end; j = end) {
      const int before = j < span.inner, behind = j >= span.outer;
      end = least(span.end, before ? span.inner : behind ? span.end : span.outer);
      end = least(end, j + room - gathered->count);
      if (search->grid->repeats)
        gather_some(first, 1, 1, 1, 1, search, k, j, end, gathered);
      else if (search->closest == 0.0 || (before && end > span.outer))
        gather_some(first, 0, 1, 1, 1, search, k, j, end, gathered);
      else if (before)
        gather_some(first, 0, 1, 0, 0, search, k, j, end, gathered);
      else if (behind)
        gather_some(first, 0, 0, 1, 0, search, k, j, end, gathered);
      else
        gather_some(first, 0, 0, 0, 0, search, k, j, end, gathered);
      if (gathered->count < room) continue;
      if (at_once) return 0;
      add_gathered(first, reduction, reductions, search, gathered);
    }
  }
  add_gathered(first, reduction, reductions, search, gathered);
  return 1;
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
        kept += (ahead > speed * square_root(near->squared[k]) * reduction[r].cosine) |
                (near->squared[k] < reduction[r].around);
      }
      if (reduction[r].nearest && kept > reduction[r].nearest)
        kept = keep_nearest(near, kept, reduction[r].nearest);
      if (reduction[r].nearest) unfilled = least(unfilled, kept - reduction[r].nearest);
    }
    double total[3] = {0.0};
    for (integer i = 0; i < kept; i++) {
      integer k = near->chosen[i];
      if (reduction[r].rare) {
        vector offset = {0.0}, its = {0.0};
        for (int a = first; a < 3; a++) {
          offset[a] = near->offset[a][k];
          its[a] = points->velocity[a][near->source[k]];
        }
        vector added = addend_of(reduction + r, offset, near->squared[k], its, velocity, first);
        for (int a = first; a < 3; a++) total[a] += added[a];
        continue;
      }
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

/* Compute reductions for each of the chosen boids of a search alone, whose candidates are too many to be
   looked at together. */
static void reduce_each_alone(const Search *search, const Reduction *reduction, int reductions, int chosen,
                              double widest, const QueryResult *result, integer *unfilled, double *scratch) {
  const Grid *grid = search->grid;
  Near near = near_memory(scratch, grid->sources.count);
  for (int lane = 0; lane < search->boids; lane++) {
    if (!(chosen >> lane & 1)) continue;
    gather_around(search, lane, widest, &near);
    vector velocity = vector_in(search->velocity, lane);
    integer place = search->place[lane];
    integer missing =
        reduce_alone(reduction, reductions, &grid->sources, grid->first, velocity, &near, place, result);
    if (unfilled) unfilled[place] = missing;
  }
}

/* Compute reductions of which some are about the nearest so many, of a search with so many candidates, as
   `reduce_some`. Boids look at the nearest candidates first, and who has found too few looks again, further
   away. */
INLINE void reduce_nearest(const int first, Search *search, integer many, const Reduction *reduction,
                           int reductions, double widest, const QueryResult *result, integer *unfilled,
                           Gathered *gathered, double *scratch) {
  double limit[LANES];
  int chosen = 0, fits = 1;
  for (int r = 0; r < reductions; r++) fits &= reduction[r].nearest <= MOST_NEAREST;
  for (int lane = 0; lane < LANES; lane++) {
    limit[lane] = widest;
    if (lane < search->boids && !(unfilled && unfilled[search->place[lane]] >= 0)) chosen |= 1 << lane;
  }
  if (many > MANY * LANES) first_reach(search, reduction, reductions, widest, limit);
  while (fits && chosen) {
    if (many > MANY * LANES) prune_cells(search, limit);
    for (int lane = 0; lane < LANES; lane++) search->limit[lane] = chosen >> lane & 1 ? limit[lane] : -1.0;
    fits = add_up(first, reduction, reductions, 1, search, gathered);
    int done = 0;
    for (int lane = 0; fits && lane < LANES; lane++) {
      integer missing = gathered->missing[lane];
      if (!(chosen >> lane & 1) || (missing < 0 && limit[lane] < widest)) continue;
      if (unfilled) unfilled[search->place[lane]] = missing;
      done |= 1 << lane;
    }
    if (done) write_found(first, reductions, search, gathered->found, done, result);
    chosen &= ~done;
    for (int lane = 0; lane < LANES; lane++) limit[lane] = smaller(WIDER * WIDER * limit[lane], widest);
    find_ranges(search);
  }
  if (chosen)
    reduce_each_alone(search, reduction, reductions, chosen, widest, result, unfilled, scratch);
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
  Gathered *gathered = gathered_in(scratch);
  Search search;
  search.grid = grid;
  search.in_row = blocked;
  search.closest = INFINITE;
  search.velocity[0] = all(0.0);
  for (int r = 0; r < reductions; r++) {
    alone |= reduction[r].nearest != 0;
    widest = larger(widest, reduction[r].squared);
    search.closest = smaller(search.closest, reduction[r].closest);
  }
  search.limit = all(widest);
  scratch += GATHERED_CELLS;
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
    const int own = (1 << search.boids) - 1;
    if (alone && first)
      reduce_nearest(1, &search, many, reduction, reductions, widest, result, unfilled, gathered, scratch);
    else if (alone)
      reduce_nearest(0, &search, many, reduction, reductions, widest, result, unfilled, gathered, scratch);
    else if (first) {
      add_up(1, reduction, reductions, 0, &search, gathered);
      write_found(1, reductions, &search, gathered->found, own, result);
    } else {
      add_up(0, reduction, reductions, 0, &search, gathered);
      write_found(0, reductions, &search, gathered->found, own, result);
    }
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
