/* The grid of `neighbors.py`: sources sorted by cell, so that the neighbors of a boid stand in a few
   ranges.

   All vectors have three components here; in a flat world the first is not looked at (`first` is 1 then,
   else 0), and its axis is a single cell. Where numpy has copies of cells beyond the edges, ranges have
   shifts. */

typedef struct {
  double low; /* as `neighbors.Axis` */
  double per_length;
  double shift;
  double period;
  integer cells;
  integer reach;
} Axis;

/* Positions and velocities of some animals, sorted by cell or not. */
typedef struct {
  integer count;
  double *position[3];
  double *velocity[3];
  const integer *number; /* (count,) which animal each entry is; 0 where they are not sorted */
} Points;

/* Animals in the order of their numbers, of positions and velocities (d, count). */
INLINE Points points_of(int first, integer count, const double *position, const double *velocity) {
  Points points = {count, {0}, {0}, 0};
  for (int a = first; a < 3; a++) {
    points.position[a] = (double *)position + (a - first) * count;
    points.velocity[a] = (double *)velocity + (a - first) * count;
  }
  return points;
}

typedef struct {
  Axis axis[3];
  Points sources;        /* those that are seen */
  Points boids;          /* those that see */
  const integer *starts; /* (cells + 1,) where each cell begins among the sources */
  int first;             /* the first axis: 1 in a flat world, else 0 */
  int repeats;           /* whether offsets must still be brought to the minimum image */
} Grid;

INLINE integer cell_along(const Axis *axis, double coordinate) {
  if (axis->cells == 1) return 0;
  double cell = (coordinate - axis->low) * axis->per_length, last = (double)(axis->cells - 1);
  return cell > 0.0 ? (integer)(cell < last ? cell : last) : 0;
}

static Axis axis_of(double low, double span, integer cells, double radius, double period) {
  integer reach = cells > 1 ? (integer)-floor_of(-(radius * (double)cells / span)) : 0;
  if ((period != 0.0 && cells < 2 * reach + 1) || cells == 1) return (Axis){low, 0.0, 0.0, period, 1, 0};
  return (Axis){low, (double)cells / span, period, 0.0, cells, reach};
}

/* The cube root of a number; as `exact.cube_root`. */
static double cube_root(double number) {
  if (number == 0.0 || !(number < INFINITE)) return number;
  Pattern fraction = {number};
  integer exponent = (integer)(fraction.pattern >> 52) - 1022;
  integer thirds = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
  fraction.pattern = (fraction.pattern & 0xfffffffffffffULL) | 0x3fe0000000000000ULL;
  double scaled = fraction.value;
  for (integer rest = exponent - 3 * thirds; rest > 0; rest--) scaled *= 2.0;
  double root = 0.65 + 0.35 * scaled - 0.03 * (scaled * scaled);
  for (int step = 0; step < 6; step++) root = root - (root - scaled / (root * root)) / 3.0;
  Pattern scale;
  scale.pattern = (bits)(thirds + 1023) << 52;
  return root * scale.value;
}

/* The axes of a world with these periods, for sources; as `neighbors.axes_of`. Returns the number of
   cells. */
static integer divide(Grid *grid, const double *period, double radius) {
  const Points *sources = &grid->sources;
  double low[3], span[3], wanted[3], all_cells = 1.0;
  int first = grid->first;
  grid->axis[0] = (Axis){0.0, 0.0, 0.0, 0.0, 1, 0};
  for (int a = first; a < 3; a++) {
    low[a] = 0.0;
    span[a] = period[a];
    if (span[a] == 0.0) {
      double high = low[a] = sources->position[a][0];
      for (integer i = 1; i < sources->count; i++) {
        low[a] = smaller(low[a], sources->position[a][i]);
        high = larger(high, sources->position[a][i]);
      }
      span[a] = high - low[a];
    }
    double fitting = span[a] / radius * (a == 2 ? 3.0 : 1.0);
    wanted[a] =
        !(span[a] < INFINITE) ? 1.0 : (double)(integer)(fitting < 0x1p30 ? larger(fitting, 1.0) : 0x1p30);
    all_cells *= wanted[a];
  }
  double filled = all_cells / (double)(4 * sources->count + 64);
  double shrink = filled > 1.0 ? 1.0 / (first ? square_root(filled) : cube_root(filled)) : 1.0;
  integer cells = 1;
  grid->repeats = 0;
  for (int a = first; a < 3; a++) {
    grid->axis[a] = axis_of(low[a], span[a], most(1, (integer)(wanted[a] * shrink)), radius, period[a]);
    cells *= grid->axis[a].cells;
    grid->repeats |= grid->axis[a].period != 0.0;
  }
  return cells;
}

/* Sort animals by cell, stably, into `memory` (7 or 9 rows of as many cells as animals); `starts` (cells +
   2,) receives where each cell begins. As `neighbors.make_grid`. */
static Points arrange(const Grid *grid, const Points *given, integer cells, integer *starts, double *memory) {
  integer count = given->count, *number = (integer *)memory, *cell = number + count;
  double *row = memory + 2 * count;
  Points sorted = {count, {0}, {0}, number};
  const Axis *axis = grid->axis;
  for (integer k = 0; k < cells + 2; k++) starts[k] = 0;
  for (integer i = 0; i < count; i++) {
    integer own = 0;
    for (int a = grid->first; a < 3; a++)
      own = own * axis[a].cells + cell_along(axis + a, given->position[a][i]);
    cell[i] = own;
    starts[own + 2]++;
  }
  for (integer k = 2; k < cells + 2; k++) starts[k] += starts[k - 1];
  for (int a = grid->first; a < 3; a++) {
    sorted.position[a] = row;
    sorted.velocity[a] = row + count;
    row += 2 * count;
  }
  for (integer i = 0; i < count; i++) {
    integer entry = starts[cell[i] + 1]++;
    number[entry] = i;
    for (int a = grid->first; a < 3; a++) {
      sorted.position[a][entry] = given->position[a][i];
      sorted.velocity[a][entry] = given->velocity[a][i];
    }
  }
  return sorted;
}

