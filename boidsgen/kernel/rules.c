/* Rules that are more than a sum over neighbors, for one animal at a time.

   `desired` gives the raw vector and `direct` the change of velocity in the direct form, as the methods of these names
   in `simulation/rules/`, where the formulas and their sources stand. What a rule is about stands in its term: numbers
   in `value`, cells and counts in `at`, in the order in which `program.py` writes them. */

enum {
  PUSH, MEAN_OFFSET, MEAN_VELOCITY, /* recipes: `step.c` does them for many animals together */
  NOTHING, CURVE, NOISE_BOX, NOISE_SPHERE, WANDER, AVOID,
  SEEK, HOME, ARRIVE, FOLLOW_PATH, FOLLOW_LEADER, FORMATION,
  HUNT_NEAREST, SUM, EVADE, SPECIES, ZONES
};
enum { DIRECT, REYNOLDS };

typedef struct {
  integer rule, form, on_position, live; /* `live`: in sequential updates it sees what has changed since the step began */
  double weight, cap;                    /* factor, and maximum length before it */
  integer weights;                       /* the cell of (n,) individual factors on the weight; 0 = none */
  integer own, others, predators, include_self; /* rows of answers; -1 = none */
  integer stream, drawn;                 /* the cell of its stream, and of what was drawn for this step; 0 = none */
  double value[8];
  integer at[6];
} Term;

/* Animals that others look at: cells of their positions and velocities, (d, count) each; which group they are, and
   whether they are seen where they have come to in this step. `step.c` keeps the cells true. */
typedef struct {
  integer count, position, velocity, group, moved;
} Seen;

/* One animal and what it needs to know. */
typedef struct {
  const double *cells;
  const World *world;
  const Obstacle *obstacle;
  integer obstacles, count, number;     /* how many obstacles, and animals of its kind; which one it is */
  double position[3], velocity[3], time, speed;
  Seen kind, *flocks, *hunters;         /* all of its own kind; those it may hunt, and flee from */
  integer flock_groups, hunter_groups;
  const double *rows;                   /* answers to requests: of each a count and three sums, BLOCK apart */
} Animal;

#define BLOCK 128 /* boids that take a step together: what is computed on the way stays in the first-level cache */

INLINE double answer_of(const Animal *me, integer row, int component) { return me->rows[(4 * row + component) * BLOCK]; }

INLINE void vector_of(const double *cells, integer at, integer count, integer number, int first, double vector[3]) {
  for (int a = first; a < 3; a++) vector[a] = cells[at + (a - first) * count + number];
}

/* The nearest of some animals, the offset to it and its velocity; as `vectorized.nearest`. 0 = there are none. */
static int nearest_of(const Animal *me, const Seen *group, integer groups, double offset[3], double velocity[3]) {
  int first = me->world->first, found = 0;
  double least_squared = 0.0, place[3], way[3];
  for (integer g = 0; g < groups; g++)
    for (integer k = 0; k < group[g].count; k++) {
      vector_of(me->cells, group[g].position, group[g].count, k, first, place);
      offset_to(place, me->position, me->world, way);
      double squared = dot(way, way, first);
      if (found && !(squared < least_squared)) continue;
      found = 1, least_squared = squared;
      for (int a = first; a < 3; a++) offset[a] = way[a];
      vector_of(me->cells, group[g].velocity, group[g].count, k, first, velocity);
    }
  return found;
}

/* The offset to where another one will be; as `pursuit.ahead` and the minimum image. */
static void look_ahead(const Animal *me, double offset[3], const double velocity[3], double lead) {
  int first = me->world->first;
  double speed = length_of(me->velocity, first) + length_of(velocity, first);
  double meeting = speed > 0.0 ? length_of(offset, first) / speed : lead;
  for (int a = first; a < 3; a++) offset[a] += velocity[a] * smaller(meeting, lead);
  shorten(offset, me->world);
}

