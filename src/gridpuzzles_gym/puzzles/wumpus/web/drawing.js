// @ts-check
/** Drawing of a cave, as in `drawing.py`: the squares, their darkness, what was felt there, the agent with its light. */
import { statusOf } from "./panel.js";
import { AHEAD } from "./passages.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/board.js").Board} Board */
/** @typedef {import("../../js/board.js").Part} Part */

const [FRAME, CHALK] = ["#2c2530", "#a8978e"];
const [RIM, LETTERS] = [0.3, 0.18]; // in squares; more on large boards, so that numbers can be read
const LETTERS_OF_BOARD = 0.02; // the same as a share of the longer side
const FLOORS = 3;
const STUCK = 0.18; // how far an arrow gets beyond the middle of the last square
const TRAIL = { width: 1 / 16, fill: "#f3e3c0", opacity: 0.5 };
// The places of things that share a square: [x, y, size] in squares, the agent last.
const SPOTS = [
  [],
  [[0.5, 0.5, 0.8]],
  [[0.69, 0.31, 0.56], [0.36, 0.62, 0.66]],
  [[0.27, 0.28, 0.5], [0.74, 0.3, 0.48], [0.5, 0.68, 0.62]],
];

/** @param {Scene} scene @returns {Part} */
export function part({ level, rules: { HEIGHT, WIDTH } }) {
  const [rows, columns] = [level[HEIGHT], level[WIDTH]];
  return { top: 0, left: 0, rows, columns, rim: (RIM / LETTERS) * lettersOf(rows, columns) };
}

/** The height of the numbers in the rim. @param {number} rows @param {number} columns */
function lettersOf(rows, columns) {
  return Math.max(LETTERS, LETTERS_OF_BOARD * Math.max(rows, columns));
}

/** @param {Scene} scene */
export function status(scene) {
  return statusOf(scene);
}

/** @param {Scene} scene @param {Board} board */
export function draw(scene, board) {
  const { level, state, revealed, rules } = scene;
  const { BREEZE, CELLS, GOLD, HEIGHT, SEEN, STENCH, WIDTH } = rules;
  const width = level[WIDTH];
  const at = (/** @type {number} */ square) => [Math.floor(square / width), square % width];
  const squares = Array.from({ length: level[HEIGHT] * width }, (_, square) => square);
  const known = squares.map((square) => isKnown(scene, square));
  for (const square of squares) {
    const [row, column] = at(square);
    if (known[square] || revealed) drawSquare(scene, board, square, row, column);
    else board.put("fog", row, column);
  }
  board.cover("darkness", outwards(level[HEIGHT], width, (row, column) => !known[row * width + column]));
  for (const square of squares.filter((square) => state[SEEN + square])) {
    const [row, column] = at(square);
    if (level[CELLS + square] & STENCH) board.put("stench", row, column, { late: true });
    if (level[CELLS + square] & BREEZE) board.put("breeze", row, column, { late: true });
    if (state[GOLD] === square) board.put("glitter", row, column, { late: true });
  }
  const [row, column] = at(state[rules.SQUARE]);
  drawAgent(scene, board, row, column);
  drawArrow(scene, board, known, row, column);
  if (state[rules.SCREAM] && revealed) {
    for (const square of squares.filter((square) => level[CELLS + square] & rules.WUMPUS)) {
      const [row, column] = at(square);
      board.put("icon_scream", row, column, { x: 0.8, y: 0.2, size: 0.34, late: true });
    }
  }
  drawRim(board, level[HEIGHT], width);
}

/**
 * Whether the agent knows a square: it has been there or, if it is rock, next to it.
 * @param {Scene} scene @param {number} square
 */
function isKnown({ level, state, rules: { CELLS, HEIGHT, SEEN, WALL, WIDTH } }, square) {
  if (state[SEEN + square]) return true;
  if (!(level[CELLS + square] & WALL)) return false;
  const [row, column] = [Math.floor(square / level[WIDTH]), square % level[WIDTH]];
  return AHEAD.some(([down, right]) => {
    const [there, across] = [row + down, column + right];
    const inside = there >= 0 && there < level[HEIGHT] && across >= 0 && across < level[WIDTH];
    return inside && state[SEEN + there * level[WIDTH] + across];
  });
}

/**
 * The squares that satisfy a condition, and the squares outside the board next to them, so that a cover does not fade
 * at the board's edge.
 * @param {number} height @param {number} width @param {(row: number, column: number) => boolean} condition
 */
function outwards(height, width, condition) {
  const found = [];
  const inside = (/** @type {number} */ place, /** @type {number} */ length) =>
    Math.min(Math.max(place, 0), length - 1);
  for (let row = -1; row <= height; row++) {
    for (let column = -1; column <= width; column++) {
      if (condition(inside(row, height), inside(column, width))) found.push([row, column]);
    }
  }
  return found;
}

/** Draw the floor or rock of a square, the stairs, the pit, the wumpus and the gold.
 * @param {Scene} scene @param {Board} board @param {number} square @param {number} row @param {number} column */
function drawSquare({ level, state, rules }, board, square, row, column) {
  const cell = level[rules.CELLS + square];
  if (cell & rules.WALL) {
    board.put("rock", row, column);
    return;
  }
  board.put(`floor_${((row * 5 + column * 7 + row * column) % FLOORS) + 1}`, row, column);
  if (square === level[rules.START]) board.put("stairs", row, column, { size: 0.94 });
  if (cell & rules.PIT) board.put("pit", row, column);
  const things = thingsOn(level, state, square, rules);
  things.forEach((thing, k) => {
    const late = thing === "wumpus_feast" || thing === "wumpus_dead";
    if (thing) stand(board, thing, row, column, SPOTS[things.length][k], { late });
  });
}

