// @ts-check
/** Values stored in the browser between visits; without permission nothing is stored, and nothing fails. */

/** @param {string} name @returns {string | null} */
export function stored(name) {
  try {
    return localStorage.getItem(`gridpuzzles:${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} words */
export function store(name, words) {
  try {
    localStorage.setItem(`gridpuzzles:${name}`, words);
  } catch {
    // Storing is forbidden, or the storage is full.
  }
}

/** @typedef {{moves: number, stars: number}} Result the person's best of a game: the fewest moves, the most stars */

/** @param {string} name of the game @returns {Result | null} null if it is not solved */
export function result(name) {
  const [moves, stars = 0] = (stored(name) ?? "").split(" ").map(Number);
  return moves > 0 ? { moves, stars } : null;
}

/**
 * Store what is better of a solution; return the fewest moves before, and whether this one has fewer.
 * @param {string} name of the game
 * @param {number} moves
 * @param {number} stars
 */
export function best(name, moves, stars) {
  const old = result(name) ?? { moves: Infinity, stars: 0 };
  if (moves < old.moves || stars > old.stars) store(name, `${Math.min(moves, old.moves)} ${Math.max(stars, old.stars)}`);
  return { before: old.moves, better: moves < old.moves };
}