/* As `Avoid.desired`: value: lead, clearance. */
static void avoid(const Animal *me, const Term *term, double vector[3]) {
  const World *world = me->world;
  int first = world->first, narrowest = first;
  double heading[3], place[3], outward[3] = {0.0}, other[3], way = 0.0, room = 0.0, near = 1e-3 * world->smallest;
  double speed = length_of(me->velocity, first), reach = speed * term->value[0];
  for (int a = first; a < 3; a++) heading[a] = me->velocity[a], vector[a] = 0.0;
  if (!me->obstacles) return;
  make_unit(heading, first);
  for (int look = 0; look < 40; look++) {
    for (int a = first; a < 3; a++) place[a] = me->position[a] + heading[a] * way;
    double gap = surface(me->obstacle, me->cells, world, place, outward);
    for (integer k = 1; k < me->obstacles; k++) {
      double other_gap = surface(me->obstacle + k, me->cells, world, place, other);
      if (!(other_gap < gap)) continue;
      gap = other_gap;
      for (int a = first; a < 3; a++) outward[a] = other[a];
    }
    room = gap - term->value[1];
    if (!(room > near && way < reach)) break;
    way += room - near / 2.0;
  }
  double facing = dot(outward, heading, first), axis[3] = {0.0}, across[3];
  int meets = room <= near && way < reach && facing < 0.0;
  double urgency = meets ? 1.0 - way / reach : 0.0;
  for (int a = first; a < 3; a++) {
    across[a] = outward[a] - heading[a] * facing;
    if (magnitude(heading[a]) < magnitude(heading[narrowest])) narrowest = a;
  }
  axis[narrowest] = 1.0;
  double along = dot(axis, heading, first);
  int straight = !(length_of(across, first) > 1e-9);
  for (int a = first; a < 3; a++) vector[a] = straight ? axis[a] - heading[a] * along : across[a];
  make_unit(vector, first);
  for (int a = first; a < 3; a++) vector[a] *= urgency;
}

/* As `FollowPath.desired`: value: radius, lead, whole length; at: legs, the cell of (legs + 1, 8) corner, direction,
   distance from the start, half the leg, and of (legs, 3) middles; closed. */
static void follow_path(const Animal *me, const Term *term, double vector[3]) {
  const double *corner = me->cells + term->at[1], *middle = me->cells + term->at[2];
  int first = me->world->first;
  integer legs = term->at[0], leg = 0;
  double place[3], offset[3], best = 0.0, along = 0.0, radius = term->value[0], whole = term->value[2];
  for (int a = first; a < 3; a++) place[a] = me->position[a] + term->value[1] * me->velocity[a];
  for (integer k = 0; k < legs; k++) {
    const double *direction = corner + 8 * k + 3, half = corner[8 * k + 7];
    offset_to(place, middle + 3 * k, me->world, offset);
    double part = smaller(larger(dot(offset, direction, first), -half), half);
    for (int a = first; a < 3; a++) offset[a] -= part * direction[a];
    double distance = length_of(offset, first);
    if (k && !(distance < best)) continue;
    best = distance, leg = k, along = corner[8 * k + 6] + half + part;
  }
  int astray = best >= radius, backward = dot(me->velocity, corner + 8 * leg + 3, first) <= 0.0;
  along += radius;
  along = term->at[3] && whole != 0.0 ? remainder_of(along, whole) : smaller(along, whole);
  integer on = 0;
  while (on < legs && corner[8 * (on + 1) + 6] <= along) on++;
  on = least(on, legs - 1);
  for (int a = first; a < 3; a++) place[a] = corner[8 * on + a] + corner[8 * on + 3 + a] * (along - corner[8 * on + 6]);
  offset_to(place, me->position, me->world, vector);
  for (int a = first; a < 3; a++) vector[a] *= astray || backward ? 1.0 : 0.0;
}