/**
 * The sprites of the things on a square; the agent, drawn above the darkness, is last and named "".
 * @param {ArrayLike<number>} level @param {ArrayLike<number>} state @param {number} square
 * @param {Record<string, number>} rules
 */
function thingsOn(level, state, square, { ALIVE, CELLS, EATEN, ENDING, GOLD, SQUARE, WUMPUS }) {
  const things = [];
  const eaten = state[ENDING] === EATEN && square === state[SQUARE];
  if (level[CELLS + square] & WUMPUS) things.push(state[ALIVE] ? (eaten ? "wumpus_feast" : "wumpus") : "wumpus_dead");
  if (state[GOLD] === square) things.push("gold");
  if (state[SQUARE] === square && !eaten) things.push("");
  return things;
}

/** Draw a sprite at a spot, with its shadow.
 * @param {Board} board @param {string} name @param {number} row @param {number} column @param {number[]} spot
 * @param {import("../../js/board.js").Spot} more */
function stand(board, name, row, column, [x, y, size], more = {}) {
  board.shade(row, column, { x, y: y + 0.42 * size, size: 0.95 * size, height: 0.4 * size });
  board.put(name, row, column, { x, y, size, ...more });
}

/** Draw the agent with its lantern's light, or its death.
 * @param {Scene} scene @param {Board} board @param {number} row @param {number} column */
function drawAgent({ level, state, rules }, board, row, column) {
  const { BUMP, EATEN, ENDING, FACING, FELL, GOLD, HELD, SQUARE } = rules;
  if (state[ENDING] === FELL || state[ENDING] === EATEN) {
    const fallen = { y: 0.54, size: 0.5, turns: -150 / 90, opacity: 150 / 255 };
    const eaten = { size: SPOTS[1][0][2], turns: state[FACING], leaving: true };
    board.put("agent", row, column, state[ENDING] === FELL ? fallen : eaten);
    board.put("death", row, column, { late: true });
    return;
  }
  const things = thingsOn(level, state, state[SQUARE], rules);
  const spot = SPOTS[things.length][things.length - 1];
  const turns = state[FACING];
  board.put("glow", row, column, { size: 5, style: "light" });
  board.put("beam", row, column, { x: spot[0], y: spot[1], size: 2.6, turns });
  stand(board, "agent", row, column, spot, { turns });
  if (state[GOLD] === HELD) stand(board, "gold", row, column, [0.8, 0.8, 0.36]);
  if (state[BUMP]) {
    const [down, right] = AHEAD[state[FACING]];
    board.put("icon_bump", row, column, { x: 0.5 + 0.34 * right, y: 0.5 + 0.34 * down, size: 0.4, late: true });
  }
}

/** Draw the arrow that was just shot, and its trail.
 * @param {Scene} scene @param {Board} board @param {boolean[]} known @param {number} row @param {number} column */
function drawArrow(scene, board, known, row, column) {
  const { state, before, action, rules } = scene;
  const { ARROW, FACING, SHOOT } = rules;
  if (action !== SHOOT || !before || before[ARROW] === state[ARROW]) return;
  const [down, right] = AHEAD[state[FACING]];
  const flown = flight(scene, known, row, column);
  const { width, ...look } = TRAIL;
  const lengths = { size: flown * Math.abs(right) + width, height: flown * Math.abs(down) + width };
  const middle = { x: 0.5 + (flown * right) / 2, y: 0.5 + (flown * down) / 2 };
  board.tint("trail", row, column, { ...middle, ...lengths, ...look, from: { size: width, opacity: look.opacity } });
  const tip = { x: 0.5 + flown * right, y: 0.5 + flown * down };
  const turns = state[FACING];
  board.put("flying_arrow", row, column, { ...tip, size: 0.6, turns, from: { size: 0.6, turns } });
}

/** How many squares the arrow flew; a player who does not see the cave does not see what stopped it.
 * @param {Scene} scene @param {boolean[]} known @param {number} row @param {number} column */
function flight({ level, state, revealed, rules }, known, row, column) {
  const { CELLS, FACING, HEIGHT, SCREAM, WALL, WIDTH, WUMPUS } = rules;
  const [down, right] = AHEAD[state[FACING]];
  for (let flown = 0; ; flown++) {
    [row, column] = [row + down, column + right];
    const square = row * level[WIDTH] + column;
    const inside = row >= 0 && row < level[HEIGHT] && column >= 0 && column < level[WIDTH];
    const rock = inside && level[CELLS + square] & WALL && (known[square] || revealed);
    if (!inside || rock) return flown + STUCK;
    if (revealed && state[SCREAM] && level[CELLS + square] & WUMPUS) return flown + 1;
  }
}

/** Draw the board's rim, with columns and rows numbered from the bottom left, as in the textbook.
 * @param {Board} board @param {number} rows @param {number} columns */
function drawRim(board, rows, columns) {
  board.frame(FRAME);
  const letters = lettersOf(rows, columns);
  const half = (RIM / LETTERS / 2) * letters;
  const every = [1, 2, 5, 10, 20].find((step) => step >= 1.8 * letters) ?? 1;
  const numbered = (/** @type {number} */ length) => {
    const first = every === 2 || every > length;
    return Array.from({ length }, (_, k) => k).filter((k) => (k + 1) % every === 0 || (k === 0 && first));
  };
  const look = { size: letters, fill: CHALK, style: "number" };
  for (const column of numbered(columns)) board.write(String(column + 1), rows, column, { ...look, y: half });
  for (const row of numbered(rows)) board.write(String(row + 1), rows - 1 - row, 0, { ...look, x: -half });
}
