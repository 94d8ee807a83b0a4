// @ts-check
/**
 * The pieces of a board, and their changes from one picture to the next.
 *
 * A piece that is wanted again stays the same element and moves; removed pieces stay until all movements have ended.
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
    /** @type {Piece[]} all pieces, from back to front */
    this.order = [];
    /** @type {Piece[]} those that are removed after all movements */
    this.gone = [];
  }

  /**
   * @param {Wanted[]} wanted from back to front @param {boolean} moved whether to animate the change from the last picture
   * @param {boolean} exact whether pieces that are not wanted are removed at once
   */
  show(wanted, moved, exact = false) {
    const before = this.shown;
    /** @type {(Piece | undefined)[]} */
    const found = wanted.map(({ name, place }) => take(before.get(name), (piece) => same(piece.place, place)));
    wanted.forEach(({ name, place, late }, k) => {
      if (!found[k] && moved && !late) found[k] = take(before.get(name), nearestTo(place, before.get(name)));
    });
    const pieces = wanted.map(({ name, make, place, from, looks, late }, k) => {
      const piece = found[k] ?? new Piece(name, make(), late);
      if (!found[k] && moved && late) piece.element.classList.add("late");
      if (!late) piece.element.classList.remove("late"); // it would hide again if it were put elsewhere in the order
      piece.move(found[k] || !moved ? place : (from ?? place));
      piece.dress(looks);
      return piece;
    });
    this.leave([...before.values()].flat(), pieces.filter((_, k) => wanted[k].leaving), moved && !exact);
    this.order = this.withGone(pieces);
    this.order.forEach(({ element }, k) => {
      const there = this.root.children[k];
      if (there !== element) this.root.insertBefore(element, there ?? null);
    });
    if (moved && wanted.some(({ from }) => from)) {
      this.svg.getBoundingClientRect(); // so that the browser knows where new pieces were before they move
      wanted.forEach(({ place }, k) => pieces[k].move(place));
    }
    this.shown = byName(pieces.filter((_, k) => !wanted[k].leaving));
  }

  /**
   * Remove pieces; those from before a move stay until all movements have ended.
   * @param {Piece[]} pieces @param {Piece[]} leaving those that are removed after they have moved @param {boolean} moved
   */
  leave(pieces, leaving, moved) {
    for (const { element } of this.gone) element.remove();
    this.gone = [...pieces.filter(({ late }) => moved && !late), ...leaving];
    for (const { element } of this.gone) element.classList.add("gone");
    for (const { element, late } of pieces) if (late || !moved) element.remove();
  }

  /** Add the pieces that will be removed, each below the pieces it was below. @param {Piece[]} pieces */
  withGone(pieces) {
    if (!this.gone.length) return pieces;
    const [staying, gone, order] = [new Set(pieces), new Set(this.gone), [...pieces]];
    let above = null;
    for (const piece of [...this.order].reverse()) {
      if (gone.has(piece) && !staying.has(piece)) order.splice(above ? order.indexOf(above) : order.length, 0, piece);
      if (gone.has(piece) || staying.has(piece)) above = piece;
    }
    return order;
  }
}
