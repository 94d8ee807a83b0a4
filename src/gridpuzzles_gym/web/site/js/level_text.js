// @ts-check
/**
 * The parts of level text that puzzles share: blocks of lines, and boards, which are rectangles of squares.
 *
 * Errors are those of Python, word for word. Lines and columns count from 1, columns in characters.
 */
import { grouped, isSpace, linesOf, quote, repr, trim, trimEnd } from "./messages.js";
import { LevelError } from "./scene.js";

const MAX_LINES = 1_000_000;
const LONGEST_SQUARE = 20; // symbols

/** @typedef {{title: string, lines: [number, string][]}} Block lines, each with its number */
/** @typedef {(line: string) => [number, string][]} Split the squares of a row, each with its column from 0 */

/**
 * Split level text into boards: runs of lines between blank lines.
 *
 * A line that begins with `;` is a comment; the last one before a board is its title.
 * @param {string} text
 * @param {string} source its name, for messages
 * @returns {Block[]}
 */
export function blocks(text, source) {
  const all = linesIn(text, source);
  /** @type {Block[]} */
  const found = [];
  let title = "";
  /** @type {[number, string][]} */
  let lines = [];
  const close = () => {
    if (lines.length) {
      found.push({ title, lines });
      [title, lines] = ["", []];
    }
  };
  all.forEach((line, k) => {
    if (line.startsWith(";")) {
      close();
      title = trimEnd(line.replace(/^[; ]+/, ""));
    } else if (trim(line)) {
      lines.push([k + 1, trimEnd(line)]);
    } else {
      close();
    }
  });
  close();
  return found;
}

/** Split a level text into lines. @param {string} text @param {string} source */
export function linesIn(text, source) {
  const lines = linesOf(text);
  if (lines.length > MAX_LINES || text.split("\n").length - 1 > MAX_LINES) {
    throw new LevelError(`${source}:${MAX_LINES}:1: over ${grouped(MAX_LINES)} lines: not a level file`);
  }
  return lines;
}

/** Every character is a square, blanks included. @type {Split} */
export const LETTERS = (line) => [...line].map((letter, column) => [column, letter]);

/** Every word is a square. @type {Split} */
export const WORDS = (line) => {
  /** @type {[number, string][]} */
  const words = [];
  let within = false;
  for (const [column, letter] of LETTERS(line)) {
    if (isSpace(letter)) {
      within = false;
    } else if (within) {
      words[words.length - 1][1] += letter;
    } else {
      words.push([column, letter]);
      within = true;
    }
  }
  return words;
};

/** Return the rows of a board from a list of its squares. @template T @param {T[]} squares @param {number} width */
export function rowsOf(squares, width) {
  return Array.from({ length: squares.length / width }, (_, row) => squares.slice(row * width, (row + 1) * width));
}

/** The text of one square of a board, and its position. */
export class TextSquare {
  /** @param {string} text @param {string} source @param {number} line @param {number} column */
  constructor(text, source, line, column) {
    this.text = text;
    this.symbols = [...text];
    this.where = `${source}:${line}:${column}`;
    /** The position after it. */
    this.end = `${source}:${line}:${column + this.symbols.length}`;
  }
}

/** A board: at least one row, each of at least one square. */
export class TextBoard {
  /**
   * Read a board; one that is too large is rejected.
   * @param {[number, string][]} lines its rows, each with its line number
   * @param {string} source the name of the file or text, for messages
   * @param {number} largest the maximum number of squares per side
   * @param {Split} split how rows consist of squares
   * @param {number} mostRows the maximum number of rows, if it differs from `largest`
   */
  constructor(lines, source, largest, split = LETTERS, mostRows = largest) {
    /** The position of its first line. */
    this.where = `${source}:${lines[0][0]}`;
    if (lines.length > mostRows) {
      const rows = grouped(lines.length);
      throw new LevelError(`${this.where}: a level of ${rows} rows; the maximum is ${largest} squares per side`);
    }
    this.rows = lines.map(([number, line]) => {
      const row = split(line).map(([column, text]) => new TextSquare(text, source, number, column + 1));
      if (!row.length) throw new LevelError(`${source}:${number}: no square in this row`);
      if (row.length > largest) {
        const { where } = row[largest];
        throw new LevelError(`${where}: over ${largest} squares in this row; the maximum is ${largest} per side`);
      }
      const long = row.find(({ symbols }) => symbols.length > LONGEST_SQUARE);
      if (long) throw new LevelError(`${long.where}: ${quote(long.text)} is too long for one square`);
      return row;
    });
    /** All squares, row by row. */
    this.squares = this.rows.flat();
  }

  /** Return a board of squares that were read. @param {TextSquare[][]} rows @returns {TextBoard} */
  static of(rows) {
    const where = rows[0][0].where.replace(/:\d+$/, "");
    return Object.assign(Object.create(TextBoard.prototype), { where, rows, squares: rows.flat() });
  }

  /**
   * Throw LevelError on an unknown symbol.
   * @param {Iterable<string>} known @param {string} allowed describes the known ones in the message
   */
  checkSymbols(known, allowed) {
    const symbols = new Set(known);
    for (const square of this.squares) {
      const unknown = square.symbols.find((symbol) => !symbols.has(symbol));
      if (unknown !== undefined) {
        throw new LevelError(`${square.where}: unknown symbol ${repr(unknown)}; allowed are ${allowed}`);
      }
    }
  }

  /** Its height and width in squares; throws LevelError if rows differ in length. @returns {[number, number]} */
  extent() {
    const width = this.rows[0].length;
    for (const row of this.rows) {
      if (row.length === width) continue;
      throw new LevelError(
        `${row.length > width ? row[width].where : row[row.length - 1].end}: this row has ${row.length} squares, ` +
          `the level's first has ${width}; all rows of a level must have the same length`,
      );
    }
    return [this.rows.length, width];
  }

  /**
   * The squares with one of the symbols, row by row; a square with two of them is listed twice.
   * @param {string | string[]} wanted
   */
  find(wanted) {
    return this.squares.flatMap((square) =>
      square.symbols.filter((symbol) => wanted.includes(symbol)).map(() => square),
    );
  }

  /**
   * Like `find`; throws LevelError, which calls the missing thing `name`, if there is none.
   * @param {string} name @param {string | string[]} wanted
   */
  findSome(name, wanted) {
    const found = this.find(wanted);
    if (found.length) return found;
    throw new LevelError(`${this.where}: no ${name} in this level; it needs one (${[...wanted].join(" or ")})`);
  }

  /**
   * The only square with one of the symbols; throws LevelError if there is none, or a second.
   * @param {string} name @param {string | string[]} wanted
   */
  findOne(name, wanted) {
    const [first, second] = this.findSome(name, wanted);
    if (!second) return first;
    throw new LevelError(`${second.where}: a second ${name}, the first is at ${first.where}; exactly one is allowed`);
  }

  /** The index in `symbols` of each square's symbol, row by row. @param {string} symbols */
  numbers(symbols) {
    return this.squares.map(({ text }) => symbols.indexOf(text));
  }
}
