/* Animals, outlines and lines of lit pages: where they are in the picture, how they are turned, and their
   pixels; as drawing/camera.py, animals.py, lit.py, sheen.py, shapes.py and canvas.py, where numpy and
   Pillow do the same for clips. */

enum {
  SUBPIXELS = 4, /* shapes.SUBPIXELS */
  PLACES = SUBPIXELS * SUBPIXELS,
  SAMPLES = 4,
  HEADINGS = 64, /* shapes.HEADINGS */
  BEAT = 1024,   /* animals.BEAT */
  GOLDEN = 633,  /* animals.GOLDEN */
  NEAREST = 2047, /* glow.NEAREST */
  COPIES = 9,    /* of an animal in a world without edges */
};

#define BANK 28.0     /* animals.BANK */
#define FLAT_BANK 8.0 /* animals.FLAT_BANK */
#define LEANING 0.75  /* animals.LEANING */
#define WAG 0.26      /* animals.WAG */
#define RAISED 0.42   /* lit.RAISED */
#define FOLDED 0.3    /* lit.FOLDED */
#define SHADED 0.6    /* lit.SHADED */
#define MAX_BEND 0.62 /* shapes.MAX_BEND */
#define STIFF 0.15    /* shapes.STIFF */
#define WRIST 0.3     /* shapes.WRIST */
#define SWEEP 0.5     /* shapes.SWEEP */
#define STEPS 2048    /* shapes.PARTS */
#define CLOSEST 0.05  /* camera.MIN_DISTANCE */

/* How the world is seen, as lit.js writes it. In a flat world everything is in the plane of the picture. */
typedef struct {
  double center[3], right[3], up[3], toward[3];
  double origin[2], period[2], size[2];
  double scale, distance, reach, margin;
  double flat;
} Camera;

typedef struct {
  double x, y, here, depth; /* here: pixels of a unit */
  int shown;
} Seen;

/* camera.Projection */
static Seen seen_at(const Camera *camera, vector place) {
  vector away = place - vector_at(camera->center);
  double toward = dot(away, vector_at(camera->toward), 0), nearness = 1.0 - toward / camera->distance;
  Seen seen = {.here = camera->scale / larger(nearness, CLOSEST), .shown = nearness > CLOSEST};
  seen.x = dot(away, vector_at(camera->right), 0) * seen.here + camera->origin[0];
  seen.y = camera->origin[1] - dot(away, vector_at(camera->up), 0) * seen.here;
  if (camera->reach > 0.0)
    seen.depth = larger(smaller((camera->reach - toward) / (2.0 * camera->reach), 1.0), 0.0);
  return seen;
}

INLINE vector vector_in_row(const Camera *camera, const double *rows, int row) {
  return camera->flat != 0.0 ? (vector){rows[2 * row], rows[2 * row + 1]} : vector_at(rows + 3 * row);
}

/* True for a place in the picture, or so near to it. */
INLINE int is_near(const Camera *camera, double x, double y, double reach) {
  return x > -reach && y > -reach && x < camera->size[0] + reach && y < camera->size[1] + reach;
}

/* A place, or if it is within reach of an edge, one beyond the opposite edge; 0 if there is none near. */
static int copy_of(const Camera *camera, const Seen *seen, double reach, int number, double *copy) {
  for (int axis = 0; axis < 2; axis++) {
    double here = axis ? seen->y : seen->x, period = camera->period[axis];
    double low = camera->origin[axis] - period / 2.0;
    int side = (axis ? number / 3 : number % 3) - 1;
    if (side && (period == 0.0 || (side > 0 ? here >= low + reach : here <= low + period - reach))) return 0;
    copy[axis] = here + side * period;
  }
  return is_near(camera, copy[0], copy[1], reach);
}

/* ---- Attitudes ---- */

typedef struct {
  double heading; /* in radians, counterclockwise from the right */
  double apparent, pose;
} Attitude;

/* A bird that leans into its turns; as animals.attitudes. */
static Attitude leaning(const Camera *camera, vector velocity, vector past, double bank) {
  vector right = vector_at(camera->right), up = vector_at(camera->up);
  double pace = 1.0 / larger(length_of(velocity, 0), 1e-9);
  vector a = velocity * pace, b = (velocity - past) * (bank * pace);
  b[2] += 1.0;
  vector aside = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double span = length_of(aside, 0);
  aside = span < 1e-6 ? right : aside / span;
  double ahead = dot(a, right, 0), rise = dot(a, up, 0), x = dot(aside, right, 0), y = dot(aside, up, 0);
  double length = square_root(ahead * ahead + rise * rise), wide = square_root(x * x + y * y);
  double across = magnitude(ahead * y - rise * x) / larger(larger(length, wide), 1e-9);
  if (length >= wide) return (Attitude){heading(rise, ahead), length, across};
  /* A quarter turn from the right wing lies the head, unless one sees the body from below. */
  double below = x * rise - y * ahead < 0.0 ? -1.0 : 1.0;
  return (Attitude){heading(x * below, -y * below), across, wide};
}

