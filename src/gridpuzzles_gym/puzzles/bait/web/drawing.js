// @ts-check
/** Drawing of a board, as in drawing.py and panel.py: a meadow between stone walls; next to it what is left. */
import { cropToFloor } from "../../js/crop.js";
import { EDGES, TURNS } from "../../js/directions.js";
import { thingsOf } from "./boards.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Status} Status */
/** @typedef {import("../../js/scene.js").Row} Row */
/** @typedef {import("../../js/board.js").Board} Board */
/** @typedef {import("../../js/board.js").Spot} Spot */

const [FRAME, FRAME_EDGE] = ["#2b2a35", "#4b4959"];
const RIM = 0.12;
const [FLOORS, WALLS] = [3, 2];
const [SHADE, NIGHT] = [70 / 255, 130 / 255]; // the opacity of the shadow below a wall, and of that over inner walls
// A thing alone on its square, one under a box, and a box over a thing.
const ALONE = { x: 0.5, y: 0.5, size: 0.86 };
const UNDER = { x: 0.36, y: 0.36, size: 0.68 };
const OVER = { x: 0.62, y: 0.63, size: 0.66 };
const IN_DOOR = 0.32; // how far an avatar in an open door is moved aside; it is smaller by as much

/** @param {Scene} scene */
function shape({ level, rules: { CELLS, STRIDE } }) {
  return { rows: (level.length - CELLS) / level[STRIDE], columns: level[STRIDE] };
}

/** Whether there is a wall on a square. @param {Scene} scene @returns {(square: number) => boolean} */
function walls({ level, rules: { CELLS, WALL } }) {
  return (square) => (level[CELLS + square] & WALL) !== 0;
}

/** @param {Scene} scene */
export function part(scene) {
  const { rows, columns } = shape(scene);
  return { ...cropToFloor(walls(scene), rows, columns), rim: RIM };
}

/** @param {Scene} scene @param {Board} board */
export function draw(scene, board) {
  const { level, state, rules } = scene;
  const doors = openDoors(scene);
  board.ground(String(level), () => drawGround(scene, board));
  for (const square of doors) put(scene, board, "open", square, { late: true });
  thingsOf(level, state, rules).forEach((things, square) => {
    if (things) drawThings(scene, board, things, square, doors.has(square));
  });
  drawAvatar(scene, board, doors);
  drawLastMove(scene, board);
  board.frame(FRAME, FRAME_EDGE);
}

/**
 * Put a sprite on a square by its number.
 * @param {Scene} scene @param {Board} board @param {string} sprite @param {number} square @param {Spot} [spot]
 */
function put(scene, board, sprite, square, spot) {
  const { columns } = shape(scene);
  board.put(sprite, Math.floor(square / columns), square % columns, spot);
}

/** Draw walls, darker inside, and the meadow. @param {Scene} scene @param {Board} board */
function drawGround(scene, board) {
  const { rows, columns } = shape(scene);
  const shown = part(scene);
  const isWall = walls(scene);
  const wallAt = (/** @type {number} */ row, /** @type {number} */ column) =>
    row < 0 || row >= rows || column < 0 || column >= columns || isWall(row * columns + column);
  const sides = [-1, 0, 1];
  for (let row = shown.top; row < shown.top + shown.rows; row++) {
    for (let column = shown.left; column < shown.left + shown.columns; column++) {
      if (wallAt(row, column)) {
        board.put(`wall_${((row + column * 3 + row * column) % WALLS) + 1}`, row, column);
        const inner = sides.every((down) => sides.every((right) => wallAt(row + down, column + right)));
        if (inner) board.tint("ground", row, column, { fill: "#000", opacity: NIGHT });
      } else {
        board.put(`floor_${((row * 5 + column * 7 + row * column) % FLOORS) + 1}`, row, column);
        const shade = { y: 1 / 14, height: 1 / 7, fill: "#000", opacity: SHADE };
        if (row && wallAt(row - 1, column)) board.tint("ground", row, column, shade);
      }
    }
  }
}

