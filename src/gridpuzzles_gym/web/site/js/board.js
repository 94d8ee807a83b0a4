// @ts-check
/**
 * A board as an SVG picture: sprites on squares, which move from where they were.
 *
 * A puzzle's drawing says, for each scene, what is on the board, from back to front. Whatever was there before stays, and
 * moves if it has moved: the browser animates it. Lengths are in squares; rows and columns are the level's own.
 */

const SVG = "http://www.w3.org/2000/svg";
const TILE = 100; // units of the picture for each square
const SHADOW = [[0, 0.6], [0.5, 0.4], [1, 0]]; // its opacity at some distances from its middle

/**
 * @typedef {object} Spot where something is on its square
 * @property {number} [x] of its middle, from the square's left side
 * @property {number} [y] of its middle, from the square's top
 * @property {number} [size] its width
 * @property {number} [height] its height, if that is not its width
 * @property {number} [turns] quarter turns clockwise
 * @property {number} [opacity] from 0 to 1
 * @property {string} [style] a class of the style sheet
 * @property {Spot} [from] where it comes from, if it is new
 */
/**
 * @typedef {object} Part the squares that are shown
 * @property {number} top
 * @property {number} left
 * @property {number} rows
 * @property {number} columns
 * @property {number} [cut] the share of the outermost ones that is not shown
 * @property {number} [rim] the width of what is shown around them, in squares
 */

export class Board {
  /**
   * @param {SVGElement} svg an empty element, which this board fills
   * @param {(name: string) => string} url the address of a sprite
   */
  constructor(svg, url) {
    this.svg = svg;
    this.url = url;
    /** @type {Part} */
    this.part = { top: 0, left: 0, rows: 1, columns: 1 };
    /** @type {Map<string, Piece[]>} */
    this.shown = new Map();
    /** @type {Piece[]} */
    this.order = [];
    this.moved = false;
    /** @type {{name: string, make: () => Element, place: Place, from?: Place}[]} */
    this.wanted = [];
  }

  /**
   * Begin a new picture.
   * @param {Part} part
   * @param {boolean} moved does it follow the last one, so that things move?
   */
  begin(part, moved = false) {
    this.part = part;
    this.moved = moved;
    this.wanted = [];
    const cut = (part.cut ?? 0) - (part.rim ?? 0);
    const box = [part.left + cut, part.top + cut, part.columns - 2 * cut, part.rows - 2 * cut];
    this.svg.setAttribute("viewBox", box.map((length) => length * TILE).join(" "));
  }

  /**
   * Put a sprite on a square.
   * @param {string} sprite its name
   * @param {number} row
   * @param {number} column
   * @param {Spot} [spot]
   */
  put(sprite, row, column, spot = {}) {
    this.want(`${sprite} ${spot.style ?? ""}`, row, column, spot, () => {
      const image = element("image", { href: this.url(sprite), width: TILE, height: TILE, x: -TILE / 2, y: -TILE / 2 });
      if (spot.style) image.setAttribute("class", spot.style);
      if (spot.height !== undefined) image.setAttribute("preserveAspectRatio", "none");
      return image;
    });
  }

  /**
   * Colour a part of a square.
   * @param {string} style a class of the style sheet
   * @param {number} row
   * @param {number} column
   * @param {Spot & {fill?: string}} [spot] `fill` is a colour that depends on a number
   */
  tint(style, row, column, spot = {}) {
    this.want(`.${style} ${spot.fill ?? ""}`, row, column, spot, () => {
      const box = element("rect", { width: TILE, height: TILE, x: -TILE / 2, y: -TILE / 2, class: style });
      if (spot.fill) box.setAttribute("fill", spot.fill);
      return box;
    });
  }

  /**
   * Put a shadow below a thing.
   * @param {number} row
   * @param {number} column
   * @param {Spot} spot
   */
  shade(row, column, spot) {
    this.want("shadow", row, column, spot, () => {
      const shape = element("g", {}); // the gradient is defined in it, because what stands alone would be a piece
      const gradient = element("radialGradient", { id: "shadow" });
      for (const [offset, opacity] of SHADOW) gradient.append(element("stop", { offset, "stop-opacity": opacity }));
      shape.append(gradient, element("circle", { r: TILE / 2, fill: "url(#shadow)" }));
      return shape;
    });
  }

  /**
   * Write on a square.
   * @param {string} words
   * @param {number} row
   * @param {number} column
   * @param {Spot} [spot] `size` is the height of the letters
   */
  write(words, row, column, spot = {}) {
    const size = spot.size ?? 0.2;
    this.want(`"${words}"${spot.style ?? ""}`, row, column, { ...spot, size: 1 }, () => {
      const text = element("text", { "font-size": size * TILE, class: spot.style ?? "note" });
      text.textContent = words;
      return text;
    });
  }

  /**
   * Cover squares with one shape, which leaves no seams where its style makes its edges soft.
   * @param {string} style a class of the style sheet
   * @param {number[][]} squares [row, column] of each
   */
  cover(style, squares) {
    const path = squares.map(([row, column]) => `M${column * TILE} ${row * TILE}h${TILE}v${TILE}h-${TILE}z`).join("");
    this.want(`${style} ${path}`, 0, 0, { x: 0, y: 0 }, () => element("path", { class: style, d: path }));
  }

