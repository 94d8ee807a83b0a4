// @ts-check
/**
 * The pieces of a board, and their changes from one picture to the next.
 *
 * A piece that is wanted again stays the same element and moves; those that leave stay until all movements have ended.
 */
import { Piece, byName, nearestTo, same, take } from "./pieces.js";

/**
 * @typedef {object} Wanted a piece of the next picture
 * @property {string} name its identity: a piece becomes one of the same name
 * @property {() => Element} make
 * @property {import("./pieces.js").Place} place
 * @property {import("./pieces.js").Place} [from] the place that a new piece comes from
 * @property {import("./pieces.js").Looks} looks
 * @property {boolean} late whether it is shown only after all movements
 * @property {boolean} leaving whether it is removed after it has moved there
 */

export class Layer {
  /** @param {Element} svg the picture @param {Element} root the part of it that this layer fills */
  constructor(svg, root) {
    this.svg = svg;
    this.root = root;
    /** @type {Map<string, Piece[]>} the pieces that stay, by name */
    this.shown = new Map();
    /** @type {Piece[]} those that are removed after all movements */
    this.gone = [];
  }

  /**
   * @param {Wanted[]} wanted from back to front @param {boolean} moved whether to animate the change from the last picture
   */
  show(wanted, moved) {
    const before = this.shown;
    /** @type {(Piece | undefined)[]} */
    const found = wanted.map(({ name, place }) => take(before.get(name), (piece) => same(piece.place, place)));
    wanted.forEach(({ name, place, late }, k) => {
      if (!found[k] && moved && !late) found[k] = take(before.get(name), nearestTo(place, before.get(name)));
    });
    const pieces = wanted.map(({ name, make, place, from, looks, late }, k) => {
      const piece = found[k] ?? new Piece(name, make());
      if (!found[k] && moved && late) piece.element.classList.add("late");
      if (!late) piece.element.classList.remove("late"); // it would hide again if it were put elsewhere in the order
      piece.move(found[k] || !moved ? place : (from ?? place));
      piece.dress(looks);
      return piece;
    });
    for (const { element } of [...before.values()].flat().concat(this.gone)) element.remove();
    this.gone = pieces.filter((_, k) => wanted[k].leaving);
    for (const { element } of this.gone) element.classList.add("gone");
    pieces.forEach(({ element }, k) => {
      const there = this.root.children[k];
      if (there !== element) this.root.insertBefore(element, there ?? null);
    });
    if (moved && wanted.some(({ from }) => from)) {
      this.svg.getBoundingClientRect(); // so that the browser knows where new pieces were before they move
      wanted.forEach(({ place }, k) => pieces[k].move(place));
    }
    this.shown = byName(pieces.filter((_, k) => !wanted[k].leaving));
  }
}
