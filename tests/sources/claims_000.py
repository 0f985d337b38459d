"""The claims of document 000: the pygame lesson, its demonstration, its exercise, its quiz."""

from math import inf

from tests.sources.claims import Document
from tests.sources.expectations import above, at_most, has, sets

DOCUMENT = Document("000")
at, setting, same, bound, taught = DOCUMENT.at, DOCUMENT.setting, DOCUMENT.same, DOCUMENT.bound, DOCUMENT.taught
LESSON, EXERCISE, TOGGLES = "000-pygame-lesson", "000-pygame-exercise", "000-toggles"

at("introduction")
taught(
    "Simple rules make lifelike flocks: Reynolds' boids, after a murmuration of starlings.",
    "Reynolds",
    "starling|murmuration",
    "rules",
)

at("concept map")
taught("Core rules: separation, alignment, cohesion.", "separation", "alignment", "cohesion")
for name, idea in {
    "seek": "Seek: steer toward a point.",
    "flee": "Flee: steer away from a point.",
    "arrive": "Arrive: slow down at the point.",
    "wander": "Wander: steer at random, smoothly.",
    "avoidance": "Obstacle avoidance, by looking ahead.",
    "leader-following": "Leader following …",
    "hierarchy": "… and a hierarchy of leaders.",
    "pursuit": "Predator and prey: pursuit …",
    "evasion": "… and evasion.",
    "path-following": "Following a path.",
}.items():
    setting(f"{idea} One preset shows it in ten seconds.", f"concept-{name}", "duration", at_most(10))

at("demonstration")
bound(
    "A click attracts: boids near the point instead of anywhere.",
    "000-attract",
    "attract",
    "from center at 449",
    0,
    215,
)
bound("A right click repels.", "000-repel", "repel", "from center at 449", 215, inf)
setting("A button spawns a swarm: the count grows by an event.", "000-spawn", "boids, most over first frame", above(1))
setting("It shows how many boids there are.", LESSON, "numbers shown", has("boids"))
setting("It shows the mean speed.", LESSON, "numbers shown", has("mean_speed"))
setting("It shows how many obstacles there are.", "000-spawn", "numbers shown", has("obstacles"))
setting("It shows how many predators there are.", "000-spawn", "numbers shown", has("predators"))
setting("It runs at sixty frames a second, and shows it: a film always keeps its rate.", LESSON, "time.dt", 1 / 60)
setting("It shows the frames in a second.", LESSON, "numbers shown", has("fps"))
setting("It counts collisions avoided.", LESSON, "numbers shown", has("collisions_avoided"))
setting("It counts groups.", LESSON, "numbers shown", has("groups"))

at("implementation")
setting("Largest speed 150 pixels a second.", LESSON, "flock.max_speed", 150)
setting("Largest force 0.2.", LESSON, "flock.max_force", 0.2)
setting("Vision 50.", LESSON, "flock.perception.radius", 50)
setting("Vision angle 270 degrees.", LESSON, "flock.perception.field_of_view", 270)
setting("Separation 1.5.", LESSON, "flock.separation.weight", 1.5)
setting("Alignment 1.0.", LESSON, "flock.alignment.weight", 1.0)
setting("Cohesion 1.0.", LESSON, "flock.cohesion.weight", 1.0)
setting("Separation acts within 25.", LESSON, "flock.separation.radius", 25)
setting("Each push is divided by the distance.", LESSON, "flock.separation.falloff", "inverse")
setting("Boids are of size 5, from -5 to 5 along their flight.", LESSON, "style.size", 10)
setting("Their color is (76, 175, 80).", LESSON, "style.flocks.0", "#4caf50")
setting("They are triangles that point where they fly.", LESSON, "style.shape", "dart")
setting("Velocities start within ±1 for each component: almost at rest.", LESSON, "flock.start.velocity", (-1, 1))
setting(
    "Who leaves is put exactly on the opposite edge; the search for neighbors does not wrap.",
    LESSON,
    "world.boundary",
    "teleport",
)
same("Nearly at rest, they take long to be fast: the mean speed after fifteen seconds.", LESSON, "lesson", "speed")
same("How alike neighbors fly by then.", LESSON, "lesson", "local polarization")
same("How many groups there are by then.", LESSON, "lesson", "groups")
taught(
    "Every rule ends alike: desired velocity minus velocity, cut to the largest force; seek and flee too.",
    r"lim\(max_speed · unit\((x|raw)\) - v, max_force\)",
    "desired velocity - velocity|reynolds",
    page="formulas",
)
taught(
    "A vector divided by zero, or of length zero, is a zero vector: no division fails.",
    r"unit\(0\) = 0",
    page="formulas",
)

