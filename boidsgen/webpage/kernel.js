/** The kernel of boidsgen/kernel as WebAssembly: its entries, and the memory that they work in. */

const PAGE = 65536;
const ALIGNED = 16;

/** Bytes of base64 that were compressed, as gzip unless it says otherwise. @param {string} text @param {CompressionFormat} form */
export async function inflated(text, form = "gzip") {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * A kernel with a memory of its own. Addresses are bytes; views of the memory are valid until it grows, so that whoever
 * has taken more room asks for them anew.
 */
export class Kernel {
  /** @param {Uint8Array<ArrayBuffer>} bytes of the WebAssembly */
  static async of(bytes) {
    if (typeof WebAssembly === "undefined") throw new Error("there is no WebAssembly");
    return new Kernel((await WebAssembly.instantiate(bytes)).instance.exports);
  }

  /** @param {WebAssembly.Exports} exports */
  constructor(exports) {
    this.memory = /** @type {WebAssembly.Memory} */ (exports.memory);
    const entries = Object.entries(exports).filter(([, one]) => typeof one === "function");
    /** Entries by their names, without the number of lanes. @type {{[name: string]: (...values: number[]) => number}} */
    this.call = Object.fromEntries(entries.map(([name, one]) => [name.replace(/_\d$/, ""), /** @type {any} */ (one)]));
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
