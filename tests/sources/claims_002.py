"""The claims of document 002: the quick start, three rules, three exercises, five pitfalls."""

from math import inf

from tests.sources.claims import Document

DOCUMENT = Document("002")
at, setting, same, bound, taught = DOCUMENT.at, DOCUMENT.setting, DOCUMENT.same, DOCUMENT.bound, DOCUMENT.taught

at("overview")
taught(
    "A murmuration looks like one animal although each bird follows three rules and some seven neighbors.",
    "murmuration|starling",
    "seven",
)
setting(
    "Some seven neighbors: a flock may look at the nearest seven only.", "murmuration", "flock.perception.neighbors", 7
)
taught("Reynolds called them boids, bird-oid objects, in 1987.", "bird-oid", "1987")
taught(
    "Emergence: a pattern of the whole out of agents none of which sees the whole.",
    "emerge",
    "local|nobody sees|none .* sees|neighbors only",
)
bound(
    "There is a moment in which drift tips into flying together.",
    "002-canonical",
    "canonical, lively",
    "local polarization",
    0.9,
    1,
)
taught("Batman Returns (1992) and The Lion King (1994) used it.", "Batman Returns", "Lion King")

at("objectives")
setting("The perception radius is the one knob that has a unit.", "002-canonical", "flock.perception.radius", 50)
same("Weights turn one flock into a diffuse cloud …", "002-separation", "separation, lively", "spacing")
same("… a tight ball …", "002-cohesion", "cohesion, lively", "gyration")
same("… or a parallel stream.", "002-alignment", "alignment, lively", "local polarization")

at("quick start")
setting("Thirty boids.", "002-quick-start", "flock.count", 30)
setting("A canvas of 400 by 400.", "002-quick-start", "world.size", (400, 400))
setting("150 frames.", "002-quick-start", "time.frames", 150)
setting("Twenty frames a second.", "002-quick-start", "output.fps", 20)
setting("A GIF.", "002-quick-start", "output.format", "gif")
setting("Discs …", "002-quick-start", "style.shape", "dot")
setting("… of radius 3; a dot is half a body length.", "002-quick-start", "style.size", 12)
setting("Background (20, 20, 30).", "002-quick-start", "style.background", "#14141e")
setting("Boids (0, 200, 200).", "002-quick-start", "style.flocks.0", "#00c8c8")
setting("Positions wrap at the edges, the mean does not know them.", "002-quick-start", "world.boundary", "wrap")
same("Velocities start within ±2 for each component: the mean speed.", "002-quick-start", "quick start", "speed")
bound("Velocities never change: nobody ever turns.", "002-quick-start", "quick start", "turn", 0, 1e-6)
same(
    "A hundredth of the way to the mean in each frame: a loose cloud, where it is at frame 49 …",
    "002-quick-start",
    "quick start",
    "from center at 49",
)
same("… at frame 99 …", "002-quick-start", "quick start", "from center at 99")
same("… and at the last.", "002-quick-start", "quick start", "from center at 149")
same("Cohesion only, no neighbors: there is no common heading.", "002-quick-start", "quick start", "polarization")

at("concept 1")
setting("50 pixels on a canvas of 400.", "002-canonical", "world.size", (400, 400))
taught(
    "Each boid adds up three forces and changes its velocity; that is all.",
    r"(add|sum)\w* (up )?.*(rules|forces)",
    "velocity",
)
taught(
    "No line of the program stands for the flock; it is what one sees from outside.",
    "no line|nowhere in the (code|program)|no (code|variable)",
    "flock",
)
taught(
    "Self-organization: nobody designs the pattern. Slime molds, ants, traffic jams, applause.",
    "slime mold",
    "ants",
    "traffic",
    "applause",
)

at("concept 2")
taught(
    "Separation adds away/d for all within the personal space. The comment says 1/d, the code makes a unit vector.",
    "unit vector",
    "1/d",
    page="formulas",
)
bound(
    "Without separation the flock collapses to a point.",
    "002-without-separation",
    "without separation, lively",
    "spacing",
    0,
    8,
)
taught(
    "Alignment is the mean velocity of the neighbors minus one's own.", r"`alignment`.*mean\(vj\) - v", page="formulas"
)
bound(
    "Without alignment the flock has no direction.",
    "002-without-alignment",
    "without alignment, lively",
    "polarization",
    0,
    0.35,
)
taught(
    "Cohesion is the mean position of the neighbors minus one's own.", r"`cohesion`.*mean\(pj\) - p", page="formulas"
)
bound(
    "Without cohesion the flock falls apart.",
    "002-without-cohesion",
    "without cohesion, lively",
    "largest group",
    0,
    0.6,
    holds=False,
)
same(
    "It cannot: fifty boids on 400 by 400 all have neighbors within 50. How far the next one is.",
    "002-without-cohesion",
    "without cohesion, lively",
    "spacing",
)

