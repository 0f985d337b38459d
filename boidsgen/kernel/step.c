/* The step: what `steering`, `motion` and `run` do, for blocks of animals, and for many steps in one call.

   Everything that a call needs stands in one memory of 8-byte cells: first the program, then whatever its records name by
   the number of their first cell. Vectors are (d, n), one coordinate after the other. A group moves in phases: for each
   of its questions the sources are arranged, and boids answered; then random numbers are drawn; then the animals move.
   Answering and moving may be shared out over threads, each with a scratch memory of its own. */

enum { BOUNDED, EVERYONE, UNBOUNDED };

/* Requests about the same sources that are answered together; the last one of a group may be answered as it moves. */
typedef struct {
  integer kind, own, local;       /* whether the boids themselves are the sources; whether they are answered as they move */
  integer sources, sources_at;    /* Seen */
  integer joined, headings;       /* memory for (2 d, m) sources of several groups, and for (d, n) headings; 0 = none */
  integer requests, requests_at, adds;
  integer lacking;                /* memory (n,) of unbounded ones */
  double radius;
} Question;

typedef struct {
  integer count, position, velocity, new_position, new_velocity; /* cells of (d, n) */
  integer carried;                                               /* the cell of the curve that carries them; 0 = none */
  integer sequential, accumulates, drive, knows_drive;           /* `drive`: cell of (d, n) */
  integer questions, questions_at, local;                        /* `local`: rows of answers that its own question gives */
  integer rows, rows_at;                                         /* all rows: the cells of answers by number */
  integer terms, terms_at, fixed;                                /* `fixed`: memory of contributions in turns, (t, d, n) */
  integer pulled, speeds;                                        /* whether attractors pull; cell of factors on speeds */
  integer flocks, flocks_at, hunters, hunters_at;                /* Seen */
  integer noise, noise_drawn, solid_angle;                       /* angular noise: cells of its stream and of its numbers */
  double noise_width, noise_cosine;                              /* radians; of half the width */
  double inertia, max_acceleration, min_speed, max_speed, speed, max_force;
  integer is_explicit;
} Group;

typedef struct {
  integer groups, groups_at, obstacles, obstacles_at, attractors, attractors_at, solids;
  integer layers_at, grid_at, sorted_at; /* of the ziggurat; memory of a Grid; memory of sorted sources and boids */
  integer seen, seen_at;                 /* the cells of all records of animals that others look at */
  integer step, done, group;             /* steps since the start, and in this call; the next group to move, or at fault */
  double dt;
  World world;
} Program;

typedef union {
  double number;
  integer whole;
} Cell;

INLINE Program *program_in(double *cells) { return (Program *)cells; }
INLINE Group *group_in(double *cells, integer group) { return (Group *)(cells + program_in(cells)->groups_at) + group; }

INLINE Crowd crowd_of(const double *cells, int first, integer count, integer position, integer velocity) {
  Crowd crowd = {count, {0}, {0}, 0};
  for (int a = first; a < 3; a++) {
    crowd.position[a] = cells + position + (a - first) * count;
    crowd.velocity[a] = cells + velocity + (a - first) * count;
  }
  return crowd;
}

/* Keep all records of animals that others look at true. */
static void look_around(double *cells) {
  const Program *program = program_in(cells);
  const integer *record = (const integer *)(cells + program->seen_at);
  for (integer k = 0; k < program->seen; k++) {
    Seen *seen = (Seen *)(cells + record[k]);
    const Group *group = group_in(cells, seen->group);
    seen->count = group->count;
    seen->position = seen->moved ? group->new_position : group->position;
    seen->velocity = seen->moved ? group->new_velocity : group->velocity;
  }
}

/* The sources of a question; several groups are put behind one another. */
static Crowd sources_of(double *cells, const Question *question, int first) {
  const Seen *seen = (const Seen *)(cells + question->sources_at);
  if (!question->joined) return crowd_of(cells, first, seen->count, seen->position, seen->velocity);
  integer many = 0, done = 0, dimension = 3 - first;
  for (integer g = 0; g < question->sources; g++) many += seen[g].count;
  double *joined = cells + question->joined;
  for (integer g = 0; g < question->sources; done += seen[g++].count)
    for (integer a = 0; a < dimension; a++)
      for (integer i = 0; i < seen[g].count; i++) {
        joined[a * many + done + i] = cells[seen[g].position + a * seen[g].count + i];
        joined[(dimension + a) * many + done + i] = cells[seen[g].velocity + a * seen[g].count + i];
      }
  return crowd_of(cells, first, many, question->joined, question->joined + dimension * many);
}

