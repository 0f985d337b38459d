/**
 * The document that `document.py` writes, and what the engine shows of it.
 *
 * Lengths are world units, angles degrees, times units of time.
 */

/**
 * @typedef {{[key: string]: any}} Table Of the scenario, with every key; null where one has neither value nor
 *   default.
 */
/**
 * @typedef {{flock: Table[], predators: Table[], obstacles: Table[], attractors: Table[], fields: Table[]}}
 *   Tables Those that events may change.
 */
/**
 * @typedef {object} GroupDocument
 * @property {string} name
 * @property {"flock" | "predators"} kind
 * @property {number} record the cell of its record
 * @property {number} start the cell of the random numbers that place its animals
 * @property {string[]} terms names of the rules, and of whatever else steers it, in the order of their
 *   records; empty for what takes chance
 */
/**
 * @typedef {object} EventDocument
 * @property {number} at
 * @property {number} over
 * @property {{[key: string]: any}} set by keys with the number of their table
 * @property {string[]} whole those of its keys whose values are whole numbers
 */
/**
 * @typedef {{count: number, position: string, velocity: string, drive: string | null, before: string | null}}
 *   AnimalsDocument Vectors are base64 of float64, row by row; `before` of float32, velocities a frame before
 *   where they were others.
 */
/**
 * @typedef {object} StartDocument
 * @property {string} seed in digits
 * @property {number} step steps done, warm-up
 * @property {AnimalsDocument[]} groups
 * @property {string} streams base64 of four 64-bit words each: state and increment of PCG64, the higher word
 *   first
 */
/**
 * @typedef {object} PageDocument Cells are those of the program, of 8 bytes.
 * @property {number} dt
 * @property {number} frames
 * @property {number} stepsPerFrame
 * @property {{size: number[], periods: number[]}} world
 * @property {Tables} tables before any event
 * @property {EventDocument[]} events
 * @property {string} program base64, deflated
 * @property {[string, [number, number, boolean][]][]} keys of each the cells that hold a part of its value,
 *   and whether as a whole number
 * @property {string[]} settled keys of counts that stay
 * @property {GroupDocument[]} groups
 * @property {number[]} obstacles cells that say whether one is there
 * @property {number[]} attractors the same
 * @property {number[]} fields the same
 * @property {{[record in "program" | "group" | "attractor"]: {[field: string]: number}}} records of each the
 *   cells of the fields that a page reads or writes; of an attractor, as `cells`, how many it has, too
 * @property {number[]} streams cells of random numbers
 * @property {{group: number, pointer: number, rows: number, stream: number}[]} fixed numbers of each animal
 *   for the whole run
 * @property {StartDocument[]} starts
 */
/**
 * @typedef {{count: number, position: Float64Array, velocity: Float64Array, drive: Float64Array | null,
 *   past?: Float64Array}} Animals Never changed; vectors row by row.
 */
/**
 * @typedef {object} Group Animals of one kind in a frame, vectors row by row: x, y and in 3D z of the first,
 *   then the next.
 * @property {string} name
 * @property {"flock" | "predators"} kind
 * @property {number} count
 * @property {number} dimension
 * @property {Float64Array} position
 * @property {Float64Array} velocity
 * @property {Float64Array | null} drive where it piles up
 * @property {Float64Array} [past] velocities a frame before the first one
 * @property {number[] | null} [numbers] of those who are here, where some are missing between; the same while
 *   they stay
 */
/**
 * @typedef {{frame: number, key: string, value: any}} Action What was set, and the frame from which on it
 *   counts.
 */
/**
 * @typedef {{seed: number, frame: number, actions: Action[]}} Proof The run in which a step was reached, up
 *   to the frame in which it was.
 */
/**
 * @typedef {object} Attempt What was done in a step of a lesson.
 * @property {string[]} choices to guess from
 * @property {number} first guess, the number of a choice from 1, or 0
 * @property {number} last guess
 * @property {boolean} shown by "Show me"
 * @property {Proof | null} proof that it was reached
 * @property {string} numbers now and before, in a sentence
 */

export {};
