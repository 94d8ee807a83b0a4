// @ts-check
/** Shortest paths, for gestures. Places are numbers, such as those of squares, which count row by row. */

/** @typedef {(place: number) => Iterable<[number, number]>} Steps each possible action on a place, and the place it leads to */

/**
 * Return a shortest path to each goal that can be reached, by breadth-first search, in the order of the goals.
 * @param {number} start @param {number[]} goals @param {Steps} steps
 * @returns {Map<number, number[]>} the actions; none to `start`
 */
export function shortestPaths(start, goals, steps) {
  /** @type {Map<number, [number, number] | null>} */
  const came = new Map([[start, null]]);
  const missing = new Set(goals);
  missing.delete(start);
  const waiting = [start];
  for (let k = 0; k < waiting.length && missing.size; k++) {
    for (const [action, there] of steps(waiting[k])) {
      if (came.has(there)) continue;
      came.set(there, [waiting[k], action]);
      missing.delete(there);
      waiting.push(there);
    }
  }
  return new Map(goals.filter((goal) => came.has(goal)).map((goal) => [goal, wayBack(goal, came)]));
}

/** @param {number} place @param {Map<number, [number, number] | null>} came */
function wayBack(place, came) {
  const actions = [];
  for (let step = came.get(place); step; step = came.get(step[0])) actions.push(step[1]);
  return actions.reverse();
}

/**
 * Return a shortest path; null if there is none.
 * @param {number} start @param {number} goal @param {Steps} steps
 */
export function shortestPath(start, goal, steps) {
  return shortestPaths(start, [goal], steps).get(goal) ?? null;
}

/**
 * Return the number of a square on a board; -1 if it is not on it.
 * @param {number} width squares in a row
 * @param {number} squares of the board
 * @param {import("./scene.js").Square} square
 */
export function numberOn(width, squares, { row, column }) {
  const inside = row >= 0 && row < squares / width && column >= 0 && column < width;
  return inside ? row * width + column : -1;
}

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

/**
 * Return the steps up, down, left and right (actions 0 to 3) of a walk on the free squares of a board.
 * @param {number} width squares in a row
 * @param {number} squares of the board
 * @param {(square: number) => boolean} free whether a square is free
 * @returns {Steps}
 */
export function stepsOn(width, squares, free) {
  const ahead = aheadOn(width, squares);
  return function* steps(square) {
    for (let action = 0; action < 4; action++) {
      const there = ahead(square, action);
      if (there >= 0 && free(there)) yield [action, there];
    }
  };
}
