/* Rules that are more than a sum over neighbors, for one animal at a time.

   `desired` gives the raw vector and `direct` the change of velocity in the direct form, as the methods of
   these names in `simulation/rules/`, where the formulas and their sources stand. What a rule is about
   stands in its term: numbers in `value`, cells and counts in `at`, in the order in which its
   `operation` gives them. */

/* One animal and what it needs to know. */
typedef struct {
  double *cells;
  const Program *program;
  const Group *group;
  const World *world;
  int first;
  integer number;
  double time;
  double speed;
  vector position;
  vector velocity;
  const double *rows; /* results of reductions: of each a count and three sums, BLOCK apart */
} Animal;

INLINE double count_in(const Animal *me, integer row) { return me->rows[4 * row * BLOCK]; }

INLINE vector sum_in(const Animal *me, integer row) {
  vector sum = {0.0};
  for (int a = 0; a < 3; a++) sum[a] = me->rows[(4 * row + 1 + a) * BLOCK];
  return sum;
}

INLINE vector offset_to(const Animal *me, vector place) { return shortest(place - me->position, me->world); }
INLINE vector position_of(const Animal *me, const Group *group, integer moved, integer number) {
  return vector_of(me->cells, positions_of(group, moved), group->count, number, me->first);
}
INLINE vector velocity_of(const Animal *me, const Group *group, integer moved, integer number) {
  return vector_of(me->cells, velocities_of(group, moved), group->count, number, me->first);
}

/* The nearest of some animals, the offset to it and its velocity; as `neighbors.nearest`. 0 = there are
   none. */
static int nearest_of(const Animal *me, integer sources_at, integer groups, vector *offset,
                      vector *velocity) {
  int found = 0;
  double least_squared = 0.0;
  for (const Sources *source = (const Sources *)(me->cells + sources_at), *end = source + groups;
       source < end; source++) {
    const Group *group = group_in(me->cells, source->group);
    for (integer k = 0; k < group->count; k++) {
      vector way = offset_to(me, position_of(me, group, source->moved, k));
      double squared = dot(way, way, me->first);
      if (found && !(squared < least_squared)) continue;
      found = 1;
      least_squared = squared;
      *offset = way;
      *velocity = velocity_of(me, group, source->moved, k);
    }
  }
  return found;
}

/* The offset to where another one will be; as `pursuit.ahead` and the minimum image. */
static vector look_ahead(const Animal *me, vector offset, vector velocity, double lead) {
  double speed = length_of(me->velocity, me->first) + length_of(velocity, me->first);
  double meeting = speed > 0.0 ? length_of(offset, me->first) / speed : lead;
  return shortest(offset + velocity * smaller(meeting, lead), me->world);
}

/* As `Avoid.desired`: value: lead, clearance. */
static vector avoid(const Animal *me, const Term *term) {
  int first = me->first, narrowest = first;
  vector heading = unit(me->velocity, first), outward = {0.0}, other, axis = {0.0};
  double way = 0.0;
  double room = 0.0;
  double near = 1e-3 * me->world->smallest;
  double reach = length_of(me->velocity, first) * term->value[0];
  const Obstacle *obstacle = (const Obstacle *)(me->cells + me->program->obstacles_at);
  if (!me->program->obstacles) return outward;
  for (int look = 0; look < 40; look++) {
    double gap = INFINITE;
    for (integer k = 0; k < me->program->obstacles; k++) {
      double other_gap = surface(obstacle + k, me->cells, me->world, me->position + heading * way, &other);
      if (k == 0 || other_gap < gap) {
        gap = other_gap;
        outward = other;
      }
    }
    room = gap - term->value[1];
    if (!(room > near && way < reach)) break;
    way += room - near / 2.0;
  }
  double facing = dot(outward, heading, first);
  double urgency = room <= near && way < reach && facing < 0.0 ? 1.0 - way / reach : 0.0;
  for (int a = first; a < 3; a++)
    if (magnitude(heading[a]) < magnitude(heading[narrowest])) narrowest = a;
  vector across = outward - heading * facing;
  axis[narrowest] = 1.0;
  if (!(length_of(across, first) > 1e-9)) across = axis - heading * dot(axis, heading, first);
  return unit(across, first) * urgency;
}

