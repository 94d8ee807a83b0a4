// @ts-check
/** The score of a solution, as in the window: its numbers against the proven minima. */

const STARS = 3;

/**
 * @param {Record<string, number>} numbers of the solution: moves, and the puzzle's metrics
 * @param {Record<string, number>} minima the proven ones, by name; empty if none is known
 * @param {number} hints how many moves followed a hint
 * @returns {number} 3 if a number is minimal, 2 if one is at most 25 % above its minimum, otherwise 1; 0 with hints
 */
export function starsOf(numbers, minima, hints) {
  if (hints) return 0;
  const shares = Object.entries(minima).flatMap(([name, least]) => (name in numbers ? [numbers[name] / Math.max(least, 1)] : []));
  const excess = shares.length ? Math.min(...shares) : 1;
  return excess <= 1 ? STARS : excess <= 1.25 ? 2 : 1;
}

/** @param {number} stars */
export function starred(stars) {
  return "★".repeat(stars) + "☆".repeat(STARS - stars);
}

/**
 * The numbers of a game in a line: `moves 12, best 10, minimum 8`.
 * @param {Record<string, number>} numbers
 * @param {Record<string, number>} minima
 * @param {number | undefined} best the fewest moves so far
 */
export function scored(numbers, minima, best) {
  const names = ["moves", ...Object.keys(minima).filter((name) => name !== "moves" && name in numbers)];
  return names.map((name) => {
    const own = name === "moves" && best !== undefined ? `, best ${best}` : "";
    return `${name} ${numbers[name]}${own}${name in minima ? `, minimum ${minima[name]}` : ""}`;
  });
}