/**
 * Draw the things on a square; a box is shifted a little, so that what is below it can be seen.
 * @param {Scene} scene @param {Board} board @param {number} things @param {number} square
 * @param {boolean} door whether there is an open door
 */
function drawThings(scene, board, things, square, door) {
  const { BOX, GOAL, HOLE, KEY_HERE, MUSHROOM } = scene.rules;
  const sprite = { [KEY_HERE]: "key", [GOAL]: "goal", [MUSHROOM]: "mushroom", [BOX]: "box" };
  if (things === HOLE) {
    put(scene, board, "hole", square);
  } else if (things in sprite) {
    stand(scene, board, sprite[things], square, door ? OVER : ALONE);
  } else {
    stand(scene, board, sprite[things ^ BOX], square, UNDER);
    stand(scene, board, "box", square, OVER);
  }
}

/**
 * Draw a thing on a square, with its shadow.
 * @param {Scene} scene @param {Board} board @param {string} sprite @param {number} square
 * @param {Spot & {x: number, y: number, size: number}} spot
 */
function stand(scene, board, sprite, square, spot) {
  const { x, y, size, leaving } = spot;
  const { columns } = shape(scene);
  if (sprite === "key") {
    put(scene, board, "glow", square, { x, y, size: 1.1 * size });
  } else {
    const shadow = { x, y: y + 0.4 * size, size: 1.06 * size, height: 0.36 * size, as: `shadow of ${sprite}`, leaving };
    board.shade(Math.floor(square / columns), square % columns, shadow);
  }
  put(scene, board, sprite, square, spot);
}

/**
 * Draw the avatar, facing the direction of its last move, with its key, or in a hole; in a door it is smaller.
 * @param {Scene} scene @param {Board} board @param {Set<number>} doors
 */
function drawAvatar(scene, board, doors) {
  const { state, before, action, rules } = scene;
  const { AVATAR, DOWN, KEY, WAIT } = rules;
  const here = state[AVATAR];
  const dead = hasDied(scene);
  const aside = doors.has(here) ? IN_DOOR : 0;
  const share = 1 - aside;
  /** @type {(x: number, y: number, size: number) => {x: number, y: number, size: number}} */
  const at = (x, y, size) => ({ x: aside + share * x, y: aside + share * y, size: share * size });
  const facing = TURNS[action === null || action === WAIT ? DOWN : action];
  const { columns } = shape(scene);
  const shadow = { ...at(0.5, 0.54, 0.86), height: 0.6 * share, as: "shadow of avatar", leaving: dead };
  board.shade(Math.floor(here / columns), here % columns, shadow);
  put(scene, board, "avatar", here, { ...at(0.5, 0.5, 0.96), turns: facing, leaving: dead });
  if (dead) {
    const fallen = { y: 0.55, size: 0.5, turns: -150 / 90, opacity: 170 / 255, as: "fallen", late: true };
    put(scene, board, "avatar", here, fallen);
    put(scene, board, "death", here, { x: 0.78, y: 0.22, size: 0.5, late: true });
  } else if (state[KEY]) {
    put(scene, board, "key", here, { ...at(0.8, 0.8, 0.46), as: "key in hand", late: before !== null && !before[KEY] });
  }
}

/** @param {Scene} scene */
function hasDied({ level, state, rules }) {
  return thingsOf(level, state, rules)[state[rules.AVATAR]] === rules.HOLE;
}

/**
 * Draw the effect of the last action: a hole filled, a thing gained, or a blocked move.
 * @param {Scene} scene @param {Board} board
 */