at("exercise, window")
setting("768 by 480 to play on.", EXERCISE, "world.size", (768, 480))
setting("1088 by 480 with the panel of forces, 320 wide.", EXERCISE, "picture_size", (1088, 480))
setting("Thirty boids.", EXERCISE, "flock.count", 30)
setting("Sixty ticks a second.", EXERCISE, "time.dt", 1 / 60)
setting("Eighty pixels a second at the start, in any direction.", EXERCISE, "flock.start.speed", (80, 80))
setting("Vision 50.", EXERCISE, "flock.perception.radius", 50)
setting("Vision angle 270 degrees.", EXERCISE, "flock.perception.field_of_view", 270)
setting("Largest speed 150.", EXERCISE, "flock.max_speed", 150)
setting("Largest force 0.2.", EXERCISE, "flock.max_force", 0.2)
setting("Separation within 25.", EXERCISE, "flock.separation.radius", 25)
setting("Separation 1.5.", EXERCISE, "flock.separation.weight", 1.5)
setting("Alignment 1.0.", EXERCISE, "flock.alignment.weight", 1.0)
setting("Cohesion 1.0.", EXERCISE, "flock.cohesion.weight", 1.0)
setting("Positions wrap by modulo; neighbors are not seen across the edge.", EXERCISE, "world.boundary", "wrap")
setting("Background (20, 30, 50).", EXERCISE, "style.background", "#141e32")
setting("Boids (180, 220, 255).", EXERCISE, "style.flocks.0", "#b4dcff")
setting("They are dots …", EXERCISE, "style.shape", "dot")
setting("… of radius 4; a dot is half a body length.", EXERCISE, "style.size", 16)
setting("A line (80, 80, 80) parts the panel from the world.", EXERCISE, "style.divider", "#505050")
setting("The panel shows one boid: an orange dot (255, 200, 100) of radius 8.", EXERCISE, "style.focus", "#ffc864")
setting("Its separation is red (255, 80, 80).", EXERCISE, "style.forces.0", "#ff5050")
setting("Its alignment is green (80, 255, 80).", EXERCISE, "style.forces.1", "#50ff50")
setting("Its cohesion is blue (80, 80, 255).", EXERCISE, "style.forces.2", "#5050ff")
setting("Its velocity is white.", EXERCISE, "style.text", "#ffffff")
setting("Forces are drawn 250 pixels a unit, the velocity 0.4.", EXERCISE, "overlay.forces", "panel")
setting("The panel says which rules are on.", TOGGLES, "events with a caption", 1.0)
setting("It says the mean speed …", EXERCISE, "numbers shown", has("mean_speed"))
setting("… and which color is which, beside the arrows.", EXERCISE, "overlay.forces", "panel")

at("exercise, what it shows")
same("The mean speed after fifteen seconds.", EXERCISE, "exercise", "speed")
same("How alike neighbors fly by then.", EXERCISE, "exercise", "local polarization")
same("How alike all fly by then.", EXERCISE, "exercise", "polarization")
same("How many groups there are by then.", EXERCISE, "exercise", "groups")
bound("The largest force makes turns gradual.", EXERCISE, "exercise", "turn", 0, 1)
bound("A flock comes out of local rules alone: groups grow.", EXERCISE, "exercise", "groups", 1, 20)
setting("Key 1 switches separation off.", TOGGLES, "events", sets("flock.separation.weight", 0.0))
bound(
    "Separation off: they clump into one point.",
    "000-without-separation",
    "without separation",
    "groups",
    1,
    1.5,
    holds=False,
)
same(
    "What happens instead: many small groups, each of which clumps.",
    "000-without-separation",
    "without separation",
    "groups",
)
same("How near the next boid is then.", "000-without-separation", "without separation", "spacing")
setting("Key 2 switches alignment off.", TOGGLES, "events", sets("flock.alignment.weight", 0.0))
bound("Alignment off: headings are random.", "000-without-alignment", "without alignment", "polarization", 0, 0.4)
same("How alike neighbors fly then.", "000-without-alignment", "without alignment", "local polarization")
setting("Key 3 switches cohesion off.", TOGGLES, "events", sets("flock.cohesion.weight", 0.0))
bound(
    "Cohesion off: they scatter over the whole area.",
    "000-without-cohesion",
    "without cohesion",
    "largest group",
    0,
    0.5,
)
same("How many groups there are then.", "000-without-cohesion", "without cohesion", "groups")
setting("Key R switches all on.", TOGGLES, "events", sets("flock.separation.weight", 1.5))
bound("Lonely boids keep their speed: without neighbors no rule acts.", EXERCISE, "exercise", "speed", 50, 150)
taught(
    "A rule with a wish of exactly zero brakes; it takes equal and opposite neighbors, and never happens.",
    "wish of zero",
    "brakes",
    page="formulas",
)

at("exercise, hint")
taught(
    "A small largest force gives smooth turns; a large one snaps boids round.",
    "limiting the force|largest force|max_force",
    "gradual|smooth",
    "snap|at once|force.gif",
)
taught(
    "Dividing by the distance after normalizing weighs by 1/d, without normalizing by nothing.",
    "unit vector",
    "1/d",
    page="formulas",
)
taught("Modulo keeps all on the canvas without any collision logic.", "coordinates modulo the size", page="formulas")

at("exercise, claims about separation")
taught(
    "1/d is said to push much harder when near; cut to 0.2 after averaging it only chooses the direction (trap 1).",
    "cut",
    r"0\.2",
    "no harder",
)

at("quiz")
taught(
    "1. Where does the pattern come from? Out of local rules; nobody manages the flock.",
    "global pattern|whole",
    "neighbors only|local",
)
taught(
    "2. What does the largest force add? Gradual turns over many frames instead of snapping to the wish.",
    "limiting the force|largest force",
    "gradual",
)
taught("3. Why 1/d? So that the nearest count most.", "nearest neighbor", "distance")
