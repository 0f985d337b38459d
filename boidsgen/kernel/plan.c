/* The plan of a step: from what a program tells to what there is to do.

   Rules without weight, and what is absent, are left out; reductions of rules are gathered into queries
   that one search computes; units become the kernel's; and everything that changes gets its place behind
   what was told. */

#define CELLS(type) ((integer)(sizeof(type) / sizeof(double)))

typedef struct {
  double *cells;
  integer records;  /* where the next record goes */
  integer used;     /* where the next array of numbers goes */
  integer specs;    /* of a group: its QuerySpecs, */
  integer searches; /* and the most queries that they make */
} Plan;

/* A reduction of a term, with its sources, and the row of its results. */
typedef struct {
  Reduction reduction;
  QuerySpec spec;
  integer kind;
  integer row;
} Known;

INLINE integer reserve(Plan *plan, integer cells) { return (plan->used += cells) - cells; }
INLINE integer record(Plan *plan, integer cells) { return (plan->records += cells) - cells; }
INLINE double in_radians(double degrees) { return degrees * (PI / 180.0); }
INLINE int is_missing(double value) { return value != value; }

INLINE integer animals_in(double *cells, integer sources, integer sources_at) {
  integer many = 0;
  for (const Sources *source = (const Sources *)(cells + sources_at), *end = source + sources; source < end;
       source++)
    many += group_in(cells, source->group)->count;
  return many;
}

/* True if two reductions are about the same neighbors; as `neighbors.kind_of`. */
INLINE int is_alike(const Reduction *one, const Reduction *other) {
  return one->squared == other->squared && one->closest == other->closest && one->cosine == other->cosine &&
         one->nearest == other->nearest && one->sees_part == other->sees_part && one->around == other->around;
}

/* True if two reductions add the same. */
INLINE int adds_alike(const Reduction *one, const Reduction *other) {
  return one->quantity == other->quantity && one->weighting == other->weighting &&
         one->relative == other->relative && one->length == other->length && one->exponent == other->exponent;
}

/* True if two queries are about the same animals. */
static int is_about(double *cells, integer own, integer sources, integer sources_at,
                    const NeighborQuery *other) {
  const Sources *one = (const Sources *)(cells + sources_at);
  const Sources *two = (const Sources *)(cells + other->sources_at);
  if (own != other->own || sources != other->sources) return 0;
  for (integer k = 0; k < sources; k++)
    if (one[k].group != two[k].group || one[k].moved != two[k].moved) return 0;
  return 1;
}

/* True if velocities are added as they are. */
INLINE int is_plain(const QuerySpec *spec) { return spec->weighting == CONSTANT && !spec->relative; }

/* The reduction that a query spec comes to, and which kind of search computes it; as `neighbors.kind_of` and
   `records.QuerySpec`. */
static Known known_of(const QuerySpec *spec) {
  double radius = spec->radius + spec->beyond[0] + spec->beyond[1], view = spec->view - spec->blind;
  Known known = {.spec = *spec, .row = -1};
  known.reduction = (Reduction){.squared = radius * radius,
                                .closest = spec->counts ? 0.0 : 1e-15 * 1e-15,
                                .cosine = -1.0,
                                .quantity = spec->quantity,
                                .nearest = spec->nearest,
                                .sees_part = view < 360.0,
                                .rare = spec->quantity > INVERSE_SQUARE ||
                                        (spec->quantity == VELOCITY && !is_plain(spec)),
                                .weighting = spec->weighting,
                                .relative = spec->relative,
                                .length = spec->length,
                                .exponent = spec->exponent,
                                .around = spec->all_round * spec->all_round};
  if (view < 360.0) known.reduction.cosine = cosine(in_radians(view / 2.0));
  known.spec.radius = radius;
  known.kind = BOUNDED;
  if (radius == INFINITE && spec->nearest)
    known.kind = UNBOUNDED;
  else if (radius == INFINITE && view == 360.0 && spec->quantity <= VELOCITY && is_plain(spec))
    known.kind = EVERYONE;
  return known;
}

/* Let one of the group's queries look at some sources, or about its own kind where there are none: one
   that the same search computes, or a new one. */
