// @ts-check
/** Keys: a puzzle's own for its actions, then those of the page. */

/** The names in `description.keys` of keys whose character is not their name. @type {Record<string, string>} */
const NAMES = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", " ": "space" };
/** @type {Record<string, string>} */
export const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };
/** @type {Record<string, string>} */
const LABELS = { ...ARROWS, space: "Space" };

/**
 * @typedef {object} Commands
 * @property {(action: number) => void} act
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {Record<string, () => void>} others by the key
 */

/**
 * Play with the keyboard, wherever the focus is, except in text fields and menus.
 * @param {Record<string, number>} keys the action of each key
 * @param {() => number} actions the number of actions
 * @param {Commands} commands
 */
export function listenToKeys(keys, actions, { act, undo, redo, others }) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.isComposing || target.closest("input, select, textarea, dialog")) return;
    if (target.closest("button, a, summary") && [" ", "Enter"].includes(event.key)) return;
    const command = event.ctrlKey || event.metaKey ? history(event, undo, redo) : plain(event);
    if (!command) return;
    event.preventDefault();
    command();
  });

  /** @param {KeyboardEvent} event */
  function plain(event) {
    const name = NAMES[event.key] ?? event.key.toLowerCase();
    const action = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (action !== undefined && action < actions()) return () => act(action);
    return Object.hasOwn(others, name) ? others[name] : undefined;
  }
}

/** @param {KeyboardEvent} event @param {() => void} undo @param {() => void} redo */
function history({ key, shiftKey }, undo, redo) {
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? redo : undo;
  return letter === "y" ? redo : undefined;
}

/** The labels of an action's keys. @param {Record<string, number>} keys @param {number} action */
export function labelsOf(keys, action) {
  const names = Object.keys(keys).filter((name) => keys[name] === action);
  return names.map((name) => LABELS[name] ?? name.toUpperCase());
}
