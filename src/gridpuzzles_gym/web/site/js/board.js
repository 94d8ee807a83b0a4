// @ts-check
/**
 * A board as an SVG picture: sprites on squares, which move from where they were.
 *
 * A puzzle's drawing puts the pieces of each scene on the board, from back to front. A piece that was there before
 * stays the same element, and the browser animates its movement. Removed pieces stay until all movements have ended.
 * Lengths are in squares; rows and columns are the level's.
 */
import { Layer } from "./layer.js";
import { Piece, TILE, placed } from "./pieces.js";
import { element, quarterOf, set } from "./svg.js";

const SIDE = TILE + 1; // of a sprite: neighbours overlap, or lines would show between them where they do not meet at a whole pixel
const LINE = 4; // the width of a rim's edge
const LETTERS = 0.6; // the height of numbers on a rim, as a share of its width

/** @typedef {import("./pieces.js").Looks} Looks */
/** @typedef {import("./layer.js").Wanted} Wanted */

/**
 * @typedef {object} Spot the place of a piece on its square
 * @property {number} [x] of its middle, from the square's left side
 * @property {number} [y] of its middle, from the square's top
 * @property {number} [size] its width
 * @property {number} [height] its height, if it differs from the width
 * @property {number} [turns] quarter turns clockwise
 * @property {number} [opacity] from 0 to 1
 * @property {string} [style] a class of the style sheet
 * @property {Spot} [from] the place that a new piece comes from
 * @property {boolean} [late] whether it is the effect of a move, shown after all movements
 * @property {boolean} [leaving] whether it is removed after it has moved there
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
    // The static pieces and the others; both layers are clipped to the part that is shown.
    this.still = element("svg", { class: "still" });
    this.pieces = element("svg", { class: "pieces" });
    svg.append(this.still, this.pieces);
    this.key = ""; // of the static pieces
    this.url = url;
    /** @type {Part} */
    this.part = { top: 0, left: 0, rows: 1, columns: 1 };
    this.layer = new Layer(this.svg, this.pieces);
    this.moved = false;
    /** @type {Wanted[]} */
    this.wanted = [];
  }

  /**
   * Begin a new picture.
   * @param {Part} part
   * @param {boolean} moved whether to animate the change from the last picture
   */
  begin(part, moved = false) {
    this.part = part;
    this.moved = moved;
    this.wanted = [];
    const cut = (part.cut ?? 0) - (part.rim ?? 0);
    const box = [part.left + cut, part.top + cut, part.columns - 2 * cut, part.rows - 2 * cut];
    const [x, y, width, height] = box.map((length) => length * TILE);
    for (const each of [this.svg, this.still, this.pieces]) each.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    for (const each of [this.still, this.pieces]) set(each, { x, y, width, height });
  }

  /**
   * Draw the static pieces, below everything else; they are drawn again only if the key changes.
   * @param {string} key @param {() => void} draw puts it on the board
   */
  ground(key, draw) {
    if (key === this.key) return;
    const others = this.wanted;
    this.wanted = [];
    draw();
    this.still.replaceChildren(...this.wanted.map((wanted) => standing(wanted).element));
    [this.key, this.wanted] = [key, others];
  }

  /**
   * Put a sprite on a square.
   * @param {string} sprite its name
   * @param {number} row
   * @param {number} column
   * @param {Spot & {quarter?: number}} [spot] `quarter` is the only quarter that is shown: upper left (0), upper
   *   right, lower left, lower right (3)
   */
  put(sprite, row, column, spot = {}) {
    const { quarter, style = "" } = spot;
    const href = this.url(sprite);
    const make = () => {
      const image = element("image", { href, width: SIDE, height: SIDE, x: -SIDE / 2, y: -SIDE / 2 });
      if (style) image.setAttribute("class", style);
      if (spot.height !== undefined) image.setAttribute("preserveAspectRatio", "none");
      return quarter === undefined ? image : quarterOf(image, quarter);
    };
    if (quarter === undefined) this.want(`${sprite} ${style}`, row, column, spot, make, { href });
    else this.want(`${sprite} ${quarter}`, row, column, spot, make);
  }

  /**
   * Colour a part of a square.
   * @param {string} style a class of the style sheet
   * @param {number} row
   * @param {number} column
   * @param {Spot & {fill?: string}} [spot] `fill` is a colour that depends on a number
   */
  tint(style, row, column, spot = {}) {
    const { fill } = spot;
    const side = style === "fill" && (spot.opacity ?? 1) === 1 ? SIDE : TILE;
    const make = () => element("rect", { width: side, height: side, x: -side / 2, y: -side / 2, class: style });
    this.want(`.${style} ${fill ?? ""}`, row, column, spot, make, { fill });
  }

  /**
   * Write on a square.
   * @param {string} words
   * @param {number} row
   * @param {number} column
   * @param {Spot & {fill?: string}} [spot] `size` is the height of the letters, `from.size` a multiple of it, `fill` a
   *   colour
   */
  write(words, row, column, spot = {}) {
    const { size = 0.2, style = "note", fill } = spot;
    const make = () => {
      const text = element("text", { "font-size": size * TILE, class: style });
      text.textContent = words;
      return text;
    };
    this.want(`"${words}"${style} ${fill ?? ""}`, row, column, { ...spot, size: 1, height: 1 }, make, { fill });
  }

  /**
   * Cover squares with one shape, so that soft edges leave no seams between the squares.
   * @param {string} style a class of the style sheet
   * @param {number[][]} squares [row, column] of each
   * @param {Spot & {fill?: string}} [spot] without a place
   */
  cover(style, squares, { fill, ...spot } = {}) {
    const path = squares.map(([row, column]) => `M${column * TILE} ${row * TILE}h${TILE}v${TILE}h-${TILE}z`).join("");
    this.want(style, 0, 0, { ...spot, x: 0, y: 0 }, () => element("path", { class: style }), { d: path, fill });
  }

  /**
   * Draw the rim around the squares, above everything put so far.
   * @param {string} fill its colour
   * @param {string} [edge] the colour of its outer edge, if it has one
   * @param {string} [numbers] the colour of the numbers on it, if it has any
   */
  frame(fill, edge, numbers) {
    const { top, left, rows, columns, cut = 0, rim = 0 } = this.part;
    const box = [left + cut, top + cut, columns - 2 * cut, rows - 2 * cut, rim];
    const [x, y, wide, high, out] = box.map((length) => length * TILE);
    const inside = `M${x} ${y}v${high}h${wide}v-${high}z`;
    const path = `${inside}M${x - out} ${y - out}h${wide + 2 * out}v${high + 2 * out}h-${wide + 2 * out}z`;
    this.want(`rim ${path} ${fill}`, 0, 0, { x: 0, y: 0 }, () => element("path", { d: path, fill }));
    if (numbers) this.number(numbers);
    if (!edge) return;
    const line = LINE / 2;
    const [width, height] = [wide, high].map((length) => length + 2 * (out - line));
    const around = { x: x - out + line, y: y - out + line, width, height };
    const shape = { ...around, fill: "none", stroke: edge, "stroke-width": LINE };
    this.want(`edge ${Object.values(shape)}`, 0, 0, { x: 0, y: 0 }, () => element("rect", shape));
  }

  /** Number columns and rows on the rim, from the lower left: as many as there is room for. @param {string} fill */
  number(fill) {
    const { top, left, rows, columns, rim = 0 } = this.part;
    const look = { size: LETTERS * rim, fill, style: "number" };
    const every = [1, 2, 5, 10, 20].find((step) => step >= 1.8 * look.size) ?? 20;
    const numbered = (/** @type {number} */ length) => {
      const first = every === 2 || every > length;
      return Array.from({ length }, (_, k) => k).filter((k) => (k + 1) % every === 0 || (k === 0 && first));
    };
    for (const k of numbered(columns)) this.write(String(k + 1), top + rows, left + k, { ...look, y: rim / 2 });
    for (const k of numbered(rows)) this.write(String(k + 1), top + rows - 1 - k, left, { ...look, x: -rim / 2 });
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
      for (const part of ["outline", "line"]) group.append(element("polyline", { points: points.join(" "), class: part }));
      group.append(element("path", { d: "M0 0L-24 -14L-24 14Z", transform: `translate(${endX} ${endY}) rotate(${angle})` }));
      return group;
    });
  }

  /**
   * @param {string} name its identity
   * @param {number} row @param {number} column @param {Spot} spot @param {() => Element} make @param {Looks} looks
   */
  want(name, row, column, spot, make, looks = {}) {
    const from = spot.from && placed(row, column, spot.from);
    const place = placed(row, column, spot);
    const { late = false, leaving = false } = spot;
    if (!leaving || this.moved) this.wanted.push({ name, make, place, from, looks, late, leaving });
  }

  /** Show everything put since `begin`. */
  end() {
    this.layer.show(this.wanted, this.moved);
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

/** Make a piece that never moves. @param {Wanted} wanted */
function standing({ name, make, place, looks }) {
  const piece = new Piece(name, make());
  piece.move(place);
  piece.dress(looks);
  return piece;
}