static void add_query(Plan *plan, Group *group, const Known *known, integer sources, integer sources_at,
                      int adds, integer owner) {
  double *cells = plan->cells;
  Program *program = program_in(cells);
  NeighborQuery *query = (NeighborQuery *)(cells + group->queries_at), *end = query + group->queries;
  integer dimension = 3 - program->world.first, own = sources == 0;
  for (; query < end; query++) {
    const Reduction *first = (const Reduction *)(cells + query->reductions_at);
    if (known->kind != EVERYONE && is_about(cells, own, sources, sources_at, query) &&
        query->kind == known->kind && query->adds == adds && query->owner == owner &&
        query->noticed == known->spec.noticed && !query->headings == !known->spec.headings &&
        (known->kind == BOUNDED || is_alike(first, &known->reduction)))
      break;
  }
  if (query == end) {
    integer many = own ? group->count : animals_in(cells, sources, sources_at);
    program->largest = most(program->largest, many);
    *query = (NeighborQuery){.kind = known->kind,
                             .own = own,
                             .sources = sources,
                             .sources_at = sources_at,
                             .adds = adds,
                             .noticed = known->spec.noticed,
                             .owner = owner,
                             .reductions_at = record(plan, plan->specs * CELLS(Reduction))};
    if (sources > 1) query->joined = reserve(plan, 2 * dimension * many);
    if (known->spec.headings) query->headings = reserve(plan, dimension * group->count);
    if (known->kind == UNBOUNDED) query->unfilled = reserve(plan, group->count);
    group->queries++;
  }
  Reduction *reduction = (Reduction *)(cells + query->reductions_at) + query->reductions++;
  *reduction = known->reduction;
  reduction->shared = query->reductions > 1 && is_alike(reduction - 1, reduction);
  query->radius = larger(query->radius, known->spec.radius);
}

/* The row of the results of a query spec, which is planned now unless it was; -1 where there is nobody to
   query. */
static integer row_of(Plan *plan, Group *group, Known *known, integer *count, const QuerySpec *spec,
                      integer ignored, integer owner) {
  double *cells = plan->cells;
  integer dimension = 3 - program_in(cells)->world.first;
  integer *rows = (integer *)(cells + group->rows_at);
  integer found = 0;
  const Sources *source = (const Sources *)(cells + spec->sources_at);
  Known new = known_of(spec), *other = known;
  if (spec->quantity < 0 || (!spec->own && !animals_in(cells, spec->sources, spec->sources_at))) return -1;
  for (const Known *end = known + *count; other < end; other++) {
    NeighborQuery about = {
        .own = other->spec.own, .sources = other->spec.sources, .sources_at = other->spec.sources_at};
    if (is_alike(&other->reduction, &new.reduction) && adds_alike(&other->reduction, &new.reduction) &&
        other->spec.headings == spec->headings && other->spec.joined == spec->joined &&
        other->spec.noticed == spec->noticed &&
        is_about(cells, spec->own, spec->sources, spec->sources_at, &about))
      return other->row;
  }
  new.reduction.result = reserve(plan, (1 + dimension) * group->count);
  if (spec->own || spec->joined) {
    add_query(plan, group, &new, spec->own ? 0 : spec->sources, spec->sources_at, 0, owner);
    found = 1;
  } else
    for (integer k = 0; k < spec->sources; k++) {
      if (!group_in(cells, source[k].group)->count || (spec->noticed && ignored >> source[k].group & 1))
        continue;
      if (found && new.kind == UNBOUNDED) return -2; /* the nearest of several kinds */
      add_query(plan, group, &new, 1, spec->sources_at + k * CELLS(Sources), (int)found++, owner);
    }
  if (!found) return -1;
  rows[group->rows] = new.reduction.result;
  new.row = group->rows++;
  known[(*count)++] = new;
  return new.row;
}

/* Reductions about its own kind that are computed as the animals move: those of recipes that look around
   every boid, or, in turns, those that see what has changed. They get the first rows. */