/* Where the answers of a question go: by number. */
static Answer answers_of(double *cells, const Question *question, integer count, int first) {
  const Request *request = (const Request *)(cells + question->requests_at);
  Answer answer = {.adds = question->adds != 0};
  for (integer r = 0; r < question->requests; r++) {
    answer.row[r][0] = cells + request[r].answer;
    for (int a = first; a < 3; a++) answer.row[r][1 + a] = cells + request[r].answer + (1 + a - first) * count;
  }
  return answer;
}

/* Sort sources and boids of a question into the grid; returns how many cells of `starts` it takes if more than there
   are, else 0. */
static integer arrange_both(double *cells, const Question *question, double radius, const Crowd *sources,
                            const Crowd *boids, integer *starts, integer room) {
  Program *program = program_in(cells);
  Grid *grid = (Grid *)(cells + program->grid_at);
  grid->first = (int)program->world.first;
  grid->sources = *sources;
  integer all_cells = divide(grid, program->world.period, radius), needed = (question->own ? 1 : 2) * (all_cells + 2);
  if (needed > room) return needed;
  double *memory = cells + program->sorted_at;
  grid->starts = starts;
  grid->sources = arrange(grid, sources, all_cells, starts, memory);
  grid->boids = grid->sources;
  if (!question->own)
    grid->boids = arrange(grid, boids, all_cells, starts + all_cells + 2, memory + (8 - 2 * grid->first) * sources->count);
  return 0;
}

/* Answer requests about the nearest so many without any bound, by searches whose radius doubles; as
   `sums.sums_of_nearest`. */
static integer answer_unbounded(double *cells, const Question *question, const Crowd *sources, const Crowd *boids,
                                integer *starts, integer room, double *scratch) {
  const World *world = &program_in(cells)->world;
  Request *request = (Request *)(cells + question->requests_at);
  integer *lacking = (integer *)(cells + question->lacking);
  int first = (int)world->first, dimension = 3 - first;
  double span[3], widest = 0.0, farthest = 0.0, volume = 1.0;
  for (int a = first; a < 3; a++) {
    double low = boids->position[a][0], high = low;
    for (integer i = 0; i < boids->count; i++) low = smaller(low, boids->position[a][i]), high = larger(high, boids->position[a][i]);
    for (integer i = 0; i < sources->count; i++) low = smaller(low, sources->position[a][i]), high = larger(high, sources->position[a][i]);
    span[a] = world->period[a] > 0.0 ? world->period[a] / 2.0 : high - low;
    farthest = a == first ? span[a] * span[a] : farthest + span[a] * span[a];
    widest = a == first ? span[a] : larger(widest, span[a]);
  }
  for (int a = first; a < 3; a++) volume *= larger(span[a], widest * 1e-3);
  double share = 2.5 * (double)request->nearest / (double)sources->count, size = (share < 1.0 ? share : 1.0) * volume;
  double radius = dimension == 2 ? square_root(size) : cube_root(size);
  radius = larger(radius, 2.2250738585072014e-308), farthest = square_root(farthest);
  for (integer i = 0; i < boids->count; i++) lacking[i] = -1;
  for (int pending = 1; pending; radius *= 2.0) {
    int last = radius >= farthest;
    if (last) radius = INFINITE;
    for (integer r = 0; r < question->requests; r++) request[r].squared = radius * radius;
    integer needed = arrange_both(cells, question, radius, sources, boids, starts, room);
    if (needed) return needed;
    const Answer answer = answers_of(cells, question, boids->count, first);
    answer_some((Grid *)(cells + program_in(cells)->grid_at), request, (int)question->requests, 0, boids->count, 0, &answer,
                lacking, scratch);
    pending = 0;
    for (integer i = 0; i < boids->count && !last; i++) pending |= lacking[i] < 0;
  }
  return 0;
}

/* Make everything ready for the boids that a question is about, or answer it here and now where it is about everyone;
   returns how many cells of `starts` it takes if more than there are, else 0. */
