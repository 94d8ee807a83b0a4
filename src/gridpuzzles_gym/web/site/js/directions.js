// @ts-check
/** Up, down, left and right, in the order of the actions of most puzzles. */

/** @typedef {(square: number, action: number) => number} Ahead the square next to a square; -1 outside the board */

/**
 * Return the function of the square next to a square up, down, left or right (actions 0 to 3).
 * @param {number} width squares in a row
 * @param {number} squares of the board
 * @returns {Ahead}
 */
export function aheadOn(width, squares) {
  return (square, action) => {
    if (action < 2) {
      const there = action ? square + width : square - width;
      return there >= 0 && there < squares ? there : -1;
    }
    const column = square % width;
    return action === 2 ? (column ? square - 1 : -1) : column + 1 < width ? square + 1 : -1;
  };
}
