// @ts-check
/**
 * The symbols of squares, and the parsing of boards written in them: as level_io/alphabets.py, which has the table.
 *
 * A number (of the digits 0 to 9) repeats the square after it. Pairs of letters are allowed only on boards whose
 * squares are all separated by spaces. The rows of a board may be numbered.
 */
import { SPACE, grouped, repr, trimEnd } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";

export const LARGEST = 255; // squares per side
export const MOST_SQUARES = 32_000; // of a board
export const MOST_ROWS = 1000; // of a board, including blank ones
const LONGEST_ROW = 1000; // characters, and squares
export const NUMBERED = /^([ \t]*)([0-9]{1,6})(?:[.:)]?[ \t]|[:)])(.*)$/su; // a row with a number in front of it
/** @type {Record<string, string>} */
const PAIRS = { PG: "+", GP: "+", BG: "*", GB: "*" };
const SPACED_SQUARE = `(?:(?!${SPACE})[^0-9]|PG|GP|BG|GB)`;
const SPACED = new RegExp(`^ *${SPACED_SQUARE}(?: ${SPACED_SQUARE})+ *$`, "u");

/**
 * @typedef {object} Alphabet one way to write squares
 * @property {string} name
 * @property {string} walls the symbols of a wall
 * @property {Record<string, string>} symbols the plain XSB symbol for each symbol
 * @property {string} allowed the symbols, for messages
 * @property {RegExp} row matches a line of symbols only, with at least one wall
 * @property {RegExp} plain matches lines of symbols without numbers
 * @property {RegExp} floor matches a line of floor only
 */
/** @typedef {{number: number, column: number, text: string}} Line a row as written in a file; both count from 1 */

/**
 * @param {string} name @param {string} walls @param {string} symbols
 * @param {string} meanings the plain XSB symbols of these
 * @param {string} allowed
 * @returns {Alphabet}
 */
function alphabet(name, walls, symbols, meanings, allowed) {
  const table = Object.fromEntries([...symbols].map((symbol, k) => [symbol, meanings[k]]));
  const escaped = (/** @type {string} */ each) => [...each].map((symbol) => `\\u{${hex(symbol)}}`).join("");
  const [one, floor] = [escaped(symbols), escaped([...symbols].filter((symbol) => table[symbol] === " ").join(""))];
  return {
    name,
    walls,
    symbols: table,
    allowed,
    row: new RegExp(`^(?=[^${walls}]*[${walls}])(?:[0-9]*[${one}]|\\|)+$`, "u"),
    plain: new RegExp(`^[${one}\\n]*$`, "u"),
    floor: new RegExp(`^[0-9${floor}]*$`, "u"),
  };
}

/** @param {string} symbol */
function hex(symbol) {
  return symbol.charCodeAt(0).toString(16);
}

export const XSB = alphabet(
  "XSB",
  "#",
  "#@p+P$b*B. -_",
  "#@@++$$**.   ",
  "# @ + $ * . (also p P b B) and space - _ for floor",
);
export const WORDED = alphabet(
  "letters",
  "wW",
  "wWPBG+* -_.f",
  "##@$.+*     ",
  "w P B G + * and . space - _ f for floor",
);

/** A board as written in a file. */
export class WrittenBoard {
  /**
   * Read the rows of a board; throws LevelError on an unknown symbol, a number without one, or a far too large board.
   * @param {Line[]} lines @param {Alphabet} alphabet @param {string} source
   */
  constructor(lines, alphabet, source) {
    checkSize(lines, source);
    this.source = source;
    this.alphabet = alphabet;
    let written = lines;
    for (let rest = withoutNumbers(lines, source); rest !== written; rest = withoutNumbers(rest, source)) written = rest;
    this.spaced = alphabet === WORDED && written.every(({ text }) => SPACED.test(text));
    const rows = written.map((line) => this.squaresOf(line).map(([symbol]) => symbol).join("").trimEnd());
    const filled = [...rows.keys()].filter((number) => rows[number]);
    const inside = rows.slice(filled[0], filled[filled.length - 1] + 1);
    /** The blank columns that were removed on the left. */
    this.indentation = Math.min(...inside.filter(Boolean).map((row) => row.length - row.trimStart().length));
    /** In plain XSB, without surrounding blank squares; rows may differ in length. */
    this.rows = inside.map((row) => row.slice(this.indentation));
    /** The line of each row. */
    this.lines = written.slice(filled[0], filled[filled.length - 1] + 1);
  }

  /** Return the position of a square, `source:line:column`. @param {number} row @param {number} column */
  where(row, column) {
    const line = this.lines[row];
    const square = this.squaresOf(line)[column + this.indentation];
    return `${this.source}:${line.number}:${square ? square[1] : line.column + [...line.text].length}`;
  }

