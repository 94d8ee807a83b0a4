// @ts-check
/** The board and its changes in words, for screen readers. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Status} Status */

/** @param {Scene} scene @param {Status} status */
export function described({ action, actions, steps }, { words, reason, signs = [], numbers }) {
  const done = action === null ? "Start" : `${steps}: ${actions[action]}`;
  const there = signs.filter(({ on, group }) => on && group !== undefined).map(({ name }) => name);
  const counted = numbers.map(([name, number]) => `${name} ${number}`);
  return [done, words, reason, ...there, ...counted].filter(Boolean).join(", ");
}

/** The level text of a scene, if it reveals nothing hidden. @param {Scene} scene @param {import("./puzzle.js").Puzzle} puzzle */
export function written({ level, state, revealed }, { entry, text, description }) {
  if (entry.hides && !revealed) return "Hidden until the end, because it would show where everything is.";
  return text ? text.format(level, state, description.rules) : "";
}