/* A body, as lit.js writes it: numbers, borders between sprites, and polygons of a strength, a number of
   corners and these: all of it where it is small, the same where it is larger, and details. */
typedef struct {
  double winged, beat;
  double curved, detailed; /* sizes from which on it has a curve, and details */
  double polygons;
  double largest, faintest;
  double sizes, lengths, poses; /* their numbers */
  double numbers[];
} Body;

/* A group, as lit.js writes it. */
typedef struct {
  double beats;  /* parts of a beat that have passed */
  double length; /* of a body, in world units for a velocity in units a frame */
  double size;   /* of a body in the middle of the world, in pixels */
  double reach;
  double flashes;
  double flanks, sun[3], sideways, pale, facing, flash; /* as in sheen.py; no flanks = no sheen */
  double backs, back[];                                  /* size, height and color of each */
} Kind;

/* Whose rows of vectors are (n, 2) or (n, 3). */
typedef struct {
  const Camera *camera;
  const Body *body;
  const Kind *kind;
  const double *position, *velocity, *past;
} Animals;

/* As LitPainter.placed and animals.beating. */
static Attitude attitude_of(const Animals *all, int number, const Seen *seen) {
  const Camera *camera = all->camera;
  vector now = vector_in_row(camera, all->velocity, number), past = vector_in_row(camera, all->past, number);
  vector right = vector_at(camera->right), up = vector_at(camera->up);
  int part = (int)((number * (integer)GOLDEN + (integer)all->kind->beats) % BEAT);
  double stroke = sine(2.0 * PI * part / BEAT), pace = larger(length_of(now, 0), 1e-6);
  double turn = dot(past, right, 0) * dot(now, up, 0) - dot(past, up, 0) * dot(now, right, 0);
  if (all->body->winged != 0.0) {
    double lean = FLAT_BANK * turn / (pace * pace), lift = stroke * stroke, high = RAISED * RAISED * lift;
    Attitude it = {heading(now[1], now[0]), 1.0, larger(1.0 / square_root(1.0 + lean * lean), LEANING)};
    if (camera->flat == 0.0) it = leaning(camera, now, past, BANK);
    double spread = it.pose * (1.0 - FOLDED * lift);
    return (Attitude){it.heading, square_root(it.apparent * it.apparent + high),
                      square_root(spread * spread + high)};
  }
  double speed = length_of(now, 0), x = 1.0, y = 0.0;
  if (speed > 0.0) {
    vector place = vector_in_row(camera, all->position, number);
    Seen ahead = seen_at(camera, place + now / (camera->scale * speed));
    x = (ahead.x - seen->x) * camera->scale / seen->here;
    y = (seen->y - ahead.y) * camera->scale / seen->here;
  }
  double pose = 1.0;
  if (all->body->beat != 0.0)
    pose = 0.5 + WAG * stroke + turn * all->kind->length / (4.0 * MAX_BEND * pace * pace * pace);
  return (Attitude){heading(y, x), square_root(x * x + y * y), larger(smaller(pose, 1.0), 0.0)};
}

/* ---- Polygons ---- */

/* Room to work: two planes of squares, their sums, and corners of polygons. */
typedef struct {
  byte *square, *detail;
  int *areas;
  double *corner, *crossed;
  int squares, corners;
} Room;

typedef struct {
  int left, top, right, bottom;
} Box;

/* The room that an entry is given: so many squares and corners. */
INLINE Room room_in(byte *squares, int size, int *areas, double *corners, int corners_size) {
  return (Room){squares, squares + size / 2, areas, corners, corners + corners_size / 3 * 2, size / 2,
                corners_size / 3};
}

/* How much of its squares a polygon covers, from 0 to 255, (high, wide); as Pillow, which takes whole
   samples, SAMPLES along a square. */
