// @ts-check
/**
 * One environment of a puzzle, played by the puzzle's own rules.
 *
 * Equal seeds give the same episodes as in Python, with the same observations and rewards.
 */
import { Kernels } from "./kernels.js";
import { randomBits } from "./seeds.js";

/** @typedef {import("./kernels.js").KernelArray} KernelArray */
/** @typedef {{level: ArrayLike<number>, state: ArrayLike<number>}} Rows the level row and the start row of a level */

export class Game {
  /**
   * @param {WebAssembly.Module} module the puzzle's
   * @param {any} description of the puzzle
   * @param {any} environment one of the description's, or one with another extent, settings or limit
   * @param {Int16Array} pool the levels that episodes are sampled from, if instances are not generated: for each its
   *   level row, then its start row
   */
  constructor(module, description, environment, pool = new Int16Array()) {
    this.kernels = new Kernels(module, description.exports);
    this.description = description;
    this.environment = environment;
    const { extent, actions, settings, metrics, limit } = environment;
    const { control, counters, scores, ends } = description.places;
    const [levelSize, stateSize] = this.sizes(extent);
    const count = Object.keys(metrics).length;
    const levels = pool.length / (levelSize + stateSize);
    const drawn = this.kernels.array("int16", pool.length);
    drawn.values.set(pool);
    /** @type {Record<string, number[]>} */
    const shapes = {
      actions: [1],
      levels: [2, levelSize], // the level in play, then the next one if it is given
      starts: [1, stateSize],
      befores: [1, stateSize],
      states: [1, stateSize],
      random_bits: [1],
      counters: [Object.keys(counters).length, 1],
      metrics: [2 * count, 1],
      scores: [Object.keys(scores).length, 1],
      ends: [Object.keys(ends).length, 1],
      idle: [1],
      due: [2],
      masks: [1, actions.length],
      blocks: [1],
      control: [control.SETTINGS + settings.length],
    };
    /** @type {Record<string, KernelArray>} */
    this.arrays = {};
    for (const { name, dtype } of description.frame) this.arrays[name] = this.kernels.array(dtype, ...shapes[name]);
    const frame = this.kernels.array("int64", description.frame.length, 3);
    description.frame.forEach((/** @type {any} */ { name }, /** @type {number} */ k) => {
      const { address, shape } = this.arrays[name];
      [address, ...shape].forEach((entry, place) => (frame.values[3 * k + place] = BigInt(entry)));
    });
    const views = this.kernels.array("uint8", 1, 1, 1);
    this.run = this.kernels.bind("step", { frame, views });
    this.control({ ACTIONS: actions.length, LIMIT: limit, POOL: levels, BLOCK: Math.max(levels, 1) });
    this.arrays.blocks.values[0] = BigInt(drawn.address);
    settings.forEach((/** @type {number} */ setting, /** @type {number} */ k) => {
      this.arrays.control.values[control.SETTINGS + k] = BigInt(setting);
    });
    /** @type {Record<string, {view: KernelArray, run: () => number}>} */
    this.observers = {};
  }

  /**
   * The lengths of level and state rows for boards of an extent.
   * @param {number[]} extent
   */
  sizes(extent) {
    const [given, lengths] = [this.kernels.arrayOf("int64", extent), this.kernels.array("int64", 2)];
    this.kernels.bind("sizes", { extent: given, lengths })();
    return Array.from(lengths.values, Number);
  }

  /** @param {Record<string, number>} entries */
  control(entries) {
    const places = this.description.places.control;
    for (const [name, entry] of Object.entries(entries)) this.arrays.control.halves[2 * places[name]] = entry;
  }

  /** Give the next level. @param {ArrayLike<number>} level @param {ArrayLike<number>} state */
  queue(level, state) {
    const { levels, starts } = this.arrays;
    if (level.length !== levels.shape[1] || state.length !== starts.shape[1]) {
      throw new RangeError(`rows of ${level.length} and ${state.length} numbers do not fit this environment`);
    }
    levels.values.set(level, levels.shape[1]);
    starts.values.set(state);
  }

