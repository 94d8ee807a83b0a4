// @ts-check
/** What tests can have done in JavaScript: functions of files, as bytes by name, and of the job, as JSON. */
import { randomBits } from "../../src/gridpuzzles_gym/web/site/js/seeds.js";
import { solve as solveByKernel } from "../../src/gridpuzzles_gym/web/site/js/solver.js";
import * as replays from "./replay.js";
export { scenes, texts } from "./scripts.js";
export { thoughts } from "./thoughts.js";

/** @typedef {Record<string, Uint8Array>} Files */

const text = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes));
const numbers = (/** @type {Uint8Array | undefined} */ bytes) => new Int16Array(Uint8Array.from(bytes ?? []).buffer);

/** @param {Files} files @param {string} prefix of the names of the files */
const built = (files, prefix = "") => ({
  wasm: new WebAssembly.Module(/** @type {any} */ (files[`${prefix}wasm`])),
  description: text(files[`${prefix}json`]),
});

/** @param {Files} files @param {any} job */
export const replay = (files, job) => replays.replay(built(files), job, numbers(files.rows));

/** @param {Files} files @param {any} job */
export const watch = (files, job) => replays.watch(built(files), built(files, "agent_"), job, numbers(files.rows));

/**
 * Solve a problem; returns, as JSON, the status, the plan and the number of states expanded.
 * @param {Files} files @param {any} job
 */
export const solve = (files, job) => new TextEncoder().encode(JSON.stringify(replays.solve(built(files), job)));

/**
 * Solve a problem by a search of the puzzle's own; returns the result as JSON.
 * @param {Files} files @param {any} job
 */
export const solveAtOnce = (files, job) => {
  const { wasm, description } = built(files);
  return new TextEncoder().encode(JSON.stringify(solveByKernel(wasm, description, job.search, job, job.most)));
};

/** The random bits of seeds, as JSON. @param {Files} _ @param {any} job */
export const seeds = (_, job) => JSON.stringify(job.seeds.map((/** @type {string} */ seed) => `${randomBits(BigInt(seed))}`));
