// @ts-check
/** Gestures, as in `gestures.py`: a click walks over visited squares, a drag shoots; they reveal nothing hidden. */
import { numberOn, shortestPaths } from "../../js/paths.js";
import { AHEAD, neighbour } from "./passages.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Square} Square */
/** @typedef {{square: number, facing: number}} Pose of the agent */

export const marks = ["pit?", "wumpus?", "safe"];

/**
 * The number of a square; -1 outside the cave.
 * @param {Scene} scene @param {Square} square
 */
function numberOf({ level, rules: { HEIGHT, WIDTH } }, square) {
  return numberOn(level[WIDTH], level[HEIGHT] * level[WIDTH], square);
}

/**
 * On the agent's own square, grab the gold, or climb out with it; on a visited one, walk there. On another one next to
 * a visited one, walk up to it and face it, and go on into it if the agent was already next to it or knows that it is
 * safe.
 * @param {Scene} scene @param {Square} square @param {import("../../js/scene.js").Foresee} foresee
 */
export function click(scene, square, foresee) {
  const { level, state, rules } = scene;
  const { ENDING, FORWARD, RUNNING, SEEN, SQUARE } = rules;
  const target = numberOf(scene, square);
  if (target < 0 || state[ENDING] !== RUNNING) return [];
  if (target === state[SQUARE]) return onOwnSquare(scene);
  if (state[SEEN + target]) {
    return foresee(way(scene, [0, 1, 2, 3].map((facing) => ({ square: target, facing })))).actions;
  }
  const poses = entrances(scene, target);
  const near = poses.filter((pose) => pose.square === state[SQUARE]);
  const actions = way(scene, near.length ? near : poses);
  if (near.length || isSafe(scene, poses)) actions.push(FORWARD);
  return foresee(actions).actions;
}

/** @param {Scene} scene */
function onOwnSquare({ level, state, rules }) {
  const { CLIMB, CLIMB_OUT, GOLD, GRAB, HELD, SQUARE, START } = rules;
  if (state[GOLD] === state[SQUARE]) return [GRAB];
  return state[GOLD] === HELD && level[CLIMB] && state[SQUARE] === level[START] ? [CLIMB_OUT] : [];
}

/**
 * Where the agent must stand, and how it must face, to enter a square that it has not visited.
 * @param {Scene} scene @param {number} target @returns {Pose[]}
 */
function entrances({ level, state, rules }, target) {
  return [0, 1, 2, 3]
    .map((facing) => ({ square: neighbour(level, target, facing, rules), facing: (facing + 2) % 4 }))
    .filter(({ square }) => square >= 0 && state[rules.SEEN + square]);
}

/**
 * Whether the percepts felt next to a square prove that neither a pit nor a live wumpus is there.
 * @param {Scene} scene @param {Pose[]} poses
 */
function isSafe({ level, state, rules: { ALIVE, BREEZE, CELLS, STENCH } }, poses) {
  const lacks = (/** @type {number} */ percept) => poses.some(({ square }) => !(level[CELLS + square] & percept));
  return (!state[ALIVE] || lacks(STENCH)) && lacks(BREEZE);
}

/**
 * Return the fewest actions that take the agent over visited squares to one of some poses.
 * @param {Scene} scene @param {Pose[]} goals
 */
function way({ level, state, rules }, goals) {
  const { FACING, FORWARD, SEEN, SQUARE, TURN_LEFT, TURN_RIGHT } = rules;
  const place = (/** @type {Pose} */ { square, facing }) => 4 * square + facing;
  /** @type {import("../../js/paths.js").Steps} */
  const steps = function* (from) {
    const [square, facing] = [from >> 2, from & 3];
    const ahead = neighbour(level, square, facing, rules);
    if (ahead >= 0 && state[SEEN + ahead]) yield [FORWARD, place({ square: ahead, facing })];
    yield [TURN_LEFT, place({ square, facing: (facing + 3) % 4 })];
    yield [TURN_RIGHT, place({ square, facing: (facing + 1) % 4 })];
  };
  const paths = shortestPaths(place({ square: state[SQUARE], facing: state[FACING] }), goals.map(place), steps);
  const [first, ...others] = paths.values();
  return others.reduce((best, path) => (path.length < best.length ? path : best), first ?? []);
}

/**
 * From the agent's square along its row or column: turn there and shoot.
 * @param {Scene} scene @param {Square} start @param {Square} end
 */
export function drag(scene, start, end) {
  const { state, rules } = scene;
  const { ARROW, ENDING, FACING, RUNNING, SHOOT, SQUARE, TURN_LEFT, TURN_RIGHT } = rules;
  const [down, right] = [Math.sign(end.row - start.row), Math.sign(end.column - start.column)];
  const inLine = (down === 0) !== (right === 0) && numberOf(scene, end) >= 0;
  const own = numberOf(scene, start) === state[SQUARE];
  if (!own || !inLine || !state[ARROW] || state[ENDING] !== RUNNING) return [];
  const facing = AHEAD.findIndex(([row, column]) => row === down && column === right);
  const turns = [[], [TURN_RIGHT], [TURN_RIGHT, TURN_RIGHT], [TURN_LEFT]][(facing - state[FACING] + 4) % 4];
  return [...turns, SHOOT];
}
