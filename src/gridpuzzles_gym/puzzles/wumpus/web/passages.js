// @ts-check
/** Squares next to each other, as in `rules.py`. */

/** The (row, column) by which a step north, east, south and west moves. */
const AHEAD = [[-1, 0], [0, 1], [1, 0], [0, -1]];

/**
 * Return the square ahead, or -1 if there is a wall.
 * @param {ArrayLike<number>} level @param {number} square @param {number} facing @param {Record<string, number>} rules
 */
export function neighbour(level, square, facing, { CELLS, OPEN_NORTH, WIDTH }) {
  if (!(level[CELLS + square] & (OPEN_NORTH << facing))) return -1;
  const [down, right] = AHEAD[facing];
  return square + down * level[WIDTH] + right;
}