/* As `FollowLeader.places`: value: behind; at: whether its own flock leads, and how many other groups do, and their
   cell. The velocity of the place is left in `pace`. */
static void follow_leader(const Animal *me, const Term *term, double offset[3], double pace[3]) {
  int first = me->world->first, own = term->at[0] != 0;
  double to_leader[3], heading[3], aside[3], behind = term->value[0];
  int found = 0;
  if (own) {
    for (int a = first; a < 3; a++) {
      to_leader[a] = me->cells[me->kind.position + (a - first) * me->kind.count] - me->position[a];
      pace[a] = me->cells[me->kind.velocity + (a - first) * me->kind.count];
    }
    shorten(to_leader, me->world);
    found = 1;
  } else {
    found = nearest_of(me, (const Seen *)(me->cells + term->at[2]), term->at[1], to_leader, pace);
  }
  if (!found) {
    for (int a = first; a < 3; a++) offset[a] = 0.0, pace[a] = me->velocity[a];
    return;
  }
  for (int a = first; a < 3; a++) heading[a] = pace[a];
  make_unit(heading, first);
  double ahead = -dot(heading, to_leader, first);
  for (int a = first; a < 3; a++) {
    aside[a] = -to_leader[a] - heading[a] * ahead;
    offset[a] = to_leader[a] - behind * heading[a];
  }
  double beside = length_of(aside, first);
  shorten(offset, me->world);
  if (ahead > beside && length_of(to_leader, first) < behind) {
    scale(aside, beside, behind, first);
    for (int a = first; a < 3; a++) offset[a] = aside[a];
  }
  if (own && me->number == 0)
    for (int a = first; a < 3; a++) offset[a] = 0.0;
}

/* As `Formation.places`: value: spacing, minus cosine and sine of the arms' angle; at: arms. */
static void formation(const Animal *me, const Term *term, double offset[3], double pace[3]) {
  int first = me->world->first;
  integer arms = term->at[0], out = (me->number + arms - 1) / arms;
  double leader[3], heading[3], left[3] = {0.0}, side = 1.0 - 2.0 * (double)((me->number + 1) % arms);
  vector_of(me->cells, me->kind.position, me->kind.count, 0, first, leader);
  vector_of(me->cells, me->kind.velocity, me->kind.count, 0, first, pace);
  offset_to(leader, me->position, me->world, offset);
  for (int a = first; a < 3; a++) heading[a] = pace[a];
  make_unit(heading, first);
  int still = 1;
  for (int a = first; a < 3; a++) still &= heading[a] == 0.0;
  if (still) heading[first] = 1.0;
  left[first] = -heading[first + 1], left[first + 1] = heading[first];
  if (length_of(left, first) == 0.0) left[first + 1] = 1.0;
  make_unit(left, first);
  double slots = term->value[0] * (double)out, turned = term->value[2] * side;
  for (int a = first; a < 3; a++) offset[a] += slots * (term->value[1] * heading[a] + turned * left[a]);
  shorten(offset, me->world);
}

/* As `Arrive.places`: at: the cell of the only target, or of (d, n) targets where there are so many. */
static void arrive(const Animal *me, const Term *term, double offset[3], double pace[3]) {
  double place[3];
  vector_of(me->cells, term->at[0], term->at[1], term->at[1] > 1 ? me->number : 0, me->world->first, place);
  offset_to(place, me->position, me->world, offset);
  for (int a = 0; a < 3; a++) pace[a] = 0.0;
}

/* As `ArrivingRule.places`. */
static void place_of(const Animal *me, const Term *term, double offset[3], double pace[3]) {
  if (term->rule == ARRIVE) arrive(me, term, offset, pace);
  else if (term->rule == FOLLOW_LEADER) follow_leader(me, term, offset, pace);
  else formation(me, term, offset, pace);
}