/* True if any obstacle is in the way of an animal in a direction; as `Detour._blocked`. */
static int is_blocked(const Animal *me, vector direction, const Term *term) {
  const Obstacle *obstacle = (const Obstacle *)(me->cells + me->program->obstacles_at);
  for (const Obstacle *end = obstacle + me->program->obstacles; obstacle < end; obstacle++)
    if (blocks(obstacle, me->cells, me->world, me->position, direction, term->value[0], term->value[1]))
      return 1;
  return 0;
}

/* As `Detour.desired`: value: reach, clearance; at: directions, the cell of (directions, 3) parts. */
static vector detour(const Animal *me, const Term *term) {
  vector flight = unit(me->velocity, me->first), left = {0.0}, above = {0.0};
  int x = me->first, y = me->first + 1;
  if (!is_blocked(me, flight, term)) return above;
  left[x] = -flight[y];
  left[y] = flight[x];
  if (length_of(left, me->first) == 0.0) left[y] = 1.0;
  left = unit(left, me->first);
  if (me->first == 0) {
    above[0] = -flight[2] * left[1];
    above[1] = flight[2] * left[0];
    above[2] = flight[0] * left[1] - flight[1] * left[0];
  }
  const double *part = me->cells + term->at[1];
  for (integer k = 1; k < term->at[0]; k++) {
    vector way = part[3 * k] * flight + part[3 * k + 1] * left;
    if (me->first == 0) way += part[3 * k + 2] * above;
    if (!is_blocked(me, way, term)) return way;
  }
  return flight;
}

/* As `FollowPath.desired`: value: radius, lead, whole length; at: legs, the cell of (legs + 1, 8) corner,
   direction, distance from the start, half the leg, and of (legs, 3) middles; closed. */
static vector follow_path(const Animal *me, const Term *term) {
  const double *corner = me->cells + term->at[1], *middle = me->cells + term->at[2];
  int first = me->first;
  integer legs = term->at[0], leg = 0, on = 0;
  double best = 0.0, along = 0.0, radius = term->value[0], whole = term->value[2];
  vector place = me->position + term->value[1] * me->velocity;
  for (integer k = 0; k < legs; k++) {
    vector offset = shortest(place - vector_at(middle + 3 * k), me->world);
    vector direction = vector_at(corner + 8 * k + 3);
    double half = corner[8 * k + 7], part = smaller(larger(dot(offset, direction, first), -half), half);
    double distance = length_of(offset - part * direction, first);
    if (k && !(distance < best)) continue;
    best = distance;
    leg = k;
    along = corner[8 * k + 6] + half + part;
  }
  int astray = best >= radius, backward = dot(me->velocity, vector_at(corner + 8 * leg + 3), first) <= 0.0;
  along += radius;
  along = term->at[3] && whole != 0.0 ? remainder_of(along, whole) : smaller(along, whole);
  while (on < legs && corner[8 * (on + 1) + 6] <= along) on++;
  corner += 8 * least(on, legs - 1);
  return offset_to(me, vector_at(corner) + vector_at(corner + 3) * (along - corner[6])) *
         (astray || backward ? 1.0 : 0.0);
}

/* As `FollowLeader.places`: value: behind; at: whether its own flock leads, and how many other groups do,
   and their cell. The velocity of the place is left in `pace`. */
static vector follow_leader(const Animal *me, const Term *term, vector *pace) {
  int first = me->first, own = term->at[0] != 0;
  vector to_leader = {0.0};
  double behind = term->value[0];
  *pace = me->velocity;
  if (own) {
    to_leader = offset_to(me, position_of(me, me->group, 0, 0));
    *pace = velocity_of(me, me->group, 0, 0);
  } else if (!nearest_of(me, term->at[2], term->at[1], &to_leader, pace))
    return to_leader;
  vector heading = unit(*pace, first);
  double ahead = -dot(heading, to_leader, first);
  vector aside = -to_leader - heading * ahead;
  double beside = length_of(aside, first);
  if (own && me->number == 0) return (vector){0.0};
  if (ahead > beside && length_of(to_leader, first) < behind) return scaled(aside, beside, behind);
  return shortest(to_leader - behind * heading, me->world);
}