function drawLastMove(scene, board) {
  const { level, state, before, action, rules } = scene;
  const { AVATAR, HOLE, KEY_HERE, WAIT, WORTH } = rules;
  if (action === null || !before || action === WAIT) return;
  const here = state[AVATAR];
  const [were, are] = [before, state].map((row) => thingsOf(level, row, rules));
  const filled = were.findIndex((things, square) => things === HOLE && are[square] !== HOLE);
  if (filled >= 0) {
    stand(scene, board, "box", filled, { ...ALONE, leaving: true });
    put(scene, board, "filled", filled, { late: true });
  }
  const gained = before[WORTH] - state[WORTH] > (filled >= 0 ? 1 : 0);
  if (gained || (were[here] & 3) === KEY_HERE) put(scene, board, "sparkle", here, { late: true });
  if (here === before[AVATAR]) put(scene, board, "bump", here, { ...EDGES[action], size: 0.42, late: true });
}

/**
 * Return the squares of the goals that have been opened; only the last one if the start of the level is not known.
 * @param {Scene} scene @returns {Set<number>}
 */
function openDoors({ level, state, before, start, rules }) {
  const { AVATAR, BOX, GOAL, GOALS } = rules;
  if (!start) return new Set(before && state[GOALS] < before[GOALS] || state[GOALS] === 0 ? [state[AVATAR]] : []);
  const goalsIn = (/** @type {Row} */ row) => thingsOf(level, row, rules).map((things) => (things & ~BOX) === GOAL);
  const [were, are] = [goalsIn(start), goalsIn(state)];
  return new Set([...were.keys()].filter((square) => were[square] && !are[square]));
}

/** @param {Scene} scene @returns {Status} */
export function status(scene) {
  const { level, state, steps, score, metrics, rules } = scene;
  const { BOX, GOALS, HOLE, KEY, MUSHROOM } = rules;
  const things = thingsOf(level, state, rules);
  const count = (/** @type {(each: number) => boolean} */ so) => things.filter(so).length;
  /** @type {[string, number, string, string][]} */
  const left = [
    ["goal", state[GOALS], "goal", "goals"],
    ["box", count((each) => (each & BOX) !== 0 && each !== MUSHROOM), "box", "boxes"],
    ["hole", count((each) => each === HOLE), "hole", "holes"],
    ["mushroom", count((each) => each === MUSHROOM), "mushroom", "mushrooms"],
  ];
  return {
    ...standing(scene),
    numbers: [
      ["step", steps],
      ["score", Number(metrics.score ?? 0)],
      ["return", Number(score.toPrecision(6))],
    ],
    signs: [
      { sprite: "key", name: state[KEY] ? "a key: goals open" : "no key yet", on: state[KEY] === 1, group: "in hand" },
      ...left.map(([sprite, number, one, more]) => ({
        sprite,
        name: `${number} ${number === 1 ? one : more}`,
        on: number > 0,
        group: "left on the board",
      })),
    ],
  };
}

/** @param {Scene} scene @returns {Pick<Status, "words" | "reason" | "sprite" | "turns" | "tone">} */
function standing(scene) {
  const { state, before, action, actions, steps, rules } = scene;
  const { GOALS, KEY, WAIT } = rules;
  if (!state[GOALS]) return { words: "solved", reason: "every goal is open", sprite: "open", tone: "good" };
  if (hasDied(scene)) return { words: "died", reason: "fell into a hole", sprite: "death", tone: "bad" };
  const reason = action === null ? (state[KEY] ? "go to the goal" : "find the key") : actions[action];
  const stopped = action !== null && before !== null && before.every((entry, place) => entry === state[place]);
  const turns = action === null || action === WAIT ? 0 : TURNS[action];
  if (stopped) return { words: "stopped", reason, sprite: "state_blocked", turns, tone: "plain" };
  if (state[KEY]) return { words: "key in hand", reason, sprite: "key", tone: "plain" };
  if (!steps) return { words: "ready", reason, sprite: "state_ready", tone: "plain" };
  return { words: "moving", reason, sprite: "state_moving", turns, tone: "plain" };
}
