/** The kernel of boidsgen/kernel as WebAssembly: its entries, and the memory that they work in. */

const PAGE = 65536;
const ALIGNED = 16;
export const CELL = 8;

/** The bytes of base64, some millions at once. @param {string} text */
export function decoded(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

/**
 * Bytes of base64 that were compressed, as gzip unless it says otherwise.
 * @param {string} text
 * @param {CompressionFormat} form
 */
export async function inflated(text, form = "gzip") {
  const { body } = new Response(decoded(text)); // a Blob would travel to another process and back
  return new Uint8Array(await new Response(body?.pipeThrough(new DecompressionStream(form))).arrayBuffer());
}

/**
 * Vectors (n, d) as (d, n), as the kernel has them.
 * @param {ArrayLike<number>} vectors
 * @param {number} dimension
 */
export function columns(vectors, dimension) {
  const count = vectors.length / dimension;
  const found = new Float64Array(vectors.length);
  for (let i = 0; i < count; i++)
    for (let axis = 0; axis < dimension; axis++) found[axis * count + i] = vectors[i * dimension + axis];
  return found;
}

/**
 * A kernel with a memory of its own. Addresses are bytes; views of the memory are valid until it grows, so
 * that whoever has taken more room asks for them anew.
 */
export class Kernel {
  /** @param {WebAssembly.Module} build */
  static async of(build) {
    return new Kernel((await WebAssembly.instantiate(build)).exports);
  }

  /** @param {WebAssembly.Exports} exports */
  constructor(exports) {
    this.memory = /** @type {WebAssembly.Memory} */ (exports.memory);
    const entries = Object.entries(exports).filter(([, one]) => typeof one === "function");
    /**
     * Entries by their names, without the number of lanes.
     * @type {{[name: string]: (...values: number[]) => number}}
     */
    this.call = Object.fromEntries(
      entries.map(([name, one]) => [name.replace(/_\d$/, ""), /** @type {any} */ (one)]),
    );
    this.base = /** @type {WebAssembly.Global} */ (exports.__heap_base).value;
    this.free = this.base;
  }

  /** Gives all room back. */
  clear() {
    this.free = this.base;
  }

  /** Takes so many bytes; returns their address. @param {number} bytes */
  room(bytes) {
    const at = Math.ceil(this.free / ALIGNED) * ALIGNED;
    this.free = at + bytes;
    const missing = this.free - this.memory.buffer.byteLength;
    try {
      if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    } catch {
      throw new RangeError("there is not enough memory");
    }
    return at;
  }

  /** Writes numbers into new room; returns their address. @param {ArrayLike<number>} values */
  put(values) {
    const at = this.room(CELL * values.length);
    this.numbers(at, values.length).set(values);
    return at;
  }

  /** @param {number} at @param {number} count */
  numbers(at, count) {
    return new Float64Array(this.memory.buffer, at, count);
  }

  /** @param {number} at @param {number} count */
  whole(at, count) {
    return new BigInt64Array(this.memory.buffer, at, count);
  }

  /** @param {number} at @param {number} count */
  bytes(at, count) {
    return new Uint8Array(this.memory.buffer, at, count);
  }
}