  /**
   * Return the squares of a row in plain XSB, each with its column in the file.
   * @param {Line} line @returns {[string, number][]}
   */
  squaresOf(line) {
    const where = (/** @type {number} */ column) => `${this.source}:${line.number}:${column}`;
    /** @type {[string, number][]} */
    const squares = [];
    if (this.spaced) {
      let column = line.column;
      for (const word of line.text.split(" ")) {
        if (word) squares.push([PAIRS[word] ?? meaningOf(word, this.alphabet, where(column)), column]);
        column += [...word].length + 1;
      }
      return squares;
    }
    let digits = "";
    let width = 0;
    [...line.text].forEach((symbol, k) => {
      if (symbol >= "0" && symbol <= "9") {
        digits += symbol;
        return;
      }
      const [start, count] = [line.column + k - digits.length, digits ? Number(digits) : 1];
      if (digits.length > 5 || count < 1 || count > LONGEST_ROW) {
        const allowed = `allowed are 1 to ${grouped(LONGEST_ROW)}`;
        throw new LevelError(`${where(start)}: ${digits.slice(0, 9)} squares in a row; ${allowed}`);
      }
      width += count;
      if (width > LONGEST_ROW) {
        const most = `the maximum is ${LARGEST} squares per side`;
        throw new LevelError(`${where(start)}: a row of over ${grouped(LONGEST_ROW)} squares; ${most}`);
      }
      const meaning = meaningOf(symbol, this.alphabet, where(line.column + k));
      for (let n = 0; n < count; n++) squares.push([meaning, start]);
      digits = "";
    });
    if (digits) {
      const start = line.column + [...line.text].length - digits.length;
      throw new LevelError(`${where(start)}: ${digits.slice(0, 9)} must be followed by the square that it repeats`);
    }
    return squares;
  }
}

/**
 * Return the rows of a board without the numbers in front of them, if they are numbered; throws LevelError if that is
 * unclear.
 * @param {Line[]} lines @param {string} source
 */
function withoutNumbers(lines, source) {
  const found = lines.map(({ text }) => NUMBERED.exec(text));
  const numbers = found.flatMap((match) => (match ? [Number(match[2])] : []));
  if (new Set(numbers).size < 2 || new Set(lines.map(({ number }) => number)).size < lines.length) return lines;
  const where = `${source}:${lines[0].number}:${lines[0].column}`;
  const rows = lines.map(({ text }, k) => found[k]?.[3] ?? text);
  const steps = new Set(numbers.slice(1).map((number, k) => number - numbers[k]));
  if (numbers.length < lines.length || steps.size > 1) {
    if (rows.some((row) => /[0-9]/.test(row))) return lines; // run-length encoded
    const advice = "write repeated floor as -, e.g. 3-, or number all rows";
    throw new LevelError(`${where}: some rows begin with numbers; ${advice}`);
  }
  const ends = found.map((match) => (match ? match[1].length + match[2].length : 0));
  const last = Math.max(...ends);
  const short = rows.flatMap((row, k) => (ends[k] < last ? [row.slice(0, last - ends[k])] : []));
  if (short.length && short.every((begin) => trimEnd(begin) === "")) {
    throw new LevelError(`${where}: it is unclear where the rows begin; remove the numbers in front of them`);
  }
  const lengths = rows.map((row, k) => [...lines[k].text].length - [...row].length);
  return lines.map(({ number, column }, k) => ({ number, column: column + lengths[k], text: rows[k] }));
}

/** @param {string} symbol @param {Alphabet} alphabet @param {string} where */
function meaningOf(symbol, { symbols, name, allowed }, where) {
  if (Object.hasOwn(symbols, symbol)) return symbols[symbol];
  if (symbol === "\t") throw new LevelError(`${where}: a tab, whose width is unknown; use spaces instead`);
  const other = name === XSB.name ? WORDED : XSB;
  const belongs = `; ${repr(symbol)} belongs to ${other.name}, and a file must use one alphabet`;
  const hint = Object.hasOwn(other.symbols, symbol) ? belongs : "";
  throw new LevelError(`${where}: unknown symbol ${repr(symbol)}${hint}; allowed are ${allowed}`);
}

/**
 * Throw LevelError on rows that are too long or too many to be worth parsing.
 * @param {Line[]} lines @param {string} source
 */
function checkSize(lines, source) {
  if (lines.length > MOST_ROWS) {
    const where = `${source}:${lines[0].number}:1`;
    throw new LevelError(`${where}: over ${grouped(MOST_ROWS)} rows; the maximum is ${LARGEST} per side`);
  }
  const long = lines.find(({ text }) => [...text].length > LONGEST_ROW);
  if (!long) return;
  const where = `${source}:${long.number}:${long.column + LONGEST_ROW}`;
  const most = `the maximum is ${LARGEST} squares per side`;
  throw new LevelError(`${where}: a row of over ${grouped(LONGEST_ROW)} characters; ${most}`);
}