/* As `Formation.places`: value: spacing, minus cosine and sine of the arms' angle; at: arms. */
static vector formation(const Animal *me, const Term *term, vector *pace) {
  int first = me->first;
  integer arms = term->at[0], out = (me->number + arms - 1) / arms;
  double side = 1.0 - 2.0 * (double)((me->number + 1) % arms);
  double slots = term->value[0] * (double)out, turned = term->value[2] * side;
  *pace = velocity_of(me, me->group, 0, 0);
  vector heading = unit(*pace, first), left = {0.0}, leader = offset_to(me, position_of(me, me->group, 0, 0));
  if (dot(heading, heading, first) == 0.0) heading[first] = 1.0;
  left[first] = -heading[first + 1];
  left[first + 1] = heading[first];
  if (length_of(left, first) == 0.0) left[first + 1] = 1.0;
  left = unit(left, first);
  return shortest(leader + slots * (term->value[1] * heading + turned * left), me->world);
}

INLINE int arrives(const Term *term) {
  return term->rule == ARRIVE || term->rule == FOLLOW_LEADER || term->rule == FORMATION;
}

/* As `ArrivingRule.places`. Of `Arrive`: at: the cell of the only target, or of (d, n) targets where there
   are so many. */
static vector place_of(const Animal *me, const Term *term, vector *pace) {
  if (term->rule == FOLLOW_LEADER) return follow_leader(me, term, pace);
  if (term->rule == FORMATION) return formation(me, term, pace);
  *pace = (vector){0.0};
  return offset_to(
      me, vector_of(me->cells, term->at[0], term->at[1], term->at[1] > 1 ? me->number : 0, me->first));
}

/* As `Evade.desired`: value: radius, lead. */
static vector evade(const Animal *me, const Term *term) {
  vector away = {0.0};
  const Sources *hunter = (const Sources *)(me->cells + me->group->hunters_at);
  for (const Sources *end = hunter + me->group->hunters; hunter < end; hunter++) {
    const Group *group = group_in(me->cells, hunter->group);
    for (integer k = 0; k < group->count; k++) {
      vector offset = offset_to(me, position_of(me, group, hunter->moved, k));
      double near = length_of(offset, me->first) < term->value[0] ? 1.0 : 0.0;
      offset = look_ahead(me, offset, velocity_of(me, group, hunter->moved, k), term->value[1]);
      away -= unit(offset, me->first) * near;
    }
  }
  return away;
}

/* As `Species.desired`: rows: flocks that are feared, as many as `at` says, then those that are hunted. */
static vector species(const Animal *me, const Term *term) {
  const integer *row = (const integer *)(me->cells + term->rows_at), feared = term->at[0];
  vector prey = {0.0}, away = {0.0};
  for (integer k = 0; k < term->specs; k++) {
    if (row[k] < 0) continue;
    vector offset = sum_in(me, row[k]);
    double distance = length_of(offset, me->first), so_far = length_of(prey, me->first);
    if (k < feared)
      away += offset;
    else if (distance > 0.0 && (distance < so_far || so_far == 0.0))
      prey = offset;
  }
  return unit(prey, me->first) + -away;
}

/* As `Zones.desired`: rows of repulsion, orientation, its inner part and attraction; at: whether zones
   count alike. */
static vector zones_desired(const Animal *me, const Term *term) {
  if (count_in(me, term->row[0]) > 0.0) return unit(-sum_in(me, term->row[0]), me->first);
  vector along = sum_in(me, term->row[1]), toward = sum_in(me, term->row[3]) - sum_in(me, term->row[2]);
  if (term->at[0]) {
    along = unit(along, me->first);
    toward = unit(toward, me->first);
  }
  return unit(along + toward, me->first);
}

/* Turn a direction toward another one by an angle of this cosine and sine; as `flocking._turned`. */
static vector turn(vector ahead, vector aside, double cosine, double sine, int first) {
  return cosine * ahead + sine * unit(aside - dot(aside, ahead, first) * ahead, first);
}

