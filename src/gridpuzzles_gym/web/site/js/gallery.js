// @ts-check
/** The dialog with a picture of every level of a pack, drawn when it comes into view. */
import { Board } from "./board.js";
import { make } from "./elements.js";
import { spriteAddress } from "./puzzle.js";
import { starred } from "./stars.js";
import { element } from "./svg.js";

/** @typedef {import("./opening.js").Opener} Opener */
/** @typedef {import("./scene.js").Level} Level */

export class Gallery {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {Opener} opener
   * @param {(number: number) => void} choose
   */
  constructor(dialog, opener, choose) {
    this.dialog = dialog;
    this.opener = opener;
    this.choose = choose;
    this.list = /** @type {HTMLElement} */ (dialog.querySelector("ul"));
    /** @type {Map<Element, Level>} */
    this.waiting = new Map();
    this.watcher = new IntersectionObserver((entries) => entries.forEach((each) => each.isIntersecting && this.draw(each.target)), { root: dialog });
  }

  /**
   * @param {Level[]} levels
   * @param {string[]} titles
   * @param {number} number of the level in play, from 1
   * @param {(number: number) => import("./storage.js").Result | null} resultOf the person's best
   */
  open(levels, titles, number, resultOf) {
    this.watcher.disconnect();
    this.waiting.clear();
    this.list.replaceChildren(...levels.map((level, k) => this.item(level, titles[k], k + 1, resultOf(k + 1))));
    this.dialog.showModal();
    const current = this.list.children[number - 1]?.querySelector("button");
    current?.setAttribute("aria-current", "true");
    current?.scrollIntoView({ block: "center" });
    current?.focus();
  }

  /** @param {Level} level @param {string} title @param {number} number @param {import("./storage.js").Result | null} result */
  item(level, title, number, result) {
    const [item, press] = [make("li"), /** @type {HTMLButtonElement} */ (make("button"))];
    press.type = "button";
    press.addEventListener("click", () => {
      this.dialog.close();
      this.choose(number);
    });
    const picture = element("svg", { class: "board", "aria-hidden": "true" });
    const score = make("span", "result", result ? `✓ ${starred(result.stars)}` : "");
    if (result) score.setAttribute("aria-label", `solved, ${result.stars} of 3 stars`);
    press.append(picture, make("span", "", title), score);
    item.append(press);
    this.waiting.set(picture, level);
    this.watcher.observe(picture);
    return item;
  }

  /** @param {Element} picture */
  draw(picture) {
    const level = this.waiting.get(picture);
    if (!level) return;
    this.waiting.delete(picture);
    this.watcher.unobserve(picture);
    const { puzzle } = this.opener;
    const board = new Board(/** @type {SVGSVGElement} */ (picture), (sprite) => spriteAddress(puzzle.name, sprite));
    const scene = this.opener.firstScene(level);
    board.begin(puzzle.drawing.part(scene));
    puzzle.drawing.draw(scene, board);
    board.end();
  }
}
