/* The records of a program: the kernel includes this description of them, `simulation/records.py` reads it,
   and pages get the cells that they use from there.

   Everything that a call needs is in one memory of 8-byte cells: first the program, then whatever its
   records refer to by the number of the first cell. Vectors of animals are (d, n), one coordinate after the
   other; others have three components, of which the first has no meaning in a flat world. As written a
   program contains everything, in the units of scenarios; `plan.c` makes of it what there is to do, in
   place, and lays out the rest.

   Python knows this much of C: comments, enumerations that count from 0, and structures of `integer`,
   `double` and structures above, one field a line. */

enum boundary { OPEN, REFLECT, SOFT, TELEPORT, TORUS, WRAP, BALL, TURN_BACK };

typedef struct {
  integer first;        /* first axis: 1 in a flat world, else 0 */
  integer boundary;     /* kind of boundary */
  integer before_turns; /* whether turns begin with it */
  double size[3];       /* extent */
  double period[3];     /* 0 where an axis does not repeat */
  double smallest;      /* the smallest side */
  double restitution;   /* of a reflecting boundary */
  double margin;        /* of a boundary that has one */
  double strength;      /* of its push, or of its turn */
} World;

enum curve { CIRCLE_CURVE, TREFOIL_CURVE };

typedef struct {
  integer kind;
  double period;    /* time of one revolution */
  double phase;     /* angle between animals, in degrees, then in radians */
  double extent;    /* of the plain curve */
  double scale;     /* size, then size over extent; not a number = the default */
  double center[3]; /* middle; not a number = the default */
} Curve;

enum path { STANDING, ON_CURVE, ON_WAYPOINTS };

typedef struct {
  integer path;
  integer present;
  double point[3]; /* in this step */
  double sign;     /* its weight, then -1 if it repels */
  double radius;
  Curve curve;
  integer points;    /* number of waypoints */
  integer repeat;    /* whether they repeat */
  integer points_at; /* cell of (points, 4) times and points */
} Attractor;

enum obstacle { BOX, CIRCLE, ELLIPSE, POLYGON, SEGMENT };

typedef struct {
  integer kind;
  integer present;
  integer solid;
  double weight;
  double margin;     /* not a number = the default */
  double radius;     /* of circles and segments: radius, or half the thickness */
  double center[3];  /* middle or start */
  double half[3];    /* the size, then half of it, or radii */
  double second[3];  /* end, then end - start */
  double squared;    /* of a segment: square of its length */
  integer points;    /* corners of a polygon */
  integer points_at; /* cell of (points, 2), then of (points, 6): corner, side, |side|², rise */
} Obstacle;

enum field { CURL_NOISE, FLOW_MAP, HEIGHT_MAP, VORTEX, WIND };

/* What moves animals by their place and the time. */
typedef struct {
  integer kind;
  integer present;
  double period;    /* time after which it repeats; not a number = it is always the same */
  double vector[3]; /* of a wind */
  double gusts;     /* of a wind */
  double center[3]; /* of a vortex; not a number = the default */
  double radius;    /* of a vortex */
  integer rows;     /* of a map, the lowest first, or waves of curl noise */
  integer columns;  /* of a map */
  integer cells_at; /* cell of (rows, columns, 2) vectors, or of (rows, 8): wave vector, amplitude, phase,
                       sense */
} Field;

/* As `neighbors.Quantity`. */
enum quantity {
  OFFSET,
  VELOCITY,
  CONSTANT,
  INVERSE,
  INVERSE_SQUARE,
  EXPONENTIAL,
  POWER,
  QUARTIC,
  HEADING
};

/* A query of a rule: about its own kind, or about the groups that it names. */
typedef struct {
  double radius;    /* its radius is the sum of this, */
  double beyond[2]; /* and these */
  double view;      /* field of view in degrees, */
  double blind;     /* and the part of it that is blind */
  integer quantity; /* -1 = there is nothing to query */
  integer nearest;  /* 0 = all */
  integer counts;   /* whether those at the same place are neighbors */
  integer own;      /* about its own kind */
  integer headings; /* about headings in the place of velocities */
  integer noticed;  /* not about groups that its own ignores */
  integer joined;   /* about its groups taken together */
  integer weighting; /* of velocities and headings, a quantity: constant, exponential or power */
  integer relative;  /* less the own velocity or heading */
  double length;     /* of the falloff */
  double exponent;   /* of the falloff */
  double all_round;  /* distance within which it sees all round */
  integer sources;  /* Sources */
  integer sources_at;
} QuerySpec;

enum operation {
  PUSH,
  MIRROR,
  MEAN_OFFSET,
  MEAN_VELOCITY, /* recipes: `step.c` does them for many animals together */
  NOTHING,
  CURVE,
  NOISE_BOX,
  NOISE_SPHERE,
  WANDER,
  AVOID,
  DETOUR,
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
  PROPULSION,
  ATTRACT,
  OBSTACLE,
  EDGES,
  FIELD_VECTOR,
  LAST_DRIVE /* what steers besides rules */
};

