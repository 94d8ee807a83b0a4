// @ts-check
/**
 * Validation of levels, as in checking.py: a level consists of the squares that the player could reach if there were no
 * boxes. All others count as wall; only boxes on goals, as decoration, are allowed there.
 */
import { grouped, plural } from "../../js/messages.js";
import { LevelError } from "../../js/scene.js";
import { LARGEST, MOST_SQUARES } from "./alphabets.js";
import { deadSquares, stuckBoxes } from "./deadlocks.js";

/** @typedef {(row: number, column: number) => string} Place a square's position in its file, `source:line:column` */
/** @typedef {(square: number) => string} Where */

/**
 * Check that a level can be played; throws LevelError.
 * @param {string[]} rows a board in plain XSB; they may differ in length
 * @param {Place} place
 * @returns {string[]} the board as a rectangle, with a wall on every square that the player can never reach
 */
export function check(rows, place) {
  const [height, width] = [rows.length, Math.max(...rows.map((row) => row.length))];
  if (Math.max(height, width) > LARGEST) {
    const most = `the maximum is ${LARGEST} per side`;
    throw new LevelError(`${place(0, 0)}: a board of ${width}x${height} squares; ${most}`);
  }
  if (height * width > MOST_SQUARES) {
    const most = `the maximum is ${grouped(MOST_SQUARES)} squares in all`;
    throw new LevelError(`${place(0, 0)}: a board of ${width}x${height} squares; ${most}`);
  }
  // A blank column on the right and blank rows above and below, so that each step off the board leads to one of them.
  const stride = width + 1;
  const text = ["", ...rows, ""].map((row) => row.padEnd(stride)).join("");
  /** @type {Where} */
  const where = (square) => place(Math.floor(square / stride) - 1, square % stride);
  const player = onePlayer(text, where);
  const inside = reached(text, player, stride);
  if (inside.has(0)) {
    throw new LevelError(
      `${where(firstExit(text, player, stride))}: the walls are open here: the player at ${where(player)} gets out; ` +
        "walls must enclose everything that he can reach",
    );
  }
  const canonical = [...text].map((symbol, square) => (inside.has(square) ? symbol : "#")).join("");
  checkUnreachable(text, canonical, where);
  checkCounts(canonical, player, where);
  const checked = rows.map((_, row) => canonical.slice((row + 1) * stride, (row + 2) * stride - 1));
  if (!canonical.includes("$")) {
    throw new LevelError(`${where(player)}: this level is solved already: every box is on a goal`);
  }
  checkMovable(checked, place);
  return checked;
}

/** Return the player's square. @param {string} text @param {Where} where */
function onePlayer(text, where) {
  const [first, second] = [...text].flatMap((symbol, square) => ("@+".includes(symbol) ? [square] : []));
  if (first === undefined) {
    const start = Math.max(text.search(/[^ ]/), 0);
    throw new LevelError(`${where(start)}: no player in this level; it needs one, @ or + on a goal`);
  }
  if (second !== undefined) {
    throw new LevelError(
      `${where(second)}: a second player, the first is at ${where(first)}; exactly one is allowed`,
    );
  }
  return first;
}

/**
 * Return the squares that the player could reach without boxes.
 * @param {string} text @param {number} player @param {number} stride
 */
function reached(text, player, stride) {
  const found = new Set([player]);
  for (const square of found) {
    for (const step of [-stride, -1, 1, stride]) {
      const there = square + step;
      if (there >= 0 && there < text.length && text[there] !== "#") found.add(there);
    }
  }
  return found;
}

/**
 * Return the nearest square at the edge of the board through which the player can leave.
 * @param {string} text @param {number} player @param {number} stride
 */
function firstExit(text, player, stride) {
  const last = text.length / stride - 2; // row, after a blank one
  const isEdge = (/** @type {number} */ square) => {
    const [row, column] = [Math.floor(square / stride), square % stride];
    return row === 1 || row === last || column === 0 || column === stride - 2;
  };
  const came = new Set([player]);
  for (let wave = [player]; ; ) {
    const exit = wave.find(isEdge);
    if (exit !== undefined) return exit;
    const ahead = new Set(wave.flatMap((square) => [-stride, -1, 1, stride].map((step) => square + step)));
    wave = [...ahead].filter((square) => !came.has(square) && text[square] !== "#").sort((a, b) => a - b);
    for (const square of wave) came.add(square);
  }
}

/**
 * Check that unreachable squares have no box without a goal and no goal without a box.
 * @param {string} text @param {string} canonical @param {Where} where
 */
function checkUnreachable(text, canonical, where) {
  const things = [["$", "this box cannot be reached by the player"], [".", "the player cannot reach this goal"]];
  for (const [symbol, what] of things) {
    const square = [...text].findIndex((there, k) => there === symbol && canonical[k] !== symbol);
    const allowed = "only boxes on goals are allowed beyond his reach";
    if (square >= 0) throw new LevelError(`${where(square)}: ${what}; ${allowed}`);
  }
}

/**
 * Check that there are as many goals as boxes, and at least one.
 * @param {string} text @param {number} player @param {Where} where
 */
function checkCounts(text, player, where) {
  const [boxes, goals] = ["$*", ".+*"].map((things) => [...text].filter((symbol) => things.includes(symbol)).length);
  if (!boxes) {
    throw new LevelError(`${where(player)}: the player can reach no box; a level needs one, $ or * on a goal`);
  }
  if (boxes !== goals) {
    const first = text.search(boxes > goals ? /[$*]/ : /[.+*]/);
    throw new LevelError(
      `${where(first)}: ${plural(boxes, "box", "boxes")} but ${plural(goals, "goal")} ` +
        "within the player's reach; there must be as many boxes as goals",
    );
  }
}

/**
 * Throw LevelError if a simple test shows that the level cannot be solved.
 * @param {string[]} rows @param {Place} place
 */
function checkMovable(rows, place) {
  const [width, symbols] = [rows[0].length, [...rows.join("")]];
  const has = (/** @type {string} */ things) => symbols.map((symbol) => things.includes(symbol));
  const yard = { width, walls: has("#"), goals: has(".+*") };
  const dead = deadSquares(yard);
  const isStuck = (/** @type {Iterable<number>} */ boxes) => stuckBoxes(yard, dead, boxes).length > 0;
  const boxes = new Set([...symbols.keys()].filter((square) => "$*".includes(symbols[square])));
  if (!isStuck(boxes)) return;
  // Boxes are removed one by one as long as the level remains stuck; the remaining ones are the reason.
  for (const square of [...boxes]) {
    boxes.delete(square);
    if (!isStuck(boxes)) boxes.add(square);
  }
  const squares = [...boxes].sort((a, b) => a - b);
  const [first, ...others] = squares.map((square) => place(Math.floor(square / width), square % width));
  if (!others.length && dead[squares[0]]) {
    throw new LevelError(`${first}: this box can never be brought to a goal from here`);
  }
  const known = others.length ? `, as do those at ${others.slice(0, 3).join(", ")}` : "";
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  throw new LevelError(`${first}: this box is frozen from the start: walls and boxes block it${known}${more}`);
}
