/* The program: the records that `program.py` writes, field by field in this order, whole numbers and doubles of 8 bytes.

   Everything that a call needs stands in one memory of 8-byte cells: first the program, then whatever its records name by
   the number of their first cell. Vectors are (d, n), one coordinate after the other. As written a program tells all that
   there is, in the units of scenarios; `plan.c` makes of it what there is to do, in place, and lays out the rest. */

enum {
  PUSH, MEAN_OFFSET, MEAN_VELOCITY, /* recipes: `step.c` does them for many animals together */
  NOTHING, CURVE, NOISE_BOX, NOISE_SPHERE, WANDER, AVOID,
  SEEK, HOME, ARRIVE, FOLLOW_PATH, FOLLOW_LEADER, FORMATION,
  HUNT_NEAREST, SUM, EVADE, SPECIES, ZONES,
  ATTRACT, OBSTACLE, EDGES, LAST_DRIVE /* what steers besides rules */
};
enum { DIRECT, REYNOLDS };

#define BLOCK 128 /* boids whose answers stand together: what is computed on the way stays in the first-level cache */

/* A request of a rule, as it is told: about its own kind, or about the groups that it names. */
typedef struct {
  double radius, beyond[2]; /* its radius is the sum of the three */
  double view, blind;       /* field of view in degrees, and what of it is blind */
  integer quantity, nearest, counts; /* quantity: -1 = there is no request; `counts`: those at the same place are neighbors */
  integer own, headings;             /* about its own kind; about headings in the place of velocities */
  integer noticed, joined;           /* not about groups that its own ignores; about its groups taken together */
  integer sources, sources_at;       /* Seen */
} Ask;

/* What a rule, or something else that steers, does in each step. */
typedef struct {
  integer rule, form, on_position, live; /* `live`: in sequential updates it sees what has changed since the step began */
  double weight, cap;                    /* factor, and maximum length before it; not a number = the usual one */
  integer weights;                       /* the cell of (n,) individual factors on the weight; 0 = none */
  integer fears, ignores;                /* it rests without hunters; bits of the groups of which its own takes no notice */
  integer asks, asks_at, rows_at;        /* Ask; planned: of each the row of the answers, -1 = none */
  integer row[4], include_self;          /* the first of them: of a recipe its own kind, others, predators */
  integer stream, drawn;                 /* the cell of its stream; how many numbers an animal draws, then their cell */
  double value[8];
  integer at[5], told;                   /* of a recipe the first: whether it brakes who is given no direction; its number
                                            among all that are told */
} Term;

/* Animals that others look at: which group they are, and whether they are seen where they have come to in this step. */
typedef struct {
  integer group, moved;
} Seen;

enum { BOUNDED, EVERYONE, UNBOUNDED };

/* Requests about the same sources that are answered together; the last one of a group may be answered as it moves. */
typedef struct {
  integer kind, own, local;       /* whether the boids themselves are the sources; whether they are answered as they move */
  integer sources, sources_at;    /* Seen */
  integer joined, headings;       /* memory for (2 d, m) sources of several groups, and for (d, n) headings; 0 = none */
  integer requests, requests_at, adds, noticed;
  integer lacking, asker;         /* memory (n,) of unbounded ones; the term, where no other may ask along */
  double radius;
} Question;

typedef struct {
  integer count, position, velocity, new_position, new_velocity; /* how many are there; cells of (d, n) */
  integer carried;                                               /* the cell of the curve that carries them; 0 = none */
  integer sequential, drive;                                     /* whether it accumulates, then its cell (d, n) */
  integer questions, questions_at, local;                        /* `local`: rows of answers that its own question gives */
  integer rows, rows_at;                                         /* all rows: the cells of answers by number */
  integer terms, terms_at, fixed;                                /* `fixed`: memory of contributions in turns, (t, d, n) */
  integer speeds;                                                /* cell of factors on speeds; 0 = none */
  integer flocks, flocks_at, hunters, hunters_at;                /* Seen */
  integer noise, noise_drawn, solid_angle;                       /* angular noise: cells of its stream and of its numbers */
  double noise_width, noise_cosine;                              /* degrees, then radians; of half the width */
  double inertia, max_acceleration, min_speed, max_speed, speed; /* `min_speed`: not a number = the usual one */
  double max_force;
  integer is_explicit, is_limited;                               /* whether `max_speed` bounds the speed */
} Group;

typedef struct {
  integer groups, groups_at, obstacles, obstacles_at, attractors, attractors_at, solids;
  integer layers_at, grid_at, sorted_at; /* of the ziggurat; memory of a Grid; memory of sorted sources and boids */
  integer step, done, group;             /* steps since the start, and in this call; the next group to move, or at fault */
  integer largest;                       /* most animals that are sorted into a grid */
  double dt;
  World world;
} Program;

INLINE Program *program_in(double *cells) { return (Program *)cells; }
INLINE Group *group_in(double *cells, integer group) { return (Group *)(cells + program_in(cells)->groups_at) + group; }
INLINE integer positions_of(const Group *group, integer moved) { return moved ? group->new_position : group->position; }
INLINE integer velocities_of(const Group *group, integer moved) { return moved ? group->new_velocity : group->velocity; }
