/* The step: what `rule`, `motion` and `run` do, for blocks of animals, and for many steps in one call.

   A group moves in phases: for each of its queries the sources are arranged, and the results of boids
   computed; then random numbers are drawn; then the animals move. Computing and moving may be shared out
   over threads, each with a scratch memory of its own. */

/* The sources of a query; several groups are put behind one another. */
static Points sources_of(double *cells, const NeighborQuery *query, int first) {
  const Sources *source = (const Sources *)(cells + query->sources_at);
  const Group *group = group_in(cells, source->group);
  if (query->sources == 1)
    return points_of(first, group->count, cells + positions_of(group, source->moved),
                     cells + velocities_of(group, source->moved));
  integer many = 0, done = 0, dimension = 3 - first;
  for (integer g = 0; g < query->sources; g++) many += group_in(cells, source[g].group)->count;
  double *joined = cells + query->joined;
  for (integer g = 0; g < query->sources; g++, done += group->count) {
    group = group_in(cells, source[g].group);
    for (integer a = 0; a < dimension; a++)
      for (integer i = 0; i < group->count; i++) {
        integer cell = a * group->count + i, place = a * many + done + i;
        joined[place] = cells[positions_of(group, source[g].moved) + cell];
        joined[dimension * many + place] = cells[velocities_of(group, source[g].moved) + cell];
      }
  }
  return points_of(first, many, cells + query->joined, cells + query->joined + dimension * many);
}

/* Where the results of a query go: by number. */
static QueryResult results_of(double *cells, const NeighborQuery *query, integer count, int first) {
  const Reduction *reduction = (const Reduction *)(cells + query->reductions_at);
  QueryResult result = {.adds = query->adds != 0};
  for (integer r = 0; r < query->reductions; r++) {
    result.row[r][0] = cells + reduction[r].result;
    for (int a = first; a < 3; a++)
      result.row[r][1 + a] = cells + reduction[r].result + (1 + a - first) * count;
  }
  return result;
}

/* Sort sources and boids of a query into the grid; returns how many cells of `starts` it takes if more
   than there are, else 0. */
static integer arrange_both(double *cells, const NeighborQuery *query, double radius, const Points *sources,
                            const Points *boids, integer *starts, integer room) {
  Program *program = program_in(cells);
  Grid *grid = (Grid *)(cells + program->grid_at);
  grid->first = (int)program->world.first;
  grid->sources = *sources;
  integer all_cells = divide(grid, program->world.period, radius);
  integer needed = (query->own ? 1 : 2) * (all_cells + 2);
  if (needed > room) return needed;
  double *memory = cells + program->sorted_at;
  grid->starts = starts;
  grid->sources = arrange(grid, sources, all_cells, starts, memory);
  grid->boids = grid->sources;
  if (!query->own)
    grid->boids = arrange(grid, boids, all_cells, starts + all_cells + 2,
                          memory + (8 - 2 * grid->first) * sources->count);
  return 0;
}

/* Compute reductions about the nearest so many without any bound, by searches whose radius doubles; as
   `neighbors.sums_of_nearest`. */
static integer reduce_unbounded(double *cells, const NeighborQuery *query, const Points *sources,
                                const Points *boids, integer *starts, integer room, double *scratch) {
  const World *world = &program_in(cells)->world;
  Reduction *reduction = (Reduction *)(cells + query->reductions_at);
  integer *unfilled = (integer *)(cells + query->unfilled);
  int first = (int)world->first, dimension = 3 - first;
  double span[3], widest = 0.0, farthest = 0.0, volume = 1.0;
  for (int a = first; a < 3; a++) {
    double low = boids->position[a][0], high = low;
    for (integer i = 0; i < boids->count; i++) {
      low = smaller(low, boids->position[a][i]);
      high = larger(high, boids->position[a][i]);
    }
    for (integer i = 0; i < sources->count; i++) {
      low = smaller(low, sources->position[a][i]);
      high = larger(high, sources->position[a][i]);
    }
    span[a] = world->period[a] > 0.0 ? world->period[a] / 2.0 : high - low;
    farthest = a == first ? span[a] * span[a] : farthest + span[a] * span[a];
    widest = a == first ? span[a] : larger(widest, span[a]);
  }
  for (int a = first; a < 3; a++) volume *= larger(span[a], widest * 1e-3);
  double share = 2.5 * (double)reduction->nearest / (double)sources->count;
  double size = (share < 1.0 ? share : 1.0) * volume;
  double radius = dimension == 2 ? square_root(size) : cube_root(size);
  radius = larger(radius, 2.2250738585072014e-308);
  farthest = square_root(farthest);
  for (integer i = 0; i < boids->count; i++) unfilled[i] = -1;
  for (int pending = 1; pending; radius *= 2.0) {
    int last = radius >= farthest;
    if (last) radius = INFINITE;
    for (integer r = 0; r < query->reductions; r++) reduction[r].squared = radius * radius;
    integer needed = arrange_both(cells, query, radius, sources, boids, starts, room);
    if (needed) return needed;
    const QueryResult result = results_of(cells, query, boids->count, first);
    reduce_some((Grid *)(cells + program_in(cells)->grid_at), reduction, (int)query->reductions, 0,
                boids->count, 0, &result, unfilled, scratch);
    pending = 0;
    for (integer i = 0; i < boids->count && !last; i++) pending |= unfilled[i] < 0;
  }
  return 0;
}