static void cover_polygon(const double *corner, int corners, double *crossed, byte *square, int wide,
                          int high) {
  int first = high * SAMPLES, last = 0;
  for (int k = 1; k < 2 * corners; k += 2) {
    first = (int)least(first, (integer)corner[k]);
    last = (int)most(last, (integer)corner[k]);
  }
  for (int k = 0; k < wide * high; k++) square[k] = 0;
  for (int row = (int)most(first, 0); row <= last && row < high * SAMPLES; row++) {
    int found = 0, cell = 0;
    for (int k = 0, before = corners - 1; k < corners; before = k++) {
      double y = corner[2 * k + 1], v = corner[2 * before + 1], bottom = y > v ? y : v;
      if (y == v || row < (y < v ? y : v) || row > bottom || (row == bottom && row < last)) continue;
      double x = corner[2 * k], u = corner[2 * before], across = u + (row - v) * (x - u) / (y - v);
      int place = found++;
      for (; place && crossed[place - 1] > across; place--) crossed[place] = crossed[place - 1];
      crossed[place] = across;
    }
    for (int k = 1; k < found; k += 2) {
      int stop = (int)least(1 - (integer)floor_of(0.5 - crossed[k]), wide * SAMPLES);
      for (cell = (int)most(cell, (integer)floor_of(crossed[k - 1] + 0.5)); cell < stop;) {
        int next = (int)least(cell - cell % SAMPLES + SAMPLES, stop);
        square[row / SAMPLES * wide + cell / SAMPLES] += (byte)(next - cell);
        cell = next;
      }
    }
  }
  for (int k = 0; k < wide * high; k++)
    square[k] = (byte)((square[k] * 255 + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES));
}

/* Covers the squares of the corners in the room: the first part of a body finds the box, within limits, the
   others are details of a strength within it. 0 where there is no room. */
static int cover_part(const Room *room, int corners, int part, double strength, Box *box) {
  double *corner = room->corner;
  if (!part) {
    Box around = {box->right, box->bottom, box->left, box->top};
    for (int k = 0; k < 2 * corners; k += 2) {
      around.left = (int)least(around.left, (integer)floor_of(corner[k]));
      around.top = (int)least(around.top, (integer)floor_of(corner[k + 1]));
      around.right = (int)most(around.right, -(integer)floor_of(-corner[k]) + 1);
      around.bottom = (int)most(around.bottom, -(integer)floor_of(-corner[k + 1]) + 1);
    }
    *box = (Box){(int)most(box->left, around.left), (int)most(box->top, around.top),
                 (int)least(box->right, around.right), (int)least(box->bottom, around.bottom)};
  }
  int wide = box->right - box->left, high = box->bottom - box->top;
  if (wide <= 0 || high <= 0 || (integer)wide * high > room->squares) return 0;
  for (int k = 0; k < 2 * corners; k++) /* whole samples */
    corner[k] = (double)(int)((corner[k] - (k % 2 ? box->top : box->left)) * SAMPLES);
  byte *found = part ? room->detail : room->square;
  cover_polygon(corner, corners, room->crossed, found, wide, high);
  for (int k = 0; part && k < wide * high; k++)
    room->square[k] += (byte)(int)floor_of((255.0 * strength - room->square[k]) * found[k] / 255.0 + 0.5);
  return 1;
}

/* A corner of a body in a pose; as shapes.Shape.posed. */
INLINE void posed(const Body *body, double pose, double *x, double *y) {
  double behind = larger(STIFF - *x, 0.0), slope = 2.0 * MAX_BEND * (2.0 * pose - 1.0) * behind;
  if (body->winged != 0.0) {
    *x -= SWEEP * larger(magnitude(*y) - WRIST, 0.0) * (1.0 - pose);
    *y *= pose;
  } else if (body->beat != 0.0) {
    double across = *y / square_root(1.0 + slope * slope);
    *x = *x + slope * slope * behind / 6.0 + slope * across;
    *y = slope * behind / 2.0 + across;
  }
}

/* The squares of a body of a size in pixels, with its middle at a place; `finer` of them along a pixel. */
static int cover_body(const Room *room, const Body *body, Attitude it, double size, const double *middle,
                      double finer, Box *box) {
  const double *polygon = body->numbers + 2 * ((int)body->sizes + (int)body->lengths + (int)body->poses);
  double a = finer * size * cosine(it.heading), b = finer * size * sine(it.heading);
  int parts = 1;
  if (size >= body->curved) { /* no longer what stands for it where it is small */
    polygon += 2 + 2 * (int)polygon[1];
    if (size >= body->detailed) parts = (int)body->polygons - 1;
  }
  for (int part = 0; part < parts; part++) {
    int corners = (int)polygon[1];
    if (corners > room->corners) return 0;
    for (int k = 0; k < corners; k++) {
      double x = polygon[2 + 2 * k], y = polygon[3 + 2 * k];
      posed(body, it.pose, &x, &y);
      x *= it.apparent;
      room->corner[2 * k] = middle[0] + x * a - y * b;
      room->corner[2 * k + 1] = middle[1] - x * b - y * a;
    }
    if (!cover_part(room, corners, part, polygon[0], box)) return 0;
    polygon += 2 + 2 * corners;
  }
  return 1;
}

