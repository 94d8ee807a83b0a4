// @ts-check
/** Gestures, as in `gestures.py`: a click takes one step, because the cats move after each. */
import { numberOn, shortestPath, stepsOn } from "../../js/paths.js";
import { catsOf, outcome } from "./mazes.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Square} Square */

/**
 * Return the first step of a shortest path to a square; none if a cat is there and next to the mouse.
 * @param {Scene} scene @param {Square} square
 */
export function click({ level, state, rules }, square) {
  const { CELLS, MOUSE, STRIDE, UNFINISHED, WALL } = rules;
  const [width, squares, mouse] = [level[STRIDE], level.length - CELLS, state[MOUSE]];
  const [mouseRow, mouseColumn] = [Math.floor(mouse / width), mouse % width];
  const near = catsOf(level, state, rules).filter(
    (cat) => Math.abs(Math.floor(cat / width) - mouseRow) + Math.abs((cat % width) - mouseColumn) === 1,
  );
  const free = (/** @type {number} */ square) => !(level[CELLS + square] & WALL) && !near.includes(square);
  const target = numberOn(width, squares, square);
  if (target < 0 || !free(target) || outcome(level, state, rules) !== UNFINISHED) return [];
  return (shortestPath(mouse, target, stepsOn(width, squares, free)) ?? []).slice(0, 1);
}

/** Nothing is dragged. @returns {number[]} */
export function drag() {
  return [];
}