static integer arrange_question(double *cells, integer group_number, integer question_number, integer *starts,
                                integer room, double *scratch) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  const Question *question = (const Question *)(cells + group->questions_at) + question_number;
  int first = (int)program->world.first;
  look_around(cells);
  if (group->sequential && question->local) return 0;
  Crowd boids = crowd_of(cells, first, group->count, group->position, group->velocity);
  if (question->headings) {
    double *heading[3], *row = cells + question->headings;
    for (int a = first; a < 3; a++) heading[a] = row, row += group->count;
    for (integer i = 0; i < group->count; i++) {
      double vector[3];
      for (int a = first; a < 3; a++) vector[a] = boids.velocity[a][i];
      make_unit(vector, first);
      for (int a = first; a < 3; a++) heading[a][i] = vector[a];
    }
    for (int a = first; a < 3; a++) boids.velocity[a] = heading[a];
  }
  Crowd sources = question->own ? boids : sources_of(cells, question, first);
  if (question->kind == EVERYONE) {
    const Answer answer = answers_of(cells, question, group->count, first);
    const Request *request = (const Request *)(cells + question->requests_at);
    sum_over_everyone(&boids, &sources, (int)question->own, request->quantity, first, program->world.period, &answer, scratch);
    return 0;
  }
  if (question->kind == UNBOUNDED) return answer_unbounded(cells, question, &sources, &boids, starts, room, scratch);
  return arrange_both(cells, question, question->radius, &sources, &boids, starts, room);
}

/* Answer a question of the boids `begin` to `end`, in the order of the grid. */
static void answer_question(double *cells, integer group_number, integer question_number, integer begin, integer end,
                            double *scratch) {
  const Group *group = group_in(cells, group_number);
  const Question *question = (const Question *)(cells + group->questions_at) + question_number;
  if (question->local || question->kind != BOUNDED) return;
  const Answer answer = answers_of(cells, question, group->count, (int)program_in(cells)->world.first);
  const Request *request = (const Request *)(cells + question->requests_at);
  answer_some((const Grid *)(cells + program_in(cells)->grid_at), request, (int)question->requests, begin, end, 0, &answer,
              0, scratch);
}

/* Draw the random numbers of this step. */
static void draw(double *cells, integer group_number) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, group_number);
  const Term *term = (const Term *)(cells + group->terms_at);
  integer count = group->count, dimension = 3 - program->world.first;
  look_around(cells);
  for (integer t = 0; t < group->terms; t++) {
    if (!term[t].drawn) continue;
    Stream *stream = (Stream *)(cells + term[t].stream);
    double *drawn = cells + term[t].drawn;
    if (term[t].rule == NOISE_BOX) fill(stream, drawn, dimension * count);
    else if (term[t].rule == NOISE_SPHERE) fill(stream, drawn, (dimension - 1) * count);
    else {
      for (integer i = 0; i < count; i++) drawn[i] = normal(stream, cells + program->layers_at);
      fill(stream, drawn + count, (dimension - 1) * count);
    }
  }
  if (group->noise) fill((Stream *)(cells + group->noise), cells + group->noise_drawn, dimension * count);
}

/* Some animals of a group that take a step together. */
typedef struct {
  integer count;
  integer number[BLOCK];
  const double *position[3], *velocity[3];
  double *rows;                                   /* answers: (rows, 4, BLOCK) */
  double vector[3][BLOCK], drive[3][BLOCK], drift[3][BLOCK], length[BLOCK], some[BLOCK], speed[BLOCK];
} Block;

INLINE void lengths_of(double (*vector)[BLOCK], integer count, int first, double *length) {
  for (integer i = 0; i < count; i++) length[i] = vector[first][i] * vector[first][i];
  for (int a = first + 1; a < 3; a++)
    for (integer i = 0; i < count; i++) length[i] += vector[a][i] * vector[a][i];
  for (integer i = 0; i < count; i++) length[i] = square_root(length[i]);
}

/* As `geometry.limited`, in place. */
static void limit_all(Block *block, double (*vector)[BLOCK], double maximum, int first) {
  if (maximum == INFINITE) return;
  double smallest = larger(maximum, SHORTEST);
  lengths_of(vector, block->count, first, block->length);
  for (integer i = 0; i < block->count; i++) block->length[i] = maximum / larger(block->length[i], smallest);
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < block->count; i++) vector[a][i] *= block->length[i];
}

/* The raw vectors of a recipe; as `rule.evaluate`. */
static void evaluate(const Term *term, Block *block, int first) {
  const double *near = block->rows + 4 * (term->own < 0 ? 0 : term->own) * BLOCK;
  const integer rows[3] = {term->own, term->others, term->predators};
  for (int a = first; a < 3; a++) {
    double *vector = block->vector[a];
    const double *velocity = block->velocity[a];
    int found = 0;
    for (int k = 0; k < 3; k++) {
      if (rows[k] < 0) continue;
      const double *total = block->rows + (4 * rows[k] + 1 + a) * BLOCK;
      if (found++) for (integer i = 0; i < block->count; i++) vector[i] += total[i];
      else for (integer i = 0; i < block->count; i++) vector[i] = total[i];
    }
    if (term->rule == PUSH) {
      for (integer i = 0; i < block->count; i++) vector[i] = -vector[i];
      continue;
    }
    if (term->rule == MEAN_VELOCITY && term->include_self)
      for (integer i = 0; i < block->count; i++) vector[i] += velocity[i] * (near[i] > 0.0 ? 1.0 : 0.0);
    if (term->include_self) for (integer i = 0; i < block->count; i++) vector[i] /= near[i] + 1.0;
    else for (integer i = 0; i < block->count; i++) vector[i] /= larger(near[i], 1.0);
    if (term->rule == MEAN_VELOCITY && term->form == DIRECT)
      for (integer i = 0; i < block->count; i++) vector[i] -= velocity[i] * (near[i] > 0.0 ? 1.0 : 0.0);
  }
}

