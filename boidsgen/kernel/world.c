/* The world: boundary conditions, curves that carry predators and attractors, and obstacles.

   Records are made by `program.py`, field by field in this order: whole numbers and doubles of 8 bytes each, and
   vectors of three components, of which the first is not looked at in a flat world. */

enum { OPEN, REFLECT, SOFT, TELEPORT, TORUS, WRAP };

typedef struct {
  integer first, boundary, before_turns; /* first axis; kind of boundary; whether turns begin with it */
  double size[3], period[3], smallest;   /* extent; 0 where an axis does not repeat; the smallest side */
  double restitution, margin, strength;  /* of reflecting and of soft boundaries */
} World;

INLINE double dot(const double a[3], const double b[3], int first) {
  double total = a[first] * b[first];
  for (int axis = first + 1; axis < 3; axis++) total += a[axis] * b[axis];
  return total;
}

INLINE double length_of(const double a[3], int first) { return square_root(dot(a, a, first)); }

/* Bring a vector from its length to the wanted one; as `geometry.scaled`. */
INLINE void scale(double a[3], double length, double wanted, int first) {
  double factor = wanted / larger(length, SHORTEST);
  for (int axis = first; axis < 3; axis++) a[axis] *= factor;
}

INLINE void make_unit(double a[3], int first) { scale(a, length_of(a, first), 1.0, first); }

/* As `geometry.limited`. */
INLINE void limit(double a[3], double maximum, int first) {
  if (maximum == INFINITE) return;
  double factor = maximum / larger(length_of(a, first), larger(maximum, SHORTEST));
  for (int axis = first; axis < 3; axis++) a[axis] *= factor;
}

/* The minimum-image offset, in place; as `World.shortest`. */
INLINE void shorten(double offset[3], const World *world) {
  if (world->boundary != TORUS) return;
  for (int a = world->first; a < 3; a++) offset[a] -= world->size[a] * rint(offset[a] / world->size[a]);
}

INLINE void offset_to(const double there[3], const double here[3], const World *world, double offset[3]) {
  for (int a = world->first; a < 3; a++) offset[a] = there[a] - here[a];
  shorten(offset, world);
}

/* One coordinate of some animals after applying the boundary condition, in place; as `Boundary.confine`. */
static void confine_axis(double *position, double *velocity, integer count, const World *world, int axis) {
  double size = world->size[axis];
  integer boundary = world->boundary;
  if (boundary == OPEN || boundary == SOFT) return;
  for (integer i = 0; i < count; i++) {
    double here = position[i];
    if (boundary == TELEPORT) position[i] = here < 0.0 ? size : here > size ? 0.0 : here;
    else if (boundary == REFLECT) {
      if (here > 0.0 && here < size) continue;
      double bounced = floor_of(here / size), folded = remainder_of(here, 2.0 * size);
      double turned = bounced - 2.0 * floor_of(bounced / 2.0);
      position[i] = smaller(folded, 2.0 * size - folded);
      velocity[i] = (turned == 1.0 ? -velocity[i] : velocity[i]) * whole_power(world->restitution, magnitude(bounced));
    } else if (!(here >= 0.0 && here < size)) {
      double rest = remainder_of(here, size);
      position[i] = rest >= size ? 0.0 : rest;
    }
  }
}

INLINE void confine(double position[3], double velocity[3], const World *world) {
  for (int a = (int)world->first; a < 3; a++) confine_axis(position + a, velocity + a, 1, world, a);
}

/* The push of a soft boundary; as `Soft.push`. */
INLINE void push_inward(const double position[3], const World *world, double push[3]) {
  for (int a = world->first; a < 3; a++) {
    double low = larger(1.0 - position[a] / world->margin, 0.0);
    double high = larger(1.0 - (world->size[a] - position[a]) / world->margin, 0.0);
    push[a] = world->strength * (low - high);
  }
}

enum { CIRCLE_CURVE, TREFOIL_CURVE };

typedef struct {
  integer kind;
  double period, phase;    /* time once round; angle between animals, in radians */
  double scale, center[3]; /* size over extent of the plain curve; middle */
} Curve;

/* The point of a curve at which an animal is at some time; as `Curve._current`. */
static void curve_point(const Curve *curve, double time, integer number, int first, double point[3]) {
  double angle = 2.0 * PI * time / curve->period + (double)number * curve->phase, full[3];
  if (curve->kind == CIRCLE_CURVE) {
    full[0] = cosine(angle), full[1] = sine(angle), full[2] = 0.0;
  } else {
    double ring = 2.0 + cosine(3.0 * angle);
    full[0] = ring * cosine(2.0 * angle), full[1] = ring * sine(2.0 * angle), full[2] = sine(3.0 * angle);
  }
  for (int a = first; a < 3; a++) point[a] = full[a - first];
}

