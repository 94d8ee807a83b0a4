// @ts-check
/** One of a puzzle's own searches, from beginning to end: it cannot be interrupted, so long ones need a worker. */
import { Kernels } from "./kernels.js";

const LONGEST = 1 << 16; // actions
const LENGTH = 0; // indices into the counts
const EXPANDED = 1;

/**
 * @param {WebAssembly.Module} module the puzzle's searches
 * @param {any} description of the module
 * @param {string} name of the search
 * @param {{level: ArrayLike<number>, state: ArrayLike<number>}} start
 * @param {number} most the maximum number of states to expand
 * @returns {{status: "solved" | "exhausted" | "limit", plan: number[], expanded: number}} without a solution, the plan
 *   leads to the most promising state found
 */
export function solve(module, description, name, { level, state }, most) {
  const { kernel, settings } = description.solvers[name];
  const { REACHED, PAUSED } = description.why;
  const kernels = new Kernels(module, description.exports);
  const plan = kernels.array("uint8", LONGEST);
  const counts = kernels.array("int64", 3);
  const why = kernels.bind(`solve_${kernel}`, {
    level: kernels.arrayOf("int16", level),
    state: kernels.arrayOf("int16", state),
    settings: kernels.arrayOf("int64", settings),
    most: kernels.arrayOf("int64", [most]),
    plan,
    counts,
  })();
  const length = Math.min(Number(counts.values[LENGTH]), LONGEST);
  const status = why === REACHED ? "solved" : why === PAUSED ? "limit" : "exhausted";
  return { status, plan: Array.from(plan.values.subarray(0, length)), expanded: Number(counts.values[EXPANDED]) };
}
