// @ts-check
/** Collections of levels in text: boards with their titles, as level_io/level_sets.py, which describes them. */
import { linesIn } from "../../js/level_text.js";
import { SPACE, trim, trimEnd, wordsOf } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { MOST_ROWS, NUMBERED, WORDED, WrittenBoard, XSB } from "./alphabets.js";

/** @typedef {import("./alphabets.js").Alphabet} Alphabet */
/** @typedef {import("./alphabets.js").Line} Line */
/** @typedef {{keys: [string, string][], notes: string[]}} Gap the text between boards: titles and such, and the rest */

const KEY = new RegExp(`^(?:;|${SPACE})*(title|author|comment)${SPACE}*:${SPACE}*(.*)$`, "iu");
const XSOK_KEY = new RegExp(`^;(LEVEL|AUTHOR|COMMENT)${SPACE}+(.*)$`, "u"); // as the program xsok writes its titles
const COMMENT_END = new RegExp(`^${SPACE}*comment[-_ ]?end(?![\\p{L}\\p{N}_])`, "iu");
const RECORD = new RegExp(`^${SPACE}*(?:solution|snapshot|save ?game)s?${SPACE}*(?:[/:(0-9].*)?$`, "iu");
const MOVES = new RegExp(`^${SPACE}*[lurd0-9]{4,}${SPACE}*$`, "iu");
const WORD = "[\\p{L}\\p{Nl}\\p{No}]{3}";
const NUMBER = /^[ \t]*[0-9]{1,6}(?:[.:)][ \t]|[:)]|\t)/; // that cannot repeat a square, in front of a row
const HEADING = new RegExp(`^${SPACE}*(?:##+|#(?=${SPACE}))(?:${SPACE}+[0-9]+[.:]?|[^#@$*+]*${WORD}[^@$*+]*)${SPACE}*#*${SPACE}*$`, "u");
const FRAMED = new RegExp(`^##+${SPACE}+[0-9]+${SPACE}+##+${SPACE}*$`, "u"); // no program writes rows in this way
const NO_NOTE = new RegExp(`^(?:::.*|${SPACE}*(?:\`{3}|~{3}).*|[^\\p{L}\\p{N}_;]*)$`, "u");
const WALLS_IN_LETTERS = /[wW].*[wW]|[0-9][wW]/; // two, because a single one may be a letter of a word
const LONGEST_LINE = 100_000; // characters of rows; as many are enough to classify a longer line

/**
 * Yield the boards in a text, with their titles; throws LevelError.
 * @param {string} text @param {string} source
 * @returns {Generator<{board: WrittenBoard, title: string}>}
 */
export function* readLevelSet(text, source) {
  const lines = linesIn(text.replace(/^\ufeff/, ""), source);
  const starts = lines.map((line) => beginning(line).replace(NUMBER, ""));
  const alphabet = alphabetOf(starts, source);
  const { gaps, boards } = divide(lines, starts, alphabet);
  if (!boards.length) return;
  const [first, last] = [gaps[0], gaps[gaps.length - 1]];
  const titled = first.keys.some(([kind]) => kind === "title");
  if (first.notes.length && titled && !gaps.slice(1).some(({ keys }) => keys.length)) {
    const own = first.notes[first.notes.length - 1];
    // They describe the collection, because the first board has a title of its own.
    if (boards.length > 1 || lineAbove(lines, boards[0][0].number) === own) first.keys = [];
  }
  const keysFollow = last.keys.length ? 1 : 0;
  const notesFollow = last.notes.length && !first.notes.length ? 1 : 0;
  for (const [number, board] of boards.entries()) {
    const titles = gaps[number + keysFollow].keys.filter(([kind]) => kind === "title");
    const { notes } = gaps[number + notesFollow];
    const note = notes[notesFollow ? 0 : notes.length - 1] ?? "";
    const title = titles.length ? titles[titles.length - 1][1] : note;
    yield { board: new WrittenBoard(board, alphabet, source), title };
  }
}

/** Return the last line before a line that is not blank. @param {string[]} lines @param {number} number */
function lineAbove(lines, number) {
  return trim(lines.slice(0, number - 1).reverse().find((line) => trim(line)) ?? "");
}

/**
 * Return the alphabet of a file, detected from the walls in the beginnings of its lines.
 * @param {string[]} starts @param {string} source
 */
function alphabetOf(starts, source) {
  const xsb = starts.findIndex((line) => line.includes("#") && isWalled(line, XSB)) + 1;
  const letters = starts.findIndex((line) => WALLS_IN_LETTERS.test(line) && WORDED.row.test(line)) + 1;
  if (xsb && letters) {
    const where = `${source}:${letters}:1`;
    throw new LevelError(`${where}: walls are w in this line, but # in line ${xsb}; a file must use one alphabet`);
  }
  return letters ? WORDED : XSB;
}

/**
 * Split a file into its boards and the text before, between and after them.
 * @param {string[]} lines @param {string[]} starts the beginning of each @param {Alphabet} alphabet
 */
function divide(lines, starts, alphabet) {
  /** @type {Gap[]} */
  const gaps = [{ keys: [], notes: [] }];
  /** @type {Line[][]} */
  const boards = [];
  /** @type {Line[]} */
  let board = [];
  const walled = starts.map((line) => isWalled(line, alphabet));
  const above = rowsAbove(starts, walled, alphabet);
  let number = 0;
  while (number <= lines.length) {
    const line = lines[number] ?? "";
    const followed = walled[number + 1] ?? false;
    const row = walled[number] || above[number] || isOtherRow(starts[number] ?? "", alphabet, board, followed);
    number += 1;
    if (row) {
      if (board.length <= MOST_ROWS) board.push(...rowsBetweenBars(number, line)); // one more is enough to be refused
      if (!line.includes("|") || trimEnd(line).endsWith("|")) continue;
    }
    if (board.some(({ text }) => !alphabet.floor.test(text))) {
      boards.push(board);
      gaps.push({ keys: [], notes: [] });
    }
    board = [];
    if (!row) number = readText(lines, number, gaps[gaps.length - 1]);
  }
  return { gaps, boards };
}

