// @ts-check
/** An agent with kernels: the same code as in Python, with the same memory. */
import { Kernels } from "./kernels.js";
import { randomBits } from "./seeds.js";

/** @typedef {import("./kernels.js").KernelArray} KernelArray */
/** @typedef {import("./game.js").Game} Game */

export class Agent {
  /**
   * @param {WebAssembly.Module} module the agent's
   * @param {any} description of the module
   * @param {string} name of the agent, one of those that the module has
   * @param {string} id of the environment that it is to play
   * @param {Game} game the game that it plays
   * @param {number | bigint} seed of its random choices, if it has any
   */
  constructor(module, description, name, id, game, seed = 0) {
    const { observation, view, kernels, arrays } = description.agents[name][id];
    this.game = game;
    this.observation = observation;
    this.kernels = new Kernels(module, description.exports);
    /** @type {Record<string, KernelArray>} its memory: all arguments of its kernels by name */
    this.arrays = {};
    for (const [argument, { dtype, shape, values }] of Object.entries(arrays)) {
      this.arrays[argument] = this.kernels.array(/** @type {any} */ (dtype), .../** @type {any} */ (shape));
      if (values) this.arrays[argument].bytes.set(Uint8Array.from(atob(values), (letter) => letter.charCodeAt(0)));
    }
    if (this.arrays.random_bits) this.arrays.random_bits.values[0] = randomBits(seed);
    this.view = this.arrays[view];
    this.calls = kernels.map((/** @type {string} */ kernel) => this.kernels.bind(kernel, this.arrays));
    this.begin();
  }

  /** Begin an episode: reset the memory. */
  begin() {
    this.arrays.starting.values[0] = 1;
  }

  /** Choose an action from the game's observation. */
  act() {
    this.view.bytes.set(this.game.observe(this.observation).bytes);
    for (const call of this.calls) call();
    this.arrays.starting.values[0] = 0;
    return Number(this.arrays.actions.values[0]);
  }

  /** Its memory, for undo. @returns {Uint8Array[]} */
  snapshot() {
    return Object.values(this.arrays).map(({ bytes }) => bytes.slice());
  }

  /** Continue from a snapshot. @param {Uint8Array[]} snapshot */
  restore(snapshot) {
    Object.values(this.arrays).forEach(({ bytes }, k) => bytes.set(snapshot[k]));
  }
}
