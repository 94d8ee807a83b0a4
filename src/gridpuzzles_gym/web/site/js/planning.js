// @ts-check
/** Players that search for a plan first, and then follow it. */
import { grouped } from "./messages.js";
import { Search } from "./search.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("./players.js").Decision} Decision */

const SLICE = 2000; // states that a search expands before it yields to the page
const MAX_STATES = 3_000_000; // maximum number of states to expand

/** A plan from the state in which it is first asked for. */
class Planning {
  /** @param {Play} play */
  constructor(play) {
    this.play = play;
    this.first = play.taken.length;
    this.expanded = 0;
    this.nothing = "Its plan ends here.";
    /** The plan, once it has been asked for. @type {Promise<number[]> | null} */
    this.plan = null;
  }

  get progress() {
    return this.expanded ? `Searching: ${grouped(this.expanded)} positions …` : "Searching …";
  }

  /** @returns {Promise<Decision | null>} */
  async decide() {
    const plan = await (this.plan ??= this.find());
    const left = plan.slice(this.play.taken.length - this.first);
    if (!left.length || this.play.over) return null;
    const figures = { plan: `${left.length} left of ${plan.length}`, positions: grouped(this.expanded) };
    return { action: left[0], thoughts: { figures } };
  }

  /** @returns {Promise<number[]>} the actions to a solution; empty if none was found */
  async find() {
    return [];
  }

  /** The plan of a solution; without one, empty, and the reason is stored. @param {string} status @param {number[]} plan */
  result(status, plan) {
    if (status === "solved") return plan;
    const tried = `${grouped(this.expanded)} positions`;
    this.nothing = status === "exhausted" ? "There is no solution from here." : `It has given up after ${tried}.`;
    return [];
  }

  end() {}
}

/** One of the puzzle's own searches, in a worker. */
export class Solving extends Planning {
  /** @param {{module: WebAssembly.Module, description: any}} built @param {string} name @param {Play} play */
  constructor({ module, description }, name, play) {
    super(play);
    const { level, state } = play.game;
    this.problem = { module, description, name, start: { level: level.slice(), state: state.slice() }, most: MAX_STATES };
    this.worker = new Worker(new URL("solving_worker.js", import.meta.url), { type: "module" });
    this.cancel = () => {};
  }

  /** @returns {Promise<number[]>} */
  find() {
    return new Promise((resolve, reject) => {
      this.cancel = () => resolve([]);
      this.worker.onerror = ({ message }) => reject(new Error(message ?? "its worker cannot be loaded"));
      this.worker.onmessage = ({ data: { status, plan, expanded } }) => {
        this.expanded = expanded;
        resolve(this.result(status, plan));
        this.end();
      };
      this.worker.postMessage(this.problem);
    });
  }

  end() {
    this.worker.terminate();
    this.cancel();
  }
}

/** A search in slices. */
export class Searching extends Planning {
  /** @param {{module: WebAssembly.Module, description: any}} built @param {string} name @param {Play} play */
  constructor({ module, description }, name, play) {
    super(play);
    const { level, state, environment } = play.game;
    const heuristic = Object.keys(description.heuristics)[0];
    const actions = environment.actions.length;
    this.search = new Search(module, description, { search: name, heuristic, id: play.id, level, state, actions });
    this.ended = false;
  }

  /** @returns {Promise<number[]>} */
  async find() {
    let status = "paused";
    while (status === "paused" && !this.ended && this.expanded < MAX_STATES) {
      status = this.search.advance(SLICE);
      this.expanded = this.search.expanded;
      await new Promise((resume) => setTimeout(resume));
    }
    return this.result(status, this.search.plan());
  }

  end() {
    this.ended = true;
  }
}