static integer plan_local(Plan *plan, Group *group, const Term *term, Known *known) {
  double *cells = plan->cells;
  integer count = 0, *rows = (integer *)(cells + group->rows_at);
  for (const Term *end = term + group->terms; term < end; term++) {
    const QuerySpec *spec = (const QuerySpec *)(cells + term->specs_at), *last = spec + term->specs;
    for (; spec < last; spec++) {
      if (term->rule > MEAN_VELOCITY || !spec->own || spec->quantity < 0) continue;
      Known new = known_of(spec);
      if (group->sequential ? !term->live : new.kind != BOUNDED) continue;
      integer place = count, twice = 0;
      for (integer k = 0; k < count; k++) {
        if (!is_alike(&known[k].reduction, &new.reduction)) continue;
        place = k + 1;
        twice |= adds_alike(&known[k].reduction, &new.reduction);
      }
      if (twice) continue;
      for (integer k = count++; k > place; k--) known[k] = known[k - 1];
      known[place] = new;
    }
  }
  if (!count) return 0;
  Reduction *reduction = (Reduction *)(cells + record(plan, count * CELLS(Reduction)));
  NeighborQuery query = {.kind = BOUNDED,
                         .own = 1,
                         .local = 1,
                         .reductions = count,
                         .reductions_at = (double *)reduction - cells};
  for (integer k = 0, chained = 0; k < count; k++) {
    int everyone = group->sequential && known[k].kind == EVERYONE;
    known[k].row = k;
    rows[k] = 0;
    reduction[k] = known[k].reduction;
    reduction[k].shared = chained && is_alike(&known[k - 1].reduction, &known[k].reduction);
    if (everyone) reduction[k].closest = -1.0;
    chained = !everyone;
    query.radius = larger(query.radius, known[k].spec.radius);
  }
  /* It comes last, when the others are known. */
  ((NeighborQuery *)(cells + group->queries_at))[plan->searches] = query;
  group->local = group->rows = count;
  return count;
}

/* A rule in the kernel's units. */
static void plan_term(Plan *plan, const Group *group, Term *term) {
  double *cells = plan->cells, *value = term->value, dt = program_in(cells)->dt;
  integer drawn = term->drawn * group->count;
  if (is_missing(term->cap)) term->cap = term->form == REYNOLDS_FORM ? group->max_force : INFINITE;
  double turn = in_radians(smaller(180.0, term->max_turn * dt));
  term->max_turn = cosine(turn);
  term->turn_sine = sine(turn);
  if (term->rule <= MEAN_VELOCITY) {
    const QuerySpec *spec = (const QuerySpec *)(cells + term->specs_at);
    value[0] = weight_of(spec->weighting, 0.0, spec->length, spec->exponent);
  } else if (term->rule == ZONES) {
    double largest = in_radians(smaller(180.0, value[1] * dt));
    value[0] = in_radians(value[0]);
    value[1] = cosine(largest);
    value[2] = sine(largest);
    /* The desired direction is without chance. */
    if (term->form == REYNOLDS_FORM || term->form == TURN_FORM) drawn = 0;
  } else if (term->rule == FORMATION) {
    double angle = in_radians(value[1]) / (double)term->at[0];
    value[1] = -cosine(angle);
    value[2] = sine(angle);
  } else if (term->rule == SUM && term->at[0]) { /* a mean */
    const QuerySpec *spec = (const QuerySpec *)(cells + term->specs_at);
    value[0] = (double)animals_in(cells, spec->sources, spec->sources_at);
  } else if (term->rule == ATTRACT) {
    term->weight = magnitude(term->weight);
  }
  if (arrives(term) && is_missing(value[7])) value[7] = group->max_force;
  term->drawn = drawn ? reserve(plan, drawn) : 0;
}

/* True if a term has an effect now; the numbers of obstacles and attractors become those among them that
   are there. */
static int is_awake(double *cells, const Group *group, Term *term, int hunted) {
  const Program *program = program_in(cells);
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  const Attractor *attractor = (const Attractor *)(cells + program->attractors_at);
  const Field *field = (const Field *)(cells + program->fields_at);
  integer number = term->at[0], before = 0;
  if (term->rule == LAST_DRIVE) return group->drive && group->smoothing == 1.0;
  if (term->rule == ATTRACT) {
    for (integer k = 0; k < number; k++) before += attractor[k].present;
    term->at[0] = before;
    return attractor[number].present != 0;
  }
  if (term->rule == OBSTACLE) {
    for (integer k = 0; k < number; k++) before += obstacle[k].present;
    term->at[0] = before;
    return obstacle[number].present != 0;
  }
  if (term->rule == FIELD_VECTOR) return field[number].present && term->weight != 0.0;
  return term->rule >= EDGES || term->rule == NOTHING || (term->weight != 0.0 && (hunted || !term->fears));
}

static void count_specs(Plan *plan, const Group *group) {
  const Term *term = (const Term *)(plan->cells + group->terms_at);
  plan->specs = plan->searches = 0;
  for (integer t = 0; t < group->terms; t++)
    for (integer k = 0; k < term[t].specs; k++) {
      plan->specs++;
      plan->searches += most(1, ((const QuerySpec *)(plan->cells + term[t].specs_at) + k)->sources);
    }
}

