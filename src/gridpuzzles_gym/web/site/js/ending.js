// @ts-check
/** The message at the end of a game, with the choices that follow. */
import { button, make, named } from "./elements.js";
import { plural } from "./messages.js";
import { starred } from "./stars.js";

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
   * @param {number} end.hints how many moves followed a hint, or were an agent's
   * @param {number | null} end.stars null if it is not solved
   * @param {number | undefined} end.minimum the proven minimum of moves
   * @param {{before: number, better: boolean} | null} end.best null if it is not solved
   * @param {[string, () => void][]} end.choices labels and functions of buttons; the first is the default
   */
  show({ outcome, words, moves, hints, stars, minimum, best, choices }) {
    const title = make("h2", "", TITLES[outcome] ?? "The end");
    if (stars !== null && !hints) title.append(" ", named(make("span", "stars", starred(stars)), `${stars} of 3 stars`));
    title.lastElementChild?.setAttribute("role", "img");
    const least = minimum === undefined ? "" : `minimum ${minimum}`;
    const helped = hints ? `${plural(hints, "move")} by hints or an agent` : "";
    const buttons = make("div", "row");
    buttons.append(...choices.map(([label, choose], k) => button(label, choose, k === 0 ? "main" : "")));
    this.root.dataset.outcome = outcome;
    this.root.replaceChildren(title, make("p", "", [words, counted(moves, best), least, helped].filter(Boolean).join(" · ")), buttons);
    this.root.hidden = false;
  }
}

/** @param {number} moves @param {{before: number, better: boolean} | null} best */
function counted(moves, best) {
  const result = plural(moves, "move");
  if (!best || best.before === Infinity) return result;
  return best.better ? `${result}, better than your ${best.before}` : `${result}, your best is ${best.before}`;
}
