// @ts-check
/** Boards as level text: parsing and formatting as in text.py, with the same errors. */
import { LETTERS, TextBoard, WORDS, blocks, rowsOf } from "../../js/level_text.js";
import { isSpace, repr, trim, wordsOf } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { LARGEST, RUN_TOGETHER, SMALLEST, goalTiles, isNumber, makeRows, whyUnsolvable } from "./boards.js";
import { arrange, describe, equal, nameOf, readGoal } from "./boards.js";

const BLANKS = ["0", "_", "."];
const GOAL = "goal:";

/** @typedef {import("./boards.js").Tiles} Tiles */
/** @typedef {import("../../js/level_text.js").TextSquare} Square */
/** @typedef {{tiles: Tiles, goal: string | Tiles | null, where: string}} Board `where` is `source:line`, for messages */

/** Every character but blanks is a square. @type {import("../../js/level_text.js").Split} */
const DIGITS = (line) => LETTERS(line).filter(([, letter]) => !isSpace(letter));

/** Read the boards in a text. @param {string} text @param {string} source */
export function parse(text, source) {
  return blocks(text, source).flatMap(({ title, lines: block }) => {
    const { goal, lines } = divide(block, source);
    if (!lines.length) throw new LevelError(`${source}:${block[0][0]}: a goal without a board`);
    const rows = lines.map(([number, line]) => rowsIn(number, line, source));
    const plain = rows.every((each) => each.length === 1);
    // Each line may be a whole board, so the number of lines is not limited here.
    const boards = plain
      ? boardsIn(textBoard(rows.flat(), source))
      : rows.flatMap((each) => (each.length > 1 ? [textBoard(each, source)] : boardsIn(textBoard(each, source))));
    return boards.map((board, k) => {
      const name = title && boards.length > 1 ? `${title} ${k + 1}` : title || board.where;
      return levelOf(board, goal, name);
    });
  });
}

/**
 * Return the rows in a line, at least one; blanks in front of each keep its columns.
 * @param {number} number @param {string} line @param {string} source @returns {[number, string][]}
 */
function rowsIn(number, line, source) {
  const spaced = line.replaceAll(",", " ");
  const begin = [...spaced].findIndex((letter) => !isSpace(letter));
  const sized = /^([0-9]{1,2})[xX×]([0-9]{1,2}):/.exec(spaced.slice(Math.max(begin, 0)));
  if (sized) return sizedRows(number, spaced, begin, sized, source);
  const found = [...spaced.matchAll(/[^|/]+/g)].filter(([row]) => trim(row) !== "");
  if (found.length > LARGEST) {
    throw new LevelError(`${source}:${number}: over ${LARGEST} rows in this line; the maximum is ${LARGEST}`);
  }
  if (!found.length) return [[number, spaced]];
  return found.map((match) => [number, " ".repeat([...spaced.slice(0, match.index)].length) + match[0]]);
}

/**
 * Return the rows of a board whose size is written before its tiles, such as `3x2:4 5 1 2 0 3`.
 * @param {number} number @param {string} line @param {number} begin @param {RegExpExecArray} sized @param {string} source
 * @returns {[number, string][]}
 */
function sizedRows(number, line, begin, sized, source) {
  const [width, height] = [Number(sized[1]), Number(sized[2])];
  const letters = [...line];
  const tiles = WORDS(" ".repeat(begin + sized[0].length) + line.slice(begin + sized[0].length));
  if (tiles.length !== width * height || !tiles.length) {
    throw new LevelError(`${source}:${number}: ${tiles.length} tiles; a board of ${width}x${height} has ${width * height}`);
  }
  return rowsOf(tiles, width).map((row) => {
    const [[first], [last, tile]] = [row[0], row[width - 1]];
    return [number, " ".repeat(first) + letters.slice(first, last + [...tile].length).join("")];
  });
}

/** @param {[number, string][]} rows @param {string} source */
function textBoard(rows, source) {
  const together = rows.every(([, row]) => wordsOf(row).length === 1);
  return new TextBoard(rows, source, LARGEST ** 2, together ? DIGITS : WORDS, rows.length);
}

/** Divide a block into its goal and the lines of boards. @param {[number, string][]} block @param {string} source */
function divide(block, source) {
  /** @type {string | Tiles | null} */
  let goal = null;
  /** @type {[number, string][]} */
  const lines = [];
  for (const [number, line] of block) {
    const words = trim(line);
    if (words.toLowerCase().startsWith(GOAL)) {
      if (goal !== null) throw new LevelError(`${source}:${number}: a second goal; at most one is allowed`);
      goal = located(`${source}:${number}`, () => readGoal(trim(words.slice(GOAL.length))));
    } else {
      lines.push([number, line]);
    }
  }
  return { goal, lines };
}

/**
 * Return a result; what is wrong with it is said to be at a position.
 * @template Result @param {string} where @param {() => Result} make
 */
function located(where, make) {
  try {
    return make();
  } catch (error) {
    throw error instanceof RangeError ? new LevelError(`${where}: ${error.message}`) : error;
  }
}

/**
 * Split a block into boards: one per line if most lines have a square number of tiles and a blank, else one.
 * @param {TextBoard} block
 */