/* As `Curve.position`. */
INLINE void curve_position(const Curve *curve, double time, integer number, int first, double place[3]) {
  curve_point(curve, time, number, first, place);
  for (int a = first; a < 3; a++) place[a] = curve->center[a] + curve->scale * place[a];
}

enum { STANDING, ON_CURVE, ON_WAYPOINTS };

typedef struct {
  integer path;
  double point[3], weight, sign, radius;
  Curve curve;
  integer points, repeat, points_at; /* of waypoints: how many, whether they repeat, and the cell of (points, 4) times and points */
} Attractor;

/* Where an attractor is; as `Attractor.place`. */
static void attractor_place(const Attractor *attractor, const double *cells, double time, int first, double place[3]) {
  if (attractor->path == STANDING)
    for (int a = first; a < 3; a++) place[a] = attractor->point[a];
  else if (attractor->path == ON_CURVE)
    curve_position(&attractor->curve, time, 0, first, place);
  else {
    const double *point = cells + attractor->points_at;
    integer leg = 0, points = attractor->points;
    double last = point[4 * (points - 1)];
    time = attractor->repeat ? remainder_of(time, last) : time < last ? time : last;
    while (leg < points && point[4 * leg] <= time) leg++;
    const double *there = point + 4 * least(most(1, leg), points - 1), *here = there - 4;
    double gone = time - here[0] > 0.0 ? time - here[0] : 0.0;
    for (int a = first; a < 3; a++) place[a] = here[1 + a] + (there[1 + a] - here[1 + a]) * (gone / (there[0] - here[0]));
  }
}

enum { BOX, CIRCLE, ELLIPSE, POLYGON, SEGMENT };

typedef struct {
  integer kind, solid;
  double weight, margin, radius;         /* of circles and segments: radius, or half the thickness */
  double center[3], half[3], second[3];  /* middle or start; half the size, or radii; of a segment end - start */
  double squared;                        /* of a segment: square of its length */
  integer points, points_at;             /* of a polygon: corners, and the cell of (points, 6) corner, side, |side|², rise */
} Obstacle;

#define MAX_PUSH 20.0 /* as `obstacles.MAX_PUSH` */

/* Directions away from a center; who is exactly there leaves along the first axis; as `outward_from`. */
INLINE void outward_from(const double offset[3], double distance, int first, double outward[3]) {
  for (int a = first; a < 3; a++) outward[a] = offset[a];
  scale(outward, distance, 1.0, first);
  if (distance == 0.0) outward[first] = 1.0;
}

static double box_surface(const Obstacle *box, const double offset[3], int first, double outward[3]) {
  double outside[3], side[3], beyond[3];
  int nearest = first;
  for (int a = first; a < 3; a++) {
    beyond[a] = magnitude(offset[a]) - box->half[a];
    side[a] = offset[a] < 0.0 ? -1.0 : 1.0;
    outside[a] = larger(beyond[a], 0.0);
    if (beyond[a] > beyond[nearest]) nearest = a;
  }
  double distance = length_of(outside, first), vector[3];
  if (distance == 0.0) {
    for (int a = first; a < 3; a++) outward[a] = (a == nearest ? 1.0 : 0.0) * side[a];
    return beyond[nearest];
  }
  for (int a = first; a < 3; a++) vector[a] = outside[a] * side[a];
  outward_from(vector, distance, first, outward);
  return distance;
}

/* As `Ellipse.surface` and `_nearest_on_ellipse`. */
static double ellipse_surface(const Obstacle *ellipse, const double offset[3], int first, double outward[3]) {
  double ratio[3], stretched[3], part[3], nearest[3], away[3], smallest = ellipse->half[first], root = 0.0, inside = 0.0;
  for (int a = first + 1; a < 3; a++) smallest = smaller(smallest, ellipse->half[a]);
  for (int a = first; a < 3; a++) {
    double radius = ellipse->half[a], place = magnitude(offset[a]), share = place / radius;
    ratio[a] = (radius / smallest) * (radius / smallest);
    stretched[a] = larger(place, 1e-12 * radius) / radius * ratio[a];
    root = larger(root, stretched[a] * (ratio[a] == 1.0 ? 1.0 : 0.0));
    inside += share * share;
  }
  for (int step = 0; step < 16; step++) {
    double slope = 0.0;
    for (int a = first; a < 3; a++) part[a] = stretched[a] / (root + (ratio[a] - 1.0));
    double size = length_of(part, first);
    for (int a = first; a < 3; a++) slope += part[a] * part[a] / (root + (ratio[a] - 1.0));
    root = root + larger(size - 1.0, 0.0) * (size * size) / slope;
  }
  for (int a = first; a < 3; a++) nearest[a] = stretched[a] / (root + (ratio[a] - 1.0));
  make_unit(nearest, first);
  for (int a = first; a < 3; a++) {
    double radius = ellipse->half[a], side = offset[a] < 0.0 ? -1.0 : 1.0;
    nearest[a] = radius * nearest[a];
    away[a] = magnitude(offset[a]) - nearest[a];
    outward[a] = side * nearest[a] / (radius * radius);
  }
  make_unit(outward, first);
  return (inside < 1.0 ? -1.0 : 1.0) * length_of(away, first);
}

