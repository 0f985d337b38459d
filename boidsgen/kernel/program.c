/* The program: the records that `native.py` writes, field by field in this order, whole numbers and
   doubles of 8 bytes.

   Everything that a call needs stands in one memory of 8-byte cells: first the program, then whatever its
   records name by the number of their first cell. Vectors are (d, n), one coordinate after the other. As
   written a program tells all that there is, in the units of scenarios; `plan.c` makes of it what there is
   to do, in place, and lays out the rest. */

enum {
  PUSH,
  MEAN_OFFSET,
  MEAN_VELOCITY, /* recipes: `step.c` does them for many animals together */
  NOTHING,
  CURVE,
  NOISE_BOX,
  NOISE_SPHERE,
  WANDER,
  AVOID,
  SEEK,
  HOME,
  ARRIVE,
  FOLLOW_PATH,
  FOLLOW_LEADER,
  FORMATION,
  HUNT_NEAREST,
  SUM,
  EVADE,
  SPECIES,
  ZONES,
  ATTRACT,
  OBSTACLE,
  EDGES,
  LAST_DRIVE /* what steers besides rules */
};
enum { DIRECT, REYNOLDS };

/* Boids whose results stand together: what is computed on the way stays in the first-level cache. */
#define BLOCK 128

/* What a rule queries, as it is told: about its own kind, or about the groups that it names. */
typedef struct {
  double radius;    /* its radius is the sum of this, */
  double beyond[2]; /* and these */
  double view;      /* field of view in degrees, */
  double blind;     /* and what of it is blind */
  integer quantity; /* -1 = there is nothing to query */
  integer nearest;
  integer counts;   /* whether those at the same place are neighbors */
  integer own;      /* about its own kind */
  integer headings; /* about headings in the place of velocities */
  integer noticed;  /* not about groups that its own ignores */
  integer joined;   /* about its groups taken together */
  integer sources;  /* Sources */
  integer sources_at;
} QuerySpec;

/* What a rule, or something else that steers, does in each step. */
typedef struct {
  integer rule;
  integer form;
  integer on_position;
  integer live; /* in sequential updates it sees what has changed since the step began */
  double weight;
  double cap;      /* maximum length before the weight; not a number = the usual one */
  integer weights; /* the cell of (n,) individual factors on the weight; 0 = none */
  integer fears;   /* it rests without hunters */
  integer ignores; /* bits of the groups of which its own takes no notice */
  integer specs;   /* QuerySpec */
  integer specs_at;
  integer rows_at; /* planned: of each the row of the results, -1 = none */
  integer row[4];  /* the first of them: of a recipe its own kind, others, predators */
  integer include_self;
  integer stream; /* the cell of its stream */
  integer drawn;  /* how many numbers an animal draws, then their cell */
  double value[8];
  integer at[5]; /* of a recipe the first: whether it brakes who is given no direction */
  integer told;  /* its number among all that are told */
} Term;

/* Animals that others look at: which group they are, and whether they are seen where they have come to in
   this step. */
typedef struct {
  integer group;
  integer moved;
} Sources;

enum { BOUNDED, EVERYONE, UNBOUNDED };

/* Reductions about the same sources that are computed together; the last one of a group may be computed as
   it moves. */
typedef struct {
  integer kind;
  integer own;     /* whether the boids themselves are the sources */
  integer local;   /* whether it is computed as they move */
  integer sources; /* Sources */
  integer sources_at;
  integer joined;   /* memory for (2 d, m) sources of several groups; 0 = none */
  integer headings; /* memory for (d, n) headings; 0 = none */
  integer reductions;
  integer reductions_at;
  integer adds;
  integer noticed;
  integer unfilled; /* memory (n,) of unbounded ones */
  integer owner;    /* the term that has it alone; 0 = any may share it */
  double radius;
} NeighborQuery;

typedef struct {
  integer count;    /* how many are there */
  integer position; /* cells of (d, n) */
  integer velocity;
  integer new_position;
  integer new_velocity;
  integer carried; /* the cell of the curve that carries them; 0 = none */
  integer sequential;
  integer drive;   /* whether it accumulates, then its cell (d, n) */
  integer queries; /* NeighborQuery */
  integer queries_at;
  integer local; /* rows of results that the last of them gives, which is its own */
  integer rows;  /* all rows: the cells of results by number */
  integer rows_at;
  integer terms;
  integer terms_at;
  integer fixed;  /* memory of contributions in turns, (t, d, n) */
  integer speeds; /* cell of factors on speeds; 0 = none */
  integer flocks; /* Sources */
  integer flocks_at;
  integer hunters; /* Sources */
  integer hunters_at;
  integer noise;       /* angular noise: the cell of its stream */
  integer noise_drawn; /* the cell of its numbers */
  integer solid_angle;
  double noise_width;  /* degrees, then radians */
  double noise_cosine; /* of half the width */
  double inertia;
  double max_acceleration;
  double min_speed; /* not a number = the usual one */
  double max_speed;
  double speed;
  double max_force;
  integer is_explicit;
  integer is_limited; /* whether `max_speed` bounds the speed */
} Group;

typedef struct {
  integer groups;
  integer groups_at;
  integer obstacles;
  integer obstacles_at;
  integer attractors;
  integer attractors_at;
  integer solids;
  integer layers_at; /* of the ziggurat */
  integer grid_at;   /* memory of a Grid */
  integer sorted_at; /* memory of sorted sources and boids */
  integer step;      /* steps since the start */
  integer done;      /* steps in this call */
  integer group;     /* the next group to move, or at fault */
  integer largest;   /* most animals that are sorted into a grid */
  double dt;
  World world;
} Program;

INLINE Program *program_in(double *cells) { return (Program *)cells; }
INLINE Group *group_in(double *cells, integer group) {
  return (Group *)(cells + program_in(cells)->groups_at) + group;
}
INLINE integer positions_of(const Group *group, integer moved) {
  return moved ? group->new_position : group->position;
}
INLINE integer velocities_of(const Group *group, integer moved) {
  return moved ? group->new_velocity : group->velocity;
}
