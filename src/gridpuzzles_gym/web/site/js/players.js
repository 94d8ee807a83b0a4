// @ts-check
/**
 * The players to watch: agents with kernels, and searches.
 *
 * A player decides one action at a time, with its thoughts. Decisions are stored, so that going back and forward again
 * shows the same.
 */
import { Agent } from "./agent.js";
import { Searching, Solving } from "./planning.js";
import { moduleOf } from "./puzzle.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("./puzzle.js").Puzzle} Puzzle */
/** @typedef {import("./view.js").Thoughts} Thoughts */
/** @typedef {{action: number, thoughts: Thoughts}} Decision */

const NOTHING = "It finds nothing to do here.";

/**
 * @typedef {object} Player
 * @property {() => Promise<Decision | null>} decide the decision in the play's state; null if there is none
 * @property {() => void} end stop deciding
 * @property {string} progress what it is doing while it decides
 * @property {string} nothing why there is no decision
 */

/**
 * The names of the possible players, in the order of the records.
 * @param {Puzzle} puzzle
 * @param {Play} play
 */
export function playersOf({ entry }, play) {
  const agents = Object.keys(entry.agents).filter(() => play.registered);
  const level = String(Array.from(play.game.level));
  const searches = !entry.boards || entry.boards.some((board) => String(board) === level) ? entry.searches : [];
  return [...agents, ...entry.solvers, ...searches];
}

/** Whether a player must begin at the start of an episode. @param {Puzzle} puzzle @param {string} name */
export function beginsAtStart({ entry }, name) {
  return entry.agents[name] !== undefined;
}

/**
 * @param {Puzzle} puzzle
 * @param {string} name
 * @param {Play} play at the state from which the player continues
 * @returns {Promise<Player>}
 */
export async function playerOf(puzzle, name, play) {
  const agent = puzzle.entry.agents[name];
  if (agent === undefined) {
    const searches = await moduleOf(`${puzzle.name}.search`);
    return puzzle.entry.solvers.includes(name) ? new Solving(searches, name, play) : new Searching(searches, name, play);
  }
  const [built, own] = await Promise.all([moduleOf(agent), import(`../agents/${puzzle.name}/thoughts.js`)]);
  return new Deciding(built, own.thoughts, name, play);
}

/** An agent, from the start of an episode. */
class Deciding {
  progress = "";
  nothing = NOTHING;

  /** @param {{module: WebAssembly.Module, description: any}} built @param {import("./scene.js").ThoughtReader["thoughts"]} read @param {string} name @param {Play} play */
  constructor({ module, description }, read, name, play) {
    this.play = play;
    this.read = read;
    this.name = name;
    this.constants = description.agents[name][play.id].constants;
    this.agent = new Agent(module, description, name, play.id, play.game, play.seed);
    /** @type {Decision[]} */
    this.decisions = [];
  }

  /** @returns {Promise<Decision | null>} */
  async decide() {
    const { play, agent, decisions } = this;
    const at = play.taken.length;
    if (at < decisions.length) return decisions[at];
    if (play.over) return null;
    const action = agent.act();
    if (action < 0) return null;
    const arrays = Object.fromEntries(Object.entries(agent.arrays).map(([key, { values }]) => [key, values]));
    decisions.push({ action, thoughts: this.read(this.name, arrays, this.constants, play.scene(true)) });
    return decisions[at];
  }

  end() {}
}
