/** Arrays in the memory of a kernel that draws. */

/**
 * @typedef {Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | Int32Array | Float32Array |
 *   Float64Array | BigInt64Array} View
 */

/**
 * Arrays in the memory of a kernel, by their names. What is taken grows where it must, and moves then: a view
 * is to be used before the next array is asked for.
 */
export class KernelArrays {
  /** @param {import("./kernel.js").Kernel} kernel */
  constructor(kernel) {
    this.kernel = kernel;
    /** @type {Map<string, {at: number, bytes: number, count: number}>} */
    this.known = new Map();
  }

  /**
   * An array with what was in it.
   *
   * @template {View} Kind
   * @param {string} name
   * @param {{new (buffer: ArrayBuffer, at: number, count: number): Kind, BYTES_PER_ELEMENT: number}} kind
   * @param {number} count
   * @returns {Kind}
   */
  of(name, kind, count) {
    const before = this.known.get(name) ?? { at: 0, bytes: 0 };
    let { at, bytes } = before;
    if (count * kind.BYTES_PER_ELEMENT > bytes) {
      bytes = Math.max(2 * bytes, count * kind.BYTES_PER_ELEMENT);
      at = this.kernel.room(bytes);
      this.kernel.bytes(at, bytes).set(this.kernel.bytes(before.at, before.bytes));
    }
    this.known.set(name, { at, bytes, count });
    return new kind(/** @type {ArrayBuffer} */ (this.kernel.memory.buffer), at, count);
  }

  /**
   * @template {View} Kind
   * @param {string} name
   * @param {{new (buffer: ArrayBuffer, at: number, count: number): Kind, BYTES_PER_ELEMENT: number}} kind
   * @param {ArrayLike<number>} values
   */
  fill(name, kind, values) {
    /** @type {any} */ (this.of(name, kind, values.length)).set(values);
  }

  /**
   * An array as it is in memory.
   * @param {string} name
   * @param {Uint8Array} bytes
   * @param {number} each bytes of an element
   */
  put(name, bytes, each) {
    this.fill(name, Uint8Array, bytes);
    Object.assign(this.known.get(name) ?? {}, { count: bytes.length / each });
  }

  /**
   * Calls an entry of the kernel with arrays, by their names, and numbers.
   * @param {string} entry
   * @param {string} names
   * @param {number[]} numbers
   */
  run(entry, names, ...numbers) {
    const places = names.split(" ").map((name) => this.known.get(name) ?? { at: 0, count: 0 });
    return this.kernel.call[entry](...places.flatMap(({ at, count }) => [at, count]), ...numbers);
  }
}
