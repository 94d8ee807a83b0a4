// @ts-check
/** The message at the end of a game, with the choices that follow. */
import { button, make } from "./elements.js";
import { plural } from "./messages.js";

/** @type {Record<string, string>} */
const TITLES = { solved: "Solved!", died: "That is the end.", left: "You have left." };

export class Ending {
  /** @param {HTMLElement} root an empty element */
  constructor(root) {
    this.root = root;
  }

  hide() {
    this.root.hidden = true;
  }

  /**
   * @param {object} end
   * @param {string} end.outcome
   * @param {string} end.words how it ended
   * @param {number} end.moves
   * @param {{before: number, better: boolean} | null} end.best null if it is not solved
   * @param {[string, () => void][]} end.choices labels and functions of buttons; the first is the default
   */
  show({ outcome, words, moves, best, choices }) {
    const title = make("h2", "", TITLES[outcome] ?? "The end");
    const buttons = make("div", "row");
    buttons.append(...choices.map(([label, choose], k) => button(label, choose, k === 0 ? "main" : "")));
    this.root.dataset.outcome = outcome;
    this.root.replaceChildren(title, make("p", "", [words, counted(moves, best)].filter(Boolean).join(" · ")), buttons);
    this.root.hidden = false;
  }
}

/** @param {number} moves @param {{before: number, better: boolean} | null} best */
function counted(moves, best) {
  const result = plural(moves, "move");
  if (!best || best.before === Infinity) return result;
  return best.better ? `${result}, better than your ${best.before}` : `${result}, your best is ${best.before}`;
}
