// @ts-check
/** Replays episodes in JavaScript as tests/support/web_replay.py does in Python, and returns everything that they show. */
import { Agent } from "../../src/gridpuzzles_gym/web/site/js/agent.js";
import { Game } from "../../src/gridpuzzles_gym/web/site/js/game.js";
import { Search } from "../../src/gridpuzzles_gym/web/site/js/search.js";

const DETOUR = 7; // before every seventh step, three others are played and undone

/** @typedef {{wasm: WebAssembly.Module, description: any}} Built a module with its description */

/**
 * @param {Built} puzzle
 * @param {string} id
 * @param {Int16Array} rows the levels that episodes are sampled from, if any
 */
function makeGame({ wasm, description }, id, rows) {
  const environment = description.environments[id];
  return new Game(wasm, description, environment, rows);
}

/**
 * Play random actions, and undo others between them.
 * @param {Built} puzzle
 * @param {{id: string, seed: number, actions: number[], observation: string}} job
 * @param {Int16Array} rows
 * @returns {Uint8Array} a record for each step, and for each reset that follows the end of an episode
 */
export function replay(puzzle, { id, seed, actions, observation }, rows) {
  const game = makeGame(puzzle, id, rows);
  const { environment, description } = game;
  /** @type {Uint8Array[]} */
  const records = [];
  const record = (/** @type {number} */ reward) => {
    const flags = [+game.terminated, +game.truncated, description.outcomes.indexOf(game.outcome)];
    const count = Object.keys(environment.metrics).length;
    const parts = [
      new Float64Array([reward, game.score]),
      new Uint8Array(flags),
      game.mask,
      game.arrays.metrics.values.slice(0, count),
      game.arrays.random_bits.values,
      game.level,
      game.state,
      game.observe(observation).values,
    ];
    for (const part of parts) records.push(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice());
  };
  game.reset({ seed });
  record(0);
  actions.forEach((action, k) => {
    if (game.ended) {
      game.reset();
      record(0);
    }
    if (k % DETOUR === 0) {
      const before = game.snapshot();
      for (let other = 0; other < 3 && !game.ended; other++) game.step((action + other) % environment.actions.length);
      if (game.ended) game.reset();
      game.restore(before);
    }
    record(game.step(action));
  });
  return joined(records);
}

/**
 * Let an agent play.
 * @param {Built} puzzle
 * @param {Built} player
 * @param {{id: string, seed: number, agent: string, steps: number}} job
 * @param {Int16Array} rows
 * @returns {Uint8Array} for each step, the action, and 1 if it ended the episode
 */
export function watch(puzzle, player, { id, seed, agent: name, steps }, rows) {
  const game = makeGame(puzzle, id, rows);
  const agent = new Agent(player.wasm, player.description, name, id, game, seed);
  const played = new Uint8Array(2 * steps);
  game.reset({ seed });
  for (let k = 0; k < steps; k++) {
    const action = agent.act();
    game.step(action);
    played.set([action, +game.ended], 2 * k);
    if (game.ended) {
      game.reset();
      agent.begin();
    }
  }
  return played;
}

/**
 * Solve a problem in slices of 1,000 states.
 * @param {Built} searches
 * @param {any} problem
 */
export function solve({ wasm, description }, problem) {
  const search = new Search(wasm, description, problem);
  let status = "paused";
  while (status === "paused" && search.expanded < problem.most) {
    status = search.advance(Math.min(1000, problem.most - search.expanded));
  }
  return { status, plan: search.plan(), expanded: search.expanded };
}

/** @param {Uint8Array[]} records */
function joined(records) {
  const all = new Uint8Array(records.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of records) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
