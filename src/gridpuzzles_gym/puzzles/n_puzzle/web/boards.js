// @ts-check
/** Boards as lists of tiles: the named goals, solvability, and the rows of the rules. As boards.py, word for word. */
export const SMALLEST = 2; // squares per side
export const LARGEST = 10;
export const RUN_TOGETHER = 10; // the maximum number of squares of a board that is written without spaces

/** @typedef {number[]} Tiles the tile on each square, row by row; 0 is the blank */
/** @typedef {Record<string, number>} Rules */

/** The named goals. @type {Record<string, (height: number, width: number) => Tiles>} */
export const GOALS = {
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

/** Whether a text consists of digits. @param {string} text */
export function isNumber(text) {
  return /^[0-9]+$/.test(text);
}

/** Return the solved board of that size. @param {string} goal @param {number} height @param {number} width */
export function arrange(goal, height, width) {
  return GOALS[goal](height, width);
}

/**
 * Return the name of a solved board; undefined if it has none.
 * @param {Tiles} goal @param {number} height @param {number} width
 */
export function nameOf(goal, height, width) {
  return Object.keys(GOALS).find((name) => equal(GOALS[name](height, width), goal));
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
  const moves = Math.abs(rows) + Math.abs((here % width) - (there % width));
  return swaps % 2 === moves % 2 ? "" : "this board cannot be solved: with any two tiles exchanged it could be";
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