/* Steer toward desired directions, in place; as `motion.reynolds`. */
static void steer(Block *block, double cap, int first) {
  lengths_of(block->vector, block->count, first, block->length);
  for (integer i = 0; i < block->count; i++) {
    block->some[i] = block->length[i] > 0.0 ? 1.0 : block->length[i];
    block->length[i] = block->speed[i] / larger(block->length[i], SHORTEST);
  }
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < block->count; i++)
      block->vector[a][i] = (block->vector[a][i] * block->length[i] - block->velocity[a][i]) * block->some[i];
  limit_all(block, block->vector, cap, first);
}

static Animal animal_of(const double *cells, const Group *group, const Block *block, integer i) {
  const Program *program = (const Program *)cells;
  Animal me = {.cells = cells, .world = &program->world, .obstacle = (const Obstacle *)(cells + program->obstacles_at),
               .obstacles = program->obstacles, .count = group->count, .number = block->number[i],
               .time = (double)program->step * program->dt, .speed = block->speed[i],
               .kind = {group->count, group->position, group->velocity, 0, 0},
               .flocks = (Seen *)(cells + group->flocks_at), .hunters = (Seen *)(cells + group->hunters_at),
               .flock_groups = group->flocks, .hunter_groups = group->hunters, .rows = block->rows + i};
  for (int a = (int)program->world.first; a < 3; a++) me.position[a] = block->position[a][i], me.velocity[a] = block->velocity[a][i];
  return me;
}

/* The change of velocity, or of position, by one rule, weight included; as `SteeredGroup.contribution`. */
static void contribute(const double *cells, const Group *group, const Term *term, Block *block, int first) {
  integer count = block->count;
  if (term->rule <= MEAN_VELOCITY) {
    evaluate(term, block, first);
  } else {
    for (integer i = 0; i < count; i++) {
      Animal me = animal_of(cells, group, block, i);
      double vector[3];
      if (term->form == REYNOLDS) desired(&me, term, vector);
      else direct(&me, term, vector);
      for (int a = first; a < 3; a++) block->vector[a][i] = vector[a];
    }
  }
  if (term->form == REYNOLDS) steer(block, term->cap, first);
  else limit_all(block, block->vector, term->cap, first);
  for (integer i = 0; i < count; i++)
    block->some[i] = term->weights ? term->weight * cells[term->weights + block->number[i]] : term->weight;
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++) block->vector[a][i] *= block->some[i];
}

/* Add the vectors of a block to a total, which begins with the first: zero plus minus zero would be zero. */
static void add_vectors(Block *block, double (*total)[BLOCK], int *found, int first) {
  for (int a = first; a < 3; a++) {
    if (*found) for (integer i = 0; i < block->count; i++) total[a][i] += block->vector[a][i];
    else for (integer i = 0; i < block->count; i++) total[a][i] = block->vector[a][i];
  }
  *found = 1;
}

/* Begin with no drive at all. */
INLINE int rest(Block *block, int first) {
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < block->count; i++) block->drive[a][i] = 0.0;
  return 1;
}

/* What steers besides rules: attractors, obstacles, the boundary and what is left from the step before; as
   `run._moved_flock`. */
