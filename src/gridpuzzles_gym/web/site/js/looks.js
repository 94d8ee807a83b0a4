// @ts-check
/** The picture, status and gestures of a puzzle, by its own rules. */
import { Kernels } from "./kernels.js";
import { numbersOf } from "./picture.js";
import { COLUMNS } from "./placements.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Square} Square */
/** @typedef {import("./kernels.js").KernelArray} KernelArray */

const AREA = 6;
const placementLimit = (/** @type {number} */ squares) => 10 * squares + 100;
const actionLimit = (/** @type {number} */ squares) => 32 * squares + 64;

/** Calls the rules for scenes: a source of numbers for `picture.js`, and the gestures. */
export class Looks {
  /** @param {WebAssembly.Module} module @param {any} description of the puzzle */
  constructor(module, description) {
    this.module = module;
    this.description = description;
    this.sizes = "";
    /** @type {Record<string, KernelArray>} */
    this.arrays = {};
    /** @type {Record<string, () => number>} */
    this.runs = {};
    /** @type {string[]} */
    this.marks = description.marks;
  }

  /** @param {Scene} scene */
  area(scene) {
    return this.call("area", scene, (out) => Array.from(out, Number));
  }

  /** @param {Scene} scene */
  groundKey(scene) {
    const settings = Object.keys(this.description.picture.settings).length;
    return `${scene.level} ${numbersOf(this.description, scene).slice(3, 3 + settings)}`;
  }

  /** @param {Scene} scene */
  ground(scene) {
    return this.placements("ground", scene);
  }

  /** @param {Scene} scene */
  inset(scene) {
    return this.placements("inset", scene);
  }

  /** @param {Scene} scene */
  pieces(scene) {
    return this.placements("pieces", scene);
  }

  /** @param {string} name @param {Scene} scene @returns {import("./placements.js").Row[]} */
  placements(name, scene) {
    return this.call(name, scene, (out, count) => {
      if (count * COLUMNS === out.length) throw new RangeError(`${this.description.puzzle}: the rule ${name} of its picture writes too many rows`);
      return Array.from({ length: count }, (_, k) => out.slice(k * COLUMNS, (k + 1) * COLUMNS));
    });
  }

  /** @param {Scene} scene @returns {number[]} */
  status(scene) {
    return this.call("status", scene, (out) => Array.from(out, Number));
  }

  /** @param {Scene} scene @param {Square} square */
  click(scene, square) {
    return this.actions("click", scene, { square });
  }

  /** @param {Scene} scene @param {Square} start @param {Square} end */
  drag(scene, start, end) {
    return this.actions("drag", scene, { grabbed: start, square: end });
  }

  /**
   * The actions of a gesture; none for squares outside the board, or without a rule.
   * @param {"click" | "drag"} name @param {Scene} scene @param {Record<string, Square>} squares
   * @returns {number[]}
   */
  actions(name, scene, squares) {
    if (!this.description.exports[name]) return [];
    const [rows, columns] = this.area(scene);
    for (const [parameter, { row, column }] of Object.entries(squares)) {
      if (row < 0 || column < 0 || row >= rows || column >= columns) return [];
      this.arrays[parameter].values[0] = BigInt(row * columns + column);
    }
    return this.call(name, scene, (out, count) => Array.from(out.subarray(0, count), Number));
  }

  /**
   * Call a rule.
   * @template T @param {string} name @param {Scene} scene @param {(out: any, count: number) => T} read
   * @returns {T}
   */
  call(name, scene, read) {
    this.fit(scene);
    const { level, state, before, start } = scene;
    const rows = { level, state, before: before ?? state, start: start ?? before ?? state };
    for (const [parameter, row] of Object.entries(rows)) this.arrays[parameter].values.set(row);
    this.arrays.scene.values.set(numbersOf(this.description, scene).map(BigInt));
    const count = this.runs[name]();
    return read(this.arrays[`${name}.out`].values, count);
  }

  /** Make the arrays for rows of these lengths. @param {Scene} scene */
  fit({ level, state }) {
    const sizes = `${level.length} ${state.length}`;
    if (sizes === this.sizes) return;
    const { exports, picture, status } = this.description;
    this.sizes = sizes;
    const kernels = new Kernels(this.module, exports);
    const array = (/** @type {any} */ dtype, /** @type {number[]} */ ...shape) => kernels.array(dtype, ...shape);
    this.arrays = { level: array("int16", level.length) };
    for (const name of ["state", "before", "start"]) this.arrays[name] = array("int16", state.length);
    const numbers = 3 + Object.keys(picture.settings).length + picture.metrics.length;
    this.arrays.scene = array("int64", numbers);
    for (const name of ["square", "grabbed"]) this.arrays[name] = array("int64", 1);
    this.arrays["area.out"] = array("int64", AREA);
    this.runs = { area: kernels.bind("area", { level: this.arrays.level, out: this.arrays["area.out"] }) };
    this.arrays.level.values.set(level);
    this.runs.area();
    const [rows, columns] = Array.from(this.arrays["area.out"].values, Number);
    const placed = () => array("int32", placementLimit(rows * columns) + 1, COLUMNS);
    const outs = {
      ground: placed(),
      pieces: placed(),
      inset: placed(),
      status: array("int64", 3 + (status?.count ?? 0)),
      click: array("int64", actionLimit(rows * columns)),
      drag: array("int64", actionLimit(rows * columns)),
    };
    for (const [name, out] of Object.entries(outs)) {
      if (!exports[name]) continue;
      this.arrays[`${name}.out`] = out;
      this.runs[name] = kernels.bind(name, { ...this.arrays, out });
    }
  }
}
