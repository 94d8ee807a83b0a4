// @ts-check
/**
 * Kernels compiled to WebAssembly, and the arrays in their memory.
 *
 * `docs/web.md` describes the interface: a kernel is a function of one parameter, the address of its block, which
 * holds the address and the lengths of each of its arrays.
 */

const VIEWS = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float64: Float64Array,
};
/** The functions that modules may import, by their C names. */
const IMPORTS = /** @type {any} */ ({ fmod: (/** @type {number} */ a, /** @type {number} */ b) => a % b });
const ROW = 4; // entries of a block for each array

/** @typedef {keyof typeof VIEWS} Dtype */
/** @typedef {{name: string, dtype: Dtype, axes: number}} Parameter one array of a block */

/** An array in the memory of some kernels. */
export class KernelArray {
  /** Its numbers; BigInts if they have eight bytes. @type {any} */
  values;
  bytes = new Uint8Array();
  /** The lower and upper halves of integers of eight bytes; faster than BigInts for small numbers. */
  halves = new Int32Array();

  /**
   * @param {WebAssembly.Memory} memory
   * @param {Dtype} dtype
   * @param {number[]} shape
   * @param {number} address
   */
  constructor(memory, dtype, shape, address) {
    this.memory = memory;
    this.dtype = dtype;
    this.shape = shape;
    this.address = address;
    this.length = shape.reduce((product, length) => product * length, 1);
    this.byteLength = this.length * VIEWS[dtype].BYTES_PER_ELEMENT;
    this.refresh();
  }

  /** Renew the view: growing memory moves it and detaches its views. */
  refresh() {
    const { buffer } = this.memory;
    this.values = new VIEWS[this.dtype](buffer, this.address, this.length);
    this.bytes = new Uint8Array(buffer, this.address, this.byteLength);
    this.halves = new Int32Array(buffer, this.address, this.byteLength >> 2);
  }
}

/** A module of WebAssembly: its kernels, its memory. */
export class Kernels {
  /**
   * @param {WebAssembly.Module} module
   * @param {Record<string, Parameter[]>} parameters the arrays of each kernel, from the module's description
   */
  constructor(module, parameters) {
    const math = /** @type {any} */ (Math);
    const needed = WebAssembly.Module.imports(module).map(({ name }) => [name, IMPORTS[name] ?? math[name]]);
    const instance = new WebAssembly.Instance(module, { env: Object.fromEntries(needed) });
    this.parameters = parameters;
    /** @type {any} */
    this.functions = instance.exports;
    /** @type {WebAssembly.Memory} */
    this.memory = this.functions.memory;
    /** @type {KernelArray[]} */
    this.arrays = [];
    this.buffer = this.memory.buffer;
  }

  /**
   * Make an array of zeros.
   * @param {Dtype} dtype
   * @param {...number} shape
   */
  array(dtype, ...shape) {
    const size = shape.reduce((product, length) => product * length, VIEWS[dtype].BYTES_PER_ELEMENT);
    const address = this.functions.allocate(Math.max(size, 1));
    this.refresh();
    const made = new KernelArray(this.memory, dtype, shape, address);
    made.bytes.fill(0);
    this.arrays.push(made);
    return made;
  }

  /**
   * Make an array with these numbers.
   * @param {Dtype} dtype
   * @param {ArrayLike<number | bigint>} numbers
   * @param {...number} shape by default, one axis
   */
  arrayOf(dtype, numbers, ...shape) {
    const made = this.array(dtype, ...(shape.length ? shape : [numbers.length]));
    /** @type {(number: number | bigint) => number | bigint} */
    const convert = dtype === "int64" || dtype === "uint64" ? BigInt : Number;
    made.values.set(Array.from(numbers, convert));
    return made;
  }

  /** Renew all views if the memory has grown. */
  refresh() {
    if (this.buffer !== this.memory.buffer) {
      this.buffer = this.memory.buffer;
      for (const array of this.arrays) array.refresh();
    }
  }

  /**
   * Prepare calls of a kernel with certain arrays.
   * @param {string} name
   * @param {Record<string, KernelArray>} arrays by the names of its parameters
   * @returns {() => number} calls the kernel; the arrays have its arguments and results
   */
  bind(name, arrays) {
    const kernel = this.functions[name];
    const block = this.array("int64", this.parameters[name].length, ROW);
    this.parameters[name].forEach(({ name: parameter, dtype }, row) => {
      const array = arrays[parameter];
      if (array.dtype !== dtype) throw new TypeError(`${name}: ${parameter} is ${array.dtype}, not ${dtype}`);
      [array.address, ...array.shape].forEach((entry, k) => (block.values[ROW * row + k] = BigInt(entry)));
    });
    const { address } = block;
    return () => {
      const result = kernel(address);
      if (this.buffer !== this.memory.buffer) this.refresh();
      return result;
    };
  }
}
