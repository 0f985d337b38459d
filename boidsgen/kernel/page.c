/* What only pages need: random numbers and places for animals that come later, what steers a single one, and
   what numpy does for clips in one line. */

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