#define CALL(name) SUFFIXED(name, LANES)

/* Make everything ready for the boids that a query is about, or compute it here and now where it is about
   everyone. Returns 0, or how many cells `starts` must have where `room` is less. */
ENTRY(int, arrange)(double *cells, int group_number, int query_number, integer *starts, int room,
                    double *scratch) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  const NeighborQuery *query = (const NeighborQuery *)(cells + group->queries_at) + query_number;
  int first = (int)program->world.first;
  if (group->sequential && query->local) return 0;
  Points boids = points_of(first, group->count, cells + group->position, cells + group->velocity);
  if (query->headings) {
    double *heading = cells + query->headings;
    for (integer i = 0; i < group->count; i++) {
      vector ahead = unit(vector_of(cells, group->velocity, group->count, i, first), first);
      for (int a = first; a < 3; a++) heading[(a - first) * group->count + i] = ahead[a];
    }
    boids = points_of(first, group->count, cells + group->position, cells + query->headings);
  }
  Points sources = query->own ? boids : sources_of(cells, query, first);
  if (query->kind == EVERYONE) {
    const QueryResult result = results_of(cells, query, group->count, first);
    const Reduction *reduction = (const Reduction *)(cells + query->reductions_at);
    sum_over_everyone(&boids, &sources, (int)query->own, reduction->quantity, first, program->world.period,
                      &result, scratch);
    return 0;
  }
  if (query->kind == UNBOUNDED)
    return (int)reduce_unbounded(cells, query, &sources, &boids, starts, room, scratch);
  return (int)arrange_both(cells, query, query->radius, &sources, &boids, starts, room);
}

/* Compute a query of the boids `begin` to `end`, in the order of the grid. */
ENTRY(void, reduce)(double *cells, int group_number, int query_number, int begin, int end, double *scratch) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  const NeighborQuery *query = (const NeighborQuery *)(cells + group->queries_at) + query_number;
  if (query->local || query->kind != BOUNDED) return;
  const QueryResult result = results_of(cells, query, group->count, (int)program->world.first);
  reduce_some((const Grid *)(cells + program->grid_at), (const Reduction *)(cells + query->reductions_at),
              (int)query->reductions, begin, end, 0, &result, 0, scratch);
}

/* Move attractors to where they are now. */
ENTRY(void, attract)(double *cells) {
  const Program *program = program_in(cells);
  Attractor *attractor = (Attractor *)(cells + program->attractors_at);
  int first = (int)program->world.first;
  for (integer k = 0; k < program->attractors; k++) {
    if (attractor[k].path == STANDING) continue;
    vector place = attractor_place(attractor + k, cells, (double)program->step * program->dt, first);
    for (int a = first; a < 3; a++) attractor[k].point[a] = place[a];
  }
}

/* Draw the order of turns: who has which is the rank of a random number. */
static void draw_turns(const Group *group, double *cells) {
  double *drawn = cells + group->turns;
  integer *turn = (integer *)(drawn + group->count);
  fill((Stream *)(cells + group->shuffled), drawn, group->count);
  for (integer i = 0; i < group->count; i++) {
    integer rank = 0;
    for (integer k = 0; k < group->count; k++) rank += drawn[k] < drawn[i] || (drawn[k] == drawn[i] && k < i);
    turn[rank] = i;
  }
}

/* Draw a group's random numbers of this step. */
ENTRY(void, draw)(double *cells, int group_number) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  integer count = group->count, dimension = 3 - program->world.first;
  CALL(attract)(cells);
  const Term *term = (const Term *)(cells + group->terms_at);
  for (const Term *end = term + group->terms; term < end; term++) {
    if (!term->drawn) continue;
    Stream *stream = (Stream *)(cells + term->stream);
    double *drawn = cells + term->drawn;
    if (term->rule == ZONES)
      for (integer i = 0; i < count; i++) *drawn++ = standard_normal(stream, cells + program->layers_at);
    fill(stream, drawn, (term->rule == NOISE_BOX ? dimension : dimension - 1) * count);
  }
  if (group->noise) fill((Stream *)(cells + group->noise), cells + group->noise_drawn, dimension * count);
  if (group->shuffled) draw_turns(group, cells);
}

/* Some animals of a group that take a step together, one in each of the lanes; lanes that are left repeat
   the last. */
typedef struct {
  double *cells;
  const Program *program;
  Group *group;
  int first;
  int count;
  int steers; /* whether anything has been added to `drive`, */
  int drifts; /* and to `drift` */
  integer number[LANES];
  const double *rows; /* results: (rows, 4, BLOCK), those of these animals */
  lanes position[3];
  lanes velocity[3]; /* as rules of an order have left it */
  lanes before[3];   /* the velocity before any */
  lanes speed;
  lanes factor; /* on the group's speeds */
  lanes vector[3];
  lanes drive[3];
  lanes drift[3];
} Batch;

/* Numbers (n,) of these animals. */
INLINE lanes by_number(const Batch *we, integer at) {
  lanes result;
  for (int lane = 0; lane < LANES; lane++) result[lane] = we->cells[at + we->number[lane]];
  return result;
}

INLINE lanes length_lanes(const int first, const lanes vector[3]) {
  lanes squared = vector[first] * vector[first];
  for (int a = first + 1; a < 3; a++) squared += vector[a] * vector[a];
  return roots(squared);
}

