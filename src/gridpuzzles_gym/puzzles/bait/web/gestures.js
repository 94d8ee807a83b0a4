// @ts-check
/** Gestures, as in gestures.py: a click walks, and changes nothing on the way; a drag pushes a box. */
import { aheadOn, numberOn, shortestPath, shortestPaths, stepsOn } from "../../js/paths.js";
import { Pushing } from "../../js/pushing.js";
import { thingsOf } from "./boards.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Square} Square */
/** @typedef {import("../../js/scene.js").Foresee} Foresee */

/** What the gestures need to know about a board. */
class Ground {
  /** @param {Scene} scene */
  constructor({ level, state, rules }) {
    const { AVATAR, BOX, CELLS, GOAL, HOLE, KEY, KEY_HERE, MUSHROOM, NOTHING, STRIDE, WALL } = rules;
    this.width = level[STRIDE];
    this.squares = level.length - CELLS;
    this.ahead = aheadOn(this.width, this.squares);
    this.avatar = state[AVATAR];
    const things = thingsOf(level, state, rules);
    const isFloor = (/** @type {number} */ square) => !(level[CELLS + square] & WALL);
    const at = (/** @type {number[]} */ ...kinds) =>
      new Set([...things.keys()].filter((square) => kinds.includes(things[square]) && isFloor(square)));
    const [opened, openedBoxes] = state[KEY] ? [[GOAL], [GOAL | BOX]] : [[], []];
    const closedBoxes = state[KEY] ? [] : [GOAL | BOX];
    /** The squares without a wall or a thing, including the avatar's. */
    this.empty = at(NOTHING).add(this.avatar);
    /** The squares of boxes below which nothing changes when they are pushed away. */
    this.boxes = at(BOX, ...closedBoxes);
    /** The squares of boxes on a key, or on a goal that the avatar can open. */
    this.covers = at(BOX | KEY_HERE, ...openedBoxes);
    /** The squares of keys, mushrooms and goals that the avatar can open. */
    this.enterable = at(KEY_HERE, MUSHROOM, ...opened);
    /** The squares of goals that the avatar cannot open, with or without a box. */
    this.closed = state[KEY] ? new Set() : at(GOAL, GOAL | BOX);
    /** The squares of keys, holes and goals that the avatar can open: a box can be pushed onto them. */
    this.ends = at(KEY_HERE, HOLE, ...opened);
  }

  /** Whether a box can be pushed onto a square. @param {number} square */
  isTarget(square) {
    return [this.empty, this.closed, this.ends].some((squares) => squares.has(square)) && !this.boxes.has(square);
  }

  /**
   * Return the fewest moves that push one of `boxes` onto a square; null if there are none.
   * @param {number} box @param {number} end
   */
  push(box, end) {
    const closed = new Set([...this.closed].filter((square) => square === box || !this.boxes.has(square)));
    return new Pushing(this, this.avatar, box, this.empty, this.empty, closed, this.ends).shortest(end);
  }

  /** The steps over empty squares, and one more. @param {number} [more] */
  steps(more = -1) {
    return stepsOn(this.width, this.squares, (square) => square === more || this.empty.has(square));
  }

  /** The number of a square; -1 outside the board. @param {Square} square */
  numberOf(square) {
    return numberOn(this.width, this.squares, square);
  }
}

/**
 * Walk over empty squares, the shortest way; only the last one may hold something, but never a hole.
 * @param {Scene} scene @param {Square} square @param {Foresee} foresee
 */
export function click(scene, square, foresee) {
  const ground = new Ground(scene);
  const target = ground.numberOf(square);
  if (!ground.empty.has(target) && !ground.enterable.has(target)) return [];
  return foresee(shortestPath(ground.avatar, target, ground.steps(target)) ?? []).actions;
}

/**
 * Push a box from one square to another, or into a hole there, by the fewest moves.
 *
 * Nothing else changes, except on the box's first square: what was below it is picked up, or opened with the key.
 * @param {Scene} scene @param {Square} start @param {Square} end @param {Foresee} foresee
 */
export function drag(scene, start, end, foresee) {
  const ground = new Ground(scene);
  const [box, target] = [ground.numberOf(start), ground.numberOf(end)];
  if (!ground.isTarget(target)) return [];
  /** @type {number[]} */
  let path = [];
  if (ground.boxes.has(box)) {
    path = ground.push(box, target) ?? [];
  } else if (ground.covers.has(box)) {
    const paths = firstPushes(ground, box).flatMap(({ actions, there }) => {
      const rest = there === target ? [] : pushAfter(scene, foresee(actions), there, target);
      return rest ? [[...actions, ...rest]] : [];
    });
    const least = Math.min(...paths.map(({ length }) => length));
    path = paths.find(({ length }) => length === least) ?? [];
  }
  return foresee(path).actions;
}

/**
 * The walk and the push of one of `covers` in each direction, and where the box is then.
 * @param {Ground} ground @param {number} box
 */
function firstPushes(ground, box) {
  /** @type {Map<number, number>} the side of each push, and its action */
  const sides = new Map();
  for (let action = 0; action < 4; action++) sides.set(ground.ahead(box, action ^ 1), action);
  const walks = shortestPaths(ground.avatar, [...sides.keys()], ground.steps());
  return Array.from(walks, ([side, walk]) => {
    const action = /** @type {number} */ (sides.get(side));
    return { actions: [...walk, action], there: ground.ahead(box, action) };
  }).filter(({ there }) => ground.isTarget(there));
}

/**
 * Return the fewest moves that push a box on after its first push; null if there are none.
 * @param {Scene} scene @param {ReturnType<Foresee>} first where the first push leads
 * @param {number} box @param {number} end
 */
function pushAfter(scene, { state, over }, box, end) {
  const ground = new Ground({ ...scene, state });
  return over || !ground.boxes.has(box) ? null : ground.push(box, end);
}
