/* The world: boundary conditions, curves that carry predators and attractors, and obstacles. */

/* A vector of three numbers. */
INLINE vector vector_at(const double *number) { return (vector){number[0], number[1], number[2]}; }

/* The vector of an animal, from the cell on where those of its group are, (d, count). */
INLINE vector vector_of(const double *cells, integer at, integer count, integer number, int first) {
  const double *along = cells + at + number;
  return first ? (vector){0.0, along[0], along[count]} : (vector){along[0], along[count], along[2 * count]};
}

INLINE double sum_of(vector a, int first) { return first ? a[1] + a[2] : a[0] + a[1] + a[2]; }
INLINE double dot(vector a, vector b, int first) { return sum_of(a * b, first); }
INLINE double length_of(vector a, int first) { return square_root(dot(a, a, first)); }

/* A vector brought from its length to the wanted one; as `geometry.scaled`. */
INLINE vector scaled(vector a, double length, double wanted) {
  return a * (wanted / larger(length, SHORTEST));
}

INLINE vector unit(vector a, int first) { return scaled(a, length_of(a, first), 1.0); }

/* As `geometry.limited`. */
INLINE vector limited(vector a, double maximum, int first) {
  return maximum == INFINITE ? a : scaled(a, larger(length_of(a, first), maximum), maximum);
}

/* The minimum-image offset; as `World.shortest`. */
INLINE vector shortest(vector offset, const World *world) {
  for (int a = 0; a < 3; a++) offset[a] = shortened(offset[a], world->period[a]);
  return offset;
}

/* The displacement of an animal whose positions differ by this; as `World.displacement`. */
INLINE vector displacement(vector offset, const World *world) {
  if (world->boundary == BALL) {
    double way = length_of(offset, (int)world->first), diameter = world->smallest;
    return scaled(offset, way, way > diameter / 2.0 ? way - diameter : way);
  }
  int leads_round = world->boundary == TORUS || world->boundary == WRAP || world->boundary == TELEPORT;
  for (int a = 0; a < 3; a++) offset[a] = shortened(offset[a], leads_round ? world->size[a] : 0.0);
  return offset;
}

/* A coordinate brought back into [0, size); as `world.wrapped`. */
INLINE double wrapped(double here, double size) {
  if (here >= 0.0 && here < size) return here;
  double rest = remainder_of(here, size);
  return rest >= size ? 0.0 : rest;
}

/* One coordinate of some animals after applying the boundary condition, in place; as `Boundary.confine`. */
static void confine_axis(double *position, double *velocity, integer count, const World *world, int axis) {
  double size = world->size[axis];
  integer boundary = world->boundary;
  double low = 0.0 - world->margin, high = size + world->margin; /* of who is teleported */
  if (boundary == OPEN || boundary == SOFT || boundary == BALL || boundary == TURN_BACK) return;
  for (integer i = 0; i < count; i++) {
    double here = position[i];
    if (boundary == TELEPORT)
      position[i] = here < low ? high : here > high ? low : here;
    else if (boundary == REFLECT) {
      if (here > 0.0 && here < size) continue;
      double bounced = floor_of(here / size), folded = remainder_of(here, 2.0 * size);
      double turned = bounced - 2.0 * floor_of(bounced / 2.0);
      position[i] = smaller(folded, 2.0 * size - folded);
      velocity[i] =
          (turned == 1.0 ? -velocity[i] : velocity[i]) * whole_power(world->restitution, magnitude(bounced));
    } else {
      position[i] = wrapped(here, size);
    }
  }
}

/* A place after applying the boundary condition of a ball; as `Ball.confine`. */
static vector confined_to_ball(vector place, const World *world) {
  int first = (int)world->first;
  vector middle = {0.0}, outward = {0.0};
  for (int a = first; a < 3; a++) {
    middle[a] = world->size[a] / 2.0;
    outward[a] = place[a] - middle[a];
  }
  double away = length_of(outward, first), diameter = world->smallest;
  return away > diameter / 2.0 ? middle + scaled(outward, away, away - diameter) : place;
}

INLINE void confine(vector *position, vector *velocity, const World *world) {
  if (world->boundary == BALL) *position = confined_to_ball(*position, world);
  for (int a = (int)world->first; a < 3; a++)
    confine_axis((double *)position + a, (double *)velocity + a, 1, world, a);
}

/* The push of a soft boundary; as `Soft.push`. */
INLINE vector push_inward(vector position, const World *world) {
  vector push = {0.0};
  for (int a = 0; a < 3; a++) {
    double low = larger(1.0 - position[a] / world->margin, 0.0);
    double high = larger(1.0 - (world->size[a] - position[a]) / world->margin, 0.0);
    push[a] = world->strength * (low - high);
  }
  return push;
}

