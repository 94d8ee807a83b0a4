// @ts-check
/** Gestures, as in gestures.py: a click walks, a drag pushes a box. */
import { aheadOn, numberOn, shortestPath, stepsOn } from "../../js/paths.js";
import { Pushing } from "../../js/pushing.js";
import { squaresOf } from "./boards.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Square} Square */
/** @typedef {import("../../js/scene.js").Foresee} Foresee */

/** @param {Scene} scene */
function read({ level, state, rules }) {
  const { width, walls, boxes } = squaresOf(level, state, rules);
  const free = new Set([...walls.keys()].filter((square) => !walls[square] && !boxes[square]));
  const squares = walls.length;
  return {
    width,
    squares,
    ahead: aheadOn(width, squares),
    player: state[rules.PLAYER],
    boxes,
    /** The squares free of walls and boxes. */
    free,
    /** The number of a square; -1 outside the board. @param {Square} square */
    numberOf: (square) => numberOn(width, squares, square),
  };
}

/**
 * Walk to a square, the shortest way; a box in the way blocks it.
 * @param {Scene} scene @param {Square} square @param {Foresee} foresee
 */
export function click(scene, square, foresee) {
  const { width, squares, player, free, numberOf } = read(scene);
  const target = numberOf(square);
  const steps = stepsOn(width, squares, (there) => free.has(there));
  return free.has(target) ? foresee(shortestPath(player, target, steps) ?? []).actions : [];
}

/**
 * Push a box from one square to another by the fewest moves, without moving any other; they end early if the level is
 * solved on the way.
 * @param {Scene} scene @param {Square} start @param {Square} end @param {Foresee} foresee
 */
export function drag(scene, start, end, foresee) {
  const board = read(scene);
  const [box, target] = [board.numberOf(start), board.numberOf(end)];
  if (!board.boxes[box] || !board.free.has(target)) return [];
  return foresee(new Pushing(board, board.player, box, board.free, board.free).shortest(target) ?? []).actions;
}