/* ---- Sprites ---- */

/* Those of one body, drawn when the first animal needs them: the number of each kind, or -1, and tables as
   of `add_sprites`. */
typedef struct {
  int *kinds, *used; /* sprites, and entries */
  integer *first, *count;
  int *offset;
  byte *coverage;
  int sprites, entries;
} Sprites;

/* The sum of the squares above and to the left of a corner, which may be outside; areas (high + 1, wide +
   1). */
INLINE int area(const int *areas, int high, int wide, int row, int column) {
  return areas[most(least(row, high), 0) * (wide + 1) + most(least(column, wide), 0)];
}

/* The sprites of a body in the room, at a heading of the first quarter, for all parts of a pixel, so many
   quarter turns on; as shapes.mask. */
static void append_sprites(const Room *room, const Sprites *all, Box box, int quarters, int stride,
                           int faintest) {
  int wide = box.right - box.left, high = box.bottom - box.top, columns = wide, size = high * wide;
  int top = box.top, left = box.left, entries = all->used[1], *areas = room->areas;
  for (int k = 0; k < quarters; k++) {
    int before = top, across = high;
    top = -(left + wide);
    left = before;
    high = wide;
    wide = across;
  }
  for (int column = 0; column <= wide; column++) areas[column] = 0;
  for (int row = 0, at = wide + 1; row < high; row++) {
    areas[at++] = 0;
    for (int column = 0, along = 0; column < wide; column++, at++) {
      int place = quarters % 2 ? column * columns + columns - 1 - row : row * columns + column;
      along += room->square[quarters < 2 ? place : size - 1 - place];
      areas[at] = areas[at - wide - 1] + along;
    }
  }
  for (int place = 0; place < PLACES; place++) {
    int down = top + place / SUBPIXELS, right = left + place % SUBPIXELS;
    all->first[all->used[0] + place] = entries;
    for (int y = (int)floor_of((double)down / SUBPIXELS); y * SUBPIXELS < down + high; y++)
      for (int x = (int)floor_of((double)right / SUBPIXELS); x * SUBPIXELS < right + wide; x++) {
        int row = y * SUBPIXELS - down, column = x * SUBPIXELS - right;
        int below = row + SUBPIXELS, beyond = column + SUBPIXELS;
        int covered = (area(areas, high, wide, below, beyond) - area(areas, high, wide, below, column) -
                       area(areas, high, wide, row, beyond) + area(areas, high, wide, row, column)) /
                      PLACES;
        if (covered < faintest) continue;
        all->offset[entries] = y * stride + x;
        all->coverage[entries++] = (byte)covered;
      }
    all->count[all->used[0] + place] = entries - all->first[all->used[0] + place];
  }
  all->used[0] += PLACES;
  all->used[1] = entries;
}

/* The place of a value among borders, in steps as those of the tables of shapes.QuickSprites. */
static int rank(const double *borders, double count, double value, double unit) {
  double part = smaller(floor_of(value / unit * STEPS), STEPS) * unit / STEPS;
  int found = 0;
  while (found < count - 1 && borders[found] <= part) found++;
  return found;
}

/* The first sprite of an animal of a size in lengths, whatever part of a pixel it is at; -1 where there is no
   room to draw it. */
