// @ts-check
/** The part of a board that is shown. */

/**
 * Return the smallest part of a board with all squares that are not walls, and those around them.
 * @param {number} rows
 * @param {number} columns
 * @param {(square: number) => boolean} isWall is there a wall on a square, which count row by row?
 * @returns {import("./board.js").Part}
 */
export function cropToFloor(rows, columns, isWall) {
  const floor = Array.from({ length: rows * columns }, (_, square) => square).filter((square) => !isWall(square));
  const [top, bottom] = around(floor.map((square) => Math.floor(square / columns)), rows);
  const [left, right] = around(floor.map((square) => square % columns), columns);
  return { top, left, rows: bottom - top, columns: right - left };
}

/** @param {number[]} lines that have floor @param {number} length @returns {[number, number]} the first line shown, and the first after these */
function around(lines, length) {
  const first = lines.reduce((least, line) => Math.min(least, line), length);
  const last = lines.reduce((most, line) => Math.max(most, line), 0);
  return [Math.max(first - 1, 0), Math.min(last + 2, length)];
}