/* As `geometry.limited`, in place. */
INLINE void limit(const int first, lanes vector[3], double maximum) {
  if (maximum == INFINITE) return;
  lanes factor = maximum / larger_lanes(length_lanes(first, vector), all(larger(maximum, SHORTEST)));
  for (int a = first; a < 3; a++) vector[a] *= factor;
}

/* True if velocities of neighbors are meant as differences from the own one; as `Alignment.combined`. */
INLINE int is_difference(const Term *term) {
  return term->rule == MEAN_VELOCITY && (term->form == DIRECT_FORM || term->form == UNIT_FORM) && term->at[4];
}

/* How many are within perception; as `flocking.whole_view`. */
INLINE lanes count_in_view(const Batch *we, const Term *term) {
  lanes count = loaded(we->rows + 4 * most(term->row[3], 0) * BLOCK);
  return term->row[4] < 0 ? count : count + loaded(we->rows + 4 * term->row[4] * BLOCK);
}

/* The raw vectors of a recipe; as `rule.RecipeRule.desired`. */
INLINE void evaluate(const int first, Batch *we, const Term *term) {
  const QuerySpec *spec = (const QuerySpec *)(we->cells + term->specs_at);
  lanes near = loaded(we->rows + 4 * most(term->row[0], 0) * BLOCK), own[3], itself, share;
  for (int k = 1; k < 3 && term->rule == PUSH; k++)
    if (term->row[k] >= 0) near += loaded(we->rows + 4 * term->row[k] * BLOCK);
  lanes some = pick(near > all(0.0), all(1.0));
  lanes count = term->at[1] == BY_VIEW ? count_in_view(we, term) : near;
  lanes divisor = term->include_self ? count + 1.0 : larger_lanes(count, all(1.0));
  if (term->at[1] == BY_SUM) divisor = all(1.0);
  int alone = term->rule == MEAN_VELOCITY && term->include_self && !spec->relative;
  int relative = is_difference(term) && !spec->relative;
  itself = (term->at[4] ? some : all(1.0)) * term->value[0];
  share = some * ((term->include_self ? near + 1.0 : near) / divisor);
  lanes heading = 1.0 / larger_lanes(length_lanes(first, we->velocity), all(SHORTEST));
  for (int a = first; a < 3; a++) {
    own[a] = term->at[3] || term->rule == MIRROR ? we->velocity[a] * heading : we->velocity[a];
    lanes total = all(0.0);
    for (int k = 0, found = 0; k < 3; k++) {
      if (term->row[k] < 0) continue;
      lanes result = loaded(we->rows + (4 * term->row[k] + 1 + a) * BLOCK);
      total = found++ ? total + result : result;
    }
    if (alone) total += own[a] * itself;
    if (term->rule != MIRROR) total /= divisor;
    if (relative) total -= own[a] * share;
    if (term->at[2] == ORIGIN) total = choose(near > all(0.0), total, -we->position[a]);
    we->vector[a] = term->rule == PUSH ? -total : total;
  }
  if (term->rule != MIRROR) return;
  lanes along = own[first] * we->vector[first];
  for (int a = first + 1; a < 3; a++) along += own[a] * we->vector[a];
  for (int a = first; a < 3; a++) we->vector[a] = 2.0 * along * own[a] - we->vector[a];
}

/* Steer toward desired directions, in place; as `motion.reynolds`. Who has neighbors but is given no
   direction brakes where the term says so, as `rule.SteeredGroup.contribution`. */
INLINE void steer(const int first, Batch *we, const Term *term) {
  lanes length = length_lanes(first, we->vector), some = choose(length > all(0.0), all(1.0), length);
  if (term->rule <= MEAN_VELOCITY && term->at[0] && term->row[0] >= 0)
    some = choose(loaded(we->rows + 4 * term->row[0] * BLOCK) > all(0.0), all(1.0), some);
  if (term->rule <= MEAN_VELOCITY && term->at[2] == BRAKE) some = all(1.0);
  if (term->rule <= MEAN_VELOCITY && term->at[2] == BRAKE_IN_VIEW)
    some = choose(count_in_view(we, term) > all(0.0), all(1.0), some);
  lanes factor = we->speed / larger_lanes(length, all(SHORTEST));
  for (int a = first; a < 3; a++) we->vector[a] = (we->vector[a] * factor - we->velocity[a]) * some;
}

/* Bring vectors to length 1, in place. */
INLINE void make_unit(const int first, lanes vector[3]) {
  lanes factor = 1.0 / larger_lanes(length_lanes(first, vector), all(SHORTEST));
  for (int a = first; a < 3; a++) vector[a] *= factor;
}

