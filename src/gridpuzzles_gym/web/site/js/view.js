// @ts-check
/**
 * A scene in the page: the board, the status of the game, and an agent's thoughts.
 */
import { Board } from "./board.js";
import { make } from "./elements.js";
import { element } from "./svg.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Drawing} Drawing */

/**
 * @typedef {object} Thoughts an agent's thoughts; all parts are optional. Squares are "row,column".
 * @property {Record<string, string>} [notes] short texts on squares
 * @property {Record<string, number>} [values] a number for each square
 * @property {string} [valuesName] the name of these numbers
 * @property {number[][]} [path] the squares of its plan
 * @property {number[]} [probabilities] of each action
 * @property {Record<string, string>} [legend] what notes and path mean
 * @property {Record<string, string>} [figures] further figures by name
 */

const [LOW, HIGH] = [[44, 75, 216], [255, 208, 46]]; // the colours of the lowest and the highest value

export class View {
  /**
   * @param {HTMLElement} root an empty element, which this view fills
   * @param {Drawing} drawing the puzzle's
   * @param {(name: string) => string} url the address of a sprite
   */
  constructor(root, drawing, url) {
    this.drawing = drawing;
    this.url = url;
    this.svg = /** @type {SVGSVGElement} */ (element("svg", { class: "board", role: "img" }));
    this.board = new Board(this.svg, url);
    this.state = make("p", "state");
    this.numbers = make("dl", "numbers");
    this.reason = make("p", "reason");
    this.signs = make("div", "sign-groups");
    this.thoughts = make("div", "thoughts");
    this.second = new Board(/** @type {SVGSVGElement} */ (element("svg", { class: "board", "aria-hidden": "true" })), url);
    this.caption = make("figcaption");
    this.picture = make("figure", "picture");
    this.picture.append(this.caption, this.second.svg);
    const panel = make("div", "panel");
    panel.append(this.state, this.reason, this.numbers, this.signs, this.picture, this.thoughts);
    root.classList.add("view");
    root.replaceChildren(this.svg, panel);
  }

  /**
   * @param {Scene} scene
   * @param {boolean} moved whether to animate the change from the last scene
   * @param {Thoughts} thoughts
   */
  show(scene, moved = false, thoughts = {}) {
    this.board.begin(this.drawing.part(scene), moved);
    this.drawing.draw(scene, this.board);
    this.drawThoughts(thoughts);
    this.board.end();
    const { words, tone, reason = "", sprite, turns = 0, numbers, signs = [], picture } = this.drawing.status(scene);
    this.svg.setAttribute("aria-label", `${scene.title}: ${words}${reason && `, ${reason}`}`);
    this.state.replaceChildren(...(sprite ? [this.image(sprite, turns)] : []), words);
    this.reason.textContent = reason;
    this.state.dataset.tone = tone;
    this.numbers.replaceChildren(...pairs(numbers));
    this.showSigns(signs);
    this.showPicture(picture);
    this.describe(thoughts, scene.actions);
  }

  /** @param {import("./scene.js").Status["picture"]} picture */
  showPicture(picture) {
    this.picture.hidden = !picture;
    if (!picture) return;
    this.caption.textContent = picture.name;
    this.second.begin(picture.part);
    picture.draw(this.second);
    this.second.end();
  }

  /** @param {Thoughts} thoughts */
  drawThoughts({ notes = {}, values = {}, path = [] }) {
    const [low, high] = range(values);
    for (const [square, number] of Object.entries(values)) {
      const [row, column] = square.split(",").map(Number);
      this.board.tint("value", row, column, { fill: colour(number, low, high) });
    }
    this.board.trace(path, "plan");
    for (const [square, words] of Object.entries(notes)) {
      const [row, column] = square.split(",").map(Number);
      const size = Math.min(0.13, 1.5 / words.length);
      this.board.tint("note-ground", row, column, { y: 0.88, size: 0.94, height: 1.4 * size });
      this.board.write(words, row, column, { y: 0.88, size, style: "note" });
    }
  }

  /** @param {Thoughts} thoughts @param {string[]} actions */
  describe({ values = {}, valuesName = "", probabilities = [], legend = {}, figures = {} }, actions) {
    const [low, high] = range(values);
    const shares = probabilities.map((share, action) => [actions[action], `${Math.round(100 * share)} %`]);
    const entries = [...Object.entries(figures), ...shares];
    const list = make("dl", "numbers");
    list.append(...pairs(/** @type {[string, string][]} */ (entries)));
    const lines = Object.entries(legend).map(([mark, meaning]) => make("p", "legend", `${mark}: ${meaning}`));
    if (low < Infinity) lines.unshift(scale(valuesName, short(low), short(high)));
    this.thoughts.replaceChildren(...(entries.length ? [list] : []), ...lines);
  }

  /** @param {import("./scene.js").Sign[]} signs */
  showSigns(signs) {
    const groups = [...new Set(signs.map(({ group = "" }) => group))];
    const parts = groups.map((name) => {
      const [part, list] = [make("div", "sign-group"), make("ul", "signs")];
      list.append(...signs.filter(({ group = "" }) => group === name).map((sign) => this.sign(sign)));
      part.append(...(name ? [make("p", "heading", name)] : []), list);
      return part;
    });
    this.signs.replaceChildren(...parts);
  }

  /** @param {import("./scene.js").Sign} sign */
  sign({ sprite, name, on }) {
    const item = make("li", on ? "on" : "off");
    item.append(this.image(sprite), make("span", "", name));
    return item;
  }

  /** @param {string} sprite @param {number} turns quarter turns clockwise */
  image(sprite, turns = 0) {
    const image = document.createElement("img");
    Object.assign(image, { src: this.url(sprite), alt: "" });
    if (turns) image.style.transform = `rotate(${90 * turns}deg)`;
    return image;
  }
}

/** @param {[string, string | number][]} entries */
function pairs(entries) {
  return entries.map(([name, entry]) => {
    const pair = make("div");
    pair.append(make("dt", "", name), make("dd", "", String(entry)));
    return pair;
  });
}

/** The colours of values, from the lowest to the highest. @param {string} name @param {string} low @param {string} high */
function scale(name, low, high) {
  const [line, scale] = [make("p", "legend", `${name}: `), make("span", "scale")];
  scale.append(low, make("span", "colours"), high);
  line.append(scale);
  return line;
}

/** @param {Record<string, number>} values */
function range(values) {
  const numbers = Object.values(values);
  return [Math.min(...numbers), Math.max(...numbers)];
}

/** @param {number} number */
function short(number) {
  return String(Number(number.toPrecision(3)));
}

/** @param {number} number @param {number} low @param {number} high */
function colour(number, low, high) {
  const share = high > low ? (number - low) / (high - low) : 0;
  return `rgb(${LOW.map((part, k) => Math.round(part + share * (HIGH[k] - part)))})`;
}
