// @ts-check
/** The pieces on a board, and how those of one picture are matched with the next one. */

export const TILE = 100; // units of the picture for each square

/** @typedef {{x: number, y: number, size: number, height: number, turns: number, opacity: number}} Place */
/** @typedef {{href?: string, fill?: string, d?: string}} Looks */

/** One piece on the board. */
export class Piece {
  /** @param {string} name @param {Element} element */
  constructor(name, element) {
    this.name = name;
    this.element = /** @type {SVGElement} */ (element);
    /** @type {Looks} */
    this.looks = {};
    /** @type {Place | null} */
    this.place = null;
    this.angle = 0;
  }

  /** @param {Place} place */
  move(place) {
    if (this.place && same(this.place, place)) return;
    const turned = this.place ? this.angle : 90 * place.turns;
    const left = (((90 * place.turns - turned) % 360) + 540) % 360 - 180; // the shorter way
    this.angle = turned + left;
    this.place = place;
    const { x, y, size, height, opacity } = place;
    const moves = `translate(${x * TILE}px, ${y * TILE}px) rotate(${this.angle}deg) scale(${size}, ${height})`;
    this.element.style.transform = moves;
    this.element.style.opacity = String(opacity);
  }

  /** @param {Looks} looks */
  dress({ href, fill, d }) {
    if (href && href !== this.looks.href) this.element.setAttribute("href", href);
    if (d && d !== this.looks.d) this.element.setAttribute("d", d);
    if (fill && fill !== this.looks.fill) this.element.style.fill = fill;
    this.looks = { href, fill, d };
  }
}

/**
 * Remove the first piece that satisfies a condition from a list, and return it.
 * @param {Piece[] | undefined} pieces @param {(piece: Piece) => boolean} condition
 */
export function take(pieces, condition) {
  const k = pieces ? pieces.findIndex(condition) : -1;
  return k < 0 ? undefined : /** @type {Piece[]} */ (pieces).splice(k, 1)[0];
}

/**
 * Return the condition that a piece is the nearest one to a place.
 * @param {Place} place @param {Piece[] | undefined} pieces @returns {(piece: Piece) => boolean}
 */
export function nearestTo(place, pieces) {
  const distance = (/** @type {Piece} */ piece) =>
    piece.place ? Math.abs(piece.place.x - place.x) + Math.abs(piece.place.y - place.y) : Infinity;
  const least = Math.min(...(pieces ?? []).map(distance));
  return (piece) => distance(piece) === least && least < 4;
}

/** @param {Place | null} a @param {Place} b */
export function same(a, b) {
  return (
    a !== null && a.x === b.x && a.y === b.y && a.size === b.size && a.height === b.height && a.turns === b.turns &&
    a.opacity === b.opacity
  );
}

/** Return pieces by their names. @param {Piece[]} pieces */
export function byName(pieces) {
  /** @type {Map<string, Piece[]>} */
  const groups = new Map();
  for (const piece of pieces) {
    const group = groups.get(piece.name);
    if (group) group.push(piece);
    else groups.set(piece.name, [piece]);
  }
  return groups;
}

/** @param {number} row @param {number} column @param {import("./board.js").Spot} spot @returns {Place} */
export function placed(row, column, { x = 0.5, y = 0.5, size = 1, height = size, turns = 0, opacity = 1 }) {
  return { x: column + x, y: row + y, size, height, turns, opacity };
}
