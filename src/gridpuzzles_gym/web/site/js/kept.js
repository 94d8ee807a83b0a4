// @ts-check
/** What the browser keeps between visits, if it may: nothing needs it. */

/** @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return localStorage.getItem(`gridpuzzles:${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} words */
export function keep(name, words) {
  try {
    localStorage.setItem(`gridpuzzles:${name}`, words);
  } catch {
    // It is forbidden, or full.
  }
}

/**
 * The fewest moves in which a game was solved, and whether this is fewer.
 * @param {string} name of the game
 * @param {number} moves
 */
export function best(name, moves) {
  const before = Number(kept(name)) || Infinity;
  if (moves < before) keep(name, String(moves));
  return { before, better: moves < before };
}