function boardsIn(block) {
  const { rows } = block;
  const whole = rows.filter((line) => sideOf(line) && line.some(({ text }) => BLANKS.includes(text))).length;
  if (rows.length > 1 ? 2 * whole <= rows.length : !sideOf(rows[0])) return [block]; // a board has one blank
  return rows.map((line) => TextBoard.of(rowsOf(line, sideOf(line) ?? line.length)));
}

/** Return the side of the square board that is written on a line, if it is one. @param {Square[]} line */
function sideOf(line) {
  const side = Math.sqrt(line.length);
  return Number.isInteger(side) && side >= SMALLEST && side <= LARGEST ? side : undefined;
}

/** @param {TextBoard} board @param {string | Tiles | null} goal @param {string} title */
function levelOf(board, goal, title) {
  const [height, width] = board.extent();
  const { where, squares } = board;
  if (![height, width].every((side) => SMALLEST <= side && side <= LARGEST)) {
    const one = height === 1 ? "; a board on one line must have 4, 9, 16 … tiles, or / between its rows" : "";
    const size = `a board of ${width}x${height} squares; allowed are ${SMALLEST} to ${LARGEST} per side`;
    throw new LevelError(`${where}: ${size}${one}`);
  }
  if (height * width > RUN_TOGETHER && squares.every(({ symbols }) => symbols.length === 1)) {
    const need = `boards of more than ${RUN_TOGETHER} squares need spaces`;
    throw new LevelError(`${where}: tiles without spaces between them; ${need}`);
  }
  const tiles = squares.map((square) => (BLANKS.includes(square.text) ? 0 : numberOf(square, width, height)));
  checkEachOnce(squares, tiles);
  return { extent: [height, width], content: { tiles, goal, where }, title };
}

/** @param {Square} square @param {number} width @param {number} height */
function numberOf({ text, where }, width, height) {
  if (!isNumber(text)) {
    throw new LevelError(
      `${where}: ${repr(text)} is not a tile; allowed are numbers, and 0, _ or . for the blank, ` +
        `separated by spaces (which may be omitted on boards of at most ${RUN_TOGETHER} squares)`,
    );
  }
  const last = height * width - 1;
  if (text.length > 9 || Number(text) > last) {
    throw new LevelError(`${where}: no tile ${text} on ${width}x${height} squares; allowed are 1 to ${last}`);
  }
  return Number(text);
}

/** Throw LevelError on a duplicate tile. @param {Square[]} squares @param {Tiles} tiles */
function checkEachOnce(squares, tiles) {
  const second = tiles.findIndex((tile, k) => tiles.indexOf(tile) !== k);
  if (second < 0) return;
  const tile = tiles[second];
  const missing = [...tiles.keys()].filter((other) => !tiles.includes(other));
  const lost = missing.slice(0, 3).map((other) => (other ? `tile ${other}` : "the blank")).join(" and ");
  throw new LevelError(
    `${squares[second].where}: a second ${tile ? `tile ${tile}` : "blank"}, the first is at ` +
      `${squares[tiles.indexOf(tile)].where}; ${lost} ${missing.length === 1 ? "is" : "are"} missing`,
  );
}

/**
 * Return the rows of a board. The goal is that of the options, else the one stated by the board, else "rows".
 * @param {{extent: number[], content: Board}} level @param {number[]} extent
 * @param {Record<string, any>} options @param {Record<string, number>} rules
 */
export function encode({ extent: [height, width], content: { tiles, goal: own, where } }, extent, options, rules) {
  if (height !== extent[0] || width !== extent[1]) {
    const needed = `this environment's must be ${extent[1]}x${extent[0]}`;
    throw new LevelError(
      `${where}: a board of ${width}x${height} squares; ${needed}, ` +
        "because all boards of an environment must have the same size",
    );
  }
  const [goal, stated] = located(where, () => {
    const wanted = arrange(readGoal(options.goal ?? own ?? "rows"), height, width);
    return [wanted, own === null ? wanted : arrange(own, height, width)];
  });
  const name = describe(nameOf(goal, height, width));
  if (!equal(stated, goal)) {
    throw new LevelError(
      `${where}: this board's goal is ${describe(nameOf(stated, height, width))}, but the environment's ` +
        `is ${name}; pass goal= with the board's goal`,
    );
  }
  const reason = whyUnsolvable(tiles, goal, width);
  if (reason) throw new LevelError(`${where}: ${reason} (the goal is ${name})`);
  return makeRows(tiles, goal, height, width, rules);
}

/**
 * Return level text of the board in its current state; it states the goal unless that is "rows".
 * @param {Int16Array} level @param {Int16Array} state @param {Record<string, number>} rules
 */
export function format(level, state, rules) {
  const [height, width] = [level[rules.HEIGHT], level[rules.WIDTH]];
  const digits = String(height * width - 1).length;
  const words = [...state.slice(rules.TILES)].map((tile) => String(tile).padStart(digits));
  const rows = rowsOf(words, width).map((row) => row.join(" "));
  const goal = nameOf(goalTiles(level, rules), height, width);
  return [...rows, ...(goal === "rows" ? [] : [`${GOAL} ${describe(goal)}`])].map((line) => `${line}\n`).join("");
}
