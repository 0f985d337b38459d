/* What pages alone ask: random numbers and places for animals that come later, and what steers a single one. */

/* The next number of a stream, evenly spread in [0, 1), or of the normal distribution. */
ENTRY(double, draw_even)(double *cells, int stream) { return random((Stream *)(cells + stream)); }
ENTRY(double, draw_normal)(double *cells, int stream) {
  return normal((Stream *)(cells + stream), cells + program_in(cells)->layers_at);
}

ENTRY(double, sine_of)(double angle) { return sine(angle); }
ENTRY(double, cosine_of)(double angle) { return cosine(angle); }
ENTRY(double, cube_root_of)(double number) { return cube_root(number); }

/* Positions and velocities (d, n) of animals that a curve carries, as they come at a time; as `run._placed`. */
ENTRY(void, carry_in)(double *cells, int curve, double time, double *position, double *velocity, int count) {
  const Program *program = program_in(cells);
  int first = (int)program->world.first;
  for (int i = 0; i < count; i++) {
    vector place[2], still = {0.0};
    for (int later = 0; later < 2; later++) {
      double since = later ? time : time - program->dt;
      place[later] = curve_position((const Curve *)(cells + curve), since + program->dt, i, first);
      confine(place + later, &still, &program->world);
    }
    vector way = shortest(place[1] - place[0], &program->world);
    for (int a = first; a < 3; a++) {
      position[(a - first) * count + i] = place[0][a];
      velocity[(a - first) * count + i] = way[a] / program->dt;
    }
  }
}

/* Bring new animals (d, n) out of solid obstacles, and into the world. */
ENTRY(void, bring_in)(double *cells, double *position, double *velocity, int count) {
  const Group nobody = {0};
  Crowd crowd = crowd_of((int)program_in(cells)->world.first, count, position, velocity);
  confine_all(program_in(cells), &nobody, cells, crowd.position, crowd.velocity, count);
}

/* What everything that steers would change of an animal's velocity: of each term a vector, at its number. The first
   `movers` groups move before. Returns 0, or how many cells `starts` must have. */
ENTRY(int, explain)
(double *cells, int movers, int number, int animal, double *changes, integer *starts, int room, double *scratch) {
  Group *group = group_in(cells, number);
  Batch we = {.cells = cells, .program = program_in(cells), .group = group, .first = (int)program_in(cells)->world.first};
  Crowd crowd = crowd_of(we.first, group->count, cells + group->position, cells + group->velocity);
  const Grid *grid = (const Grid *)(cells + we.program->grid_at);
  const Term *term = (const Term *)(cells + group->terms_at);
  integer entry = animal;
  int needed = 0;
  for (int mover = 0; mover < movers && !needed; mover++) needed = move_group(cells, mover, starts, room, scratch);
  if (!needed) needed = answer_all(cells, number, starts, room, scratch);
  if (needed) return needed;
  CALL(attract)(cells);
  if (group->local) {
    const Question *local = (const Question *)(cells + group->questions_at) + group->questions - 1;
    const Answer answer = answers_in(group, scratch);
    crowd = grid->boids;
    for (entry = 0; crowd.number[entry] != animal; entry++) continue;
    answer_some(grid, (const Request *)(cells + local->requests_at), (int)group->local, entry, entry + 1, 1, &answer, 0,
                scratch + 4 * BLOCK * group->rows);
  }
  gather(we.first, &we, &crowd, entry, 1, scratch);
  take(we.first, &we, &crowd, entry, 1);
  we.rows = scratch;
  for (const Term *end = term + group->terms; term < end; term++) {
    contribute(we.first, &we, term);
    for (int a = 0; a < 3; a++) changes[3 * term->told + a] = a < we.first ? 0.0 : we.vector[a][0];
  }
  return 0;
}
