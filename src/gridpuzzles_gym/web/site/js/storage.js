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

/**
 * Store the number of moves of a solution if it is the best; return the best before, and whether this one is better.
 * @param {string} name of the game
 * @param {number} moves
 */
export function best(name, moves) {
  const before = Number(stored(name)) || Infinity;
  if (moves < before) store(name, String(moves));
  return { before, better: moves < before };
}
