// @ts-check
/** What has changed, in words: for those who hear the board instead of seeing it. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Status} Status */

/** @param {Scene} scene @param {Status} status */
export function described({ action, actions, steps }, { words, reason, signs = [], numbers }) {
  const done = action === null ? "Start" : `${steps}: ${actions[action]}`;
  const there = signs.filter(({ on, group }) => on && group !== undefined).map(({ name }) => name);
  const counted = numbers.map(([name, number]) => `${name} ${number}`);
  return [done, words, reason, ...there, ...counted].filter(Boolean).join(", ");
}
