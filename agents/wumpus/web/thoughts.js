// @ts-check
/** What the agents of the Wumpus World think, read from their memory: as `thoughts()` in Python. */

/** @typedef {import("../../js/view.js").Thoughts} Thoughts */
/** @typedef {Record<string, ArrayLike<number>>} Arrays */
/** @typedef {Record<string, number>} Constants */

const WORDS = /** @type {const} */ ([
  ["SURE_GOLD", "gold!"],
  ["SURE_WUMPUS", "wumpus!"],
  ["MAYBE_WUMPUS", "wumpus?"],
  ["SURE_PIT", "pit!"],
  ["MAYBE_PIT", "pit?"],
]);
const MARKS_LEGEND = { "pit?": "suspected", "pit!": "certain", safe: "certain to be neither a pit nor the wumpus" };
const ODDS_LEGEND = { "30 %": "probability of a pit or the live wumpus", "gold 7": "probability of the gold, in per cent" };
const CERTAIN = 1e-9;
const LEAST = 0.005; // the minimum probability of gold that is shown

/**
 * @param {string} _name of the agent
 * @param {Arrays} arrays its memory
 * @param {Constants} constants places and bits in it
 * @param {import("../../js/scene.js").Scene} scene
 * @returns {Thoughts}
 */
export function thoughts(_name, arrays, constants, { level, rules }) {
  const width = level[rules.WIDTH];
  return arrays.beliefs ? odds(arrays, constants, width) : marks(arrays.memory, constants, width);
}

/** @param {ArrayLike<number>} memory @param {Constants} constants @param {number} width */
function marks(memory, constants, width) {
  const { MARKS, SAFE, VISITED } = constants;
  /** @type {Record<string, string>} */
  const notes = {};
  const squares = (memory.length - MARKS) / 2;
  for (let square = 0; square < squares; square++) {
    const bits = memory[MARKS + square];
    const words = WORDS.filter(([bit]) => bits & constants[bit]).map(([, word]) => word);
    if (!words.length && (bits & (SAFE | VISITED)) === SAFE) words.push(/** @type {any} */ ("safe"));
    if (words.length) notes[at(square, width)] = words.join(" ");
  }
  return { notes, legend: MARKS_LEGEND };
}

/** @param {Arrays} arrays @param {Constants} constants @param {number} width */
function odds({ memory, beliefs }, { CELLS, VISITED, ROCK, GLITTER, DANGER, GOLD }, width) {
  const squares = memory.length - CELLS;
  const cells = Array.from({ length: squares }, (_, square) => memory[CELLS + square]);
  const found = cells.some((bits) => bits & GLITTER); // it is grabbed at once, so the beliefs do not record it
  /** @type {Record<string, number>} */
  const values = {};
  /** @type {Record<string, string>} */
  const notes = {};
  cells.forEach((bits, square) => {
    if (bits & (VISITED | ROCK)) return;
    const [danger, gold] = [beliefs[DANGER * squares + square], found ? 0 : beliefs[GOLD * squares + square]];
    values[at(square, width)] = danger;
    notes[at(square, width)] = note(danger, gold);
  });
  return { notes, values, valuesName: "probability of death", legend: ODDS_LEGEND };
}

/** @param {number} danger @param {number} gold */
function note(danger, gold) {
  const words = danger < CERTAIN ? "safe" : `${rounded(100 * danger)} %`;
  return gold >= LEAST ? `${words}, gold ${rounded(100 * gold)}` : words;
}

/** Halves are rounded to even numbers, as Python does. @param {number} number */
function rounded(number) {
  const whole = Math.round(number);
  return whole - number === 0.5 && whole % 2 ? whole - 1 : whole;
}

/** @param {number} square @param {number} width */
function at(square, width) {
  return `${Math.floor(square / width)},${square % width}`;
}
