// @ts-check
/** The first page: every puzzle with a picture of one of its levels. */
import { Board } from "./board.js";
import { catalogue, packText, spriteAddress } from "./puzzle.js";
import { element } from "./svg.js";
import { switchTheme } from "./theme.js";
import { make } from "./elements.js";

/** @typedef {import("./puzzle.js").Entry} Entry */

const part = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

switchTheme(part("theme"));
try {
  const entries = await catalogue();
  const cards = entries.map((entry) => ({ entry, ...card(entry) }));
  part("puzzles").replaceChildren(...cards.map(({ item }) => item));
  document.body.dataset.ready = String(Math.round(performance.now())); // milliseconds since the page was asked for
  const painted = await Promise.allSettled(cards.map(({ entry, picture }) => paint(entry, picture)));
  document.body.dataset.painted = "true";
  for (const result of painted) if (result.status === "rejected") console.error(result.reason); // cards do without
} catch (error) {
  part("problem").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : error}`;
  part("problem").hidden = false;
  throw error;
}

/** @param {Entry} entry */
function card({ name, title, words }) {
  const item = make("li", "card");
  const link = /** @type {HTMLAnchorElement} */ (make("a"));
  link.href = `${name}.html`;
  const picture = /** @type {SVGSVGElement} */ (element("svg", { class: "board", "aria-hidden": "true" }));
  const [frame, text] = [make("div", "frame"), make("div", "text")];
  frame.append(picture);
  text.append(make("h2", "", title), make("p", "", words));
  link.append(frame, text);
  item.append(link);
  return { item, picture };
}

/** Draw the first level of a puzzle's first pack. @param {Entry} entry @param {SVGElement} picture */
async function paint({ name, packs: [pack] }, picture) {
  if (pack === undefined) return;
  const [text, drawing, words, description] = await Promise.all([
    import(`../puzzles/${name}/text.js`),
    import(`../puzzles/${name}/drawing.js`),
    packText(name, pack),
    fetch(`modules/${name}.json`).then((answer) => answer.json()),
  ]);
  const [level] = text.parse(words, pack);
  const { options, rules } = description;
  const [{ actions }] = /** @type {any[]} */ (Object.values(description.environments));
  const rows = text.encode(level, level.extent, options, rules);
  const scene = { ...rows, options, actions, rules, before: null, start: rows.state, action: null, steps: 0, score: 0,
                  outcome: "unfinished", over: false, metrics: {}, title: level.title, revealed: true };
  const board = new Board(picture, (sprite) => spriteAddress(name, sprite));
  board.begin(drawing.part(scene));
  drawing.draw(scene, board);
  board.end();
}