  /**
   * Draw a line through the middles of squares, with an arrow at its end.
   * @param {number[][]} squares [row, column] of each
   * @param {string} style a class of the style sheet
   */
  trace(squares, style) {
    const points = squares.map(([row, column]) => [(column + 0.5) * TILE, (row + 0.5) * TILE]);
    if (points.length < 2) return;
    this.want(`${style} ${points}`, 0, 0, { x: 0, y: 0 }, () => {
      const group = element("g", { class: style });
      const [[x, y], [endX, endY]] = points.slice(-2);
      const angle = (180 / Math.PI) * Math.atan2(endY - y, endX - x);
      group.append(element("polyline", { points: points.join(" ") }));
      group.append(element("path", { d: "M0 0L-24 -14L-24 14Z", transform: `translate(${endX} ${endY}) rotate(${angle})` }));
      return group;
    });
  }

  /** @param {string} name @param {number} row @param {number} column @param {Spot} spot @param {() => Element} make */
  want(name, row, column, spot, make) {
    const from = spot.from && placed(row, column, spot.from);
    this.wanted.push({ name, make, place: placed(row, column, spot), from });
  }

  /** Show what was put since `begin`. */
  end() {
    const before = this.shown;
    /** @type {(Piece | undefined)[]} */
    const found = this.wanted.map(({ name, place }) => take(before.get(name), (piece) => same(piece.place, place)));
    this.wanted.forEach(({ name, place }, k) => {
      if (!found[k] && this.moved) found[k] = take(before.get(name), nearestTo(place, before.get(name)));
    });
    const order = this.wanted.map(({ name, make, place, from }, k) => {
      const piece = found[k] ?? new Piece(name, make());
      piece.move(found[k] || !this.moved ? place : (from ?? place));
      return piece;
    });
    for (const pieces of before.values()) for (const piece of pieces) piece.element.remove();
    order.forEach(({ element: shape }, k) => {
      const there = this.svg.children[k];
      if (there !== shape) this.svg.insertBefore(shape, there ?? null);
    });
    if (this.moved && this.wanted.some(({ from }) => from)) {
      this.svg.getBoundingClientRect(); // so that the browser knows where new pieces were before they move
      this.wanted.forEach(({ place }, k) => order[k].move(place));
    }
    this.order = order;
    this.shown = grouped(order);
  }

  /**
   * The square at a point of the window.
   * @param {{clientX: number, clientY: number}} point
   * @returns {{row: number, column: number} | null} null outside the board
   */
  squareAt({ clientX, clientY }) {
    const matrix = /** @type {SVGGraphicsElement} */ (this.svg).getScreenCTM();
    if (!matrix) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const [column, row] = [Math.floor(x / TILE), Math.floor(y / TILE)];
    const { top, left, rows, columns } = this.part;
    const inside = row >= top && column >= left && row < top + rows && column < left + columns;
    return inside ? { row, column } : null;
  }
}

/** @typedef {{x: number, y: number, size: number, height: number, turns: number, opacity: number}} Place */

/** One thing on the board. */
class Piece {
  /** @param {string} name @param {Element} element */
  constructor(name, element) {
    this.name = name;
    this.element = /** @type {SVGElement} */ (element);
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
}

/**
 * Take the first piece for which something is so out of a list.
 * @param {Piece[] | undefined} pieces @param {(piece: Piece) => boolean} so
 */
function take(pieces, so) {
  const k = pieces ? pieces.findIndex(so) : -1;
  return k < 0 ? undefined : /** @type {Piece[]} */ (pieces).splice(k, 1)[0];
}

/** @param {Place} place @param {Piece[] | undefined} pieces @returns {(piece: Piece) => boolean} is a piece the nearest? */
function nearestTo(place, pieces) {
  const distance = (/** @type {Piece} */ piece) =>
    piece.place ? Math.abs(piece.place.x - place.x) + Math.abs(piece.place.y - place.y) : Infinity;
  const least = Math.min(...(pieces ?? []).map(distance));
  return (piece) => distance(piece) === least && least < 4;
}

/** @param {Place | null} a @param {Place} b */
function same(a, b) {
  return (
    a !== null && a.x === b.x && a.y === b.y && a.size === b.size && a.height === b.height && a.turns === b.turns &&
    a.opacity === b.opacity
  );
}

/** @param {Piece[]} pieces */
function grouped(pieces) {
  /** @type {Map<string, Piece[]>} */
  const groups = new Map();
  for (const piece of pieces) groups.set(piece.name, [...(groups.get(piece.name) ?? []), piece]);
  return groups;
}

/** @param {number} row @param {number} column @param {Spot} spot @returns {Place} */
function placed(row, column, { x = 0.5, y = 0.5, size = 1, height = size, turns = 0, opacity = 1 }) {
  return { x: column + x, y: row + y, size, height, turns, opacity };
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, entry] of Object.entries(attributes)) made.setAttribute(key, String(entry));
  return made;
}