static integer plan_group(Plan *plan, Group *group) {
  double *cells = plan->cells;
  const Program *program = program_in(cells);
  integer size = (3 - program->world.first) * group->count;
  integer kept = 0;
  integer known_count = 0;
  integer ignored = 0;
  integer steers = 0;
  integer pushes = 0;
  Term *term = (Term *)(cells + group->terms_at);
  group->position = reserve(plan, 4 * size);
  group->velocity = group->position + size;
  group->new_position = group->velocity + size;
  group->new_velocity = group->new_position + size;
  if (!group->count) group->terms = 0;
  count_specs(plan, group);
  int hunted = animals_in(cells, group->hunters, group->hunters_at) > 0;
  for (integer t = 0; t < group->terms; t++) {
    if (!is_awake(cells, group, term + t, hunted)) continue;
    int rests = term[t].rule == NOTHING, pushing = term[t].rule >= ATTRACT && term[t].rule != LAST_DRIVE;
    pushing &= !term[t].on_position;
    ignored |= term[t].ignores;
    steers |= !rests && term[t].rule < ATTRACT && !term[t].on_position;
    pushes |= pushing;
    term[t].told = t;
    if (is_difference(term + t)) {
      QuerySpec *spec = (QuerySpec *)(cells + term[t].specs_at);
      spec->relative = spec->weighting != CONSTANT;
    }
    term[kept++] = term[t];
  }
  group->terms = kept;
  kept = 0;
  steers |= group->sequential && pushes;
  for (integer t = 0; t < group->terms; t++) /* nothing at all steers only where no rule does */
    if (!(term[t].rule == NOTHING && steers)) term[kept++] = term[t];
  group->terms = kept;
  Known *known = (Known *)(cells + record(plan, plan->specs * CELLS(Known)));
  group->rows_at = record(plan, plan->specs);
  group->queries_at = record(plan, (plan->searches + 1) * CELLS(NeighborQuery));
  known_count = plan_local(plan, group, term, known);
  for (integer t = 0; t < group->terms; t++) {
    const QuerySpec *spec = (const QuerySpec *)(cells + term[t].specs_at);
    integer *rows = (integer *)(cells + (term[t].rows_at = record(plan, term[t].specs)));
    for (int k = 0; k < 5; k++) term[t].row[k] = -1;
    for (integer k = 0; k < term[t].specs; k++) {
      integer owner = term[t].rule <= MEAN_VELOCITY ? 0 : t + 1;
      rows[k] = row_of(plan, group, known, &known_count, spec + k, ignored, owner);
      if (rows[k] < -1 || group->rows > MOST_ROWS) return -1;
      if (k < 5) term[t].row[k] = rows[k];
    }
    plan_term(plan, group, term + t);
  }
  if (group->local) {
    NeighborQuery *query = (NeighborQuery *)(cells + group->queries_at);
    query[group->queries++] = query[plan->searches];
  }
  if (group->sequential) group->fixed = reserve(plan, group->terms * size);
  group->steady_below *= group->max_speed;
  if (group->drive) group->drive = reserve(plan, size);
  if (group->shuffled) group->turns = reserve(plan, 2 * group->count);
  if (group->noise_width == 0.0) group->noise = 0;
  if (group->noise) group->noise_drawn = reserve(plan, size);
  group->noise_cosine = cosine(in_radians(group->noise_width / 2.0));
  group->noise_width = in_radians(group->noise_width);
  group->speed = group->max_speed;
  if (is_missing(group->min_speed)) group->min_speed = group->max_speed / 4.0;
  if (!group->is_limited) group->max_speed = INFINITE;
  return 0;
}

static void plan_curve(const World *world, Curve *curve) {
  curve->phase = in_radians(curve->phase);
  curve->scale = (is_missing(curve->scale) ? 0.4 * world->smallest : curve->scale) / curve->extent;
  for (int a = 0; a < 3; a++)
    if (is_missing(curve->center[a])) curve->center[a] = world->size[a] / 2.0;
}

static void plan_obstacle(Plan *plan, const World *world, Obstacle *obstacle) {
  const double *told = plan->cells + obstacle->points_at;
  if (is_missing(obstacle->margin))
    obstacle->margin = obstacle->kind == CIRCLE ? obstacle->radius / 2.0 : 0.1 * world->smallest;
  obstacle->squared = 0.0;
  for (int a = 0; a < 3; a++) {
    if (obstacle->kind == BOX) obstacle->half[a] /= 2.0;
    obstacle->second[a] -= obstacle->center[a];
    obstacle->squared += obstacle->second[a] * obstacle->second[a];
  }
  if (obstacle->kind != POLYGON) return;
  double *corner = plan->cells + (obstacle->points_at = record(plan, 6 * obstacle->points));
  for (int c = 0; c < 2; c++) {
    double low = told[c], high = low;
    for (integer k = 0; k < obstacle->points; k++) {
      double here = told[2 * k + c], side = told[2 * ((k + 1) % obstacle->points) + c] - here;
      low = smaller(low, here);
      high = larger(high, here);
      corner[6 * k + c] = here;
      corner[6 * k + 2 + c] = side;
      corner[6 * k + 4] = c ? larger(corner[6 * k + 4] + side * side, 2.2250738585072014e-308) : side * side;
      corner[6 * k + 5] = side == 0.0 ? 1.0 : side;
    }
    obstacle->center[1 + c] = (low + high) / 2.0;
  }
}

