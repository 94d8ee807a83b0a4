// @ts-check
/** Parsing and formatting of mazes as level text, which `text.py` describes. */
import { TextBoard, blocks, rowsOf } from "../../js/level_text.js";
import { repr } from "../../js/messages.js";
import { aheadOn } from "../../js/directions.js";
import { LevelError } from "../../js/scene.js";
import { FLOOR, LETTERS, WALL, hasCat, hasExit, hasMouse, stepsFrom, symbolsOf } from "./mazes.js";

/** @typedef {import("../../js/scene.js").Level} Level */
/** @typedef {import("../../js/scene.js").Row} Row */
/** @typedef {Record<string, number>} Rules */

const ALLOWED = "# . M C E c";
const OVER = "mxX";
const LARGEST = 64; // squares per side
const MOST_CATS = 7;

/**
 * Read the levels in a text; throws LevelError.
 * @param {string} text @param {string} source @returns {Level[]}
 */
export function parse(text, source) {
  return blocks(text, source).map(({ title, lines }) => maze(title, new TextBoard(lines, source, LARGEST)));
}

/** @param {string} title @param {TextBoard} board @returns {Level} */
function maze(title, board) {
  board.checkSymbols(LETTERS, ALLOWED);
  const [over] = board.find(OVER);
  if (over) throw new LevelError(`${over.where}: ${repr(over.text)} is the end of a game, which cannot be played`);
  const extent = board.extent();
  board.findOne("mouse", "M");
  const exit = board.findOne("exit", "Ec");
  const oneMore = board.find("Cc")[MOST_CATS];
  if (oneMore) {
    throw new LevelError(`${oneMore.where}: cat number ${MOST_CATS + 1}; a level has at most ${MOST_CATS}`);
  }
  const symbols = board.numbers(LETTERS);
  if (stepsFrom(symbols, extent[1], hasMouse)[board.squares.indexOf(exit)] < 0) {
    throw new LevelError(`${exit.where}: the mouse cannot reach this exit: walls separate them`);
  }
  return { extent, content: symbols, title: title || board.where };
}

/**
 * Return the rows of a level in the top left corner of a board, surrounded by walls; throws LevelError if not all cats
 * that the options ask for have a square.
 * @param {Level} level @param {number[]} extent @param {Record<string, any>} options @param {Rules} rules
 */
export function encode({ extent: own, content, title }, [height, width], { cats, cat_blocked: blocked }, rules) {
  let symbols = new Array(height * width).fill(WALL);
  content.forEach((/** @type {number} */ symbol, /** @type {number} */ square) => {
    symbols[Math.floor(square / own[1]) * width + (square % own[1])] = symbol;
  });
  if (cats !== null) symbols = withCats(symbols, width, cats, title);
  return makeRows(symbols, width, blocked, rules);
}

/**
 * Return the maze with so many cats: the first ones, row by row, remain, and missing ones are put, one by one, on the
 * square that is farthest from the mouse and all cats.
 * @param {number[]} given the symbols of the maze
 * @param {number} width @param {number} count @param {string} title
 */
function withCats(given, width, count, title) {
  let cats = 0;
  const symbols = given.map((symbol) => {
    if (hasCat(symbol)) cats += 1;
    return hasCat(symbol) && cats > count ? (hasExit(symbol) ? LETTERS.indexOf("E") : FLOOR) : symbol;
  });
  for (; cats < count; cats++) {
    const steps = stepsFrom(symbols, width, (symbol) => hasMouse(symbol) || hasCat(symbol));
    const free = steps.map((length, square) => (symbols[square] === FLOOR ? length : 0));
    const farthest = free.reduce((most, length) => Math.max(most, length), 0);
    if (!farthest) throw new LevelError(`cats=${count}: the maximum in level ${title || "given"} is ${cats}`);
    symbols[free.indexOf(farthest)] = LETTERS.indexOf("C");
  }
  return symbols;
}

/**
 * @param {number[]} symbols @param {number} width
 * @param {boolean} blocked do mouse and cats block each other?
 * @param {Rules} rules
 */
function makeRows(symbols, width, blocked, rules) {
  const { BLOCKED, CAT, CATS, CELLS, EXIT, MOUSE } = rules;
  const level = new Int16Array(CELLS + symbols.length);
  const state = new Int16Array(CAT + MOST_CATS).fill(-1);
  const cats = symbols.flatMap((symbol, square) => (hasCat(symbol) ? [square] : []));
  [level[BLOCKED], level[CATS], level[EXIT]] = [blocked ? 1 : 0, cats.length, symbols.findIndex(hasExit)];
  state[MOUSE] = symbols.findIndex(hasMouse);
  state.set(cats, CAT);
  layOut(level, symbols, width, rules);
  return { level, state };
}

/**
 * Write the walls, the open sides of every square, and how far a step leads.
 * @param {Row} level @param {number[]} symbols @param {number} width @param {Rules} rules
 */
function layOut(level, symbols, width, { AHEAD, CELLS, WALL: CLOSED }) {
  const ahead = aheadOn(width, symbols.length);
  const open = (/** @type {number} */ square) => square >= 0 && symbols[square] !== WALL;
  const strides = [-width, width, -1, 1];
  level.set(strides, AHEAD);
  for (let square = 0; square < symbols.length; square++) {
    const bits = strides.reduce((found, _, side) => found | (Number(open(ahead(square, side))) << side), 0);
    level[CELLS + square] = open(square) ? bits : CLOSED;
  }
}

/** Return level text of a maze in its current state. @param {Row} level @param {Row} state @param {Rules} rules */
export function format(level, state, rules) {
  const letters = symbolsOf(level, state, rules).map((symbol) => LETTERS[symbol]);
  return rowsOf(letters, level[rules.STRIDE]).map((row) => `${row.join("")}\n`).join("");
}
