// @ts-check
/** Draws placements, the rows of numbers that a puzzle's picture rules write, on a board: see `placement.py`. */

/** @typedef {import("./board.js").Board} Board */
/** @typedef {ArrayLike<number>} Row */

const [SPRITE, NUMBER, QUARTER, OPACITY, SEEN, SQUARE, X, Y, WIDTH, HEIGHT, ANGLE] = Array(11).keys();
const FROM = 6;
export const COLUMNS = ANGLE + FROM + 1;
const UNIT = 1000;
const [ALWAYS, AFTER, DURING] = [0, 1, 2];
const DIGIT = 0.72; // the height of a digit, as a share of its font's size

/**
 * Put placements on a board, from back to front.
 * @param {Board} board @param {Row[]} rows @param {string[]} sprites what SPRITE is an index of
 * @param {{rows: number, columns: number}} size of the board, in squares
 */
export function putAll(board, rows, sprites, size) {
  for (let k = 0; k < rows.length; k++) {
    const name = sprites[rows[k][SPRITE]];
    if (name[0] !== "~") {
      put(board, rows[k], name, size.columns);
      continue;
    }
    const first = k;
    while (k + 1 < rows.length && rows[k + 1][SPRITE] === rows[k][SPRITE]) k++;
    putSoft(board, rows.slice(first, k + 1), name.slice(1), size);
  }
}

/**
 * Put a soft colour on squares as one shape; a movement that changes the squares ends with another shape.
 * @param {Board} board @param {Row[]} rows @param {string} fill @param {{rows: number, columns: number}} size
 */
function putSoft(board, rows, fill, size) {
  const cover = (/** @type {number} */ hidden, /** @type {import("./board.js").Spot} */ when = {}) => {
    const squares = new Set(rows.filter((row) => row[SEEN] !== hidden).map((row) => row[SQUARE]));
    board.cover("soft", outwards(squares, size), { fill, opacity: rows[0][OPACITY] / 255, ...when });
  };
  if (rows.every((row) => row[SEEN] === ALWAYS)) return cover(AFTER);
  cover(AFTER, { leaving: true });
  cover(DURING, { late: true });
}

/** @param {Board} board @param {Row} row @param {string} name @param {number} columns of the board */
function put(board, row, name, columns) {
  const [line, column] = [Math.floor(row[SQUARE] / columns), row[SQUARE] % columns];
  const late = row[SEEN] === AFTER;
  const to = spotOf(row, 0);
  const spot = { ...to, late, leaving: row[SEEN] === DURING };
  if (!late && moves(row)) spot.from = fromSpot(row, line, column, columns);
  if (row[NUMBER] >= 0) {
    const style = inside(to) ? "numeral" : "number";
    const from = spot.from && { ...spot.from, size: row[HEIGHT + FROM] / row[HEIGHT], height: undefined };
    board.write(String(row[NUMBER]), line, column, { ...spot, from, size: row[HEIGHT] / UNIT / DIGIT, style, fill: name });
  } else if (name[0] === "#") {
    board.tint("fill", line, column, { ...spot, fill: name });
  } else {
    const quarter = row[QUARTER] < 0 ? undefined : row[QUARTER];
    const light = name[0] === "+";
    board.put(light ? name.slice(1) : name, line, column, { ...spot, quarter, style: light ? "light" : "" });
  }
}

/** @param {Row} row @param {number} from 0, or FROM @returns {import("./board.js").Spot} */
function spotOf(row, from) {
  const [x, y, size, tall] = [X, Y, WIDTH, HEIGHT].map((place) => row[place + from] / UNIT);
  const height = row[WIDTH] === row[HEIGHT] && row[WIDTH + FROM] === row[HEIGHT + FROM] ? {} : { height: tall };
  return { x, y, size, ...height, turns: row[ANGLE + from] / 90, opacity: row[OPACITY] / 255 };
}

/** @param {Row} row @param {number} line @param {number} column @param {number} columns */
function fromSpot(row, line, column, columns) {
  const [down, right] = [Math.floor(row[SQUARE + FROM] / columns) - line, (row[SQUARE + FROM] % columns) - column];
  const { x = 0, y = 0, ...spot } = spotOf(row, FROM);
  return { x: x + right, y: y + down, ...spot };
}

/** @param {Row} row */
function moves(row) {
  for (let place = SQUARE; place <= ANGLE; place++) if (row[place] !== row[place + FROM]) return true;
  return false;
}

/** @param {import("./board.js").Spot} spot */
function inside({ x = 0, y = 0 }) {
  return x >= 0 && y >= 0 && x <= 1 && y <= 1;
}

/**
 * Squares, and those outside the board next to them, so that a soft colour does not fade at the board's edge.
 * @param {Set<number>} squares @param {{rows: number, columns: number}} size
 */
function outwards(squares, { rows, columns }) {
  const found = [];
  const within = (/** @type {number} */ place, /** @type {number} */ length) => Math.min(Math.max(place, 0), length - 1);
  for (let row = -1; row <= rows; row++) {
    for (let column = -1; column <= columns; column++) {
      if (squares.has(within(row, rows) * columns + within(column, columns))) found.push([row, column]);
    }
  }
  return found;
}