static int sprite_of(const Room *room, const Sprites *all, const Body *body, Attitude it, double size,
                     int stride) {
  int lengths = (int)body->lengths, poses = (int)body->poses, sizes = (int)body->sizes;
  const double *borders = body->numbers + sizes + lengths + poses;
  int large = rank(borders, sizes, size, body->largest);
  int length = rank(borders + sizes, lengths, it.apparent, 1.0);
  int pose = rank(borders + sizes + lengths, poses, it.pose, 1.0);
  int turn = (int)floor_of(it.heading * HEADINGS / (2.0 * PI) + 0.5) & (HEADINGS - 1);
  int *number = all->kinds + ((large * lengths + length) * poses + pose) * HEADINGS + turn;
  if (*number >= 0) return *number;
  /* At a heading of the first quarter; the others are the same, turned. */
  Attitude drawn = {2.0 * PI * (turn % (HEADINGS / 4)) / HEADINGS, body->numbers[sizes + length],
                    body->numbers[sizes + lengths + pose]};
  Box box = {-(1 << 14), -(1 << 14), 1 << 14, 1 << 14};
  if (!cover_body(room, body, drawn, body->numbers[large], (double[]){0.0, 0.0}, SUBPIXELS, &box))
    box = (Box){0}; /* nothing is drawn of what is larger than any body of the page */
  int high = (box.bottom - box.top) / SUBPIXELS + 2, wide = (box.right - box.left) / SUBPIXELS + 2;
  if (all->used[0] + PLACES > all->sprites || all->used[1] + PLACES * high * wide > all->entries) return -1;
  *number = all->used[0];
  append_sprites(room, all, box, 4 * turn / HEADINGS, stride, (int)body->faintest);
  return *number;
}

/* ---- Groups ---- */

/* The shade of the flank of an animal; as sheen.Sheen.flank. */
static int flank_of(const Camera *camera, const Kind *kind, vector velocity) {
  double pace = larger(square_root(velocity[0] * velocity[0] + velocity[1] * velocity[1]), 1e-9);
  vector across = {velocity[1] / pace, -velocity[0] / pace};
  double right = dot(vector_at(camera->right), across, 0), up = dot(vector_at(camera->up), across, 0);
  double toward = dot(vector_at(camera->toward), across, 0);
  double lit = kind->sun[0] * right + kind->sun[1] * up, side = 1.0;
  if (camera->flat != 0.0)
    lit = magnitude(lit) / kind->sideways;
  else {
    side = magnitude(toward);
    lit = larger((toward < 0.0 ? -1.0 : 1.0) * (lit + kind->sun[2] * toward), 0.0);
  }
  double bright = kind->pale + kind->facing * side + kind->flash * lit * lit * lit * lit;
  return (int)least((integer)floor_of(bright * kind->flanks), (integer)kind->flanks - 1);
}