/* As `Zones.direct`: value: of the random turn standard deviation, of the largest turn cosine and sine;
   drawn: normal numbers and directions. */
static vector zones_direct(const Animal *me, const Term *term) {
  int first = me->first;
  double speed = length_of(me->velocity, first);
  const double *drawn = me->cells + term->drawn;
  vector heading = scaled(me->velocity, speed, 1.0), wanted = zones_desired(me, term);
  if (!(length_of(wanted, first) > 0.0)) wanted = heading;
  double angle = drawn[me->number] * term->value[0];
  vector aside = direction(drawn + me->group->count, me->group->count, me->number, first);
  wanted = turn(wanted, aside, cosine(angle), sine(angle), first);
  if (!(dot(wanted, heading, first) >= term->value[1]))
    wanted = turn(heading, wanted, term->value[1], term->value[2], first);
  return speed * wanted - me->velocity;
}

/* As `Wander.desired`: value: rate, amplitude; at: the cell of (2, 3, d, n) phases and paces. */
static vector wander(const Animal *me, const Term *term) {
  integer row = (3 - me->first) * me->group->count;
  double turned = term->value[0] * me->time;
  vector waves = {0.0};
  for (int wave_number = 0; wave_number < 3; wave_number++) {
    integer at = term->at[0] + wave_number * row;
    vector phase = vector_of(me->cells, at, me->group->count, me->number, me->first);
    vector pace = vector_of(me->cells, at + 3 * row, me->group->count, me->number, me->first);
    vector angle = 2.0 * PI * (turned * (0.5 + pace) + phase);
    for (int a = me->first; a < 3; a++) waves[a] = wave_number ? waves[a] + sine(angle[a]) : sine(angle[a]);
  }
  return waves * term->value[1];
}

/* The sum of waves across; as `CurlNoise.value`. */
static vector curl_noise(const Animal *me, const Field *field, double turn) {
  vector place = me->position, total = {-0.0, -0.0, -0.0}; /* plus x is x */
  for (int a = me->first; a < 3; a++) place[a] = wrapped(place[a], me->world->size[a]);
  const double *wave = me->cells + field->cells_at;
  for (const double *end = wave + 8 * field->rows; wave < end; wave += 8) {
    double angle = dot(place, vector_at(wave), me->first) + (wave[6] + wave[7] * turn);
    total += cosine(angle) * vector_at(wave + 3);
  }
  return total;
}

/* Between the centers of cells; as `Map.value`. */
static vector map_value(const Animal *me, const Field *field) {
  const integer many[2] = {field->columns, field->rows};
  integer cell[2][2];
  double part[2];
  for (int c = 0; c < 2; c++) {
    double here = me->position[1 + c], size = me->world->size[1 + c], period = me->world->period[1 + c];
    double place = (period != 0.0 ? wrapped(here, size) : here) / size * (double)many[c] - 0.5;
    double low = floor_of(place), last = (double)many[c] - 1.0;
    part[c] = place - low;
    for (int step = 0; step < 2; step++, low += 1.0) {
      double clipped = smaller(larger(low, 0.0), last);
      cell[c][step] = (integer)(period != 0.0 ? remainder_of(low, (double)many[c]) : clipped);
    }
  }
  vector row[2];
  for (int step = 0; step < 2; step++) {
    const double *left = me->cells + field->cells_at + 2 * (cell[1][step] * many[0] + cell[0][0]);
    const double *right = me->cells + field->cells_at + 2 * (cell[1][step] * many[0] + cell[0][1]);
    vector value = {0.0, left[0], left[1]}, other = {0.0, right[0], right[1]};
    row[step] = value + part[0] * (other - value);
  }
  return row[0] + part[1] * (row[1] - row[0]);
}

