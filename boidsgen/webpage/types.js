/**
 * What a page knows: the document that `document.py` writes, and what the engine makes of it.
 *
 * Lengths are world units, angles degrees, times units of time. Vectors of several animals are stored row by row in one
 * Float64Array: x, y and in 3D z of the first, then of the second. In a document infinity is the text "inf"; `Simulation`
 * turns it into Infinity.
 *
 * @module
 */

/** @typedef {null | boolean | number | string | Value[] | {[key: string]: any}} Value  Any value of a key. */

/**
 * @typedef {{[key: string]: any}} Table  A table of the scenario, with every key: those not written at their defaults,
 *   null where they have none.
 */

/**
 * @typedef {object} Tables  The tables whose keys an event may set; the array is there for a single table too.
 * @property {Table[]} flock
 * @property {Table[]} predators
 * @property {Table[]} obstacles
 * @property {Table[]} attractors
 */

/** @typedef {{keys: string[]}} Keys  The value of the first of these keys of a rule (or its perception) that is set. */

/**
 * @typedef {object} RequestDocument
 * @property {number | "inf" | Keys} radius
 * @property {number | Keys} field_of_view
 * @property {string | Keys} quantity
 * @property {number | null | Keys} nearest
 */

/**
 * @typedef {object} RecipeDocument  See `Recipe` in boidsgen/simulation/rules/rule.py.
 * @property {"push" | "mean offset" | "mean velocity"} kind
 * @property {RequestDocument | null} own
 * @property {RequestDocument | null} others
 * @property {RequestDocument | null} predators
 * @property {boolean | Keys} include_self
 */

/**
 * @typedef {object} RuleDocument  A rule that a group may have; on if its table is there with another weight than 0.
 * @property {string} name  of its table.
 * @property {"reynolds" | "direct" | null} usual  its form unless its table says otherwise; null = the group's.
 * @property {"fixed" | "fresh" | null} chance  its use of random numbers.
 * @property {RecipeDocument | null} recipe
 * @property {boolean} inTurn  whether, where boids move in turn, it is about the earlier ones where they have come to.
 */

/**
 * @typedef {object} GroupDocument
 * @property {string} name
 * @property {"flock" | "predators"} kind
 * @property {RuleDocument[]} rules  in the order in which they are added up, whether they are on or not.
 * @property {{[rule: string]: Table}} implied  rules that are on although the scenario has no table for them.
 */

/**
 * @typedef {object} EventDocument
 * @property {number} at  frame.
 * @property {number} over  frames.
 * @property {{[key: string]: any}} set  by dotted keys that always have the number of the table, as "flock.0.max_speed".
 * @property {string[]} whole  those of its keys whose values are whole numbers.
 */

/**
 * @typedef {object} AnimalsDocument
 * @property {number} count
 * @property {number} dimension
 * @property {string} position  base64 of float64, row by row.
 * @property {string} velocity
 * @property {string | null} drive
 */

/**
 * @typedef {object} StartDocument
 * @property {string} seed  in decimal digits: it may have more than a JavaScript number holds.
 * @property {number} step  steps done, warm-up.
 * @property {AnimalsDocument[]} groups  as the first frame shows them.
 * @property {{[purpose: string]: [string, string]}[]} streams  of each group: state and increment of PCG64, hexadecimal.
 */

/**
 * @typedef {object} PageDocument
 * @property {number} version  of the format.
 * @property {boolean} live  whether `Simulation` can step it; the last four keys are there only then.
 * @property {string} why  it cannot, in one sentence.
 * @property {number} dt
 * @property {number} frames  of the film; a simulation may go on.
 * @property {number} stepsPerFrame
 * @property {{size: number[], boundary: Table}} world
 * @property {GroupDocument[]} groups  flocks, then predators.
 * @property {Tables} tables  before any event.
 * @property {EventDocument[]} events  in the order of their frames, without captions and camera.
 * @property {StartDocument[]} starts  one for each seed.
 */

/**
 * @typedef {object} Group  Animals of one kind in the current frame. The arrays are new ones in every frame.
 * @property {string} name
 * @property {"flock" | "predators"} kind
 * @property {Float64Array} position  row by row.
 * @property {Float64Array} velocity
 * @property {Float64Array | null} drive  where it piles up.
 * @property {number} count
 * @property {number[] | null} [numbers]  of those who are here, where some are missing between; the same while they stay.
 * @property {number} dimension
 */

/** @typedef {{frame: number, key: string, value: any}} Action  What was set, and the frame from which on it counts. */

/** @typedef {object} Snapshot  The state of a simulation, for `restore` alone; it is never changed. */

/**
 * @typedef {object} SimulationInterface  `new Simulation(document, seedIndex)`.
 * @property {number} frame  that is shown, from 0.
 * @property {number} time  simulated, since the start.
 * @property {Group[]} groups  flocks, then predators.
 * @property {Tables} tables  as they are in force in this frame; obstacles and attractors that are not there included.
 * @property {Table[]} obstacles  that are there in this frame.
 * @property {Table[]} attractors  that are there in this frame.
 * @property {Action[]} actions  in their order; exported as events {at: frame, set: {[key]: value}} after the
 *   scenario's own, they give the same states.
 * @property {() => void} step  goes on to the next frame, `stepsPerFrame` steps; throws where numbers end.
 * @property {(key: string, value: any) => void} set  sets a dotted key as an event at this frame does, or at frame 1
 *   where this is frame 0, whose events would change the start. Later actions, and an earlier one of this frame and key,
 *   are forgotten. A value is not checked as a scenario is: only a key that is not there and a min_speed above max_speed
 *   are refused.
 * @property {() => Snapshot} snapshot
 * @property {(snapshot: Snapshot) => void} restore  goes back, or on; actions stay and take effect at their frames.
 * @property {(group: number, index: number) => number[]} neighbors  of its kind that it perceives, the nearest first.
 * @property {(group: number, index: number) => {[rule: string]: number[]}} contributions  to its velocity in the next
 *   step, by rule, and by "obstacles", "attractors" and "edges"; without chance.
 */

export {};