/* The cell that appears at a place along an axis, -1 for none, and by how much it is shifted there. */
INLINE integer repeated(const Axis *axis, integer place, double *shift) {
  *shift = 0.0;
  if (place >= 0 && place < axis->cells) return place;
  if (axis->shift == 0.0) return -1;
  *shift = place < 0 ? -axis->shift : axis->shift;
  return place < 0 ? place + axis->cells : place - axis->cells;
}

/* 5 rows each way of 3 ranges: an axis across reaches one cell, rounding makes that two. */
#define MOST_RANGES 75

/* Where sources around a cell stand: entries `base` + cell along the last axis of `starts`, and how they
   are shifted. */
typedef struct {
  integer base;
  integer first;  /* cells of the last axis from here on, */
  integer last;   /* and up to here */
  integer row[2]; /* the row's cells along the other axes, before they come round */
  double shift[3];
} CellRange;

/* The ranges around the row of cells x, y, in the order of the grid; returns how many there are. */
static int ranges_around(const Grid *grid, integer x, integer y, CellRange *range) {
  const Axis *axis = grid->axis;
  integer row_cells = axis[2].cells;
  int found = 0;
  for (integer layer = x - axis[0].reach; layer <= x + axis[0].reach; layer++)
    for (integer row = y - axis[1].reach; row <= y + axis[1].reach; row++) {
      double shift_x, shift_y;
      integer layer_of = repeated(axis, layer, &shift_x), row_of = repeated(axis + 1, row, &shift_y);
      if (layer_of < 0 || row_of < 0) continue;
      for (integer copy = axis[2].shift == 0.0 ? 0 : -1;
           copy <= (axis[2].shift != 0.0) && found < MOST_RANGES; copy++) {
        integer begin = copy * row_cells, base = (layer_of * axis[1].cells + row_of) * row_cells - begin;
        range[found++] = (CellRange){
            base, begin, begin + row_cells, {layer, row}, {shift_x, shift_y, (double)copy * axis[2].shift}};
      }
    }
  return found;
}

/* A search for the neighbors of some boids that follow each other in a row of the grid, at most as many as
   there are lanes: for each range where the candidates of each lane are, among the sorted sources. Lanes
   that are left repeat the last boid. */
typedef struct {
  const Grid *grid;
  int ranges;
  int boids;
  CellRange range[MOST_RANGES];
  mask begin[MOST_RANGES];
  mask end[MOST_RANGES];
  mask self;            /* itself among the sources, -1 where it is not */
  integer cell[LANES];  /* cells along the last axis */
  integer place[LANES]; /* where results go, */
  int in_row;           /* and whether these places follow each other */
  lanes position[3];
  lanes velocity[3];
  lanes limit;    /* squares of the distances of their neighbors: less than this, */
  double closest; /* and not less than this */
} Search;

/* Find the candidates; returns how many all lanes together have. */
static integer find_ranges(Search *search) {
  integer reach = search->grid->axis[2].reach, candidates = 0;
  for (int k = 0; k < search->ranges; k++) {
    const CellRange *range = search->range + k;
    const integer *starts = search->grid->starts + range->base, low = range->first, high = range->last;
    for (int lane = 0; lane < LANES; lane++) {
      search->begin[k][lane] = starts[least(most(search->cell[lane] - reach, low), high)];
      search->end[k][lane] = starts[least(most(search->cell[lane] + reach + 1, low), high)];
      candidates += search->end[k][lane] - search->begin[k][lane];
    }
  }
  return candidates;
}

/* Leave out the ends of ranges that are further away than a lane's limit, a squared distance. What is not
   a number, with boids very far away, becomes the whole range. */
static void prune_cells(Search *search, const double *limit) {
  const double rounding = 1e-6;
  const Axis *across = search->grid->axis, *last = across + 2;
  for (int k = 0; k < search->ranges; k++)
    for (int lane = 0; lane < LANES; lane++) {
      const CellRange *range = search->range + k;
      integer *begin = (integer *)(search->begin + k) + lane, *end = (integer *)(search->end + k) + lane;
      double squared = 0.0;
      for (int a = search->grid->first; a < 2; a++) {
        if (across[a].cells == 1) continue;
        double place = (search->position[a][lane] - across[a].low) * across[a].per_length;
        double row = (double)range->row[a];
        double gap = (row > place ? row - place : place > row + 1.0 ? place - (row + 1.0) : 0.0) - rounding;
        if (gap > 0.0) squared += gap / across[a].per_length * (gap / across[a].per_length);
      }
      if (squared >= limit[lane]) *end = *begin;
      if (squared >= limit[lane] || last->cells == 1) continue;
      double place = (search->position[2][lane] - last->low) * last->per_length;
      double half = square_root(limit[lane] - squared) * last->per_length + rounding;
      if (!(half < (double)last->reach) || !(magnitude(place) < 0x1p52)) continue;
      const integer *starts = search->grid->starts + range->base, low = range->first, high = range->last;
      integer from = most((integer)floor_of(place - half), search->cell[lane] - last->reach);
      integer until = least((integer)floor_of(place + half), search->cell[lane] + last->reach) + 1;
      *begin = starts[least(most(from, low), high)];
      *end = most(*begin, starts[least(most(until, low), high)]);
    }
}
