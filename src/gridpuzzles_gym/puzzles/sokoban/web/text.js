// @ts-check
/** Boards as level text: parsing and formatting as in text.py and level_io, with the same errors; without XML. */
import { rowsOf } from "../../js/level_text.js";
import { trim } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { XSB } from "./alphabets.js";
import { encodeRows, squaresOf } from "./boards.js";
import { check } from "./checking.js";
import { readLevelSet } from "./level_sets.js";

/** @typedef {import("../../js/scene.js").Level} Level */
/** @typedef {import("./alphabets.js").WrittenBoard} WrittenBoard */

const XML = ["<sokobanlevels", "<levelcollection", "<!entity"]; // texts of .slc files, but not of web pages

/** Read the levels in a text; throws LevelError. @param {string} text @param {string} source @returns {Level[]} */
export function parse(text, source) {
  const start = text.slice(0, 10_000).replace(/^[\ufeff \t\r\n]+/, "").toLowerCase();
  if (start.startsWith("<") && !XML.some((mark) => start.includes(mark))) {
    throw new LevelError(`${source}:1:1: HTML or some other markup; gridpuzzles levels import reads web pages`);
  }
  if (start.startsWith("<")) {
    throw new LevelError(`${source}:1:1: XML, which is not read here; gridpuzzles levels convert turns it into text`);
  }
  const levels = [];
  for (const { board, title } of readLevelSet(text, source)) {
    const content = checked(board);
    const extent = [content.length, content[0].length];
    levels.push({ extent, content, title: title || `${source}:${board.lines[0].number}` });
  }
  return levels;
}

/** @param {WrittenBoard} board */
function checked(board) {
  try {
    return check(board.rows, (row, column) => board.where(row, column));
  } catch (error) {
    throw error instanceof LevelError ? new LevelError(`${error.message}${hint(board)}`) : error;
  }
}

/** A note on the letters P and B of XSB, easily mistaken for those of letters. @param {WrittenBoard} board */
function hint({ alphabet, lines }) {
  const rows = lines.map(({ text }) => trim(text));
  const walled = rows.filter((row) => row.startsWith("#") && row.endsWith("#")).length > rows.length / 2;
  const capitals = alphabet === XSB && walled && rows.some((row) => /[PB]/.test(row));
  const note = "; with # for walls, P is the player on a goal and B a box on a goal, and p and b are not on goals";
  return capitals ? note : "";
}

/**
 * Return the rows of a level in the top left corner of a board, surrounded by walls.
 * @param {Level} level @param {number[]} extent
 * @param {Record<string, any>} options @param {Record<string, number>} rules
 */
export function encode({ content }, extent, options, rules) {
  return encodeRows(content, extent, options, rules);
}

/**
 * Return level text of the board in its current state, in plain XSB, without the walls that only pad it.
 * @param {Int16Array} level @param {Int16Array} state @param {Record<string, number>} rules
 */
export function format(level, state, rules) {
  const { width, walls, goals, boxes } = squaresOf(level, state, rules);
  const symbols = walls.map((wall, square) => {
    const things = Number(goals[square]) + 2 * Number(boxes[square]) + (square === state[rules.PLAYER] ? 4 : 0);
    return wall ? "#" : " .$*@+"[things];
  });
  const rows = rowsOf(symbols, width).map((row) => row.join(""));
  const isWall = (/** @type {string | undefined} */ line) => line !== undefined && /^#*$/.test(line);
  while (isWall(rows.at(-1)) && isWall(rows.at(-2))) rows.pop();
  const shown = Math.max(...rows.map((line) => line.replace(/#+$/, "").length)) + 1;
  return rows.map((line) => `${line.slice(0, shown)}\n`).join("");
}
