"""The claims of document 001: four hundred boids and five predators on a trefoil."""

from math import inf, sqrt

from tests.sources.claims import Document
from tests.sources.expectations import about

DOCUMENT = Document("001")
at, setting, same, bound, taught = DOCUMENT.at, DOCUMENT.setting, DOCUMENT.same, DOCUMENT.bound, DOCUMENT.taught
PUBLISHED, CORRECTED, HUNT = "001-trefoil-published", "001-trefoil-corrected", "001-hunt"

at("text")
setting("Boids are blue.", PUBLISHED, "style.flocks.0", "#0000ff")
setting("Predators are red.", PUBLISHED, "style.predator", "#ff0000")
taught(
    "Boids are bird-like objects (Reynolds 1986, 1987); the whole comes out of simple rules of each.",
    "bird-like|bird-oid",
    "1987",
)
taught(
    "Separation: steer away from a crowd. Alignment: toward the mean heading. Cohesion: toward the mean position.",
    "crowd|too near|too close|away",
    "heading|velocity|same way",
    "center|mean position|middle",
)
taught("The black sun over Ribe: starlings in great number.", "black sun", "starling")
setting("The video has 960 steps …", PUBLISHED, "time.frames", 960)
setting("… 400 boids …", PUBLISHED, "flock.count", 400)
setting("… and 5 predators.", PUBLISHED, "predators.0.count", 5)
setting("Predators are dumb: they follow a trefoil knot.", PUBLISHED, "predators.0.path.kind", "trefoil")
setting("It is easy to make them hunt: give the rule a weight of 2.", HUNT, "predators.0.hunt.weight", 2.0)
same("Hunting, they come nearer to boids.", HUNT, "hunt, fear within 22", "nearest predator at 100")
taught(
    "What boids do is settled by the weights of the rules relative to each other.",
    "weights",
    "relative|against each other|ratio",
)

at("parameters")
setting("Three dimensions, a box of 100.", PUBLISHED, "world.size", (100, 100, 100))
setting("Separation within 7.", PUBLISHED, "flock.separation.radius", 7)
setting("24 frames a second.", PUBLISHED, "output.fps", 24)
setting("The listing says 10 steps: the knot is then a jitter in one place.", "001-as-listed", "steps", 10)
setting("Predators see 10 far.", HUNT, "predators.0.hunt.radius", 10)
setting("Predators' pull to the center of mass: 0.", HUNT, "predators.0.cohesion.weight", 0.0)
setting("Predators' attack: 0.", PUBLISHED, "predators.0.hunt", None)
setting("Predators' randomness, 0.5, is nowhere used.", PUBLISHED, "predators.0.noise", None)
setting("The knot has weight 2.", PUBLISHED, "predators.0.path.weight", 2.0)
setting("Cohesion 0.03, over all, the boid itself included.", PUBLISHED, "weight over all, cohesion", 0.03)
setting("Separation 1.", PUBLISHED, "flock.separation.weight", 1.0)
setting("Alignment 0.125, over all, the boid itself included.", PUBLISHED, "weight over all, alignment", 0.125)
setting("Randomness 0.", PUBLISHED, "flock.noise", None)
setting("Fear of predators 1.", PUBLISHED, "flock.flee.weight", 1.0)
setting("Pull to the middle of the box 0.02.", PUBLISHED, "flock.home.weight", 0.02)
setting("The other value that stands there, 0.03, is another flock.", "001-center-0.03", "flock.home.weight", 0.03)
setting("Speed at most 1, of predators too.", PUBLISHED, "flock.max_speed", 1.0)

at("code")
setting("Boids start anywhere in the box, at rest.", PUBLISHED, "flock.start.speed", (0, 0))
setting("Predators start in a small box about the middle, 45 to 55.", PUBLISHED, "predators.0.start.size", (10, 10, 10))
setting("The velocity is the sum of the rules: no inertia.", PUBLISHED, "flock.inertia", 0.0)
setting("The push is 1/d.", PUBLISHED, "flock.separation.falloff", "inverse")
setting("Fear has no range …", PUBLISHED, "flock.flee.radius", inf)
setting("… and grows with the distance.", PUBLISHED, "flock.flee.falloff", "linear")
setting(
    "The knot is a field of velocities, an eighth of a turn between predators.",
    PUBLISHED,
    "predators.0.path.mode",
    "velocity",
)
setting("Two rounds in a run.", PUBLISHED, "predators.0.path.period", 480)
bound("The predators' route fits the box in 960 steps …", PUBLISHED, "knot of 960", "extent x", 60, 90)
bound("… is small in 240 …", PUBLISHED, "knot of 240", "extent x", 10, 25)
bound("… and nothing in 10.", "001-as-listed", "knot of 10", "extent x", 0, 3)
same(
    "The flock at first spreads from the middle: its mean distance from there at step 10 …",
    PUBLISHED,
    "published",
    "from middle at 10",
)
same("… at 50 …", PUBLISHED, "published", "from middle at 50")
same("… at 240 …", PUBLISHED, "published", "from middle at 240")
same("… and at the end, far outside the box.", PUBLISHED, "published", "from middle at 960")
bound(
    "The picture shows the box: the flock is in it.", PUBLISHED, "published", "from middle at 960", 0, 87, holds=False
)
same("All fly at the largest speed.", PUBLISHED, "published", "speed at 960")
same("They fly apart, not alike.", PUBLISHED, "published", "polarization at 960")
same("Fearing within 22 only, the flock stays.", CORRECTED, "fear within 22", "from middle at 100")
same("How near predators come then.", CORRECTED, "fear within 22", "nearest predator at 100")

at("drawing")
setting(
    "The center of mass is drawn as a dot, as large as a boid's (the default size, 20 points²) …",
    PUBLISHED,
    "overlay.center_of_mass",
    "dot",
)
setting("… and black.", PUBLISHED, "style.accent", "#000000")
setting(
    "Predators are dots five times the area of boids (100 to 20 points²).",
    PUBLISHED,
    "style.predator_size",
    about(sqrt(5), 0.01),
)
setting("Boids are dots.", PUBLISHED, "style.shape", "dot")
setting("The axes are called X, Y and Z Axis, from 0 to 100, and stay.", PUBLISHED, "overlay.axes", value=True)
setting("The camera stands at matplotlib's usual angles, azimuth -60 …", PUBLISHED, "camera.azimuth", -60)
setting("… elevation 30.", PUBLISHED, "camera.elevation", 30)
setting("The result is an MP4.", PUBLISHED, "output.format", "mp4")
setting("A camera that follows shows what the box cannot.", PUBLISHED, "camera.follow", "flock")
setting("The knot itself, drawn.", CORRECTED, "overlay.paths", value=True)

at("comments")
taught(
    "The author: weights are estimates that look reasonable, and depend on the setup.",
    "weights",
    "estimate|look right|looks? reasonable|taste",
)
