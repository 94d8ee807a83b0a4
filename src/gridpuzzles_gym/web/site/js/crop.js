// @ts-check
/** The part of a board to show. */

/**
 * Return the smallest part of a board with all squares that are not walls, and those around them.
 * @param {(square: number) => boolean} isWall
 * @param {number} rows
 * @param {number} columns
 * @param {number} cut the share of the outermost squares that is not shown; 0 unless walls surround the floor
 * @returns {import("./board.js").Part}
 */
export function cropToFloor(isWall, rows, columns, cut = 0) {
  let [top, left, bottom, right] = [rows, columns, -1, -1];
  for (let square = 0; square < rows * columns; square++) {
    if (isWall(square)) continue;
    const [row, column] = [Math.floor(square / columns), square % columns];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  [top, left] = [Math.max(top - 1, 0), Math.max(left - 1, 0)];
  return { top, left, rows: Math.min(bottom + 2, rows) - top, columns: Math.min(right + 2, columns) - left, cut };
}
