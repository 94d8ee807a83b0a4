// @ts-check
/** What the agents of Cat and Mouse think, read from their memory: as `thoughts()` in Python. */
import { plural } from "../../js/messages.js";

/** @typedef {import("../../js/view.js").Thoughts} Thoughts */
/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {Record<string, ArrayLike<number>>} Arrays */
/** @typedef {Record<string, number>} Constants */

const LINE = "line"; // the word for the path in a legend

/**
 * @param {string} name of the agent
 * @param {Arrays} arrays its memory
 * @param {Constants} constants places in it
 * @param {Scene} scene
 * @returns {Thoughts}
 */
export function thoughts(name, arrays, constants, scene) {
  if (name === "uct") return tries(arrays);
  if (name === "shortest-path") return way(arrays, scene);
  if (name === "value-iteration") return returns(arrays, constants, scene);
  return hand(name, arrays, constants, scene);
}

/** @param {Arrays} arrays */
function tries({ visits, simulations }) {
  const counts = [0, 1, 2, 3].map((action) => visits[action]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { probabilities: total ? counts.map((count) => count / total) : [], figures: { simulations: String(simulations[0]) } };
}

/** @param {Arrays} arrays @param {Scene} scene */
function way({ scratch }, { level, state, rules }) {
  const path = [state[rules.MOUSE]];
  while (path[path.length - 1] !== level[rules.EXIT]) {
    const here = path[path.length - 1];
    const next = neighbours(level, rules, here).find((square) => scratch[square] < scratch[here]);
    if (next === undefined) break;
    path.push(next);
  }
  const figures = { "way to the exit": plural(path.length - 1, "step") };
  return { legend: { [LINE]: "its path, whatever the cats do" }, path: squares(path, level, rules), figures };
}

/** @param {Arrays} arrays @param {Constants} constants @param {Scene} scene */
function returns({ values, digits, floor, solution, policy }, { FLOOR, SOLVED, NO_STATE }, { level, state, rules }) {
  const { CAT, CATS, MOUSE } = rules;
  if (!solution[SOLVED]) return {};
  const base = Number(solution[FLOOR]);
  let cats = 0;
  for (let cat = level[CATS] - 1; cat >= 0; cat--) cats = cats * base + digits[state[CAT + cat]];
  /** @type {Record<string, number>} */
  const found = {};
  for (let k = 0; k < base; k++) {
    const number = cats * base + k;
    if (policy[number] !== NO_STATE) found[squares([floor[k]], level, rules)[0].join()] = values[number];
  }
  const notes = Object.fromEntries(Object.entries(found).map(([square, value]) => [square, value.toFixed(0)]));
  return { notes, values: found, valuesName: "expected return", legend: { 980: "expected return from there" } };
}

/** @param {string} name @param {Arrays} arrays @param {Constants} constants @param {Scene} scene */
function hand(name, { trails, actions }, { DEPTH }, scene) {
  const fled = trails[DEPTH];
  return {
    figures: {
      "hand on the wall": name.endsWith("left") ? "left" : "right",
      runs: scene.actions[Number(actions[0])],
      flees: fled ? `yes, ${plural(fled, "step")} to go back` : "no",
    },
  };
}

/** The squares next to a square to which there is a path. @param {Int16Array} level @param {Constants} rules @param {number} square */
function neighbours(level, { CELLS, STRIDE }, square) {
  const steps = [-level[STRIDE], level[STRIDE], -1, 1];
  return steps.filter((_, side) => (level[CELLS + square] >> side) & 1).map((step) => square + step);
}

/** @param {number[]} path @param {Int16Array} level @param {Constants} rules */
function squares(path, level, { STRIDE }) {
  return path.map((square) => [Math.floor(square / level[STRIDE]), square % level[STRIDE]]);
}
