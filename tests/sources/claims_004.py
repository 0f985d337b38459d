"""The claims of document 004: the rules in C++, then the p5.js flock built up rule by rule."""

from tests.sources.claims import Document
from tests.sources.expectations import above, below, given

DOCUMENT = Document("004")
at, setting, same, bound, taught = DOCUMENT.at, DOCUMENT.setting, DOCUMENT.same, DOCUMENT.bound, DOCUMENT.taught
BUILD_UP, FINAL, TEXT = "004-build-up", "004-sliders", "004-rules-in-text"

at("overview")
taught(
    "Reynolds 1987; bats and penguins in Batman Returns (1992), birds in Half-Life (1998).",
    "Batman Returns",
    "Half-Life",
)
taught(
    "Decentralized: each individual is programmed, the flock is not.",
    "decentral|no boid (is|leads)|nobody (leads|manages)|each (boid|individual) is programmed",
)

at("rules")
taught(
    "Separation is like poles of magnets that repel: the nearer, the stronger. The code makes a unit vector of it.",
    "magnet",
)
setting("Separation: the sum of diff · (1/d).", TEXT, "flock.separation.falloff", "constant")
setting("Separation has a distance of its own.", TEXT, "flock.separation.radius", 22)
setting("Rules are raw vectors.", TEXT, "flock.steering", "direct")
taught("Alignment is what makes a crowd a flock: mean velocity minus one's own.", "alignment", "crowd")
taught(
    "Cohesion is separation's opposite, unlike poles: mean position minus one's own.",
    "cohesion",
    "opposite|unlike poles|counterpart",
)
setting("Both see as far as the neighbor distance.", TEXT, "flock.perception.radius", 50)
same("How alike neighbors fly.", TEXT, "fragments", "local polarization")
same("How far the next boid is.", TEXT, "fragments", "spacing")
same("How many groups there are.", TEXT, "fragments", "groups")
same("How fast they fly.", TEXT, "fragments", "speed")

at("scenes")
setting(
    "Fish: less alignment, as water lets them be unevenly spaced.",
    "004-fish-school",
    "flock.alignment.weight",
    below(1),
)
taught("The tail of the school turns later than its head.", "tail", "later|lags?")
setting("Mice or zombies: more cohesion.", "004-horde", "flock.cohesion.weight", above(1))
setting("The horde flows round obstacles like a liquid …", "004-horde", "obstacles", given)
setting("… toward a point that moves.", "004-horde", "attractors.path", given)
setting("Science fiction: a sharp triangle, a shape on top of cohesion.", "004-formation", "flock.formation.shape", "v")

at("build-up, boids")
setting("A hundred boids.", BUILD_UP, "flock.count", 100)
setting("640 by 360.", BUILD_UP, "world.size", (640, 360))
setting("All start in the middle …", BUILD_UP, "flock.start.layout", "center")
setting("… at speeds from 0.5 to 1.5, in any direction.", BUILD_UP, "flock.start.speed", (0.5, 1.5))
setting("The position moves before the velocity changes.", BUILD_UP, "flock.integrator", "explicit")
setting("White dots (255) …", BUILD_UP, "style.flocks.0", "#ffffff")
setting("… 16 wide; a dot is half a body length.", BUILD_UP, "style.size", 32)
setting("Background 51.", BUILD_UP, "style.background", "#333333")
same("Without rules they fly apart from the middle: the distance at frame 60 …", BUILD_UP, "drift", "from center at 60")
same("… and at 119.", BUILD_UP, "drift", "from center at 119")
bound("Nobody turns.", BUILD_UP, "drift", "turn", 0, 1e-5)

at("build-up, alignment")
setting("Radius 50.", BUILD_UP, "flock.alignment.radius", 50)
taught(
    "Average velocity, then the largest speed that way, minus one's own, cut: no sharp turns.",
    r"lim\(max_speed · unit\(x\) - v, max_force\)",
    page="formulas",
)
taught("The mass is 1, so force is acceleration.", "mass", "acceleration")
same("All fly alike soon.", BUILD_UP, "alignment", "polarization")
bound("One heading.", BUILD_UP, "alignment", "local polarization", 0.9, 1)
setting("Boids fly out on one side and in on the other.", BUILD_UP, "world.boundary", "teleport")

at("build-up, cohesion")
setting("Radius 50 in the walk.", BUILD_UP, "flock.cohesion.radius", 50)
same("Cohesion alone holds them: how far they are from the center.", BUILD_UP, "cohesion", "from center at 119")
taught(
    "The largest force matters little; the radius decides who flocks together.",
    "radius",
    "who .*(flock|together|sees)|largest force matters little",
)
same("Both rules: how alike they fly.", BUILD_UP, "both", "polarization")
same("Both rules: how near the next one is.", BUILD_UP, "both", "spacing")
taught("Forces add up, as in physics.", "the sum of all", page="formulas")
same(
    "Where the acceleration is never set back, forces pile up: how fast they are.",
    "004-never-reset",
    "both, never reset",
    "speed",
)

at("build-up, separation")
setting("Radius 50.", BUILD_UP, "flock.separation.radius", 50)
same("Separation alone spreads them: the distance from the center …", BUILD_UP, "separation", "from center at 119")
same("… and from the next one.", BUILD_UP, "separation", "spacing")
taught(
    "Each diff is divided by its length: every neighbor counts alike, however far.",
    r"`constant`|diff/\|diff\| is a unit vector",
    "unit",
    page="formulas",
)

at("final")
setting("A hundred boids.", FINAL, "flock.count", 100)
setting("640 by 360.", FINAL, "world.size", (640, 360))
setting("They start anywhere …", FINAL, "flock.start.layout", "uniform")
setting("… at speeds from 0.5 to 2.", FINAL, "flock.start.speed", (0.5, 2.0))
setting("Largest force 0.2.", FINAL, "flock.max_force", 0.2)
setting("Largest speed 2.", FINAL, "flock.max_speed", 2.0)
setting("Alignment sees 50.", FINAL, "flock.alignment.radius", 50)
setting("Cohesion sees 100.", FINAL, "flock.cohesion.radius", 100)
setting("Separation sees 50.", FINAL, "flock.separation.radius", 50)
setting("Three sliders at 1, from 0 to 5 in steps of 0.1: alignment …", FINAL, "flock.alignment.weight", 1.0)
setting("… cohesion …", FINAL, "flock.cohesion.weight", 1.0)
setting("… and separation, each after the cut.", FINAL, "flock.separation.weight", 1.0)
setting("Who leaves is put exactly on the opposite edge.", FINAL, "world.boundary", "teleport")
setting("White dots …", FINAL, "style.flocks.0", "#ffffff")
setting("… 8 wide; a dot is half a body length.", FINAL, "style.size", 16)
setting("Background 51.", FINAL, "style.background", "#333333")
same("How alike neighbors fly after 300 frames.", FINAL, "final", "local polarization")
same("How alike all fly.", FINAL, "final", "polarization")
same("How many groups there are.", FINAL, "final", "groups")
same("How near the next one is.", FINAL, "final", "spacing")
same("How fast they fly.", FINAL, "final", "speed")
taught("Setting the acceleration back each frame keeps forces from piling up.", "set back|reset|never set|pile")