/* Turn toward desired directions as far as the term lets them, in place; as `motion.turning`. */
INLINE void turn_toward(const int first, Batch *we, const Term *term) {
  lanes ahead[3], across[3], right[3], zero = all(0.0), straight = all(1e-9), along = zero;
  lanes length = length_lanes(first, we->vector), some = choose(length > zero, all(1.0), length);
  lanes speed = length_lanes(first, we->velocity);
  make_unit(first, we->vector);
  for (int a = first; a < 3; a++) {
    ahead[a] = we->velocity[a];
    right[a] = zero;
  }
  make_unit(first, ahead);
  for (int a = first; a < 3; a++)
    along = a == first ? we->vector[a] * ahead[a] : along + we->vector[a] * ahead[a];
  right[first] = ahead[first + 1];
  right[first + 1] = -ahead[first];
  right[first] = choose(length_lanes(first, right) <= straight, all(1.0), right[first]);
  for (int a = first; a < 3; a++) across[a] = we->vector[a] - along * ahead[a];
  mask aside = length_lanes(first, across) > straight, reached = along >= all(term->max_turn);
  for (int a = first; a < 3; a++) across[a] = choose(aside, across[a], right[a]);
  make_unit(first, across);
  for (int a = first; a < 3; a++) {
    lanes turned = term->max_turn * ahead[a] + term->turn_sine * across[a];
    we->vector[a] = choose(reached, we->vector[a], turned);
  }
  lanes factor = speed / larger_lanes(length_lanes(first, we->vector), all(SHORTEST));
  for (int a = first; a < 3; a++) we->vector[a] = (we->vector[a] * factor - we->velocity[a]) * some;
}

INLINE Animal animal_of(const Batch *we, int lane) {
  Animal me = {.cells = we->cells,
               .program = we->program,
               .group = we->group,
               .world = &we->program->world,
               .first = we->first,
               .number = we->number[lane],
               .time = (double)we->program->step * we->program->dt,
               .speed = we->speed[lane],
               .rows = we->rows + lane};
  me.position = vector_in(we->position, lane);
  me.velocity = vector_in(we->velocity, lane);
  return me;
}

/* The vectors that the form of a term goes by; as `SteeredGroup.vector`. */
INLINE void find_vector(const int first, Batch *we, const Term *term) {
  if (term->rule <= MEAN_VELOCITY) {
    evaluate(first, we, term);
  } else {
    vector wanted[LANES];
    for (int lane = 0; lane < we->count; lane++) {
      Animal me = animal_of(we, lane);
      int is_desired = term->form == REYNOLDS_FORM || term->form == TURN_FORM;
      wanted[lane] = is_desired ? desired(&me, term) : direct(&me, term);
    }
    for (int a = first; a < 3; a++)
      for (int lane = 0; lane < LANES; lane++) we->vector[a][lane] = wanted[lane][a];
  }
}

/* The change of velocity, or of position, by one rule, weight included; as `SteeredGroup.contribution`. */
INLINE void contribute(const int first, Batch *we, const Term *term) {
  for (int a = first; a < 3 && !term->in_order; a++) we->velocity[a] = we->before[a];
  find_vector(first, we, term);
  if (term->form == REYNOLDS_FORM) steer(first, we, term);
  if (term->form == UNIT_FORM) make_unit(first, we->vector);
  if (term->form == TURN_FORM) turn_toward(first, we, term);
  limit(first, we->vector, term->cap);
  for (int a = first; a < 3 && term->form == TURN_FORM && we->group->per_time; a++)
    we->vector[a] /= we->program->dt;
  lanes weight = all(term->weight);
  if (term->weights) weight *= by_number(we, term->weights);
  for (int a = first; a < 3; a++) {
    we->vector[a] *= weight;
    if (term->in_order) we->velocity[a] += we->vector[a];
  }
}

/* The drive of slow animals, turned into a cone around the flight; as `motion.Motion._steadied`. */
static void steady(Batch *we) {
  int first = we->first;
  for (int lane = 0; lane < LANES; lane++) {
    vector velocity = {0.0}, drive = {0.0};
    for (int a = first; a < 3; a++) {
      velocity[a] = we->velocity[a][lane];
      drive[a] = we->drive[a][lane];
    }
    double speed = length_of(velocity, first), size = length_of(drive, first);
    double share = speed / we->group->steady_below, fourth = (share * share) * (share * share);
    double tenth = (fourth * share) * (fourth * share), cosine = 1.0 - 2.0 * (tenth * tenth);
    vector heading = scaled(velocity, speed, 1.0);
    double along = dot(drive, heading, first);
    if (!(share <= 1.0 && speed > 0.0 && along < cosine * size)) continue;
    vector across = unit(drive - along * heading, first);
    vector cone = (cosine * heading + square_root(larger(1.0 - cosine * cosine, 0.0)) * across) * size;
    for (int a = first; a < 3; a++) we->drive[a][lane] = cone[a];
  }
}

/* The drive as it steers, by that of the step before; as `motion.Motion.smoothed`. */
INLINE void smooth(const int first, Batch *we) {
  limit(first, we->drive, we->group->max_acceleration);
  for (int a = first; a < 3; a++) {
    lanes last = by_number(we, we->group->drive + (a - first) * we->group->count);
    we->drive[a] = last + (we->drive[a] - last) * we->group->smoothing;
  }
}

#define MOST_LEADS 4 /* rules that may preempt others: three and one that avoids obstacles */

/* Whom a rule that preempts others gives a direction. */
typedef struct {
  integer term;
  mask given;
} Lead;

/* The rules that preempt others, each with whom it gives a direction and none before it; as
   `SteeredGroup.preempted`. Returns how many they are. */
INLINE int find_leads(const int first, Batch *we, Lead *lead) {
  const Term *term = (const Term *)(we->cells + we->group->terms_at);
  int found = 0;
  mask taken = all_whole(0);
  for (integer t = 0; t < we->group->terms; t++) {
    if (!term[t].preempts || term[t].on_position) continue;
    find_vector(first, we, term + t);
    lead[found].term = t;
    lead[found].given = (length_lanes(first, we->vector) > all(0.0)) & ~taken;
    taken |= lead[found++].given;
  }
  return found;
}

