// @ts-check
/** Mazes as symbols, one for each square, as in `boards.py`; squares count row by row. */
import { aheadOn } from "../../js/directions.js";

/** @typedef {Record<string, number>} Rules */

export const LETTERS = "#.EMCcmxX";
export const WALL = LETTERS.indexOf("#");
export const FLOOR = LETTERS.indexOf(".");

/** @param {string} letters @returns {(symbol: number) => boolean} whether a symbol is one of these letters */
const oneOf = (letters) => (symbol) => letters.includes(LETTERS[symbol]);

export const hasExit = oneOf("EcmX");
export const hasMouse = oneOf("MmxX");
export const hasCat = oneOf("CcxX");

/** The squares of the cats. @param {ArrayLike<number>} level @param {ArrayLike<number>} state @param {Rules} rules */
function catsOf(level, state, { CAT, CATS }) {
  return Array.from({ length: level[CATS] }, (_, cat) => state[CAT + cat]);
}

/**
 * Return the symbols of a maze.
 * @param {ArrayLike<number>} level @param {ArrayLike<number>} state @param {Rules} rules
 */
export function symbolsOf(level, state, rules) {
  const { CELLS, EXIT, MOUSE, WALL: BLOCKED } = rules;
  const [exit, mouse, cats] = [level[EXIT], state[MOUSE], new Set(catsOf(level, state, rules))];
  return Array.from({ length: level.length - CELLS }, (_, square) => {
    const [atExit, cat] = [square === exit, cats.has(square)];
    let letter = level[CELLS + square] & BLOCKED ? "#" : ".";
    if (square === mouse) letter = atExit ? (cat ? "X" : "m") : cat ? "x" : "M";
    else if (cat || atExit) letter = cat ? (atExit ? "c" : "C") : "E";
    return LETTERS.indexOf(letter);
  });
}

/**
 * Return the distance in steps of each square from the nearest start; -1 if it cannot be reached.
 * @param {number[]} symbols @param {number} width squares in a row @param {(symbol: number) => boolean} starts
 */
export function stepsFrom(symbols, width, starts) {
  /** @type {number[]} */
  const steps = symbols.map((symbol) => (starts(symbol) ? 0 : -1));
  const waiting = symbols.flatMap((symbol, square) => (starts(symbol) ? [square] : []));
  const ahead = aheadOn(width, symbols.length);
  for (const square of waiting) {
    for (let side = 0; side < 4; side++) {
      const there = ahead(square, side);
      if (there < 0 || steps[there] >= 0 || symbols[there] === WALL) continue;
      steps[there] = steps[square] + 1;
      waiting.push(there);
    }
  }
  return steps;
}
