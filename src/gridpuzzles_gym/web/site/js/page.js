// @ts-check
/** The page of a puzzle. */
import { labelsOf } from "./keys.js";
import { Opener } from "./opening.js";
import { Playing } from "./playing.js";
import { loadPuzzle } from "./puzzle.js";
import { switchTheme } from "./theme.js";
import { make } from "./elements.js";

const part = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

switchTheme(part("theme"));
try {
  const puzzle = await loadPuzzle(document.body.dataset.puzzle ?? "");
  part("help").querySelector("dl").append(...helpLines(puzzle).flatMap(([what, words]) => [make("dt", "", what), make("dd", "", words)]));
  const playing = new Playing(new Opener(puzzle), part);
  await playing.follow();
  document.body.dataset.ready = String(Math.round(performance.now())); // milliseconds since the page was asked for
} catch (error) {
  part("problem").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : error}`;
  part("problem").hidden = false;
  throw error;
}

/** @param {import("./puzzle.js").Puzzle} puzzle @returns {[string, string][]} */
function helpLines({ description, entry, gestures }) {
  const { keys, key_words: words } = description;
  const [{ actions }] = /** @type {any[]} */ (Object.values(description.environments));
  const shown = actions.map((/** @type {string} */ name, /** @type {number} */ k) => [labelsOf(keys, k).join(", "), words[k] ?? name]);
  const marks = gestures.marks ? [["long press, right click", `mark a square: ${gestures.marks.join(", ")}`]] : [];
  const others = [["Backspace, U", "undo"], ["F4, Y", "redo"], ["Home", "restart"], ["Page up, Page down", "previous, next"]];
  return [...shown, ...Object.entries(entry.gestures), ["swipe", "as the arrow key, where nothing is dragged"], ...marks, ...others];
}