/* Take from whom other rules preempt what a rule would add. */
INLINE void give_way(const int first, Batch *we, const Term *term, integer t, const Lead *lead, int leads) {
  for (int k = 0; k < leads && !term[t].on_position && term[t].rule < ATTRACT; k++)
    for (int a = first; a < 3 && lead[k].term != t; a++) we->vector[a] = pick(~lead[k].given, we->vector[a]);
}

/* Add up what all terms contribute; in turns those that are not live have been kept in `fixed`. A total
   begins with the first: zero plus minus zero would be zero. */
INLINE void add_up_terms(const int first, Batch *we, const double *fixed) {
  const Term *term = (const Term *)(we->cells + we->group->terms_at);
  integer size = (3 - first) * we->group->count;
  we->steers = we->drifts = 0;
  Lead lead[MOST_LEADS];
  int leads = find_leads(first, we, lead);
  for (integer t = 0; t < we->group->terms; t++) {
    if (fixed && !term[t].live)
      for (int a = first; a < 3; a++)
        we->vector[a] = all(fixed[t * size + (a - first) * we->group->count + we->number[0]]);
    else
      contribute(first, we, term + t);
    give_way(first, we, term, t, lead, leads);
    lanes *total = term[t].on_position ? we->drift : we->drive;
    int *found = term[t].on_position ? &we->drifts : &we->steers;
    for (int a = first; a < 3; a++) total[a] = *found ? total[a] + we->vector[a] : we->vector[a];
    *found = 1;
  }
  for (int a = first; a < 3; a++) we->velocity[a] = we->before[a];
  if (we->group->steady_below > 0.0) steady(we);
  if (we->group->drive && we->group->smoothing != 1.0) smooth(first, we);
  for (int a = first; a < 3 && we->group->drive; a++)
    for (int lane = 0; lane < we->count; lane++)
      we->cells[we->group->drive + (a - first) * we->group->count + we->number[lane]] = we->drive[a][lane];
}

/* Turn every course by a random angle; as `geometry.scattered`. */
static void scatter(Batch *we) {
  const Group *group = we->group;
  const double *drawn = we->cells + group->noise_drawn, *turns = drawn + (2 - we->first) * group->count;
  for (int lane = 0; lane < we->count; lane++) {
    double cosine_of, sine_of, share = turns[we->number[lane]];
    vector course;
    for (int a = we->first; a < 3; a++)
      course[a] = group->inertia * we->velocity[a][lane] + we->drive[a][lane];
    if (group->solid_angle && !we->first) {
      cosine_of = group->noise_cosine + (1.0 - group->noise_cosine) * share;
      sine_of = square_root(1.0 - cosine_of * cosine_of);
    } else {
      double angle = (-0.5 + (0.5 - -0.5) * share) * group->noise_width;
      cosine_of = cosine(angle);
      sine_of = sine(angle);
    }
    vector sideways = direction(drawn, group->count, we->number[lane], we->first);
    vector turned =
        length_of(course, we->first) * turn(unit(course, we->first), sideways, cosine_of, sine_of, we->first);
    for (int a = we->first; a < 3; a++)
      we->drive[a][lane] = turned[a] - group->inertia * we->velocity[a][lane];
  }
}

#define ROUNDING 1e-9 /* as `obstacles.SURFACE_ROUNDING` */
enum { FLAT_LATTICE = 64, DEEP_LATTICE = 16 /* obstacles.LATTICE */, HALVINGS = 30 /* obstacles.HALVINGS */ };

/* True if a place is inside a solid obstacle; as `obstacles.inside`. */
static int is_inside(const Program *program, const double *cells, vector place) {
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  vector outward;
  for (const Obstacle *end = obstacle + program->obstacles; obstacle < end; obstacle++)
    if (obstacle->solid &&
        surface(obstacle, cells, &program->world, place, &outward) < -ROUNDING * program->world.smallest)
      return 1;
  return 0;
}

/* A place near another that is inside no solid obstacle; as `obstacles.free_places`. */
static vector free_place(const Program *program, const double *cells, vector place) {
  const World *world = &program->world;
  int first = (int)world->first;
  integer steps = first ? FLAT_LATTICE : DEEP_LATTICE, many = first ? 1 : steps + 1;
  vector start = place, way = {0.0}, still = {0.0};
  double nearest = INFINITE, part = 0.0, step = 1.0;
  many *= (steps + 1) * (steps + 1);
  for (integer number = 0; number < many; number++) {
    vector there = {0.0};
    integer rest = number;
    for (int a = 2; a >= first; a--, rest /= steps + 1)
      there[a] = (double)(rest % (steps + 1)) / (double)steps * world->size[a];
    confine(&there, &still, world);
    vector offset = shortest(place - there, world);
    double squared = dot(offset, offset, first);
    if (squared < nearest && !is_inside(program, cells, there)) {
      nearest = squared;
      start = there;
      way = offset;
    }
  }
  if (nearest == INFINITE) return place;
  for (int halving = 0; halving < HALVINGS; halving++) {
    step /= 2.0;
    if (!is_inside(program, cells, start + way * (part + step))) part += step;
  }
  start += way * part;
  if (!world->before_turns) confine(&start, &still, world);
  return start;
}

/* Put one of some animals, who is inside a solid obstacle, back where it was, if there is a `before`, (d,
   n), and that is free, or to a free place, in place; as the end of `rule.confined`. */
