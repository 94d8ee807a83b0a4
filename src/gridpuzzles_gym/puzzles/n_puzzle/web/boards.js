// @ts-check
/** Boards as lists of tiles: the named goals, solvability, and the rows of the rules. As boards.py, word for word. */
import { plural, quote, repr, wordsOf } from "../../js/messages.js";

export const SMALLEST = 2; // squares per side
export const LARGEST = 10;
export const RUN_TOGETHER = 10; // the maximum number of squares of a board that is written without spaces

/** @typedef {number[]} Tiles the tile on each square, row by row; 0 is the blank */
/** @typedef {Record<string, number>} Rules */

/** The named goals. @type {Record<string, (height: number, width: number) => Tiles>} */
const GOALS = {
  rows: (height, width) => [...count(1, height * width), 0],
  spiral,
  "blank-first": (height, width) => count(0, height * width),
};

/** @param {number} first @param {number} end */
function count(first, end) {
  return Array.from({ length: end - first }, (_, k) => first + k);
}

/** @param {number} height @param {number} width */
function spiral(height, width) {
  const tiles = new Array(height * width).fill(0);
  let [top, left, bottom, right, next] = [0, 0, height - 1, width - 1, 1];
  const put = (/** @type {number} */ row, /** @type {number} */ column) => (tiles[row * width + column] = next++);
  while (top <= bottom && left <= right) {
    for (let column = left; column <= right; column++) put(top, column);
    for (let row = top + 1; row <= bottom; row++) put(row, right);
    if (top < bottom) for (let column = right - 1; column >= left; column--) put(bottom, column);
    if (left < right) for (let row = bottom - 1; row > top; row--) put(row, left);
    [top, left, bottom, right] = [top + 1, left + 1, bottom - 1, right - 1];
  }
  return tiles.map((tile) => tile % tiles.length); // the last square is the blank's
}

/**
 * Return the name of a goal, or its tiles if it is given in full.
 * @param {string | number | Tiles} goal a name, or the tiles row by row, as numbers or as text
 * @returns {string | Tiles}
 * @throws {RangeError} it is none of these, or a tile is missing or duplicate
 */
export function readGoal(goal) {
  const named = Object.keys(GOALS).map(repr).join(", ");
  const shown = Array.isArray(goal) ? `[${goal.join(", ")}]` : typeof goal === "string" ? quote(goal) : String(goal);
  let tiles = goal;
  if (!Array.isArray(tiles)) {
    const words = wordsOf(String(goal).replace(/[,/|]/g, " "));
    if (words.length === 1 && Object.hasOwn(GOALS, words[0])) return words[0];
    const together = words.join("");
    const numbers = words.length === 1 || [...together].length <= RUN_TOGETHER ? [...together] : words;
    if (!numbers.length || !numbers.every(isNumber)) {
      const allowed = `allowed are ${named}, and the tiles row by row, e.g. '123804765' (0 the blank)`;
      throw new RangeError(`goal=${shown} is not known; ${allowed}`);
    }
    tiles = numbers.map(Number);
  }
  const sorted = [...tiles].sort((a, b) => a - b);
  if (sorted.some((tile, k) => tile !== k) || tiles.length < SMALLEST ** 2 || tiles.length > LARGEST ** 2) {
    throw new RangeError(
      `goal=${shown}: must have each tile from 0 (the blank) to the number of squares minus 1 exactly once`,
    );
  }
  return tiles;
}

/** Whether a text consists of digits. @param {string} text */
export function isNumber(text) {
  return /^[0-9]+$/.test(text);
}

/**
 * Return the solved board of that size.
 * @param {string | Tiles} goal @param {number} height @param {number} width
 * @throws {RangeError} the goal is given in full for another number of squares
 */
export function arrange(goal, height, width) {
  if (typeof goal === "string") return GOALS[goal](height, width);
  if (goal.length === height * width) return goal;
  const squares = `a board of ${width}x${height} has ${height * width}`;
  throw new RangeError(`the goal ${describe(goal)} has ${goal.length} squares, but ${squares}`);
}

/** Return a goal as text: its name, or its tiles on one line. @param {string | Tiles} goal */
export function describe(goal) {
  return typeof goal === "string" ? goal : goal.join(goal.length <= RUN_TOGETHER ? "" : " ");
}

/**
 * Return the name of a solved board if it has one, otherwise the board itself.
 * @param {Tiles} goal @param {number} height @param {number} width
 */
export function nameOf(goal, height, width) {
  return Object.keys(GOALS).find((name) => equal(GOALS[name](height, width), goal)) ?? goal;
}

/** @param {Tiles} one @param {Tiles} other */
export function equal(one, other) {
  return one.every((tile, square) => tile === other[square]);
}

/**
 * Return the reason why a board cannot be solved; empty if it can.
 * @param {Tiles} tiles @param {Tiles} goal @param {number} width
 */
export function whyUnsolvable(tiles, goal, width) {
  const [swaps, moves] = swapsAndMoves(tiles, goal, width);
  if (swaps % 2 === moves % 2) return "";
  const parity = ["even", "odd"];
  return (
    "this board cannot be solved: each move swaps the blank with a tile, and the blank's square changes colour as " +
    `on a chessboard; the blank's way to its goal (${plural(moves, "square")}) takes an ` +
    `${parity[moves % 2]} number of moves, but putting everything in place takes an ${parity[swaps % 2]} number of ` +
    `swaps (at least ${swaps}); with any two tiles exchanged it could be solved`
  );
}

/** @param {Tiles} tiles @param {Tiles} goal @param {number} width */
function swapsAndMoves(tiles, goal, width) {
  const seen = new Set();
  let swaps = 0;
  for (let square of tiles.keys()) {
    while (!seen.has(square)) { // a cycle of n squares takes n - 1 swaps
      seen.add(square);
      square = goal.indexOf(tiles[square]);
      if (!seen.has(square)) swaps++;
    }
  }
  const [here, there] = [tiles.indexOf(0), goal.indexOf(0)];
  const rows = Math.floor(here / width) - Math.floor(there / width);
  return [swaps, Math.abs(rows) + Math.abs((here % width) - (there % width))];
}

/**
 * Return the rows of a board.
 * @param {Tiles} tiles @param {Tiles} goal @param {number} height @param {number} width @param {Rules} rules
 */
export function makeRows(tiles, goal, height, width, { HEIGHT, WIDTH, HOMES_AT, MOVES, BLANK, MISPLACED, TILES }) {
  const squares = height * width;
  const [level, state] = [new Int16Array(MOVES + 2 * squares), new Int16Array(TILES + squares)];
  [level[HEIGHT], level[WIDTH], level[HOMES_AT]] = [height, width, MOVES + squares];
  tiles.forEach((tile, square) => {
    const [row, column] = [Math.floor(square / width), square % width];
    const sides = [row > 0, row + 1 < height, column > 0, column + 1 < width];
    level[MOVES + square] = sides.reduce((bits, open, action) => bits | (Number(open) << action), 0);
    level[MOVES + squares + goal[square]] = square;
    state[TILES + square] = tile;
  });
  state[BLANK] = tiles.indexOf(0);
  state[MISPLACED] = tiles.filter((tile, square) => tile && tile !== goal[square]).length;
  return { level, state };
}

/** Return the solved board of a level. @param {Int16Array} level @param {Rules} rules @returns {Tiles} */
export function goalTiles(level, { HOMES_AT }) {
  const homes = [...level.slice(level[HOMES_AT])];
  const tiles = new Array(homes.length).fill(0);
  homes.forEach((square, tile) => (tiles[square] = tile));
  return tiles;
}
