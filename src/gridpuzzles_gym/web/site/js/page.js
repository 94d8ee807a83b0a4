// @ts-check
/** The page of a puzzle. */
import { make } from "./elements.js";
import { labelsOf } from "./keys.js";
import { Opener } from "./opening.js";
import { Playing } from "./playing.js";
import { loadPuzzle } from "./puzzle.js";
import { part, start } from "./start.js";

await start(async () => {
  const puzzle = await loadPuzzle(document.body.dataset.puzzle ?? "");
  part("help").querySelector("dl").append(...helpLines(puzzle).flatMap(([what, words]) => [make("dt", "", what), make("dd", "", words)]));
  const playing = new Playing(new Opener(puzzle), part);
  await playing.follow();
});

/** @param {import("./puzzle.js").Puzzle} puzzle @returns {[string, string][]} */
function helpLines({ description, entry, gestures }) {
  const { keys, key_words: words } = description;
  const [{ actions }] = /** @type {any[]} */ (Object.values(description.environments));
  const shown = actions.map((/** @type {string} */ name, /** @type {number} */ k) => [labelsOf(keys, k).join(", "), words[k] ?? name]);
  const marks = gestures.marks.length ? [["long press, right click", `mark a square: ${gestures.marks.join(", ")}`]] : [];
  const others = [["Backspace, U", "undo"], ["F4, Y", "redo"], ["F2, H", "hint; again: play it"], ["Home", "restart"], ["Page up, Page down", "previous, next"]];
  return [...shown, ...Object.entries(entry.gestures), ["swipe", "as the arrow key, unless it drags something"], ...marks, ...others];
}
