// @ts-check
/**
 * The players to watch: agents with kernels, trained models, searches, and recorded episodes.
 *
 * A player decides one action at a time, with its thoughts. Decisions are stored, so that going back and forward again
 * shows the same.
 */
import { Agent } from "./agent.js";
import { Searching, Solving } from "./planning.js";
import { Policy, sampled } from "./policy.js";
import { modelFile, moduleOf, recordings } from "./puzzle.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("./puzzle.js").Puzzle} Puzzle */
/** @typedef {import("./view.js").Thoughts} Thoughts */
/** @typedef {{action: number, thoughts: Thoughts}} Decision */

const RECORDED = " (recorded)"; // after the name of an agent that does not run here
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
  const extent = String(play.game.environment.extent);
  const models = Object.keys(entry.models).filter((name) => String(entry.models[name]) === extent);
  const source = sourceOf(play);
  const recorded = Object.keys(entry.recorded).filter((name) => source !== null && entry.recorded[name].includes(source));
  const level = String(Array.from(play.game.level));
  const searches = !entry.boards || entry.boards.some((board) => String(board) === level) ? entry.searches : [];
  return [...agents, ...models, ...entry.solvers, ...searches, ...recorded.map((name) => name + RECORDED)];
}

/** Whether a player must begin at the start of an episode. @param {Puzzle} puzzle @param {string} name */
export function beginsAtStart({ entry }, name) {
  return entry.agents[name] !== undefined || name.endsWith(RECORDED);
}

/** The pack or environment under which episodes of a play are recorded. @param {Play} play */
function sourceOf({ from, id, registered }) {
  return from.pack ?? (from.of !== undefined && registered ? id : null);
}

/**
 * @param {Puzzle} puzzle
 * @param {string} name
 * @param {Play} play at the state from which the player continues
 * @returns {Promise<Player>}
 */
export async function playerOf(puzzle, name, play) {
  const agent = puzzle.entry.agents[name];
  if (name.endsWith(RECORDED)) return new Replaying(await recordings(puzzle.name), name.slice(0, -RECORDED.length), play);
  if (puzzle.entry.models[name]) return new Sampling(new Policy(await modelFile(puzzle.name, name)), play);
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

/** An episode that was recorded in Python, where the agent can run. */
class Replaying {
  progress = "";

  /** @param {Record<string, Record<string, (string | null)[]>>} recorded @param {string} name @param {Play} play */
  constructor(recorded, name, play) {
    const { number = 1, seed } = play.from;
    const episodes = recorded[name][/** @type {string} */ (sourceOf(play))];
    const place = play.from.pack === undefined ? Number(seed) : number - 1;
    this.play = play;
    this.episode = episodes[place] ?? "";
    const known = episodes.map((each, k) => (each === null ? -1 : k)).filter((k) => k >= 0);
    const where = play.from.pack === undefined ? `seeds ${known[0]} to ${known[known.length - 1]}` : `${known.length} of the ${episodes.length} levels`;
    this.nothing = `It does not run in a browser; it was recorded on ${where}.`;
  }

  /** @returns {Promise<Decision | null>} */
  async decide() {
    const { play, episode } = this;
    const at = play.taken.length;
    if (play.over || at >= episode.length) return null;
    return { action: Number(episode[at]), thoughts: { figures: { recorded: `step ${at + 1} of ${episode.length}` } } };
  }

  end() {}
}

/** A trained model, which can begin in any state: its actions are sampled with its probabilities. */
class Sampling {
  progress = "";
  nothing = NOTHING;

  /** @param {Policy} policy @param {Play} play */
  constructor(policy, play) {
    this.policy = policy;
    this.play = play;
    this.first = play.taken.length;
    /** @type {Decision[]} */
    this.decisions = [];
  }

  /** @returns {Promise<Decision | null>} */
  async decide() {
    const { play, policy, decisions } = this;
    const at = play.taken.length - this.first;
    if (play.over || decisions[at]) return decisions[at] ?? null;
    const { values } = play.game.observe(policy.header.observation);
    const probabilities = policy.probabilities(values, play.game.mask);
    decisions.push({ action: sampled(probabilities, Math.random()), thoughts: { probabilities } });
    return decisions[at];
  }

  end() {}
}