/* As `Polygon.surface`; in flat worlds only. */
static double polygon_surface(const Obstacle *polygon, const double *cells, const double offset[3], double outward[3]) {
  const double *corner = cells + polygon->points_at;
  double place[3] = {0.0, polygon->center[1] + offset[1], polygon->center[2] + offset[2]}, nearest[3] = {0.0};
  double distance = INFINITE;
  integer crossings = 0;
  for (integer k = 0; k < polygon->points; k++, corner += 6) {
    const double *next_corner = k + 1 < polygon->points ? corner + 6 : cells + polygon->points_at;
    double along[3] = {0.0, place[1] - corner[0], place[2] - corner[1]}, side[3] = {0.0, corner[2], corner[3]}, across[3];
    double part = smaller(larger((along[1] * side[1] + along[2] * side[2]) / corner[4], 0.0), 1.0);
    for (int a = 1; a < 3; a++) across[a] = along[a] - part * side[a];
    double away = length_of(across, 1);
    if (k == 0 || away < distance) distance = away, nearest[1] = across[1], nearest[2] = across[2];
    int above = place[2] >= corner[1], next_above = place[2] >= next_corner[1];
    double at = corner[0] + (place[2] - corner[1]) / corner[5] * side[1];
    crossings += above != next_above && place[1] < at;
  }
  double sign = crossings % 2 == 1 ? -1.0 : 1.0, gap = sign * distance;
  for (int a = 1; a < 3; a++) nearest[a] *= sign;
  outward_from(nearest, magnitude(gap), 1, outward);
  return gap;
}

/* Distance from the surface of an obstacle, negative inside, and the outward direction there; as `Obstacle.surface`. */
static double surface(const Obstacle *obstacle, const double *cells, const World *world, const double place[3],
                      double outward[3]) {
  int first = world->first;
  double offset[3];
  offset_to(place, obstacle->center, world, offset);
  if (obstacle->kind == BOX) return box_surface(obstacle, offset, first, outward);
  if (obstacle->kind == ELLIPSE) return ellipse_surface(obstacle, offset, first, outward);
  if (obstacle->kind == POLYGON) return polygon_surface(obstacle, cells, offset, outward);
  if (obstacle->kind == SEGMENT) {
    double part = 0.0;
    if (obstacle->squared != 0.0)
      part = smaller(larger(dot(offset, obstacle->second, first) / obstacle->squared, 0.0), 1.0);
    for (int a = first; a < 3; a++) offset[a] -= part * obstacle->second[a];
  }
  double distance = length_of(offset, first);
  outward_from(offset, distance, first, outward);
  return distance - obstacle->radius;
}

/* The push of an obstacle; as `Obstacle.push`. */
static void push_away(const Obstacle *obstacle, const double *cells, const World *world, const double place[3],
                      double push[3]) {
  double gap = surface(obstacle, cells, world, place, push), margin = obstacle->margin, strength;
  if (obstacle->kind == CIRCLE) {
    double distance = gap + obstacle->radius;
    strength = smaller(larger(distance > 0.0 ? (margin - gap) / distance : MAX_PUSH, 0.0), MAX_PUSH);
  } else {
    double ratio = gap > 0.0 ? (margin - gap) / gap : MAX_PUSH;
    strength = gap < margin ? smaller(ratio, MAX_PUSH) : 0.0;
  }
  for (int a = world->first; a < 3; a++) push[a] = push[a] * (obstacle->weight * strength);
}

/* Put animals that are inside a solid obstacle back on its surface, in place; as `Obstacle.keep_out`. Where
   anybody is inside, zero is added to all others, which decides the sign of a zero. */
static void keep_out(const Obstacle *obstacle, const double *cells, const World *world, double *const position[3],
                     double *const velocity[3], integer count) {
  int inside = 0, first = world->first;
  for (int change = 0; change < 2; change++)
    for (integer i = 0; i < count && change == inside; i++) {
      double here[3], flight[3], outward[3];
      for (int a = first; a < 3; a++) here[a] = position[a][i], flight[a] = velocity[a][i];
      double gap = surface(obstacle, cells, world, here, outward);
      inside |= gap < 0.0;
      if (!change) continue;
      double along = dot(flight, outward, first), depth = gap < 0.0 ? -gap : 0.0;
      double inward = (along < 0.0 ? along : 0.0) * (gap < 0.0 ? 1.0 : 0.0);
      for (int a = first; a < 3; a++) position[a][i] += outward[a] * depth, velocity[a][i] -= outward[a] * inward;
    }
}