enum form { DIRECT_FORM, REYNOLDS_FORM, UNIT_FORM, TURN_FORM };

enum average { BY_NEIGHBORS, BY_SUM, BY_VIEW }; /* as `flocking.Average` */

enum empty { REST, BRAKE, BRAKE_IN_VIEW, ORIGIN }; /* as `flocking.Empty` */

/* Something that steers a group in each step, such as a rule. */
typedef struct {
  integer rule; /* operation */
  integer form;
  integer on_position;
  integer live; /* in sequential updates it sees what has changed since the step began */
  double weight;
  double cap;      /* maximum length before the weight; not a number = the default */
  integer weights; /* cell of (n,) individual factors on the weight; 0 = none */
  integer fears;   /* it rests without hunters */
  integer in_order; /* what it adds shows in the velocity that later ones act on */
  integer ignores; /* bits of the groups of which its own takes no notice */
  integer specs;   /* QuerySpec */
  integer specs_at;
  integer rows_at;      /* planned: of each query the row of the results, -1 = none */
  integer row[5];       /* the first of them: of a recipe own kind, others, predators, and those in view */
  integer include_self; /* whether the animal itself counts in a mean */
  integer stream;       /* cell of its stream */
  integer drawn;        /* how many numbers an animal draws, then their cell */
  integer preempts;     /* where it gives a direction no other rule steers */
  double max_turn;      /* degrees per unit of time, then the cosine of the largest turn, */
  double turn_sine;     /* planned: and its sine */
  double value[8];      /* of a recipe planned the first: the weight of the animal itself */
  integer at[5]; /* of a recipe: whether neighbors brake who is given no direction, average, empty, of
                    headings, relative */
  integer told;  /* planned: its number among all as written */
} Term;

/* Animals that others look at: their group, and whether they are seen where they have come to in this
   step. */
typedef struct {
  integer group;
  integer moved;
} Sources;

typedef struct {
  integer count;    /* of animals */
  integer position; /* planned, as the next three: cells of (d, n) */
  integer velocity;
  integer new_position;
  integer new_velocity;
  integer carried; /* cell of the curve that carries them; 0 = none */
  integer sequential;
  integer shuffled; /* cell of the stream that the order of turns is from; 0 = by number */
  integer turns;    /* planned: the cell of drawn numbers and, behind them, of who has which turn */
  integer together; /* whether all move when each has turned */
  integer drive;    /* whether that of a step is kept, then its cell (d, n) */
  integer queries; /* planned, as the next four: NeighborQuery */
  integer queries_at;
  integer local; /* rows of results that the last of them gives, which is its own */
  integer rows;  /* all rows: the cells of results by number */
  integer rows_at;
  integer terms; /* Term */
  integer terms_at;
  integer fixed;  /* planned: memory of contributions in turns, (t, d, n) */
  integer speeds; /* cell of factors on speeds; 0 = none */
  integer flocks; /* Sources */
  integer flocks_at;
  integer hunters; /* Sources */
  integer hunters_at;
  integer noise;       /* angular noise: the cell of its stream */
  integer noise_drawn; /* planned: the cell of its numbers */
  integer solid_angle;
  double noise_width;  /* degrees, then radians */
  double noise_cosine; /* planned: of half the width */
  double inertia;
  double smoothing; /* share of the new drive in the one that steers */
  double steady_below; /* share of the highest speed, then that speed */
  double max_acceleration;
  double min_speed; /* not a number = the default */
  double max_speed;
  double speed; /* planned */
  double max_force;
  integer is_explicit;
  integer is_limited;    /* whether `max_speed` bounds the speed, */
  integer if_steered;    /* of those only whom something steers */
  integer per_time;      /* whether the drive is an acceleration */
} Group;

/* The first record in the memory. */
typedef struct {
  integer groups; /* Group, predators before flocks */
  integer groups_at;
  integer obstacles; /* Obstacle */
  integer obstacles_at;
  integer attractors; /* Attractor */
  integer attractors_at;
  integer fields; /* Field */
  integer fields_at;
  integer solids;    /* planned: whether any obstacle is solid */
  integer layers_at; /* of the ziggurat */
  integer grid_at;   /* planned: memory of a Grid */
  integer sorted_at; /* planned: memory of sorted sources and boids */
  integer step;      /* steps since the start */
  integer done;      /* steps in this call */
  integer group;     /* the next group to move, or at fault */
  integer largest;   /* planned: most animals that are sorted into a grid */
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

/* Measures that `measures.c` computes, each a bit of what is wanted; as in `measures.MEASURES`. */
enum measure {
  POLARIZATION,
  ROTATION,
  ANGULAR_MOMENTUM,
  DISPERSION,
  MEAN_SPEED,
  SPEED_SPREAD,
  PREDATOR_DISTANCE,
  NEAREST_NEIGHBOR_DISTANCE,
  GROUPS,
  LARGEST_GROUP,
  CLOSE_ENCOUNTERS,
  COLLISIONS_AVOIDED
};