/* The vector of a field, for one animal; as `VectorField.value`. */
static vector field_value(const Animal *me, const Field *field) {
  double turn = 2.0 * PI * me->time / field->period;
  int x = me->first, y = x + 1;
  vector value = {0.0};
  if (field->kind == CURL_NOISE) return curl_noise(me, field, turn);
  if (field->kind == WIND) return value + vector_at(field->vector) * (1.0 + field->gusts * sine(turn));
  if (field->kind != VORTEX) return map_value(me, field);
  vector offset = shortest(me->position - vector_at(field->center), me->world);
  double squared = offset[x] * offset[x] + offset[y] * offset[y];
  double factor = 2.0 * field->radius / (field->radius * field->radius + squared);
  value[x] = -offset[y] * factor;
  value[y] = offset[x] * factor;
  return value;
}

/* The raw vector of a rule, for one animal. */
static vector desired(const Animal *me, const Term *term) {
  vector offset = {0.0}, pace;
  double near;
  switch (term->rule) {
  case CURVE:
    return curve_point((const Curve *)(me->cells + term->at[0]), me->time, me->number, me->first);
  case NOISE_BOX:
    return -1.0 + (1.0 - -1.0) * vector_of(me->cells, term->drawn, me->group->count, me->number, me->first);
  case NOISE_SPHERE:
    return direction(me->cells + term->drawn, me->group->count, me->number, me->first);
  case WANDER:
    return wander(me, term);
  case AVOID:
    return avoid(me, term);
  case DETOUR:
    return detour(me, term);
  case SEEK: /* value: point */
    return offset_to(me, vector_at(term->value));
  case HOME: /* value: point, beyond */
    offset = offset_to(me, vector_at(term->value));
    return offset * (length_of(offset, me->first) > term->value[3] ? 1.0 : 0.0);
  case FOLLOW_PATH:
    return follow_path(me, term);
  case ARRIVE:
  case FOLLOW_LEADER:
  case FORMATION:
    return place_of(me, term, &pace);
  case HUNT_NEAREST: /* value: lead, radius */
    if (!nearest_of(me, me->group->flocks_at, me->group->flocks, &offset, &pace)) return offset;
    near = dot(offset, offset, me->first) < term->value[1] * term->value[1] ? 1.0 : 0.0;
    return look_ahead(me, offset, pace, term->value[0]) * near;
  case ATTRACT: { /* at: the number of an attractor */
    const Attractor *attractor = (const Attractor *)(me->cells + me->program->attractors_at) + term->at[0];
    offset = offset_to(me, vector_at(attractor->point));
    return offset * (length_of(offset, me->first) < attractor->radius ? 1.0 : 0.0) * attractor->sign;
  }
  case OBSTACLE: /* at: the number of an obstacle */
    return push_away((const Obstacle *)(me->cells + me->program->obstacles_at) + term->at[0], me->cells,
                     me->world, me->position);
  case EDGES:
    return push_inward(me->position, me->world);
  case FIELD_VECTOR: /* at: the number of a field */
    return field_value(me, (const Field *)(me->cells + me->program->fields_at) + term->at[0]);
  case LAST_DRIVE:
    return vector_of(me->cells, me->group->drive, me->group->count, me->number, me->first);
  case SUM: /* value: a divisor */
    return term->row[0] < 0 ? offset : sum_in(me, term->row[0]) / term->value[0];
  case EVADE:
    return evade(me, term);
  case SPECIES:
    return species(me, term);
  case ZONES:
    return zones_desired(me, term);
  case PROPULSION: /* value: thrust, friction */
    return me->velocity * (term->value[0] - term->value[1] * dot(me->velocity, me->velocity, me->first));
  }
  return offset;
}

/* The change of velocity in the direct form; for those that arrive value[6], value[7]: slowing and their
   own cap. */
static vector direct(const Animal *me, const Term *term) {
  if (term->rule == ZONES) return zones_direct(me, term);
  if (!arrives(term)) return desired(me, term);
  vector pace, offset = place_of(me, term, &pace);
  double distance = length_of(offset, me->first);
  vector wanted = pace + scaled(offset, distance, me->speed * smaller(distance / term->value[6], 1.0));
  double length = length_of(wanted, me->first);
  return limited(scaled(wanted, length, smaller(length, me->speed)) - me->velocity, term->value[7],
                 me->first);
}
