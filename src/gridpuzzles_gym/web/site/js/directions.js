// @ts-check
/** Up, down, left and right, in the order of the actions of most puzzles. */

/** The change of (row, column) of each. */
export const SIDES = [[-1, 0], [1, 0], [0, -1], [0, 1]];

/** The quarter turns clockwise from up. */
export const TURNS = [0, 2, 3, 1];

/** The middles of a square's edges. */
export const EDGES = [{ y: 0 }, { y: 1 }, { x: 0 }, { x: 1 }];
