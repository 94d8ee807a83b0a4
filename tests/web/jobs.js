// @ts-check
/** What tests can have done in JavaScript: functions of files, as bytes by name, and of the job, as JSON. */
import { unpacked } from "../../src/gridpuzzles_gym/web/site/js/film.js";
import { solve as solveByKernel } from "../../src/gridpuzzles_gym/web/site/js/solver.js";
import { Policy } from "../../src/gridpuzzles_gym/web/site/js/policy.js";
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

/** Every frame of an episode of a film: state, notes and values. @param {Files} files */
export const film = (files) => {
  const page = text(files.film);
  const frames = page.rounds.flatMap((/** @type {any} */ round) => round.episodes.map((/** @type {any} */ each) => unpacked(page, each)));
  return JSON.stringify(
    frames.map((/** @type {any} */ episode) =>
      episode.map((/** @type {any} */ { scene, thoughts }) => ({ ...scene, thoughts, level: null, state: [...scene.state], before: scene.before && [...scene.before] })),
    ),
  );
};

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

/**
 * The probabilities of a model's actions for some observations, float64.
 * @param {Files} files the model, the observations and the masks @param {any} job the size of an observation
 */
export const probabilities = (files, { size }) => {
  const policy = new Policy(Uint8Array.from(files.model).buffer);
  const actions = policy.header.actions;
  const found = Array.from({ length: files.masks.length / actions }, (_, k) =>
    policy.probabilities(files.views.subarray(k * size, (k + 1) * size), files.masks.subarray(k * actions, (k + 1) * actions)),
  );
  return new Uint8Array(Float64Array.from(found.flat()).buffer);
};