/* As `Evade.desired`: value: radius, lead. */
static void evade(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first;
  double place[3], velocity[3], offset[3];
  for (int a = first; a < 3; a++) vector[a] = 0.0;
  for (integer g = 0; g < me->hunter_groups; g++)
    for (integer k = 0; k < me->hunters[g].count; k++) {
      vector_of(me->cells, me->hunters[g].position, me->hunters[g].count, k, first, place);
      vector_of(me->cells, me->hunters[g].velocity, me->hunters[g].count, k, first, velocity);
      offset_to(place, me->position, me->world, offset);
      double near = length_of(offset, first) < term->value[0] ? 1.0 : 0.0;
      look_ahead(me, offset, velocity, term->value[1]);
      make_unit(offset, first);
      for (int a = first; a < 3; a++) vector[a] -= offset[a] * near;
    }
}

/* As `Species.desired`: at: how many flocks are feared and hunted, and the cell of their rows. */
static void species(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first;
  const integer *row = (const integer *)(me->cells + term->at[2]);
  double prey[3] = {0.0}, away[3] = {0.0};
  for (integer k = 0; k < term->at[0]; k++)
    for (int a = first; a < 3; a++) away[a] += answer_of(me, row[k], 1 + a);
  for (integer k = term->at[0]; k < term->at[0] + term->at[1]; k++) {
    double offset[3];
    for (int a = first; a < 3; a++) offset[a] = answer_of(me, row[k], 1 + a);
    double distance = length_of(offset, first), so_far = length_of(prey, first);
    if (distance > 0.0 && (distance < so_far || so_far == 0.0))
      for (int a = first; a < 3; a++) prey[a] = offset[a];
  }
  make_unit(prey, first);
  for (int a = first; a < 3; a++) vector[a] = prey[a] + -away[a];
}

/* As `Zones.desired`: at: rows of repulsion, orientation, its inner part and attraction; whether zones count alike. */
static void zones_desired(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first, crowded = answer_of(me, term->at[0], 0) > 0.0;
  double along[3], toward[3];
  for (int a = first; a < 3; a++) {
    along[a] = answer_of(me, term->at[1], 1 + a);
    toward[a] = answer_of(me, term->at[3], 1 + a) - answer_of(me, term->at[2], 1 + a);
  }
  if (term->at[4]) make_unit(along, first), make_unit(toward, first);
  for (int a = first; a < 3; a++) vector[a] = crowded ? -answer_of(me, term->at[0], 1 + a) : along[a] + toward[a];
  make_unit(vector, first);
}

/* Turn a direction toward another one by an angle of this cosine and sine; as `zones._turned`. */
static void turn(const double ahead[3], const double aside[3], double cosine, double sine, int first, double turned[3]) {
  double across[3], along = dot(aside, ahead, first);
  for (int a = first; a < 3; a++) across[a] = aside[a] - along * ahead[a];
  make_unit(across, first);
  for (int a = first; a < 3; a++) turned[a] = cosine * ahead[a] + sine * across[a];
}

/* As `Zones.direct`: value: of the random turn standard deviation, of the largest turn cosine and sine; drawn: normal
   numbers and directions. */
static void zones_direct(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first;
  double heading[3], wanted[3], aside[3], turned[3], speed = length_of(me->velocity, first);
  const double *drawn = me->cells + term->drawn;
  for (int a = first; a < 3; a++) heading[a] = me->velocity[a];
  scale(heading, speed, 1.0, first);
  zones_desired(me, term, wanted);
  if (!(length_of(wanted, first) > 0.0))
    for (int a = first; a < 3; a++) wanted[a] = heading[a];
  double angle = drawn[me->number] * term->value[0];
  direction(drawn + me->count, me->count, me->number, first, aside);
  turn(wanted, aside, cosine(angle), sine(angle), first, turned);
  for (int a = first; a < 3; a++) wanted[a] = turned[a];
  if (!(dot(wanted, heading, first) >= term->value[1]))
    turn(heading, wanted, term->value[1], term->value[2], first, turned);
  for (int a = first; a < 3; a++) vector[a] = speed * turned[a] - me->velocity[a];
}