static void add_pushes(const double *cells, const Group *group, Block *block, int *found, int first) {
  const Program *program = (const Program *)cells;
  const World *world = &program->world;
  double time = (double)program->step * program->dt;
  if (!*found && !group->sequential) *found = rest(block, first);
  const Attractor *attractor = (const Attractor *)(cells + program->attractors_at);
  for (integer k = 0; group->pulled && k < program->attractors; k++) {
    double place[3];
    attractor_place(attractor + k, cells, time, first, place);
    for (integer i = 0; i < block->count; i++) {
      double here[3], offset[3];
      for (int a = first; a < 3; a++) here[a] = block->position[a][i];
      offset_to(place, here, world, offset);
      double near = length_of(offset, first) < attractor[k].radius ? 1.0 : 0.0;
      for (int a = first; a < 3; a++) block->vector[a][i] = offset[a] * near * attractor[k].sign;
    }
    steer(block, group->max_force, first);
    for (int a = first; a < 3; a++)
      for (integer i = 0; i < block->count; i++) block->vector[a][i] = attractor[k].weight * block->vector[a][i];
    add_vectors(block, block->drive, found, first);
  }
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  for (integer k = 0; k <= program->obstacles; k++) {
    if (k == program->obstacles && world->boundary != SOFT) break;
    for (integer i = 0; i < block->count; i++) {
      double here[3], push[3];
      for (int a = first; a < 3; a++) here[a] = block->position[a][i];
      if (k < program->obstacles) push_away(obstacle + k, cells, world, here, push);
      else push_inward(here, world, push);
      for (int a = first; a < 3; a++) block->vector[a][i] = push[a];
    }
    add_vectors(block, block->drive, found, first);
  }
  if (group->accumulates && group->knows_drive) {
    for (int a = first; a < 3; a++)
      for (integer i = 0; i < block->count; i++)
        block->vector[a][i] = cells[group->drive + (a - first) * group->count + block->number[i]];
    add_vectors(block, block->drive, found, first);
  }
  if (!*found) *found = rest(block, first);
}

/* Turn every course by a random angle; as `randomness.scattered`. */
static void scatter(const double *cells, const Group *group, Block *block, int first) {
  const double *drawn = cells + group->noise_drawn, *turns = drawn + (2 - first) * group->count;
  for (integer i = 0; i < block->count; i++) {
    double course[3], ahead[3], sideways[3], turned[3], cosine_of, sine_of, share = turns[block->number[i]];
    for (int a = first; a < 3; a++) ahead[a] = course[a] = group->inertia * block->velocity[a][i] + block->drive[a][i];
    double length = length_of(course, first);
    make_unit(ahead, first);
    direction(drawn, group->count, block->number[i], first, sideways);
    if (group->solid_angle && !first) {
      cosine_of = group->noise_cosine + (1.0 - group->noise_cosine) * share;
      sine_of = square_root(1.0 - cosine_of * cosine_of);
    } else {
      double angle = (-0.5 + (0.5 - -0.5) * share) * group->noise_width;
      cosine_of = cosine(angle), sine_of = sine(angle);
    }
    turn(ahead, sideways, cosine_of, sine_of, first, turned);
    for (int a = first; a < 3; a++) block->drive[a][i] = length * turned[a] - group->inertia * block->velocity[a][i];
  }
}

/* Positions and velocities after solid obstacles and the boundary condition, in place; as `steering.confined`. Returns
   whether all of them are finite. */
static int settle(const double *cells, const Group *group, double *const position[3], double *const velocity[3],
                  integer count) {
  const Program *program = (const Program *)cells;
  const World *world = &program->world;
  const Obstacle *obstacle = (const Obstacle *)(cells + program->obstacles_at);
  int finite = 1;
  for (integer k = 0; k < program->obstacles; k++)
    if (obstacle[k].solid) keep_out(obstacle + k, cells, world, position, velocity, count);
  for (int a = (int)world->first; a < 3; a++) {
    if (!(group->sequential && world->before_turns)) confine_axis(position[a], velocity[a], count, world, a);
    for (integer i = 0; i < count; i++)
      finite &= magnitude(position[a][i]) < INFINITE && magnitude(velocity[a][i]) < INFINITE;
  }
  return finite;
}

/* Positions and velocities one step later, by the drive and the drift of a block, into `position` and `velocity`; as
   `motion.move`. Returns whether all of them are finite, so far as that is known. */
static int move(const double *cells, const Group *group, Block *block, int drifts, int first, double (*position)[BLOCK],
                double (*velocity)[BLOCK]) {
  const Program *program = (const Program *)cells;
  integer count = block->count;
  limit_all(block, block->drive, group->max_acceleration, first);
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++) velocity[a][i] = group->inertia * block->velocity[a][i] + block->drive[a][i];
  lengths_of(velocity, count, first, block->length);
  for (integer i = 0; i < count; i++) {
    double factor = group->speeds ? cells[group->speeds + block->number[i]] : 1.0, length = block->length[i];
    double highest = group->max_speed == INFINITE ? INFINITE : group->max_speed * factor;
    double wanted = smaller(larger(length, group->min_speed * factor), highest);
    block->length[i] = wanted / larger(length, SHORTEST);
  }
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++) {
      velocity[a][i] *= block->length[i];
      double place = block->position[a][i] + program->dt * (group->is_explicit ? block->velocity[a][i] : velocity[a][i]);
      position[a][i] = drifts ? place + block->drift[a][i] : place;
    }
  double *const where[3] = {position[0], position[1], position[2]};
  double *const flight[3] = {velocity[0], velocity[1], velocity[2]};
  return group->sequential || !program->solids ? settle(cells, group, where, flight, count) : 1;
}