static void put_back(const Program *program, const double *cells, double *const position[3],
                     double *const velocity[3], integer one, const Points *before, integer number) {
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  int first = (int)program->world.first;
  vector place = {0.0}, old = {0.0}, there;
  double *here[3], *flight[3];
  for (int a = first; a < 3; a++) {
    place[a] = position[a][one];
    here[a] = (double *)&there + a;
    flight[a] = velocity[a] + one;
    if (before) old[a] = before->position[a][number];
  }
  for (integer k = 0; k < program->obstacles; k++) {
    there = place;
    if (obstacle[k].solid) keep_out(obstacle + k, cells, &program->world, here, flight, 1);
  }
  there = before && !is_inside(program, cells, old) ? old : free_place(program, cells, place);
  for (int a = first; a < 3; a++) position[a][one] = there[a];
}

/* Positions and velocities after solid obstacles and the boundary condition, in place; as
   `rule.confined`. Where they were before stands in `before` by `number`, if it is known. Returns
   whether all of them are finite. */
static int confine_all(const Program *program, const Group *group, double *cells, double *const position[3],
                       double *const velocity[3], integer count, const Points *before, integer number) {
  const World *world = &program->world;
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  int finite = 1, first = (int)world->first;
  for (integer k = 0; k < program->obstacles; k++)
    if (obstacle[k].solid) keep_out(obstacle + k, cells, world, position, velocity, count);
  for (int a = first; a < 3 && !(group->sequential && world->before_turns); a++)
    confine_axis(position[a], velocity[a], count, world, a);
  for (integer i = 0; i < count && world->boundary == BALL; i++) {
    vector place = {0.0};
    for (int a = first; a < 3; a++) place[a] = position[a][i];
    place = confined_to_ball(place, world);
    for (int a = first; a < 3; a++) position[a][i] = place[a];
  }
  for (integer i = 0; i < count && program->solids; i++) {
    vector place = {0.0};
    for (int a = first; a < 3; a++) place[a] = position[a][i];
    if (is_inside(program, cells, place)) put_back(program, cells, position, velocity, i, before, number + i);
  }
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++)
      finite &= magnitude(position[a][i]) < INFINITE && magnitude(velocity[a][i]) < INFINITE;
  return finite;
}

/* The change of one component of the velocity near a wall; as `TurnBack.turned`. */
INLINE lanes turn_back(const Batch *we, int axis) {
  const World *world = &we->program->world;
  lanes here = we->position[axis], strength = all(world->strength);
  return choose(here < all(world->margin), strength, all(0.0)) -
         choose(here > all(world->size[axis] - world->margin), strength, all(0.0));
}

/* Go on by drive and drift; as `motion.Motion.move`. Returns whether all are at finite places, so far as
   that is known. */
INLINE int go_on(const int first, Batch *we) {
  const Group *group = we->group;
  lanes position[3], velocity[3], highest = all(INFINITE);
  double *place[3], *flight[3];
  int finite = 1;
  lanes driven = length_lanes(first, we->drive);
  limit(first, we->drive, group->max_acceleration);
  for (int a = first; a < 3; a++) {
    if (group->per_time) we->drive[a] *= we->program->dt;
    velocity[a] = group->inertia * we->velocity[a] + we->drive[a];
  }
  lanes length = length_lanes(first, velocity);
  if (group->max_speed < INFINITE) highest = group->max_speed * we->factor;
  lanes wanted = smaller_lanes(larger_lanes(length, group->min_speed * we->factor), highest);
  if (group->if_steered) wanted = choose(driven > all(0.0), wanted, length);
  wanted /= larger_lanes(length, all(SHORTEST));
  for (int a = first; a < 3; a++) {
    velocity[a] *= wanted;
    if (we->program->world.boundary == TURN_BACK) velocity[a] += turn_back(we, a);
    position[a] = we->position[a] + we->program->dt * (group->is_explicit ? we->velocity[a] : velocity[a]);
    if (we->drifts) position[a] += we->drift[a];
    place[a] = (double *)(position + a);
    flight[a] = (double *)(velocity + a);
  }
  if (group->sequential || !we->program->solids) {
    const Points before =
        points_of(first, group->count, we->cells + group->position, we->cells + group->velocity);
    finite = confine_all(we->program, group, we->cells, place, flight, we->count, &before, we->number[0]);
  }
  for (int a = first; a < 3; a++)
    for (int lane = 0; lane < we->count; lane++) {
      integer cell = (a - first) * group->count + we->number[lane];
      we->cells[group->new_position + cell] = position[a][lane];
      we->cells[group->new_velocity + cell] = velocity[a][lane];
    }
  return finite;
}

/* Take some animals, at most as many as there are lanes, from the entry on. */
INLINE void take(const int first, Batch *we, const Points *points, integer entry, integer count) {
  we->count = (int)least(count, LANES);
  for (int lane = 0; lane < LANES; lane++) {
    integer own = entry + least(lane, we->count - 1);
    we->number[lane] = points->number ? points->number[own] : own;
  }
  for (int a = first; a < 3; a++) {
    we->position[a] = spread(points->position[a] + entry, we->count);
    we->velocity[a] = we->before[a] = spread(points->velocity[a] + entry, we->count);
  }
  we->factor = we->group->speeds ? by_number(we, we->group->speeds) : all(1.0);
  we->speed = we->group->speed * we->factor;
}