/**
 * Return the rows in a line: one, or several separated by `|`.
 * @param {number} number @param {string} line @returns {Line[]}
 */
function rowsBetweenBars(number, line) {
  if (line.length > LONGEST_LINE) return [{ number, column: 1, text: line.slice(0, LONGEST_LINE) }];
  const written = trimEnd(line);
  if (!line.includes("|")) return [{ number, column: 1, text: written }];
  let column = 1;
  return written.replace(/\|$/, "").split("|").map((text) => {
    const row = { number, column, text };
    column += [...text].length + 1;
    return row;
  });
}

/** The beginning of a line, which is enough to classify it; it never ends within a number. @param {string} line */
function beginning(line) {
  return line.length <= LONGEST_LINE ? line : line.slice(0, LONGEST_LINE).replace(/[0-9]+$/, "");
}

/** Whether a line is a row with a wall. @param {string} line @param {Alphabet} alphabet */
function isWalled(line, alphabet) {
  return alphabet.row.test(line) && !FRAMED.test(line);
}

/**
 * Return whether each line is a row without a wall, directly above others of its board.
 * @param {string[]} lines @param {boolean[]} walled whether each is a row with a wall @param {Alphabet} alphabet
 */
function rowsAbove(lines, walled, alphabet) {
  const above = lines.map(() => false);
  for (let number = lines.length - 2; number >= 0; number--) {
    if ((walled[number + 1] || above[number + 1]) && !walled[number]) {
      const squares = plainSquares(lines[number], alphabet, lines[number + 1]);
      above[number] = squares !== "" && !/^\p{L}+$/u.test(squares);
    }
  }
  return above;
}

/**
 * Return the squares of a row without walls and numbers; empty if it is none, or blank. It may begin with its number
 * if the row next to it does.
 * @param {string} line @param {Alphabet} alphabet @param {string} neighbour
 */
function plainSquares(line, alphabet, neighbour) {
  const numbered = NUMBERED.test(neighbour) ? NUMBERED.exec(line) : null;
  const squares = numbered ? numbered[3] : line;
  return alphabet.plain.test(squares) ? wordsOf(squares).join("") : "";
}

/**
 * Whether a line is intended as a row, even if it has unknown symbols, which are reported later.
 * @param {string} line which is not a row with a wall
 * @param {Alphabet} alphabet of the file
 * @param {Line[]} board the rows directly above it
 * @param {boolean} followed whether a row with a wall is directly below it
 */
function isOtherRow(line, alphabet, board, followed) {
  const squares = [...wordsOf(line).join("")];
  if (!squares.length || trim(line).startsWith(";") || KEY.test(line)) return false;
  const inside = board.length && followed && !(squares[0] === "#" && squares[1] === "#");
  if (HEADING.test(line) && !inside) return false;
  if (board.length && plainSquares(line, alphabet, board[board.length - 1].text)) return true;
  if (alphabet.plain.test(line)) return false;
  const isWall = (/** @type {string} */ symbol) => alphabet.walls.includes(symbol);
  const ends = Number(isWall(squares[0])) + Number(isWall(squares[squares.length - 1]));
  if (board.length && followed && ends) return true;
  const solid = squares.filter((symbol) => (alphabet.symbols[symbol] ?? " ") !== " ").length;
  return squares.length > 2 && squares.some(isWall) && (ends === 2 || 2 * solid > squares.length);
}

/**
 * Read the text on line `number` (from 1) into a gap, and return the index (from 0) of the next line to read.
 * @param {string[]} lines @param {number} number @param {Gap} gap
 */
function readText(lines, number, gap) {
  const line = lines[number - 1] ?? "";
  const [key, own] = [KEY.exec(line), XSOK_KEY.exec(line)];
  if (RECORD.test(line)) {
    while (number < lines.length && trim(lines[number]) && !XSB.row.test(lines[number])) number += 1;
  } else if (own && trim(own[2])) {
    gap.keys.push([own[1].toLowerCase().replace("level", "title"), trim(own[2])]);
  } else if (key) {
    const [kind, entry] = [key[1].toLowerCase(), trim(key[2])];
    if (kind === "comment") return endOfComment(lines, number, entry !== "", gap);
    gap.keys.push([kind, entry]);
  } else if (![MOVES, COMMENT_END, NO_NOTE].some((pattern) => pattern.test(line))) {
    const text = trim(trim(line).replace(/^;+/, ""));
    const note = HEADING.test(line) ? trim(text.replace(/^#+|#+$/g, "")) : text;
    if (note) gap.notes.push(note);
  }
  return number;
}

/**
 * Return the index of the line that ends a comment: Comment-End, else `start` if complete, else a blank line.
 * @param {string[]} lines @param {number} start @param {boolean} complete @param {Gap} gap
 */
function endOfComment(lines, start, complete, gap) {
  gap.keys.push(["comment", ""]);
  let blank = complete ? start : -1;
  for (let number = start; number < lines.length; number++) {
    if (COMMENT_END.test(lines[number])) return number;
    if (KEY.exec(lines[number])?.[1].toLowerCase() === "comment") break;
    if (blank < 0 && !trim(lines[number])) blank = number;
  }
  return blank < 0 ? lines.length : blank;
}