/* Where the back of an animal is from its middle, upward in the world. */
static vector back_of(const Camera *camera, vector velocity) {
  double level = square_root(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  double climb = camera->flat != 0.0 ? 0.0 : velocity[2];
  if (camera->flat != 0.0) return (vector){0.0};
  double pace = larger(level, 1e-9) * larger(square_root(level * level + climb * climb), 1e-9);
  return (vector){-velocity[0] * climb / pace, -velocity[1] * climb / pace, level * level / pace};
}

/* True for a place before all of those within reach of it, if there are any; rows of x, y and depth. */
static int is_ahead(const double *others, int count, const double *place, double depth, double reach) {
  int close = 0;
  for (const double *other = others; other < others + 3 * count; other += 3) {
    if (magnitude(other[0] - place[0]) >= reach || magnitude(other[1] - place[1]) >= reach) continue;
    if (depth >= other[2]) return 0;
    close = 1;
  }
  return close;
}

INLINE integer quarters_of(double place) { return (integer)floor_of(place * SUBPIXELS + 0.5); }

/* lit.LitPainter._draw_flock, without trails, of those wanted, or all: canvases as of `add_sprites`; strength
   and front (n,) are written. Predators, rows of x, y and depth, are no longer `drawn` behind boids. Draws
   only sprites while it is not `adding`; returns 0 where these lack room. */
ENTRY(int, add_flock)
(OUT(bits, sums), OUT(word, fronts), OUT(byte, touched), OUT(byte, drawn), OUT(word, strength),
 OUT(word, front), OUT(int, kinds), OUT(int, used), OUT(integer, first), OUT(integer, count),
 OUT(int, offset), OUT(byte, coverage), OUT(byte, squares), OUT(int, areas), OUT(double, corners),
 IN(double, numbers), IN(double, outline), IN(double, group), IN(double, position), IN(double, velocity),
 IN(double, past), IN(byte, hue), IN(byte, wanted), IN(byte, fading), IN(double, hunters),
 double hunter_reach, int adding) {
  const Camera *camera = (const Camera *)numbers;
  const Kind *kind = (const Kind *)group;
  const Animals all = {camera, (const Body *)outline, kind, position, velocity, past};
  const Room room = room_in(squares, squares_size, areas, corners, corners_size);
  const Sprites sprites = {kinds, used, first, count, offset, coverage, (int)least(first_size, count_size),
                           (int)least(offset_size, coverage_size)};
  int margin = (int)camera->margin, stride = (int)camera->size[0] + 2 * margin;
  for (int i = 0; i < strength_size; i++) {
    vector place = vector_in_row(camera, position, i), now = vector_in_row(camera, velocity, i);
    Seen seen = seen_at(camera, place);
    double thick = fading[(int)floor_of(seen.depth * 255.0 + 0.5)], upright = 0.0, copy[2];
    if (kind->flashes != 0.0) upright = leaning(camera, now, now, 0.0).pose;
    strength[i] = (word)floor_of(thick * (1.0 - SHADED * upright * upright) + 0.5);
    int near = (int)floor_of((1.0 - seen.depth) * NEAREST + 0.5) * HUES, color = hue_size ? hue[i] : 0;
    if (kind->flanks != 0.0) color = 1 + color * (int)kind->flanks + flank_of(camera, kind, now);
    front[i] = (word)(hue_size ? near + color : 0);
    if (!seen.shown || !is_near(camera, seen.x, seen.y, kind->reach) || (wanted_size && !wanted[i])) continue;
    Attitude it = attitude_of(&all, i, &seen);
    vector back = back_of(camera, now);
    double grown = seen.here / camera->scale, up = dot(vector_at(camera->up), back, 0);
    double right = dot(vector_at(camera->right), back, 0);
    for (int number = 0; number < COPIES; number++) {
      if (!copy_of(camera, &seen, kind->reach, number, copy)) continue;
      for (int part = 0; part <= kind->backs; part++) {
        /* A back wins where it is as near, and is no thicker than what is below it. */
        const double *one = kind->back + 3 * (part - 1);
        double far = part ? one[1] * kind->size * grown : 0.0;
        integer x = quarters_of(copy[0] + far * right), y = quarters_of(copy[1] - far * up);
        int sprite = sprite_of(&room, &sprites, all.body, it, part ? one[0] * grown : grown, stride);
        if (sprite < 0) return 0;
        if (!adding) continue;
        integer chosen = sprite + (y & 3) * SUBPIXELS + (x & 3);
        integer pixel = ((y >> 2) + margin) * stride + (x >> 2) + margin;
        word own = part ? 0 : strength[i], hues = part ? (word)(near + (int)one[2]) : front[i];
        CALL(add_sprites)(sums, sums_size, fronts, fronts_size, touched, touched_size, first, first_size,
                          count, count_size, offset, offset_size, coverage, coverage_size, &chosen, 1,
                          &pixel, 1, &own, 1, &hues, 1);
        if (part || !is_ahead(hunters, hunters_size / 3, copy, seen.depth, hunter_reach)) continue;
        for (integer entry = first[chosen]; entry < first[chosen] + count[chosen]; entry++)
          if (coverage[entry] > 127 && inside(pixel + offset[entry], drawn_size))
            drawn[pixel + offset[entry]] = 0;
      }
    }
  }
  return 1;
}

/* Puts what is covered of a box onto a canvas. */
static void put_box(const Camera *camera, const Room *room, Box box, byte *codes, int size,
                    const byte *ladder, int steps, int tone) {
  int margin = (int)camera->margin, stride = (int)camera->size[0] + 2 * margin;
  const byte *part = room->square;
  for (integer row = box.top + margin; row < box.bottom + margin; row++)
    for (int column = box.left + margin; column < box.right + margin; column++, part++)
      if (*part) put(codes, size, row * stride + column, ladder, steps, tone + *part);
}

INLINE Box all_of(const Camera *camera) {
  int margin = (int)camera->margin;
  return (Box){-margin, -margin, (int)camera->size[0] + margin, (int)camera->size[1] + margin};
}

/* lit.LitPainter._draw_predators, without trails, in a tone each: rows of x, y and depth of what is drawn are
   written; returns their number. */
ENTRY(int, draw_predators)
(OUT(byte, codes), OUT(double, hunters), OUT(byte, squares), OUT(double, corners), IN(double, numbers),
 IN(double, outline), IN(double, group), IN(double, position), IN(double, velocity), IN(double, past),
 IN(int, tone), IN(byte, wanted), IN(byte, ladder)) {
  const Camera *camera = (const Camera *)numbers;
  const Kind *kind = (const Kind *)group;
  const Animals all = {camera, (const Body *)outline, kind, position, velocity, past};
  const Room room = room_in(squares, squares_size, 0, corners, corners_size);
  int found = 0;
  for (int i = 0; i < tone_size; i++) {
    Seen seen = seen_at(camera, vector_in_row(camera, position, i));
    if (!seen.shown || !is_near(camera, seen.x, seen.y, kind->reach) || (wanted_size && !wanted[i])) continue;
    Attitude it = attitude_of(&all, i, &seen);
    if (all.body->winged != 0.0) it.pose = larger(it.pose, 0.3);
    for (int number = 0; number < COPIES; number++) {
      double *copy = hunters + 3 * found;
      Box box = all_of(camera);
      if (3 * found + 3 > hunters_size || !copy_of(camera, &seen, kind->reach, number, copy)) continue;
      hunters[3 * found++ + 2] = seen.depth;
      if (cover_body(&room, all.body, it, kind->size * seen.here / camera->scale, copy, 1.0, &box))
        put_box(camera, &room, box, codes, codes_size, ladder, ladder_size, tone[i]);
    }
  }
  return found;
}

/* ---- Outlines and lines ---- */

/* canvas.Canvas.fill: an outline, x and y of each corner, in a tone. */
ENTRY(void, fill)
(OUT(byte, codes), OUT(byte, squares), OUT(double, corners), IN(double, numbers), IN(double, outline),
 IN(byte, ladder), int tone) {
  const Camera *camera = (const Camera *)numbers;
  const Room room = room_in(squares, squares_size, 0, corners, corners_size);
  Box box = all_of(camera);
  if (outline_size / 2 > room.corners) return;
  for (int k = 0; k < outline_size; k++) room.corner[k] = outline[k];
  if (cover_part(&room, outline_size / 2, 0, 1.0, &box))
    put_box(camera, &room, box, codes, codes_size, ladder, ladder_size, tone);
}

/* Covers what is behind a body: a round one is shaded as a ball, lit from a direction to the right, up and
   toward the viewer, any other evenly; as lit.LitPainter._cover. Solid is (rows, columns). */
ENTRY(void, cover_behind)
(OUT(bits, sums), OUT(word, fronts), OUT(byte, drawn), OUT(byte, glowing), OUT(byte, solid),
 OUT(byte, squares), OUT(double, corners), IN(double, numbers), IN(double, outline), IN(double, lamp),
 int round, double shadow, double light, double rim, int shades) {
  const Camera *camera = (const Camera *)numbers;
  const Room room = room_in(squares, squares_size, 0, corners, corners_size);
  double low[2] = {INFINITE, INFINITE}, high[2] = {-INFINITE, -INFINITE};
  int margin = (int)camera->margin, wide = (int)camera->size[0], tall = (int)camera->size[1];
  Box box = all_of(camera);
  if (outline_size / 2 > room.corners || lamp_size < 3) return;
  for (int k = 0; k < outline_size; k++) {
    room.corner[k] = outline[k];
    low[k % 2] = smaller(low[k % 2], outline[k]);
    high[k % 2] = larger(high[k % 2], outline[k]);
  }
  if (!cover_part(&room, outline_size / 2, 0, 1.0, &box)) return;
  const byte *covered = room.square;
  for (int row = box.top; row < box.bottom; row++)
    for (int column = box.left; column < box.right; column++) {
      if (*covered++ < 128 || row < 0 || column < 0 || row >= tall || column >= wide) continue;
      double x = (2.0 * column + 1.0 - low[0] - high[0]) / (high[0] - low[0]);
      double y = (2.0 * row + 1.0 - low[1] - high[1]) / (high[1] - low[1]);
      double toward = square_root(larger(1.0 - x * x - y * y, 0.0));
      double bright = round ? x * lamp[0] - y * lamp[1] + lamp[2] * toward : 0.5;
      integer at = (integer)(row + margin) * (wide + 2 * margin) + column + margin;
      if (!inside(at, (int)least(least(sums_size, drawn_size), glowing_size))) continue;
      sums[at] = drawn[at] = glowing[at] = 0;
      if (inside(at, fronts_size)) fronts[at] = 0;
      double part = smaller((shadow + light * larger(bright, 0.0)) / rim, 1.0);
      if (inside((integer)row * wide + column, solid_size))
        solid[row * wide + column] = (byte)(1 + (int)floor_of(part * (shades - 1) + 0.5));
    }
}

/* The part of a line that is near the picture (after Liang and Barsky); 0 if there is none. */
static int clipped(const Camera *camera, const double *line, double *ends) {
  double low = line[4] + 2.0 - camera->margin, early = 0.0, late = 1.0;
  for (int axis = 0; axis < 2; axis++) {
    double from = line[axis], way = line[2 + axis] - from, high = camera->size[axis] - low;
    double one = (low - from) / way, other = (high - from) / way;
    if (magnitude(way) > 1e-9) {
      early = larger(early, smaller(one, other));
      late = smaller(late, larger(one, other));
    } else if (from < low || from > high)
      return 0;
  }
  for (int k = 0; k < 4; k++) {
    double from = line[k % 2], way = line[2 + k % 2] - from;
    ends[k] = from + (k < 2 ? early : late) * way;
  }
  return early <= late;
}

/* Straight lines, rows of x, y, x, y, thickness, tone and front: on a canvas by a ladder, or in a buffer
   where there is no canvas. line, flat and coverage are room for the pixels of one. */
ENTRY(void, stroke)
(OUT(byte, codes), IN(byte, ladder), OUT(bits, sums), OUT(word, fronts), OUT(byte, touched),
 OUT(integer, line), OUT(integer, flat), OUT(byte, coverage), IN(double, numbers), IN(double, lines)) {
  const Camera *camera = (const Camera *)numbers;
  int margin = (int)camera->margin, stride = (int)camera->size[0] + 2 * margin;
  for (const double *one = lines; one < lines + lines_size; one += 7) {
    double ends[4], half = one[4] / 2.0;
    float thick = (float)half, edge = (float)(half + 0.5);
    int beside = -(int)floor_of(0.5 - 1.42 * (half + 0.5));
    integer tone = (integer)one[5];
    word strength = (word)one[5], front = (word)one[6];
    if (!clipped(camera, one, ends)) continue;
    int found = CALL(cover)(line, line_size, flat, flat_size, coverage, coverage_size, ends, 2, ends + 2, 2,
                            &edge, 1, &thick, 1, beside, stride, margin * (stride + 1));
    if (codes_size)
      CALL(draw_trace)(codes, codes_size, line, found, flat, found, coverage, found, &tone, 1, ladder,
                       ladder_size);
    else
      CALL(add_trace)(sums, sums_size, fronts, fronts_size, touched, touched_size, line, found, flat, found,
                      coverage, found, &strength, 1, &front, 1);
  }
}

/* glow.clouds, before they are enlarged: of each square, so many pixels wide, how many borders the sum of the
   places (n, 3) round it passes; these are column, row and weight. */
ENTRY(void, find_clouds)
(OUT(byte, squares), OUT(integer, cells), OUT(integer, scratch), IN(double, places), IN(double, borders),
 int columns, int square, int reach, double unit) {
  int size = (int)least(squares_size, cells_size), rows = columns > 0 ? size / columns : 0;
  for (int k = 0; k < size; k++) cells[k] = 0;
  for (const double *place = places; place < places + places_size - 2; place += 3) {
    double column = floor_of(place[0] / square), row = floor_of(place[1] / square);
    if (column >= 0.0 && column < columns && row >= 0.0 && row < rows)
      cells[(int)row * columns + (int)column] += (integer)rint(place[2] * unit);
  }
  CALL(blur)(cells, size, scratch, scratch_size, columns, reach);
  for (int k = 0; k < size; k++) {
    squares[k] = 0;
    while (squares[k] < borders_size && borders[squares[k]] <= (double)cells[k]) squares[k]++;
  }
}

/* Adds a shade (rows, columns), in parts of a level, to a buffer, dithered. */
ENTRY(void, add_shade)
(OUT(bits, sums), OUT(byte, touched), IN(byte, shade), IN(byte, finest), int columns, int margin,
 int parts) {
  integer stride = columns + 2LL * margin;
  for (int k = 0; k < shade_size; k++) {
    int row = k / columns, column = k % columns;
    integer at = (row + margin) * stride + column + margin;
    if (!shade[k] || !inside(at, sums_size) || !inside(at >> TILE, touched_size)) continue;
    sums[at] += (bits)((shade[k] + ((255 - finest[grain_at(row, column)]) >> 5)) / parts) << SIDE;
    touched[at >> TILE] = 1;
  }
}

/* Takes away what is on a canvas beside a box. */
ENTRY(void, clear_beside)
(OUT(byte, codes), int columns, int margin, int top, int bottom, int left, int right) {
  int stride = columns + 2 * margin;
  for (int at = 0; at < codes_size; at++) {
    int row = at / stride - margin, column = at % stride - margin;
    if (row < top || row >= bottom || column < left || column >= right) codes[at] = 0;
  }
}