/* Fill the rows of results that are kept by number, for some animals from an entry on. */
INLINE void gather(const int first, const Batch *we, const Points *points, integer entry, integer count,
                   double *rows) {
  const integer *at = (const integer *)(we->cells + we->group->rows_at);
  for (integer row = we->group->local; row < we->group->rows; row++)
    for (int c = 0; c < 4; c++) {
      if (c && c - 1 < first) continue;
      const double *result = we->cells + at[row] + (c ? c - first : 0) * we->group->count;
      for (integer i = 0; i < count; i++)
        rows[(4 * row + c) * BLOCK + i] = result[points->number ? points->number[entry + i] : entry + i];
    }
}

/* Where the results go that a block of animals needs as it moves. */
static QueryResult results_in(const Group *group, double *rows) {
  QueryResult result = {.adds = 0};
  for (integer r = 0; r < 4 * group->local; r++) result.row[r / 4][r % 4] = rows + r * BLOCK;
  return result;
}

/* Move the animals `begin` to `end` of a group, in the order of its grid if it has a query of its own, all
   at once, as `rule.advance`; in turns keep what does not change from turn to turn. Returns whether
   all are at finite places. */
INLINE int move_together(const int first, Batch *we, integer begin, integer end, double *scratch) {
  const Program *program = we->program;
  const Group *group = we->group;
  const NeighborQuery *local = (const NeighborQuery *)(we->cells + group->queries_at) + group->queries - 1;
  const Term *term = (const Term *)(we->cells + group->terms_at);
  const Grid *grid = (const Grid *)(we->cells + program->grid_at);
  Points points = points_of(first, group->count, we->cells + group->position, we->cells + group->velocity);
  if (group->local && !group->sequential) points = grid->boids;
  double *rows = scratch, *fixed = we->cells + group->fixed;
  int finite = 1;
  scratch += 4 * BLOCK * group->rows;
  for (integer entry = begin; entry < end; entry += BLOCK) {
    integer count = least(BLOCK, end - entry);
    if (group->local && !group->sequential) {
      const QueryResult result = results_in(group, rows);
      reduce_some(grid, (const Reduction *)(we->cells + local->reductions_at), (int)group->local, entry,
                  entry + count, 1, &result, 0, scratch);
    }
    gather(first, we, &points, entry, count, rows);
    for (integer i = 0; i < count; i += LANES) {
      take(first, we, &points, entry + i, count - i);
      we->rows = rows + i;
      if (!group->sequential) {
        add_up_terms(first, we, 0);
        if (group->noise) scatter(we);
        finite &= go_on(first, we);
        continue;
      }
      for (integer t = 0; t < group->terms; t++) {
        if (term[t].live) continue;
        contribute(first, we, term + t);
        for (int a = first; a < 3; a++)
          for (int lane = 0; lane < we->count; lane++)
            fixed[(t * (3 - first) + a - first) * group->count + entry + i + lane] = we->vector[a][lane];
      }
    }
  }
  return finite;
}

/* The results of what a boid queries about its own kind, everybody where they now are; as
   `rule.own_sums`. */
static void reduce_in_turn(const Batch *we, double *rows, double *scratch) {
  const Group *group = we->group;
  const double *period = we->program->world.period;
  const NeighborQuery *query = (const NeighborQuery *)(we->cells + group->queries_at) + group->queries - 1;
  integer seen = group->together ? group->position : group->new_position;
  Points points =
      points_of(we->first, group->count, we->cells + seen, we->cells + group->new_velocity);
  Near near = near_memory(scratch, group->count);
  const QueryResult result = results_in(group, rows);
  near.count = group->count;
  for (integer k = 0; k < near.count; k++) {
    near.source[k] = k;
    near.squared[k] = 0.0;
  }
  for (int a = we->first; a < 3; a++) {
    double here = we->position[a][0], *offset = near.offset[a];
    for (integer k = 0; k < near.count; k++)
      offset[k] = shortened(points.position[a][k] + 0.0 - here, period[a]);
    for (integer k = 0; k < near.count; k++) near.squared[k] += offset[k] * offset[k];
  }
  near.squared[we->number[0]] = __builtin_nan(""); /* nobody is a neighbor of itself */
  reduce_alone((const Reduction *)(we->cells + query->reductions_at), (int)group->local, &points, we->first,
               vector_in(we->velocity, 0), &near, 0, &result);
}

/* Move one animal after the other; as `rule.take_turns`. */
INLINE int take_turns(const int first, Batch *we, double *scratch) {
  const Group *group = we->group;
  const World *world = &we->program->world;
  integer size = (3 - first) * group->count;
  Points points = points_of(first, group->count, we->cells + group->position, we->cells + group->velocity);
  double *now = we->cells + group->new_position, *rows = scratch;
  int finite = 1;
  move_together(first, we, 0, group->count, scratch);
  for (integer k = 0; k < size; k++) {
    now[k] = we->cells[group->position + k];
    we->cells[group->new_velocity + k] = we->cells[group->velocity + k];
  }
  we->rows = rows;
  const integer *turns = (const integer *)(we->cells + group->turns + group->count);
  for (integer turn = 0; turn < group->count; turn++) {
    integer boid = group->shuffled ? turns[turn] : turn;
    take(first, we, &points, boid, 1);
    for (int a = first; a < 3 && world->before_turns; a++) {
      confine_axis((double *)(we->position + a), (double *)(we->velocity + a), 1, world, a);
      now[(a - first) * group->count + boid] = we->position[a][0];
    }
    if (group->local) reduce_in_turn(we, rows, scratch + 4 * BLOCK * group->rows);
    gather(first, we, &points, boid, 1, rows);
    add_up_terms(first, we, we->cells + group->fixed);
    finite &= go_on(first, we);
  }
  return finite;
}