/* Fill the rows of answers that are kept by number. */
static void gather(const double *cells, const Group *group, Block *block, int first) {
  const integer *at = (const integer *)(cells + group->rows_at);
  for (integer row = group->local; row < group->rows; row++)
    for (int c = 0; c < 4; c++) {
      if (c && c - 1 < first) continue;
      const double *answer = cells + at[row] + (c ? c - first : 0) * group->count;
      double *own = block->rows + (4 * row + c) * BLOCK;
      for (integer i = 0; i < block->count; i++) own[i] = answer[block->number[i]];
    }
}

/* Take the speeds of a block's animals, and its answers. */
static void begin_block(const double *cells, const Group *group, Block *block, int first) {
  for (integer i = 0; i < block->count; i++)
    block->speed[i] = group->speeds ? group->speed * cells[group->speeds + block->number[i]] : group->speed;
  gather(cells, group, block, first);
}

/* Write where a block's animals have come to. */
static void finish_block(double *cells, Group *group, const Block *block, int first, double (*position)[BLOCK],
                         double (*velocity)[BLOCK]) {
  for (int a = first; a < 3; a++) {
    double *place = cells + group->new_position + (a - first) * group->count;
    double *flight = cells + group->new_velocity + (a - first) * group->count;
    for (integer i = 0; i < block->count; i++) place[block->number[i]] = position[a][i], flight[block->number[i]] = velocity[a][i];
  }
}

INLINE void keep_drive(double *cells, const Group *group, const Block *block, int first) {
  if (!group->accumulates) return;
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < block->count; i++)
      cells[group->drive + (a - first) * group->count + block->number[i]] = block->drive[a][i];
}

/* Move the animals `begin` to `end` of a group, in the order of its grid if it has a question of its own, all at once;
   as `steering.advance`. Returns whether all of them are at finite places. */
static int move_together(double *cells, integer group_number, integer begin, integer end, double *scratch) {
  const Program *program = program_in(cells);
  Group *group = group_in(cells, group_number);
  const Term *term = (const Term *)(cells + group->terms_at);
  const Question *local = (const Question *)(cells + group->questions_at) + group->questions - 1;
  const Grid *grid = (const Grid *)(cells + program->grid_at);
  int first = (int)program->world.first, finite = 1;
  Crowd crowd = crowd_of(cells, first, group->count, group->position, group->velocity);
  if (group->local) crowd = grid->boids;
  Block block;
  double position[3][BLOCK], velocity[3][BLOCK];
  block.rows = scratch;
  scratch += 4 * BLOCK * group->rows;
  for (integer entry = begin; entry < end; entry += BLOCK) {
    block.count = least(BLOCK, end - entry);
    for (integer i = 0; i < block.count; i++) block.number[i] = crowd.number ? crowd.number[entry + i] : entry + i;
    for (int a = first; a < 3; a++) block.position[a] = crowd.position[a] + entry, block.velocity[a] = crowd.velocity[a] + entry;
    if (group->local) {
      Answer answer = {.adds = 0};
      for (integer r = 0; r < group->local; r++)
        for (int c = 0; c < 4; c++) answer.row[r][c] = block.rows + (4 * r + c) * BLOCK;
      answer_some(grid, (const Request *)(cells + local->requests_at), (int)group->local, entry, entry + block.count, 1,
                  &answer, 0, scratch);
    }
    begin_block(cells, group, &block, first);
    int steers = 0, drifts = 0;
    for (integer t = 0; t < group->terms; t++) {
      contribute(cells, group, term + t, &block, first);
      if (term[t].on_position) add_vectors(&block, block.drift, &drifts, first);
      else add_vectors(&block, block.drive, &steers, first);
    }
    add_pushes(cells, group, &block, &steers, first);
    keep_drive(cells, group, &block, first);
    if (group->noise) scatter(cells, group, &block, first);
    finite &= move(cells, group, &block, drifts, first, position, velocity);
    finish_block(cells, group, &block, first, position, velocity);
  }
  return finite;
}

