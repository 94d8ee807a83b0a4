// @ts-check
/** Drawing of a maze, as in `drawing.py`: mouse, cats and their last moves. */
import { cropToFloor } from "../../js/crop.js";
import { EDGES, SIDES, TURNS } from "../../js/directions.js";
import { catsOf, outcome } from "./mazes.js";
import { statusOf } from "./panel.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/board.js").Board} Board */
/** @typedef {[number, number]} Step the squares before and after the last action */

const FRAME = "#2b2d3f";
const RIM = 0.12; // in squares
const FLOORS = 2;
const SHADE = { y: 1 / 14, height: 1 / 7, fill: "#000", opacity: 60 / 255 }; // the shadow below a wall

/** @param {Scene} scene */
export function part({ level, rules: { CELLS, STRIDE, WALL } }) {
  const columns = level[STRIDE];
  const isWall = (/** @type {number} */ square) => (level[CELLS + square] & WALL) !== 0;
  return { ...cropToFloor(isWall, (level.length - CELLS) / columns, columns), rim: RIM };
}

/** @param {Scene} scene */
export function status(scene) {
  return statusOf(scene);
}

/** @param {Scene} scene @param {Board} board */
export function draw(scene, board) {
  const { level, state, before, rules } = scene;
  const { DIED, EXIT, MOUSE, SOLVED, STRIDE } = rules;
  const at = (/** @type {number} */ square) => [Math.floor(square / level[STRIDE]), square % level[STRIDE]];
  drawMaze(scene, board);
  const steps = catSteps(scene);
  const mouse = /** @type {Step} */ ([before ? before[MOUSE] : state[MOUSE], state[MOUSE]]);
  for (const [start, end] of [...steps, mouse]) {
    const way = wayBetween(scene, start, end);
    if (way >= 0) board.put("paws", ...pair(at(start)), { size: 0.8, turns: TURNS[way], late: true });
  }
  const ending = outcome(level, state, rules);
  if (ending !== SOLVED) drawCheese(board, at(level[EXIT]), [0.5, 0.5, 0.8]);
  const drawCat = (/** @type {Step} */ [start, end], /** @type {number[]} */ spot) => {
    const way = wayBetween(scene, start, end);
    stand(board, "cat", at(end), spot, TURNS[way < 0 ? rules.DOWN : way]);
  };
  for (const step of steps) if (ending !== DIED || step[1] !== state[MOUSE]) drawCat(step, [0.5, 0.5, 0.98]);
  if (ending === DIED) {
    board.put("bang", ...pair(at(state[MOUSE])), { size: 1.3, late: true });
    drawCat(/** @type {Step} */ (steps.find(([, end]) => end === state[MOUSE])), [0.42, 0.42, 0.9]);
  }
  drawMouse(scene, board, at(state[MOUSE]), ending);
}

/** Draw the walls, and the floor. @param {Scene} scene @param {Board} board */
function drawMaze(scene, board) {
  const { level, rules } = scene;
  const { CELLS, STRIDE, UP, WALL } = rules;
  const { top, left, rows, columns } = part(scene);
  const isWall = (/** @type {number} */ row, /** @type {number} */ column) => {
    const inside = row >= 0 && column >= 0 && column < level[STRIDE] && CELLS + row * level[STRIDE] < level.length;
    return !inside || (level[CELLS + row * level[STRIDE] + column] & WALL) !== 0;
  };
  for (let row = top; row < top + rows; row++) {
    for (let column = left; column < left + columns; column++) {
      const walls = SIDES.map(([down, right]) => isWall(row + down, column + right));
      if (isWall(row, column)) {
        board.put("wall", row, column);
        walls.forEach((wall, side) => wall || board.put("edge", row, column, { turns: TURNS[side] }));
      } else {
        board.put(`floor_${((row + column) % FLOORS) + 1}`, row, column);
        if (walls[UP]) board.tint("shade", row, column, SHADE);
      }
    }
  }
  board.frame(FRAME);
}

/** The side of one square on which another one is, if one step leads there; otherwise -1.
 * @param {Scene} scene @param {number} start @param {number} end */
function wayBetween({ level, rules: { AHEAD, CELLS } }, start, end) {
  return [0, 1, 2, 3].findIndex((side) => (level[CELLS + start] >> side) & 1 && start + level[AHEAD + side] === end);
}

/**
 * The squares of each cat before and after the last action. Cats cannot be told apart; of several possibilities, a cat
 * stayed rather than moved. If there is none, because it is unknown what was before, all stayed.
 * @param {Scene} scene @returns {Step[]}
 */
function catSteps(scene) {
  const { level, state, before, rules } = scene;
  const after = catsOf(level, state, rules);
  const steps = before ? paired(scene, catsOf(level, before, rules), after) : null;
  return steps ? steps.sort(([, one], [, other]) => one - other) : after.map((square) => [square, square]);
}

/**
 * Return pairs of squares from two lists of which each is one step or none; null if that is impossible.
 * @param {Scene} scene @param {number[]} before @param {number[]} after @returns {Step[] | null}
 */
function paired(scene, [start, ...others], after) {
  if (start === undefined) return [];
  const stayedFirst = [...after].sort((one, other) => Number(one !== start) - Number(other !== start));
  for (const end of stayedFirst) {
    if (end !== start && wayBetween(scene, start, end) < 0) continue;
    const found = paired(scene, others, after.filter((square) => square !== end));
    if (found) return [[start, end], ...found];
  }
  return null;
}

/** Draw the cheese at the exit. @param {Board} board @param {number[]} square @param {number[]} spot its [x, y, size] */
function drawCheese(board, [row, column], [x, y, size]) {
  board.put("glow", row, column, { size: 1.15 });
  board.put("cheese", row, column, { x, y, size });
}

/** Draw an animal with its shadow.
 * @param {Board} board @param {string} name @param {number[]} square @param {number[]} spot @param {number} turns */
function stand(board, name, [row, column], [x, y, size], turns) {
  board.shade(row, column, { x, y: y + 0.1 * size, size, height: 0.7 * size });
  board.put(name, row, column, { x, y, size, turns });
}

/** Draw the mouse, facing the direction of the last action, with the cheese, or caught by a cat.
 * @param {Scene} scene @param {Board} board @param {number[]} square @param {number} ending */
function drawMouse({ state, before, action, rules }, board, square, ending) {
  const { DIED, MOUSE, RIGHT, SOLVED } = rules;
  const turns = TURNS[action ?? RIGHT];
  if (ending === SOLVED) {
    drawCheese(board, square, [0.6, 0.4, 0.7]);
    stand(board, "mouse", square, [0.36, 0.64, 0.62], 1);
    board.put("sparkle", ...pair(square), { late: true });
  } else if (ending === DIED) {
    stand(board, "mouse", square, [0.72, 0.72, 0.5], turns);
  } else {
    stand(board, "mouse", square, [0.5, 0.5, 0.8], turns);
    if (action !== null && before && before[MOUSE] === state[MOUSE]) {
      board.put("bump", ...pair(square), { ...EDGES[action], size: 0.36, late: true });
    }
  }
}

/** @param {number[]} square @returns {[number, number]} */
function pair([row, column]) {
  return [row, column];
}
