// @ts-check
/**
 * Best-first search: A*, weighted A*, greedy and uniform-cost search, by the same loop as in Python.
 *
 * A search works in slices, so that the page stays responsive, and expands the same states in the same order as in
 * Python.
 */
import { Kernels } from "./kernels.js";

/** @typedef {import("./kernels.js").KernelArray} KernelArray */

const NO_PARENT = -1;
const UNBOUNDED = 2 ** 31 - 1;
const FIRST_CAPACITY = 1 << 12;
const GROWTH = 4;
const NODE_ARRAYS = /** @type {const} */ ({
  parents: "int32",
  actions: "int16",
  costs: "int64",
  depths: "int32",
  estimates: "int32",
  marks: "uint8",
});

export class Search {
  /**
   * @param {WebAssembly.Module} module the puzzle's searches
   * @param {any} description of the module
   * @param {{search: string, heuristic: string, id: string, level: ArrayLike<number>, state: ArrayLike<number>,
   *   actions: number}} problem the names of the search and its heuristic, the environment's id, the start, and the
   *   number of actions
   */
  constructor(module, description, { search, heuristic, id, level, state, actions }) {
    const { heuristics, orders, control, why } = description;
    this.kernels = new Kernels(module, description.exports);
    this.why = why;
    this.places = control;
    this.name = heuristics[heuristic].kernels;
    this.width = state.length;
    this.actions = actions;
    const kernels = this.kernels;
    const levelArray = kernels.arrayOf("int16", level);
    const start = kernels.arrayOf("int16", state);
    const tables = this.tables(heuristics[heuristic], id, levelArray);
    const size = Object.keys(control).length;
    this.control = kernels.array("int64", size);
    this.control.values[control.DEEPEST] = BigInt(UNBOUNDED);
    this.control.values[control.AT] = -1n;
    for (const [name, weight] of Object.entries(orders[search])) this.control.values[control[name]] = BigInt(weight);
    /** @type {Record<string, KernelArray>} */
    this.arrays = {
      "instance.level": levelArray,
      "instance.costs": kernels.arrayOf("int64", Array(actions).fill(1)),
      "instance.tables": tables,
      "instance.rng": kernels.arrayOf("uint64", [1]),
      "instance.successors": kernels.array("int16", actions, state.length),
      "instance.rewards": kernels.array("float64", actions),
      "instance.flags": kernels.array("uint8", actions),
      "instance.control": this.control,
      "nodes.used": kernels.arrayOf("int64", [1]),
      "frontier.size": kernels.arrayOf("int64", [1]),
    };
    const estimate = kernels.bind(`estimate_${this.name}`, { level: levelArray, state: start, tables })();
    this.control.values[control.LEAST] = BigInt(estimate);
    this.filled = false; // whether all nodes are in the hash table
    this.capacity = this.makeNodes(FIRST_CAPACITY);
    this.frontierCapacity = this.makeFrontier(FIRST_CAPACITY);
    this.arrays["nodes.states"].values.set(start.values);
    this.arrays["nodes.parents"].values[0] = NO_PARENT;
    this.arrays["nodes.estimates"].values[0] = estimate;
    this.loop = this.bound();
  }

  /**
   * The heuristic's tables: computed for the level, those of boards of its size and goal, or of the environment.
   * @param {any} heuristic @param {string} id @param {KernelArray} level
   */
  tables(heuristic, id, level) {
    if (!heuristic.own_tables) {
      const boards = Object.entries(heuristic.made_for);
      const own = boards.find(([, board]) => String(board) === String(Array.from(level.values)));
      if (boards.length && !own) throw new Error("its heuristic has no tables for boards of this size with this goal");
      const bytes = atob(heuristic.tables[own?.[0] ?? id]);
      return this.kernels.arrayOf("uint8", Array.from(bytes, (letter) => letter.charCodeAt(0)));
    }
    const size = this.kernels.bind(`table_size_${this.name}`, { level })();
    const tables = this.kernels.array("uint8", size);
    this.kernels.bind(`fill_tables_${this.name}`, { level, tables })();
    return tables;
  }

  /** Make the arrays of the nodes, and copy the existing nodes. @param {number} capacity */
  makeNodes(capacity) {
    const before = this.arrays["nodes.states"] && { ...this.arrays };
    const bits = Math.max(Math.ceil(Math.log2(2 * capacity)), 1);
    this.arrays["nodes.states"] = this.kernels.array("int16", capacity, this.width);
    for (const [name, dtype] of Object.entries(NODE_ARRAYS)) {
      this.arrays[`nodes.${name}`] = this.kernels.array(dtype, capacity);
    }
    this.arrays["nodes.table"] = this.kernels.array("uint64", 2 ** bits);
    this.arrays["nodes.shift"] = this.kernels.arrayOf("uint64", [64 - bits]);
    for (const name of before ? ["states", ...Object.keys(NODE_ARRAYS)] : []) {
      this.arrays[`nodes.${name}`].bytes.set(before[`nodes.${name}`].bytes);
    }
    this.filled = false;
    return capacity;
  }

  /** Make the arrays of the frontier, and copy the existing entries. @param {number} capacity */
  makeFrontier(capacity) {
    for (const [name, dtype] of /** @type {const} */ ([["keys", "int64"], ["items", "int32"]])) {
      const before = this.arrays[`frontier.${name}`];
      const made = this.kernels.array(dtype, capacity);
      if (before) made.bytes.set(before.bytes);
      this.arrays[`frontier.${name}`] = made;
    }
    return capacity;
  }

  /** The loop, bound to the current arrays. */
  bound() {
    if (!this.filled) {
      const entries = this.kernels.array("uint64", 0);
      this.kernels.bind("fill", { ...this.arrays, entries })();
      this.filled = true;
    }
    return this.kernels.bind(`best_first_${this.name}`, this.arrays);
  }

  /** @param {string} name */
  count(name) {
    return Number(this.control.values[this.places[name]]);
  }

  /** The states expanded so far. */
  get expanded() {
    return this.count("EXPANDED");
  }

  /**
   * Continue the search.
   * @param {number} budget the maximum number of states to expand
   * @returns {"paused" | "solved" | "exhausted"}
   */
  advance(budget) {
    const { PAUSED, REACHED, FULL } = this.why;
    this.control.values[this.places.BUDGET] = BigInt(budget);
    for (;;) {
      const why = this.loop();
      if (why === FULL) this.grow();
      else return why === REACHED ? "solved" : why === PAUSED ? "paused" : "exhausted";
    }
  }

  /** Enlarge the arrays that are full. */
  grow() {
    const size = Number(this.arrays["frontier.size"].values[0]);
    if (size + this.actions > this.frontierCapacity) {
      this.frontierCapacity = this.makeFrontier(GROWTH * this.frontierCapacity);
    } else {
      this.capacity = this.makeNodes(GROWTH * this.capacity);
    }
    this.loop = this.bound();
  }

  /** The actions to the solution, or else to the state with the lowest estimate. @returns {number[]} */
  plan() {
    const [parents, actions] = [this.arrays["nodes.parents"].values, this.arrays["nodes.actions"].values];
    const reached = this.count("AT");
    const plan = [];
    for (let node = reached < 0 ? this.count("BEST") : reached; parents[node] !== NO_PARENT; node = parents[node]) {
      plan.push(actions[node]);
    }
    return plan.reverse();
  }
}