/* The answers to what a boid asks about its own kind, everybody where they now are; as `steering.own_sums`. */
static void answer_in_turn(const double *cells, const Group *group, integer boid, const Block *block, double *scratch) {
  const World *world = &((const Program *)cells)->world;
  const Question *question = (const Question *)(cells + group->questions_at) + group->questions - 1;
  int first = (int)world->first;
  Crowd crowd = crowd_of(cells, first, group->count, group->new_position, group->new_velocity);
  Near near = near_memory(scratch, group->count);
  Answer answer = {.adds = 0};
  Axis axis[3];
  double here[3] = {0.0}, velocity[3] = {0.0}, shift[3] = {0.0};
  for (int a = first; a < 3; a++) {
    axis[a] = (Axis){0.0, 0.0, 0.0, world->period[a], 1, 0};
    here[a] = block->position[a][0], velocity[a] = block->velocity[a][0];
  }
  for (integer r = 0; r < group->local; r++)
    for (int c = 0; c < 4; c++) answer.row[r][c] = block->rows + (4 * r + c) * BLOCK;
  integer found = meet(&crowd, axis, first, shift, here, 0, group->count, &near, 0);
  near.squared[boid] = __builtin_nan(""); /* nobody is a neighbor of itself */
  answer_alone((const Request *)(cells + question->requests_at), (int)group->local, &crowd, first, velocity, &near, found,
               0, &answer);
}

/* Move one animal after the other; as `steering.take_turns`. */
static int take_turns(double *cells, integer group_number, double *scratch) {
  const Program *program = program_in(cells);
  Group *group = group_in(cells, group_number);
  const World *world = &program->world;
  const Term *term = (const Term *)(cells + group->terms_at);
  int first = (int)world->first, finite = 1;
  integer count = group->count, dimension = 3 - first;
  Crowd crowd = crowd_of(cells, first, count, group->position, group->velocity);
  Block block;
  double position[3][BLOCK], velocity[3][BLOCK];
  block.rows = scratch;
  scratch += 4 * BLOCK * group->rows;
  double *fixed = cells + group->fixed; /* a vector for each term, and one for all pushes in the end */
  for (integer entry = 0; entry < count; entry += BLOCK) {
    block.count = least(BLOCK, count - entry);
    for (integer i = 0; i < block.count; i++) block.number[i] = entry + i;
    for (int a = first; a < 3; a++) block.position[a] = crowd.position[a] + entry, block.velocity[a] = crowd.velocity[a] + entry;
    begin_block(cells, group, &block, first);
    for (integer t = 0; t < group->terms; t++) {
      if (term[t].live) continue;
      contribute(cells, group, term + t, &block, first);
      for (int a = first; a < 3; a++)
        for (integer i = 0; i < block.count; i++) fixed[(t * dimension + a - first) * count + entry + i] = block.vector[a][i];
    }
  }
  for (int a = first; a < 3; a++)
    for (integer i = 0; i < count; i++) {
      cells[group->new_position + (a - first) * count + i] = crowd.position[a][i];
      cells[group->new_velocity + (a - first) * count + i] = crowd.velocity[a][i];
    }
  block.count = 1;
  for (integer boid = 0; boid < count; boid++) {
    double here[3], flight[3];
    block.number[0] = boid;
    for (int a = first; a < 3; a++) {
      here[a] = crowd.position[a][boid], flight[a] = crowd.velocity[a][boid];
      block.position[a] = &here[a], block.velocity[a] = &flight[a];
    }
    if (world->before_turns) {
      confine(here, flight, world);
      for (int a = first; a < 3; a++) cells[group->new_position + (a - first) * count + boid] = here[a];
    }
    if (group->local) answer_in_turn(cells, group, boid, &block, scratch);
    begin_block(cells, group, &block, first);
    int steers = 0, drifts = 0;
    for (integer t = 0; t < group->terms; t++) {
      if (term[t].live) contribute(cells, group, term + t, &block, first);
      else for (int a = first; a < 3; a++) block.vector[a][0] = fixed[(t * dimension + a - first) * count + boid];
      if (term[t].on_position) add_vectors(&block, block.drift, &drifts, first);
      else add_vectors(&block, block.drive, &steers, first);
    }
    for (int a = first; a < 3; a++) block.position[a] = crowd.position[a] + boid, block.velocity[a] = crowd.velocity[a] + boid;
    add_pushes(cells, group, &block, &steers, first);
    for (int a = first; a < 3; a++) block.position[a] = &here[a], block.velocity[a] = &flight[a];
    keep_drive(cells, group, &block, first);
    finite &= move(cells, group, &block, drifts, first, position, velocity);
    finish_block(cells, group, &block, first, position, velocity);
  }
  return finite;
}