  /**
   * Begin an episode.
   * @param {{seed?: number | bigint, level?: Rows}} choice the seed of this and all later episodes; the level to play
   */
  reset({ seed, level } = {}) {
    const { counters, command } = this.description.places;
    const flags = this.arrays.counters.values;
    if (seed === undefined && !flags[counters.SEEDED]) throw new Error("the first episode needs a seed");
    if (seed !== undefined) {
      this.arrays.random_bits.values[0] = randomBits(seed);
      flags[counters.SEEDED] = 1;
    }
    flags[counters.QUEUED] = level ? 1 : 0;
    if (level) this.queue(level.level, level.state);
    this.arrays.actions.halves[0] = 1;
    this.control({ COMMAND: command.RESET });
    this.run();
    this.control({ COMMAND: command.STEP });
  }

  /**
   * Apply one action.
   * @param {number} action
   * @returns {number} its reward
   */
  step(action) {
    this.arrays.actions.halves[0] = action;
    const ended = this.run();
    if (ended < 0) throw new RangeError(ended === -1 ? `action ${action} is out of range` : "the episode has ended");
    return this.arrays.scores.values[0];
  }

  get ended() {
    return this.arrays.counters.values[this.description.places.counters.ENDED] === 1;
  }

  /** Whether the episode has ended, not by the limit. */
  get terminated() {
    return this.ended && this.arrays.ends.values[this.description.places.ends.TERMINATED] === 1;
  }

  /** Whether the limit has ended the episode. */
  get truncated() {
    return this.ended && this.arrays.ends.values[this.description.places.ends.TRUNCATED] === 1;
  }

  /** How the episode ended: one of the description's outcomes. */
  get outcome() {
    return this.description.outcomes[this.ended ? this.arrays.ends.values[this.description.places.ends.OUTCOME] : 0];
  }

  get score() {
    return this.arrays.scores.values[this.description.places.scores.RETURN];
  }

  get steps() {
    return this.arrays.counters.values[this.description.places.counters.ELAPSED];
  }

  /** The action mask: 1 for each action that changes anything. */
  get mask() {
    return this.arrays.masks.values;
  }

  /** The level row in play. */
  get level() {
    const { levels } = this.arrays;
    return levels.values.subarray(0, levels.shape[1]);
  }

  /** The state row. */
  get state() {
    return this.arrays.states.values;
  }

  /** The metrics of the episode so far, by name. */
  get metrics() {
    const entries = Object.entries(this.environment.metrics);
    const values = this.arrays.metrics.values;
    return Object.fromEntries(
      entries.map(([name, kind], k) => [name, kind === "bool" ? values[k] === 1n : Number(values[k])]),
    );
  }

  /**
   * Observe the state.
   * @param {string} name one of the puzzle's observations
   * @returns {KernelArray} the observation, overwritten by the next call; [C, H*W] where the shape is (C, H, W)
   */
  observe(name) {
    this.observers[name] ??= this.observer(name);
    const { view, run, level, state } = /** @type {any} */ (this.observers[name]);
    level.values.set(this.level);
    state.values.set(this.state);
    run();
    return view;
  }

  /** @param {string} name */
  observer(name) {
    const shape = this.shape(name);
    const { dtype } = this.description.observations[name];
    const view = this.kernels.array(dtype, ...(shape.length === 3 ? [shape[0], shape[1] * shape[2]] : shape));
    const level = this.kernels.array("int16", this.arrays.levels.shape[1]);
    const state = this.kernels.array("int16", this.arrays.states.shape[1]);
    return { view, level, state, run: this.kernels.bind(`observe_${name}`, { level, state, view }) };
  }

  /** The shape of an observation. @param {string} name @returns {number[]} */
  shape(name) {
    const { extent } = this.environment;
    const product = (/** @type {number[]} */ axes) => axes.reduce((size, axis) => size * extent[axis], 1);
    return this.description.observations[name].shape.map((/** @type {any} */ length) =>
      Array.isArray(length) ? product(length) : length,
    );
  }

  /** Everything that determines the future, for undo and redo. @returns {Uint8Array[]} */
  snapshot() {
    return this.saved().map((bytes) => bytes.slice());
  }

  /** Continue from a snapshot. @param {Uint8Array[]} snapshot */
  restore(snapshot) {
    this.saved().forEach((bytes, k) => bytes.set(snapshot[k]));
  }

  /** The bytes that change. @returns {Uint8Array[]} */
  saved() {
    return Object.entries(this.arrays)
      .filter(([name]) => name !== "control")
      .map(([, { bytes }]) => bytes);
  }
}
