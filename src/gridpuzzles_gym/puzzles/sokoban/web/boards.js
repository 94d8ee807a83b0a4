// @ts-check
/** Boards as the rows of the rules: as boards.py. */
import { deadSquares } from "./deadlocks.js";

/** @typedef {Int16Array} Row */
/** @typedef {Record<string, number>} Rules */

/**
 * Return the rows of a board in plain XSB, surrounded by walls up to an extent.
 * @param {string[]} rows @param {number[]} extent
 * @param {Record<string, any>} options @param {Rules} rules
 */
export function encodeRows(rows, [height, width], options, rules) {
  const { ASTRAY, BOXES, CELLS, COUNT, DEAD, GOAL, PLAYER, SCHEME, STRIDE, WALL, WATCH } = rules;
  const symbols = [...rows.map((row) => row.padEnd(width, "#")).join("").padEnd(height * width, "#")];
  const level = new Int16Array(CELLS + symbols.length);
  const state = new Int16Array(BOXES + Math.ceil(symbols.length / 8));
  const yard = {
    width,
    walls: symbols.map((symbol) => symbol === "#"),
    goals: symbols.map((symbol) => ".+*".includes(symbol)),
  };
  const dead = deadSquares(yard);
  level[STRIDE] = width;
  level[SCHEME] = rules[options.reward.toUpperCase()];
  level[WATCH] = options.deadlocks ? 1 : 0;
  symbols.forEach((symbol, square) => {
    const floor = yard.goals[square] ? GOAL : 0;
    level[CELLS + square] = (yard.walls[square] ? WALL : floor) | (dead[square] ? DEAD : 0);
    if (!"$*".includes(symbol)) return;
    state[BOXES + (square >> 3)] |= 1 << (square & 7);
    level[COUNT] += 1;
    if (symbol === "$") state[ASTRAY] += 1;
  });
  state[PLAYER] = symbols.findIndex((symbol) => "@+".includes(symbol));
  return { level, state };
}

/**
 * Return the squares with walls, goals and boxes, and the dead ones: an entry for each square.
 * @param {Row} level @param {Row} state @param {Rules} rules
 */
export function squaresOf(level, state, { BOXES, CELLS, DEAD, GOAL, STRIDE, WALL }) {
  const cells = [...level.slice(CELLS)];
  return {
    width: level[STRIDE],
    walls: cells.map((cell) => (cell & WALL) !== 0),
    goals: cells.map((cell) => (cell & GOAL) !== 0),
    dead: cells.map((cell) => (cell & DEAD) !== 0),
    boxes: cells.map((_, square) => ((state[BOXES + (square >> 3)] >> (square & 7)) & 1) === 1),
  };
}
