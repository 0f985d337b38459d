"""The claims of document 003: the derivation of three forces. It gives formulas and no number."""

from math import inf

from tests.sources.claims import Document

DOCUMENT = Document("003")
at, setting, same, bound, taught = DOCUMENT.at, DOCUMENT.setting, DOCUMENT.same, DOCUMENT.bound, DOCUMENT.taught
PRESET = "003-derivation"

at("introduction")
taught(
    "Three rules and sight of local neighbors only make lifelike movement; after Reynolds 1987.",
    "Reynolds 1987|Reynolds.*1987",
    page="formulas",
)
bound("A lifelike flock comes out.", PRESET, "derivation", "local polarization", 0.9, 1)
setting("Neighbors are those within a radius.", PRESET, "flock.perception.radius", 45)

at("separation")
taught("The way from j to i is the unit vector of p_i - p_j.", r"unit\(p - pj\)", page="formulas")
taught("Strength falls off with the square of the distance.", "1/r²", "003", page="formulas")
taught(
    "F = w · sum over S of unit(p_i - p_j)/|p_i - p_j|²: neither averaged nor cut.",
    r"Σ .*unit\(p - pj\) · f\(r\)",
    "1/r²",
    page="formulas",
)
setting("Inverse square.", PRESET, "flock.separation.falloff", "inverse_square")
setting("The raw sum is the force.", PRESET, "flock.separation.steering", "direct")
setting("A picture shows strength against distance beside the flock.", "003-strength", "overlay.forces", "chart")
same("How far the next boid is.", PRESET, "derivation", "spacing")

at("alignment")
taught(
    "Mean velocity, then its direction, then the largest speed that way: the desired velocity.",
    "average, direction, desired velocity",
    page="formulas",
)
taught("F = w · (vmax · unit(mean v) - v).", r"weight · \(vmax · unit\(x\) - v\)", page="formulas")
setting("The weight multiplies the whole difference; nothing cuts the force.", PRESET, "flock.max_force", inf)
setting("Steering, not the raw mean.", PRESET, "flock.steering", "reynolds")
same("How alike neighbors fly.", PRESET, "derivation", "local polarization")
same("How alike all fly.", PRESET, "derivation", "polarization")

at("cohesion")
taught("The center of mass of points is their mean position.", r"mean\(pj\)", page="formulas")
taught(
    "Direction to it, then the largest speed that way: the desired velocity.",
    "direction, desired velocity, difference",
    page="formulas",
)
taught(
    "F = w · (vmax · unit(c - p) - v), the last box of which is lost and follows from the text.",
    r"weight · \(vmax · unit\(x\) - v\)",
    page="formulas",
)
same("How many groups there are.", PRESET, "derivation", "groups")
same("How fast they fly.", PRESET, "derivation", "speed")

at("notation")
taught(
    "S is the set of neighbors, p a position, v a velocity, a hat a unit vector, w a gain.",
    r"\bp, v: position and velocity",
    "S: its neighbors",
    r"unit\(x\) = x/\|x\|",
    page="formulas",
)