/* The point of a curve at which an animal is at some time; as `Curve._current`. */
static vector curve_point(const Curve *curve, double time, integer number, int first) {
  double angle = 2.0 * PI * time / curve->period + (double)number * curve->phase;
  vector point = {cosine(angle), sine(angle), 0.0};
  if (curve->kind == TREFOIL_CURVE) {
    double ring = 2.0 + cosine(3.0 * angle);
    point = (vector){ring * cosine(2.0 * angle), ring * sine(2.0 * angle), sine(3.0 * angle)};
  }
  return first ? (vector){0.0, point[0], point[1]} : point;
}

/* As `Curve.position`. */
INLINE vector curve_position(const Curve *curve, double time, integer number, int first) {
  return vector_at(curve->center) + curve->scale * curve_point(curve, time, number, first);
}

/* Where an attractor is that moves; as `Attractor.place`. */
static vector attractor_place(const Attractor *attractor, const double *cells, double time, int first) {
  if (attractor->path == ON_CURVE) return curve_position(&attractor->curve, time, 0, first);
  const double *point = cells + attractor->points_at;
  integer leg = 0, points = attractor->points;
  double last = point[4 * (points - 1)];
  time = attractor->repeat ? remainder_of(time, last) : time < last ? time : last;
  while (leg < points && point[4 * leg] <= time) leg++;
  const double *there = point + 4 * least(most(1, leg), points - 1), *here = there - 4;
  double gone = time - here[0] > 0.0 ? time - here[0] : 0.0;
  vector start = vector_at(here + 1);
  return start + (vector_at(there + 1) - start) * (gone / (there[0] - here[0]));
}

#define MAX_PUSH 20.0 /* as `obstacles.MAX_PUSH` */

/* Directions away from a center; who is exactly there leaves along the first axis; as `outward_from`. */
INLINE vector outward_from(vector offset, double distance, int first) {
  vector outward = scaled(offset, distance, 1.0);
  if (distance == 0.0) outward[first] = 1.0;
  return outward;
}

static double box_surface(const Obstacle *box, vector offset, int first, vector *outward) {
  vector outside = {0.0}, side = {0.0}, beyond, along = {0.0};
  int nearest = first;
  for (int a = first; a < 3; a++) {
    beyond[a] = magnitude(offset[a]) - box->half[a];
    side[a] = offset[a] < 0.0 ? -1.0 : 1.0;
    outside[a] = larger(beyond[a], 0.0);
    if (beyond[a] > beyond[nearest]) nearest = a;
  }
  double distance = length_of(outside, first);
  along[nearest] = 1.0;
  *outward = distance == 0.0 ? along * side : outward_from(outside * side, distance, first);
  return distance == 0.0 ? beyond[nearest] : distance;
}

/* As `Ellipse.surface` and `_nearest_on_ellipse`. */
static double ellipse_surface(const Obstacle *ellipse, vector offset, int first, vector *outward) {
  vector radius = vector_at(ellipse->half), ratio, stretched, rest, part, place = {0.0}, side = {0.0};
  double smallest = radius[first], root = 0.0, inside;
  for (int a = first; a < 3; a++) {
    smallest = smaller(smallest, radius[a]);
    place[a] = magnitude(offset[a]);
    side[a] = offset[a] < 0.0 ? -1.0 : 1.0;
  }
  ratio = (radius / smallest) * (radius / smallest);
  part = place / radius;
  inside = dot(part, part, first);
  for (int a = first; a < 3; a++) {
    stretched[a] = larger(place[a], 1e-12 * radius[a]) / radius[a] * ratio[a];
    root = larger(root, stretched[a] * (ratio[a] == 1.0 ? 1.0 : 0.0));
  }
  for (int step = 0; step < 16; step++) {
    rest = root + (ratio - 1.0);
    part = stretched / rest;
    double size = length_of(part, first), slope = sum_of(part * part / rest, first);
    root = root + larger(size - 1.0, 0.0) * (size * size) / slope;
  }
  vector nearest = radius * unit(stretched / (root + (ratio - 1.0)), first);
  *outward = unit(side * nearest / (radius * radius), first);
  return (inside < 1.0 ? -1.0 : 1.0) * length_of(place - nearest, first);
}

/* As `Polygon.surface`; in flat worlds only. */
static double polygon_surface(const Obstacle *polygon, const double *cells, vector offset, vector *outward) {
  const double *corner = cells + polygon->points_at;
  vector place = vector_at(polygon->center) + offset, nearest = {0.0};
  double distance = INFINITE;
  integer crossings = 0;
  for (integer k = 0; k < polygon->points; k++, corner += 6) {
    const double *next_corner = k + 1 < polygon->points ? corner + 6 : cells + polygon->points_at;
    vector along = place - (vector){0.0, corner[0], corner[1]}, side = {0.0, corner[2], corner[3]};
    along -= smaller(larger(dot(along, side, 1) / corner[4], 0.0), 1.0) * side;
    double away = length_of(along, 1);
    if (k == 0 || away < distance) {
      distance = away;
      nearest = along;
    }
    int above = place[2] >= corner[1], next_above = place[2] >= next_corner[1];
    double at = corner[0] + (place[2] - corner[1]) / corner[5] * side[1];
    crossings += above != next_above && place[1] < at;
  }
  double sign = crossings % 2 == 1 ? -1.0 : 1.0;
  *outward = outward_from(nearest * sign, distance, 1);
  return sign * distance;
}