/* The raw vector of a rule, for one animal. */
static void desired(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first;
  double pace[3];
  switch (term->rule) {
  case CURVE:
    curve_point((const Curve *)(me->cells + term->at[0]), me->time, me->number, first, vector);
    break;
  case NOISE_BOX:
    for (int a = first; a < 3; a++)
      vector[a] = -1.0 + (1.0 - -1.0) * me->cells[term->drawn + (a - first) * me->count + me->number];
    break;
  case NOISE_SPHERE:
    direction(me->cells + term->drawn, me->count, me->number, first, vector);
    break;
  case WANDER: /* value: rate, amplitude; at: the cell of (2, 3, d, n) phases and paces */
    for (int a = first; a < 3; a++) {
      integer row = (3 - first) * me->count;
      const double *phase = me->cells + term->at[0] + (a - first) * me->count + me->number, *pace_of = phase + 3 * row;
      double turned = term->value[0] * me->time, waves = 0.0;
      for (int wave_number = 0; wave_number < 3; wave_number++) {
        double angle = 2.0 * PI * (turned * (0.5 + pace_of[wave_number * row]) + phase[wave_number * row]);
        waves = wave_number ? waves + sine(angle) : sine(angle);
      }
      vector[a] = waves * term->value[1];
    }
    break;
  case AVOID:
    avoid(me, term, vector);
    break;
  case SEEK: /* value: point */
    offset_to(term->value, me->position, me->world, vector);
    break;
  case HOME: { /* value: point, beyond */
    offset_to(term->value, me->position, me->world, vector);
    double far = length_of(vector, first) > term->value[3] ? 1.0 : 0.0;
    for (int a = first; a < 3; a++) vector[a] *= far;
    break;
  }
  case FOLLOW_PATH:
    follow_path(me, term, vector);
    break;
  case ARRIVE: case FOLLOW_LEADER: case FORMATION:
    place_of(me, term, vector, pace);
    break;
  case HUNT_NEAREST: { /* value: lead, square of the radius */
    if (!nearest_of(me, me->flocks, me->flock_groups, vector, pace)) break;
    double near = dot(vector, vector, first) < term->value[1] ? 1.0 : 0.0;
    look_ahead(me, vector, pace, term->value[0]);
    for (int a = first; a < 3; a++) vector[a] *= near;
    break;
  }
  case SUM: /* value: a divisor */
    for (int a = first; a < 3; a++) vector[a] = answer_of(me, term->own, 1 + a) / term->value[0];
    break;
  case EVADE:
    evade(me, term, vector);
    break;
  case SPECIES:
    species(me, term, vector);
    break;
  case ZONES:
    zones_desired(me, term, vector);
    break;
  default:
    for (int a = first; a < 3; a++) vector[a] = 0.0;
  }
}

/* The change of velocity in the direct form; for those that arrive value[6], value[7]: slowing and their own cap. */
static void direct(const Animal *me, const Term *term, double vector[3]) {
  int first = me->world->first;
  if (term->rule == ZONES) {
    zones_direct(me, term, vector);
    return;
  }
  if (term->rule != ARRIVE && term->rule != FOLLOW_LEADER && term->rule != FORMATION) {
    desired(me, term, vector);
    return;
  }
  double pace[3], distance;
  place_of(me, term, vector, pace);
  distance = length_of(vector, first);
  scale(vector, distance, me->speed * smaller(distance / term->value[6], 1.0), first);
  for (int a = first; a < 3; a++) vector[a] = pace[a] + vector[a];
  double length = length_of(vector, first);
  scale(vector, length, smaller(length, me->speed), first);
  for (int a = first; a < 3; a++) vector[a] -= me->velocity[a];
  limit(vector, term->value[7], first);
}