at("concept 3")
setting("Perception radius 50.", "002-canonical", "flock.perception.radius", 50)
setting("Separation 1.5.", "002-canonical", "flock.separation.weight", 1.5)
setting("Alignment 1.0.", "002-canonical", "flock.alignment.weight", 1.0)
setting("Cohesion 1.0.", "002-canonical", "flock.cohesion.weight", 1.0)
setting("At most 4 pixels a frame.", "002-canonical", "flock.max_speed", 4.0)
taught("There is no right set of weights; the choice is one of taste.", "no right|taste", "weights")
bound(
    "Much separation spreads the flock into a nervous cloud.",
    "002-separation",
    "separation, lively",
    "spacing",
    25,
    inf,
)
bound(
    "Much cohesion balls it up, and it bounces about its own center.",
    "002-cohesion",
    "cohesion, lively",
    "swings",
    10,
    inf,
)
bound(
    "Much alignment makes it stream in parallel lanes.",
    "002-alignment",
    "alignment, lively",
    "local polarization",
    0.95,
    1,
)

at("exercise 1")
setting("Fifty boids.", "002-canonical", "flock.count", 50)
setting("200 frames.", "002-canonical", "time.frames", 200)
same("All three rules with the usual weights.", "002-canonical", "canonical, lively", "polarization")

at("exercise 1, why groups form")
same(
    "Scattered boids become groups: how many there are at first …", "002-canonical", "canonical, lively", "groups at 0"
)
bound("… and at the end.", "002-canonical", "canonical, lively", "groups", 1, 5)
bound(
    "Cohesion does the pulling: alone it gathers scattered boids into few groups.",
    "002-cohesion-alone",
    "cohesion alone, lively",
    "groups",
    1,
    6,
    holds=False,
)
same(
    "What happens instead: they still wander between groups.", "002-cohesion-alone", "cohesion alone, lively", "groups"
)
same("Alignment alone makes groups faster.", "002-alignment-alone", "alignment alone, lively", "groups")
bound("Alignment then locks the heading.", "002-canonical", "canonical, lively", "local polarization", 0.9, 1)
bound("Cohesion alone locks none.", "002-cohesion-alone", "cohesion alone, lively", "local polarization", 0, 0.6)

at("exercise 1, two groups meet")
bound(
    "Flying in like directions they merge within some frames.",
    "002-meeting-alike",
    "meeting alike",
    "polarization",
    0.9,
    1,
)
bound("Crossing, they merge too or tangle.", "002-meeting-across", "meeting across", "largest group", 0.7, 1)
bound("Head-on they pass through each other or tangle.", "002-meeting-head-on", "meeting head-on", "merged", 0, 0.5)
taught(
    "One of three things happens always: merging, passing, tangling; which one cannot be foretold in detail.",
    "merge",
    "pass",
    "tangle",
)

at("exercise 1, edge and interior")
bound("Inside, the pulls of cohesion cancel.", "002-edge-and-interior", "edge and interior", "pull inside", 0, 12)
bound("At the rim cohesion pulls inward.", "002-edge-and-interior", "edge and interior", "pull at the rim", 15, 50)
taught(
    "Nobody programs the soft rim of a flock; that neighbors stand on one side only makes it.",
    "rim|edge of (a|the) (flock|group)",
    "inward|one side",
    "cancel|inside|interior",
)

at("exercise 2, separation")
setting("Separation 3.0.", "002-separation", "flock.separation.weight", 3.0)
setting("Alignment 0.5.", "002-separation", "flock.alignment.weight", 0.5)
setting("Cohesion 0.5.", "002-separation", "flock.cohesion.weight", 0.5)
bound("Diffuse: boids keep large distances.", "002-separation", "separation, lively", "spacing", 25, inf)
bound("Coordination breaks.", "002-separation", "separation, lively", "polarization", 0, 0.5)
bound(
    "Each flies rather alone, with a mild pull to the herd: neighbors fly less alike.",
    "002-separation",
    "separation, lively",
    "local polarization",
    0,
    0.85,
)
same("Nervous: headings keep changing.", "002-separation", "separation, lively", "turn")
same("A scattered fleet: many groups.", "002-separation", "separation, lively", "groups")