/* Distance from the surface of an obstacle, negative inside, and the outward direction there; as
   `Obstacle.surface`. */
static double surface(const Obstacle *obstacle, const double *cells, const World *world, vector place,
                      vector *outward) {
  int first = world->first;
  vector offset = place - vector_at(obstacle->center), whole = vector_at(obstacle->second), middle = {0.0};
  if (obstacle->kind == SEGMENT) middle = whole / 2.0;
  for (int a = first; a < 3; a++) offset[a] = nearest_image(offset[a], middle[a], world->period[a]);
  if (obstacle->kind == BOX) return box_surface(obstacle, offset, first, outward);
  if (obstacle->kind == ELLIPSE) return ellipse_surface(obstacle, offset, first, outward);
  if (obstacle->kind == POLYGON) return polygon_surface(obstacle, cells, offset, outward);
  if (obstacle->kind == SEGMENT) {
    double part = obstacle->squared != 0.0 ? dot(offset, whole, first) / obstacle->squared : 0.0;
    offset -= smaller(larger(part, 0.0), 1.0) * whole;
  }
  double distance = length_of(offset, first);
  *outward = outward_from(offset, distance, first);
  return distance - obstacle->radius;
}

/* The push of an obstacle; as `Obstacle.push`. */
static vector push_away(const Obstacle *obstacle, const double *cells, const World *world, vector place) {
  vector outward;
  double gap = surface(obstacle, cells, world, place, &outward), distance = gap;
  if (obstacle->kind == CIRCLE) distance = gap + obstacle->radius;
  double ratio = distance > 0.0 ? (obstacle->margin - gap) / distance : MAX_PUSH;
  double strength = obstacle->kind == CIRCLE ? larger(ratio, 0.0) : gap < obstacle->margin ? ratio : 0.0;
  return outward * (obstacle->weight * smaller(strength, MAX_PUSH));
}

#define TOUCHING 1e-6 /* as `obstacles.TOUCHING` */
#define CASTS 100     /* as `obstacles.CASTS` */

/* True if a ball meets an obstacle on its way, and does not overlap it at the start; as `Obstacle.blocks`. */
static int blocks(const Obstacle *obstacle, const double *cells, const World *world, vector position,
                  vector direction, double reach, double radius) {
  int first = (int)world->first;
  if (obstacle->kind == CIRCLE) {
    vector offset = shortest(vector_at(obstacle->center) - position, world);
    double touching = obstacle->radius + radius;
    double along = dot(offset, direction, first), squared = dot(offset, offset, first);
    double room = touching * touching - (squared - along * along);
    return squared > touching * touching && along > 0.0 && room > 0.0 && along - square_root(room) < reach;
  }
  double near = TOUCHING * world->smallest, way = 0.0;
  vector outward;
  double room = surface(obstacle, cells, world, position, &outward) - radius;
  if (!(room > 0.0)) return 0;
  for (int cast = 0; cast < CASTS && room > near && way < reach; cast++) {
    way += room;
    room = surface(obstacle, cells, world, position + direction * way, &outward) - radius;
  }
  return way < reach && dot(outward, direction, first) < 0.0;
}

/* Put animals that are inside a solid obstacle back on its surface, in place; as `Obstacle.keep_out`. Where
   anybody is inside, zero is added to all others, which decides the sign of a zero. */
static void keep_out(const Obstacle *obstacle, const double *cells, const World *world,
                     double *const position[3], double *const velocity[3], integer count) {
  int inside = 0, first = world->first;
  for (int change = 0; change < 2; change++)
    for (integer i = 0; i < count && change == inside; i++) {
      vector here = {0.0}, flight = {0.0}, outward;
      for (int a = first; a < 3; a++) {
        here[a] = position[a][i];
        flight[a] = velocity[a][i];
      }
      double gap = surface(obstacle, cells, world, here, &outward);
      inside |= gap < 0.0;
      if (!change) continue;
      double along = dot(flight, outward, first), depth = gap < 0.0 ? -gap : 0.0;
      double inward = (along < 0.0 ? along : 0.0) * (gap < 0.0 ? 1.0 : 0.0);
      for (int a = first; a < 3; a++) {
        position[a][i] += outward[a] * depth;
        velocity[a][i] -= outward[a] * inward;
      }
    }
}
