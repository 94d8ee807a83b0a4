// @ts-check
/** Parsing and formatting of caves as level text, which `text.py` describes. */
import { LETTERS, TextBoard, WORDS, blocks, rowsOf } from "../../js/level_text.js";
import { repr, trim } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { neighbour } from "./passages.js";

/** @typedef {import("../../js/scene.js").Level} Level */
/** @typedef {import("../../js/scene.js").Row} Row */
/** @typedef {Record<string, number>} Rules */

/** @type {Record<string, string>} */
const AGENTS = { A: "EAST", "^": "NORTH", ">": "EAST", v: "SOUTH", "<": "WEST" };
/** @type {Record<string, string>} */
const THINGS = { "#": "WALL", P: "PIT", W: "WUMPUS" };
const ALLOWED = ". # P W G and the agent A ^ > v <";
const LARGEST = 100; // squares per side

/**
 * Read the caves in a text; throws LevelError.
 * @param {string} text @param {string} source @returns {Level[]}
 */
export function parse(text, source) {
  return blocks(text, source).map(({ title, lines }) => {
    const spaced = lines.some(([, line]) => trim(line).includes(" "));
    return cave(title, new TextBoard(lines, source, LARGEST, spaced ? WORDS : LETTERS));
  });
}

/** @param {string} title @param {TextBoard} board @returns {Level} */
function cave(title, board) {
  board.checkSymbols([...Object.keys(THINGS), ...Object.keys(AGENTS), "G", "."], ALLOWED);
  const extent = board.extent();
  const [agent, gold] = [board.findOne("agent", Object.keys(AGENTS)), board.findOne("gold", "G")];
  const [wumpus, second] = board.find("W");
  if (second) {
    throw new LevelError(
      `${second.where}: a second wumpus, the first is at ${wumpus.where}; at most one is allowed`,
    );
  }
  for (const { symbols, text, where } of board.find("#")) {
    if (symbols.length > 1) {
      throw new LevelError(`${where}: ${repr(text)} is invalid; a square of solid rock must be empty`);
    }
  }
  if (agent.symbols.some((symbol) => symbol in THINGS)) {
    throw new LevelError(`${agent.where}: the agent is on a pit or the wumpus; its square must be safe`);
  }
  const heading = AGENTS[/** @type {string} */ (agent.symbols.find((symbol) => symbol in AGENTS))];
  const cells = board.squares.map(({ symbols }) => symbols.map((symbol) => THINGS[symbol]).filter(Boolean));
  const [start, goldAt] = [board.squares.indexOf(agent), board.squares.indexOf(gold)];
  return { extent, content: { cells, start, heading, gold: goldAt }, title: title || board.where };
}

/**
 * Return the rows of a cave in the top left corner of a board, filled up with rock.
 * @param {Level} cave @param {number[]} extent @param {Record<string, any>} options @param {Rules} rules
 */
export function encode({ extent: own, content }, [height, width], { climb, reward }, rules) {
  const { CELLS, CLIMB, GOLD_AT, HEADING, HEIGHT, SEEN, START, TEXTBOOK, WALL, WIDTH } = rules;
  const level = new Int16Array(CELLS + height * width);
  const state = new Int16Array(SEEN + height * width);
  const moved = (/** @type {number} */ square) => Math.floor(square / own[1]) * width + (square % own[1]);
  [level[HEIGHT], level[WIDTH]] = [height, width];
  [level[START], level[HEADING], level[GOLD_AT]] = [moved(content.start), rules[content.heading], moved(content.gold)];
  [level[CLIMB], level[TEXTBOOK]] = [climb ? 1 : 0, reward === "textbook" ? 1 : 0];
  level.fill(WALL, CELLS);
  content.cells.forEach((/** @type {string[]} */ things, /** @type {number} */ square) => {
    level[CELLS + moved(square)] = things.reduce((bits, thing) => bits | rules[thing], 0);
  });
  finish(level, rules);
  begin(level, state, rules);
  return { level, state };
}

/**
 * Derive the passages between squares from the walls, then stench and breeze from wumpus and pits.
 * @param {Row} level @param {Rules} rules
 */
function finish(level, rules) {
  const { CELLS, HEIGHT, OPEN_EAST, OPEN_NORTH, OPEN_SOUTH, OPEN_WEST, WALL, WIDTH } = rules;
  const { BREEZE, PIT, STENCH, WUMPUS } = rules;
  const [height, width] = [level[HEIGHT], level[WIDTH]];
  const open = (/** @type {number} */ square) => !(level[CELLS + square] & WALL);
  for (let square = 0; square < height * width; square++) {
    if (!open(square)) continue;
    const column = square % width;
    if (square >= width && open(square - width)) level[CELLS + square] |= OPEN_NORTH;
    if (column + 1 < width && open(square + 1)) level[CELLS + square] |= OPEN_EAST;
    if (square + width < height * width && open(square + width)) level[CELLS + square] |= OPEN_SOUTH;
    if (column > 0 && open(square - 1)) level[CELLS + square] |= OPEN_WEST;
  }
  for (let square = 0; square < height * width; square++) {
    const felt = (level[CELLS + square] & WUMPUS ? STENCH : 0) | (level[CELLS + square] & PIT ? BREEZE : 0);
    if (!felt) continue;
    const around = [0, 1, 2, 3].map((facing) => neighbour(level, square, facing, rules));
    for (const there of [square, ...around]) if (there >= 0) level[CELLS + there] |= felt;
  }
}

/** Write the start state of a level. @param {Row} level @param {Row} state @param {Rules} rules */
function begin(level, state, { ALIVE, ARROW, FACING, GOLD, GOLD_AT, HEADING, SEEN, SQUARE, START }) {
  state[SQUARE] = level[START];
  state[FACING] = level[HEADING];
  state[ARROW] = 1;
  state[ALIVE] = 1;
  state[GOLD] = level[GOLD_AT];
  state[SEEN + level[START]] = 1;
}

/**
 * Return level text of a cave in its current state; gold that the agent holds is on the agent's square.
 * @param {Row} level @param {Row} state @param {Rules} rules
 */
export function format(level, state, rules) {
  const { CELLS, FACING, GOLD, HEIGHT, HELD, SQUARE, WIDTH } = rules;
  const gold = state[GOLD] === HELD ? state[SQUARE] : state[GOLD];
  const cells = Array.from({ length: level[HEIGHT] * level[WIDTH] }, (_, square) => {
    const things = Object.keys(THINGS).filter((symbol) => level[CELLS + square] & rules[THINGS[symbol]]);
    if (square === gold) things.push("G");
    if (square === state[SQUARE]) things.push("^>v<"[state[FACING]]);
    return things.join("") || ".";
  });
  const space = cells.some((cell) => cell.length > 1) ? " " : "";
  return rowsOf(cells, level[WIDTH]).map((row) => `${row.join(space)}\n`).join("");
}