at("exercise 2, alignment")
setting("Separation 0.5.", "002-alignment", "flock.separation.weight", 0.5)
setting("Alignment 3.0.", "002-alignment", "flock.alignment.weight", 3.0)
setting("Cohesion 0.5.", "002-alignment", "flock.cohesion.weight", 0.5)
bound("Parallel streams: neighbors fly alike.", "002-alignment", "alignment, lively", "local polarization", 0.95, 1)
bound("A heading spreads outward until all have it.", "002-alignment", "alignment, lively", "polarization", 0.9, 1)
bound("The flock is longer than wide …", "002-alignment", "alignment, lively", "elongation", 1.5, inf)
bound("… along its flight.", "002-alignment", "alignment, lively", "along flight", 0.64, 1)
bound("It often splits into two or three lanes.", "002-alignment", "alignment, lively", "groups", 1, 3.5)
taught("Of the three it feels most like a murmuration of starlings.", "alignment", "murmuration|starling")

at("exercise 2, cohesion")
setting("Separation 0.5.", "002-cohesion", "flock.separation.weight", 0.5)
setting("Alignment 0.5.", "002-cohesion", "flock.alignment.weight", 0.5)
setting("Cohesion 3.0.", "002-cohesion", "flock.cohesion.weight", 3.0)
bound(
    "A tight ball: closer together than with the usual weights.", "002-cohesion", "cohesion, lively", "spacing", 0, 18
)
bound(
    "Boids overshoot the center, swing past it, and overshoot on the other side.",
    "002-cohesion",
    "cohesion, lively",
    "swings",
    10,
    30,
)
bound(
    "It vibrates: the distance from the center varies by a third of itself.",
    "002-cohesion",
    "cohesion, lively",
    "swing depth",
    0.3,
    1,
)
bound("Swarming insects: no common flight.", "002-cohesion", "cohesion, lively", "polarization", 0, 0.3)

at("exercise 3")
bound(
    "With a disc in the middle boids steer around it: few are inside …",
    "002-obstacle",
    "obstacle",
    "inside the disc, with",
    0,
    0.035,
)
same("… fewer than without it.", "002-obstacle", "obstacle", "inside the disc, without")
setting("The disc stands in the middle of the canvas.", "002-obstacle", "obstacles.0.center", (200, 200))
setting("It is felt up to one and a half times its radius.", "002-obstacle", "margin over radius", 0.5)
setting("Its weight is about 2.5.", "002-obstacle", "obstacles.0.weight", 2.5)
taught(
    "The push is (1.5 R - d)/d: large when near, zero at the end of its reach, away from the center.",
    r"\((1\.5 R|radius \+ margin) - d\)/d",
    page="formulas",
)
taught("It mirrors separation: push away, the harder the nearer.", "obstacle", "separation", "push")

at("make it your own")
setting("A predator goes for the nearest boid.", "002-predator", "predators.0.hunt.target", "nearest")
same("How near it comes.", "002-predator", "predator", "nearest predator")
bound(
    "Boids within its fear radius flee: fewer are near it than chance would have.",
    "002-predator",
    "predator",
    "share within fear",
    0,
    0.19,
)
bound(
    "The flock breaks and comes together again behind it: the number of groups keeps changing.",
    "002-predator",
    "predator",
    "changes of groups",
    2,
    100,
)
bound(
    "Bounded edges with a soft push: nearly all stay on the canvas.",
    "002-soft-edges",
    "soft edges",
    "share inside",
    0.95,
    1,
)
setting("Color by speed.", "002-speed-colors", "style.color_by", "speed")

at("pitfalls")
bound(
    "1. Without a largest force boids jump: headings turn about in every frame.",
    "002-unbounded",
    "canonical, unbounded",
    "turn",
    60,
    180,
)
taught(
    "2. Two nested loops over all boids are slow beyond 200; vectorize or use a tree.",
    "two (nested )?loops|every pair|all pairs|n²",
    "vectori|numpy|tree|cell",
)
taught(
    "3. A distance of zero must not be divided by: a boid will meet itself or a double.",
    "Coincident|distance of zero|r = 0",
    page="formulas",
)
same("4. One seed is one lucky start: the spread over twenty.", "002-canonical", "canonical, lively", "polarization")
setting("5. Who wraps positions must wrap the search for neighbors.", "002-canonical", "world.boundary", "torus")
