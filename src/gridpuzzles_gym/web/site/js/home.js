// @ts-check
/** The home page: every puzzle with a picture of one of its levels. */
import { Board } from "./board.js";
import { make } from "./elements.js";
import { Looks } from "./looks.js";
import { drawingOf } from "./picture.js";
import { catalogue, descriptionOf, loadPuzzle, moduleOf, packText, spriteAddress } from "./puzzle.js";
import { part, start } from "./start.js";
import { element } from "./svg.js";

/** @typedef {import("./puzzle.js").Entry} Entry */

await start(async () => {
  const entries = await catalogue();
  const cards = entries.map((entry) => ({ entry, ...card(entry) }));
  part("puzzles").replaceChildren(...cards.map(({ item }) => item));
  paintAll(cards);
});

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

/** Draw the cards' pictures; if that fails, a card has none. @param {{entry: Entry, picture: SVGSVGElement}[]} cards */
async function paintAll(cards) {
  const painted = await Promise.allSettled(cards.map(({ entry, picture }) => paint(entry, picture)));
  document.body.dataset.painted = "true";
  for (const result of painted) if (result.status === "rejected") console.error(result.reason);
}

/** Draw the first level of a puzzle's first pack, or an instance. @param {Entry} entry @param {SVGElement} picture */
async function paint({ name, packs: [pack] }, picture) {
  const { scene, drawing } = await (pack === undefined ? instance(name) : firstLevel(name, pack));
  const board = new Board(picture, (sprite) => spriteAddress(name, sprite));
  board.begin(drawing.part(scene));
  drawing.draw(scene, board);
  board.end();
}

/** An instance of a puzzle without packs. @param {string} name */
async function instance(name) {
  const { Opener } = await import("./opening.js");
  const puzzle = await loadPuzzle(name);
  const opener = new Opener(puzzle);
  const play = await opener.open({ ...opener.first(), seed: 1n });
  return { scene: play.scene(true), drawing: puzzle.drawing };
}

/** The first level of a pack. @param {string} name @param {string} pack */
async function firstLevel(name, pack) {
  const [text, words, description] = await Promise.all([
    import(`../puzzles/${name}/text.js`),
    packText(name, pack),
    descriptionOf(name),
  ]);
  const drawing = drawingOf(description, new Looks((await moduleOf(name)).module, description));
  const [level] = text.parse(words, pack);
  const { options, rules } = description;
  const [{ actions }] = /** @type {any[]} */ (Object.values(description.environments));
  const rows = text.encode(level, level.extent, options, rules);
  const scene = { ...rows, options, actions, rules, before: null, start: rows.state, action: null, steps: 0, score: 0,
                  outcome: "unfinished", over: false, metrics: {}, title: level.title, revealed: true };
  return { scene, drawing };
}
