// @ts-check
/** Boards as level text: parsing and formatting as in text.py, with the same errors. */
import { TextBoard, blocks, rowsOf } from "../../js/level_text.js";
import { repr } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { LARGEST, LETTERS, WALL_SYMBOL, makeRows, symbolsOf } from "./boards.js";

/** @typedef {import("../../js/scene.js").Level} Level */

const [AVATARS, LOST] = ["AK", "xX"];
const ALLOWED = "w . 0 1 k g m % * and the avatar A or K";
const NEEDED = { goal: "g*", key: "k%K" }; // what a level must have besides its avatar

/** Read the levels in a text. @param {string} text @param {string} source @returns {Level[]} */
export function parse(text, source) {
  return blocks(text, source).map(({ title, lines }) => levelOf(title, new TextBoard(lines, source, LARGEST)));
}

/** @param {string} title @param {TextBoard} board @returns {Level} */
function levelOf(title, board) {
  board.checkSymbols(LETTERS, ALLOWED);
  const [lost] = board.find(LOST);
  if (lost) {
    throw new LevelError(`${lost.where}: ${repr(lost.text)} is the end of a game, which cannot be played`);
  }
  const extent = board.extent();
  board.findOne("avatar", AVATARS);
  for (const [name, letters] of Object.entries(NEEDED)) board.findSome(name, letters);
  return { extent, content: board.numbers(LETTERS), title: title || board.where };
}

/**
 * Return the rows of a level in the top left corner of a board, surrounded by walls.
 * @param {Level} level @param {number[]} extent
 * @param {Record<string, any>} options @param {Record<string, number>} rules
 */
export function encode({ extent: [rows, columns], content }, [height, width], options, rules) {
  const symbols = new Array(height * width).fill(WALL_SYMBOL);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) symbols[row * width + column] = content[row * columns + column];
  }
  return makeRows(symbols, height, width, options, rules);
}

/**
 * Return level text of the board in its current state.
 * @param {Int16Array} level @param {Int16Array} state @param {Record<string, number>} rules
 */
export function format(level, state, rules) {
  const letters = symbolsOf(level, state, rules).map((symbol) => LETTERS[symbol]);
  return rowsOf(letters, level[rules.STRIDE]).map((row) => `${row.join("")}\n`).join("");
}