/* Predators that a curve carries; as `run._carried`. */
static int carry(Batch *we) {
  const Group *group = we->group;
  const World *world = &we->program->world;
  double time = (double)we->program->step * we->program->dt + we->program->dt;
  for (integer i = 0; i < group->count; i++) {
    vector place = curve_position((const Curve *)(we->cells + group->carried), time, i, we->first);
    vector still = {0.0};
    confine(&place, &still, world);
    vector way =
        displacement(place - vector_of(we->cells, group->position, group->count, i, we->first), world);
    for (int a = we->first; a < 3; a++) {
      integer cell = (a - we->first) * group->count + i;
      we->cells[group->new_position + cell] = place[a];
      we->cells[group->new_velocity + cell] = way[a] / we->program->dt;
    }
  }
  return 1;
}

/* Move the animals `begin` to `end` of a group, or all of one that moves in turns or is carried; whether
   they are at finite places. */
ENTRY(int, move)(double *cells, int group, int begin, int end, double *scratch) {
  Batch we = {.cells = cells,
              .program = program_in(cells),
              .group = group_in(cells, group),
              .first = (int)program_in(cells)->world.first};
  if (we.group->carried) return carry(&we);
  if (we.group->sequential) return we.first ? take_turns(1, &we, scratch) : take_turns(0, &we, scratch);
  return we.first ? move_together(1, &we, begin, end, scratch) : move_together(0, &we, begin, end, scratch);
}

/* After all animals of a group have moved: put them back out of solid obstacles, where there are any, all
   of them together; whether they are at finite places. */
ENTRY(int, settle)(double *cells, int group_number) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  int first = (int)program->world.first;
  Points before = points_of(first, group->count, cells + group->position, cells + group->velocity);
  Points moved = points_of(first, group->count, cells + group->new_position, cells + group->new_velocity);
  if (!program->solids || group->sequential || group->carried) return 1;
  return confine_all(program, group, cells, moved.position, moved.velocity, group->count, &before, 0);
}

/* End a step in which every group has moved: everybody is where they have come to. */
ENTRY(void, finish)(double *cells) {
  Program *program = program_in(cells);
  for (integer g = 0; g < program->groups; g++) {
    Group *group = group_in(cells, g);
    integer position = group->position, velocity = group->velocity;
    group->position = group->new_position;
    group->velocity = group->new_velocity;
    group->new_position = position;
    group->new_velocity = velocity;
  }
  program->step++;
  program->group = 0;
}

/* Copy the state to `frame`: positions and velocities of every group, one after the other. */
ENTRY(void, copy_state)(double *cells, double *frame) {
  const Program *program = program_in(cells);
  for (integer g = 0; g < program->groups; g++) {
    const Group *group = group_in(cells, g);
    integer half = (3 - program->world.first) * group->count;
    for (integer k = 0; k < half; k++) {
      frame[k] = cells[group->position + k];
      frame[half + k] = cells[group->velocity + k];
    }
    frame += 2 * half;
  }
}

/* Compute all queries of a group; returns 0, or how many cells `starts` must have. */
static int reduce_all(double *cells, int number, integer *starts, int room, double *scratch) {
  int count = (int)group_in(cells, number)->count;
  for (int q = 0; count && q < group_in(cells, number)->queries; q++) {
    int needed = CALL(arrange)(cells, number, q, starts, room, scratch);
    if (needed) return needed;
    CALL(reduce)(cells, number, q, 0, count, scratch);
  }
  return 0;
}

/* Move a group by a step; returns 0, -1 where it is not finite, or how many cells `starts` must have. */
static int move_group(double *cells, int number, integer *starts, int room, double *scratch) {
  int count = (int)group_in(cells, number)->count, needed = reduce_all(cells, number, starts, room, scratch);
  if (needed) return needed;
  CALL(draw)(cells, number);
  return CALL(move)(cells, number, 0, count, scratch) && CALL(settle)(cells, number) ? 0 : -1;
}

/* Do the steps of so many frames, as many as `steps` for each, and copy the states of the frames to
   `frame`: positions and velocities of every group, one after the other. Returns 0; -1 where the program's
   `group` is not finite; or how many cells `starts` must have, after which a further call goes on. As
   `Stepper.next`. */
ENTRY(int, march)(double *cells, double *frame, int frames, int steps, integer *starts, int room,
                  double *scratch) {
  Program *program = program_in(cells);
  while (program->done < (integer)frames * steps) {
    for (; program->group < program->groups; program->group++) {
      int outcome = move_group(cells, (int)program->group, starts, room, scratch);
      if (outcome) return outcome;
    }
    CALL(finish)(cells);
    if (++program->done % steps) continue;
    integer size = 0;
    for (integer g = 0; g < program->groups; g++)
      size += 2 * (3 - program->world.first) * group_in(cells, g)->count;
    CALL(copy_state)(cells, frame + (program->done / steps - 1) * size);
  }
  return 0;
}
