// @ts-check
/** Gestures, as in gestures.py: a click on a tile slides it and all tiles between it and the blank. */
import { SIDES } from "../../js/directions.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Square} Square */
/** @typedef {import("../../js/scene.js").Foresee} Foresee */

/**
 * Move the blank to a square in its row or column; the moves end early if the board is solved.
 * @param {Scene} scene @param {Square} square @param {Foresee} foresee
 */
export function click(scene, square, foresee) {
  return foresee(slides(scene, square)).actions;
}

/**
 * Do what a click on the tile does, if it is dragged one square towards the blank.
 * @param {Scene} scene @param {Square} start @param {Square} end @param {Foresee} foresee
 */
export function drag(scene, start, end, foresee) {
  const [action] = slides(scene, start);
  if (action === undefined) return [];
  const [down, right] = SIDES[action];
  const towards = end.row === start.row - down && end.column === start.column - right;
  return towards ? click(scene, start, foresee) : [];
}

/**
 * The moves of the blank to a square; none if it is not in its row or column.
 * @param {Scene} scene @param {Square} square @returns {number[]}
 */
function slides({ level, state, rules: { BLANK, HEIGHT, WIDTH } }, { row, column }) {
  const [height, width] = [level[HEIGHT], level[WIDTH]];
  const [down, right] = [row - Math.floor(state[BLANK] / width), column - (state[BLANK] % width)];
  const outside = row < 0 || row >= height || column < 0 || column >= width;
  if (outside || (down && right)) return [];
  const action = SIDES.findIndex(([y, x]) => y === Math.sign(down) && x === Math.sign(right));
  return action < 0 ? [] : new Array(Math.abs(down + right)).fill(action);
}