/* Predators that a curve carries; as `run._carried`. */
static int carry(double *cells, Group *group) {
  const Program *program = program_in(cells);
  const World *world = &program->world;
  const Curve *curve = (const Curve *)(cells + group->carried);
  double time = (double)program->step * program->dt;
  for (integer i = 0; i < group->count; i++) {
    double place[3], still[3] = {0.0}, before[3], way[3];
    curve_position(curve, time + program->dt, i, (int)world->first, place);
    confine(place, still, world);
    vector_of(cells, group->position, group->count, i, (int)world->first, before);
    offset_to(place, before, world, way);
    for (int a = (int)world->first; a < 3; a++) {
      cells[group->new_position + (a - world->first) * group->count + i] = place[a];
      cells[group->new_velocity + (a - world->first) * group->count + i] = way[a] / program->dt;
    }
  }
  return 1;
}

/* Move some animals of a group, or all of one that moves in turns or is carried. */
static int move_some(double *cells, integer number, integer begin, integer end, double *scratch) {
  Group *group = group_in(cells, number);
  if (group->carried) return carry(cells, group);
  if (group->sequential) return take_turns(cells, number, scratch);
  return move_together(cells, number, begin, end, scratch);
}

/* Put the animals of a group that has moved back out of solid obstacles, where there are any: all of them together. */
static int settle_group(double *cells, integer number) {
  const Program *program = program_in(cells);
  const Group *group = group_in(cells, number);
  double *position[3] = {0}, *velocity[3] = {0};
  if (!program->solids || group->sequential || group->carried) return 1;
  for (int a = (int)program->world.first; a < 3; a++) {
    position[a] = cells + group->new_position + (a - program->world.first) * group->count;
    velocity[a] = cells + group->new_velocity + (a - program->world.first) * group->count;
  }
  return settle(cells, group, position, velocity, group->count);
}

/* End a step: everybody is where they have come to. */
static void finish_step(double *cells) {
  Program *program = program_in(cells);
  for (integer g = 0; g < program->groups; g++) {
    Group *group = group_in(cells, g);
    integer position = group->position, velocity = group->velocity;
    group->position = group->new_position, group->velocity = group->new_velocity;
    group->new_position = position, group->new_velocity = velocity;
    group->knows_drive |= group->accumulates;
  }
  program->step++;
  program->group = 0;
}

/* Make one question of a group ready. Returns 0, or how many cells `starts` must have where `room` is less. */
ENTRY(int, arrange)(double *cells, int group, int question, integer *starts, int room, double *scratch) {
  return (int)arrange_question(cells, group, question, starts, room, scratch);
}

/* Answer a question of the boids `begin` to `end`. */
ENTRY(void, answer)(double *cells, int group, int question, int begin, int end, double *scratch) {
  answer_question(cells, group, question, begin, end, scratch);
}

/* Draw a group's random numbers of this step. */
ENTRY(void, draw)(double *cells, int group) { draw(cells, group); }

/* After all animals of a group have moved; whether they are at finite places. */
ENTRY(int, settle)(double *cells, int group) { return settle_group(cells, group); }

/* Move the animals `begin` to `end` of a group; whether they are at finite places. */
ENTRY(int, move)(double *cells, int group, int begin, int end, double *scratch) {
  return move_some(cells, group, begin, end, scratch);
}

/* End a step in which every group has moved. */
ENTRY(void, finish)(double *cells) { finish_step(cells); }

/* Do the steps of so many frames, as many as `steps` for each, and copy the states of the frames to `frame`: positions
   and velocities of every group, one after the other. Returns 0; -1 where the program's `group` is not finite; or how
   many cells `starts` must have, after which a further call goes on. As `Stepper.next`. */
ENTRY(int, march)(double *cells, double *frame, int frames, int steps, integer *starts, int room, double *scratch) {
  Program *program = program_in(cells);
  integer size = 0;
  for (integer g = 0; g < program->groups; g++) size += 2 * (3 - program->world.first) * group_in(cells, g)->count;
  while (program->done < (integer)frames * steps) {
    for (; program->group < program->groups; program->group++) {
      const Group *group = group_in(cells, program->group);
      if (!group->count) continue;
      for (integer q = 0; q < group->questions; q++) {
        integer needed = arrange_question(cells, program->group, q, starts, room, scratch);
        if (needed) return (int)needed;
        answer_question(cells, program->group, q, 0, group->count, scratch);
      }
      draw(cells, program->group);
      if (!move_some(cells, program->group, 0, group->count, scratch) || !settle_group(cells, program->group)) return -1;
    }
    finish_step(cells);
    if (++program->done % steps) continue;
    double *copy = frame + (program->done / steps - 1) * size;
    for (integer g = 0; g < program->groups; g++) {
      const Group *group = group_in(cells, g);
      integer half = (3 - program->world.first) * group->count;
      for (integer k = 0; k < half; k++) copy[k] = cells[group->position + k], copy[half + k] = cells[group->velocity + k];
      copy += 2 * half;
    }
  }
  return 0;
}