/* The most cells that the records of a plan take, besides what is told. */
static integer records_of(Plan *plan) {
  const Program *program = program_in(plan->cells);
  const Obstacle *obstacle = (const Obstacle *)(plan->cells + program->obstacles_at);
  integer sum = 0;
  for (integer k = 0; k < program->obstacles; k++) sum += 6 * obstacle[k].points;
  for (integer g = 0; g < program->groups; g++) {
    count_specs(plan, group_in(plan->cells, g));
    sum += plan->specs * (CELLS(Known) + 2) +
           (plan->searches + 1) * (CELLS(NeighborQuery) + plan->specs * CELLS(Reduction));
  }
  return sum;
}

/* Lay out a program of `used` cells. Returns how many cells it needs: where that is more than `room`, it
   must be written and laid out again. -1: only numpy can do it. */
ENTRY(int, plan)(double *cells, int used, int room) {
  Program *program = program_in(cells);
  Obstacle *obstacle = (Obstacle *)(cells + program->obstacles_at);
  Attractor *attractor = (Attractor *)(cells + program->attractors_at);
  integer dimension = 3 - program->world.first, kept = 0, refused = 0;
  Plan plan = {.cells = cells, .records = used};
  plan.used = used + CELLS(Grid) + records_of(&plan);
  if (plan.used > room) return (int)plan.used;
  program->grid_at = record(&plan, CELLS(Grid));
  program->largest = 1;
  for (integer g = 0; g < program->groups; g++) {
    Group *group = group_in(cells, g);
    program->largest = most(program->largest, group->count);
    if (group->carried) plan_curve(&program->world, (Curve *)(cells + group->carried));
    for (Term *term = (Term *)(cells + group->terms_at), *end = term + group->terms; term < end; term++)
      if (term->rule == CURVE) plan_curve(&program->world, (Curve *)(cells + term->at[0]));
  }
  for (integer g = 0; g < program->groups; g++) refused |= plan_group(&plan, group_in(cells, g));
  for (integer k = 0; k < program->obstacles; k++) {
    if (!obstacle[k].present) continue;
    obstacle[kept] = obstacle[k];
    program->solids |= obstacle[kept].solid;
    plan_obstacle(&plan, &program->world, obstacle + kept++);
  }
  program->obstacles = kept;
  kept = 0;
  for (integer k = 0; k < program->attractors; k++) {
    if (!attractor[k].present) continue;
    attractor[kept] = attractor[k];
    plan_curve(&program->world, &attractor[kept].curve);
    attractor[kept].sign = attractor[kept].sign == 0.0 ? 0.0 : attractor[kept].sign > 0.0 ? 1.0 : -1.0;
    for (int a = 0; a < 3; a++)
      if (is_missing(attractor[kept].point[a])) attractor[kept].point[a] = program->world.size[a] / 2.0;
    kept++;
  }
  program->attractors = kept;
  Field *field = (Field *)(cells + program->fields_at);
  for (Field *end = field + program->fields; field < end; field++) {
    if (is_missing(field->period)) field->period = INFINITE;
    for (int a = 0; a < 3; a++)
      if (is_missing(field->center[a])) field->center[a] = program->world.size[a] / 2.0;
  }
  program->sorted_at = reserve(&plan, 2 * (2 + 2 * dimension) * program->largest + LANES); /* read beyond */
  for (integer g = 0; g < program->groups && plan.used <= room; g++) {
    Group *group = group_in(cells, g);
    for (integer k = 0; group->drive && k < dimension * group->count; k++)
      cells[group->drive + k] = -0.0; /* plus x is x */
  }
  return refused ? -1 : (int)plan.used;
}

/* Cells of memory that a thread needs where so many animals are seen. */
ENTRY(int, scratch_cells)(int animals) {
  return 4 * BLOCK * MOST_ROWS + GATHERED_CELLS + (2 + NEAR_ROWS) * (animals + 1);
}
