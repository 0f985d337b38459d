/**
 * The document that `document.py` writes, and what the engine shows of it.
 *
 * Lengths are world units, angles degrees, times units of time. In a document infinity is the text "inf".
 *
 * @module
 */

/** @typedef {{[key: string]: any}} Table  Of the scenario, with every key; null where one has neither value nor default. */
/** @typedef {{flock: Table[], predators: Table[], obstacles: Table[], attractors: Table[]}} Tables  Those that events may change. */
/** @typedef {{[field: string]: any}} RequestDocument  In the place of a value, {keys} names keys of the rule; the first that is set counts. */
/**
 * @typedef {object} RecipeDocument  See `Recipe` in boidsgen/simulation/rules/rule.py.
 * @property {"push" | "mean offset" | "mean velocity"} kind @property {any} include_self
 * @property {RequestDocument | null} own @property {RequestDocument | null} others @property {RequestDocument | null} predators
 */
/**
 * @typedef {object} RuleDocument  A rule that a group may have; on if its table is there with another weight than 0.
 * @property {string} name of its table @property {"reynolds" | "direct" | null} usual form; null = the group's
 * @property {"fixed" | "fresh" | null} chance  its use of random numbers @property {RecipeDocument | null} recipe
 * @property {boolean} inTurn  whether, where boids move in turn, it is about the earlier ones where they have come to
 */
/**
 * @typedef {object} GroupDocument
 * @property {string} name @property {"flock" | "predators"} kind @property {RuleDocument[]} rules in the order of their sum
 * @property {{[rule: string]: Table}} implied  rules that are on although the scenario has no table for them
 */
/**
 * @typedef {object} EventDocument
 * @property {number} at @property {number} over @property {{[key: string]: any}} set by keys with the number of their table
 * @property {string[]} whole  those of its keys whose values are whole numbers
 */
/**
 * @typedef {object} AnimalsDocument  Vectors are base64 of float64, row by row.
 * @property {number} count @property {number} dimension @property {string} position @property {string} velocity
 * @property {string | null} drive
 */
/**
 * @typedef {object} StartDocument
 * @property {string} seed in digits @property {number} step  steps done, warm-up @property {AnimalsDocument[]} groups
 * @property {{[purpose: string]: [string, string]}[]} streams  of each group: state and increment of PCG64, hexadecimal
 */
/**
 * @typedef {object} PageDocument
 * @property {boolean} live @property {string} why a page cannot compute it @property {number} dt @property {number} frames
 * @property {number} stepsPerFrame @property {{size: number[], boundary: Table}} world @property {GroupDocument[]} groups
 * @property {Tables} tables before any event @property {EventDocument[]} events @property {StartDocument[]} starts
 */
/**
 * @typedef {object} Group  Animals of one kind in a frame, vectors row by row: x, y and in 3D z of the first, then the next.
 * @property {string} name @property {"flock" | "predators"} kind @property {number} count @property {number} dimension
 * @property {Float64Array} position @property {Float64Array} velocity @property {Float64Array | null} drive where it piles up
 * @property {number[] | null} [numbers]  of those who are here, where some are missing between; the same while they stay
 */
/** @typedef {{frame: number, key: string, value: any}} Action  What was set, and the frame from which on it counts. */

export {};
