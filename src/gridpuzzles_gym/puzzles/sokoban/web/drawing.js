// @ts-check
/** Drawing of a board, as in drawing.py and panel.py: terrain, boxes and the player in the chosen style. */
import { cropToFloor } from "../../js/crop.js";
import { EDGES, TURNS } from "../../js/directions.js";
import { squaresOf } from "./boards.js";
import { stuckBoxes } from "./deadlocks.js";
import { floorName, quarters, terrainOf } from "./terrain.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Status} Status */
/** @typedef {import("../../js/board.js").Board} Board */
/** @typedef {import("../../js/board.js").Spot} Spot */

const WALLS_CUT = 0.5; // the share of the outermost walls that is not drawn, so that the floor can be larger
const RIM = 0.24;
/**
 * The colour outside the walls; whether floor below a wall is darker, and whether walls are see-through.
 * @type {Record<string, {empty: string, shaded: boolean, open: boolean}>}
 */
const STYLES = {
  warehouse: { empty: "#1a1412", shaded: true, open: false },
  paper: { empty: "#efe7d6", shaded: false, open: true },
};
const [EDGE, SOLVED] = ["#4d4149", "#7ed07a"];
const POSES = ["_up", "", "_left", "_right"]; // the ends of the names of the player's sprites

/** The chosen style; the first one if it is a folder of one's own. @param {Scene} scene */
function styleOf({ options }) {
  return options.style in STYLES ? options.style : "warehouse";
}

/** @param {Scene} scene */
function shape({ level, rules: { CELLS, STRIDE } }) {
  return { rows: (level.length - CELLS) / level[STRIDE], columns: level[STRIDE] };
}

/** @param {Scene} scene */
export function part(scene) {
  const { level, rules: { CELLS, WALL } } = scene;
  const { rows, columns } = shape(scene);
  const isWall = (/** @type {number} */ square) => (level[CELLS + square] & WALL) !== 0;
  return { ...cropToFloor(isWall, rows, columns, WALLS_CUT), rim: RIM };
}

/** @param {Scene} scene @param {Board} board */
export function draw(scene, board) {
  board.ground(`${styleOf(scene)} ${scene.level}`, () => drawTerrain(scene, board));
  drawTrail(scene, board);
  drawBoxes(scene, board);
  drawPlayer(scene, board);
  board.frame(STYLES[styleOf(scene)].empty, scene.state[scene.rules.ASTRAY] ? EDGE : SOLVED);
}

/**
 * Put a sprite of the style on a square by its number.
 * @param {Scene} scene @param {Board} board @param {string} sprite @param {number} square
 * @param {Spot & {quarter?: number}} [spot]
 */
function put(scene, board, sprite, square, spot) {
  const { columns } = shape(scene);
  board.put(`${styleOf(scene)}/${sprite}`, Math.floor(square / columns), square % columns, spot);
}

/** Draw walls, floor and goals. @param {Scene} scene @param {Board} board */
function drawTerrain(scene, board) {
  const { walls, goals, width } = squaresOf(scene.level, scene.state, scene.rules);
  const terrain = terrainOf(walls, width);
  const { empty, shaded, open } = STYLES[styleOf(scene)];
  const { top, left, rows, columns } = part(scene);
  const middle = { x: columns / 2, y: rows / 2, size: columns, height: rows };
  board.tint("ground", top, left, { ...middle, fill: empty });
  /** @type {[number, import("./terrain.js").Quarter[]][]} */
  const built = [];
  for (let row = top; row < top + rows; row++) {
    for (let column = left; column < left + columns; column++) {
      const square = row * width + column;
      if (terrain(row, column) === "built") {
        built.push([square, quarters(terrain, row, column)]);
      } else if (terrain(row, column) === "floor") {
        put(scene, board, floorName(terrain, row, column, shaded), square);
        if (goals[square]) put(scene, board, "goal", square);
      }
    }
  }
  const layer = (/** @type {"ground" | "form"} */ name) => {
    for (const [square, pieces] of built) putQuarters(scene, board, pieces.map((piece) => piece[name]), square);
  };
  if (open) layer("ground");
  layer("form");
}

/**
 * Put a sprite on each quarter of a square; a whole one if they are the same.
 * @param {Scene} scene @param {Board} board @param {string[]} sprites @param {number} square
 */
function putQuarters(scene, board, sprites, square) {
  if (new Set(sprites).size === 1) put(scene, board, sprites[0], square);
  else sprites.forEach((sprite, quarter) => put(scene, board, sprite, square, { quarter }));
}

/** Mark the square that the player left. @param {Scene} scene @param {Board} board */
function drawTrail(scene, board) {
  const { before, action, rules } = scene;
  const { moved, pushed } = lastMove(scene);
  if (!moved || !before || action === null) return;
  const turns = TURNS[action];
  put(scene, board, pushed ? "trail_push" : "trail_walk", before[rules.PLAYER], { turns, late: true });
}

/**
 * Draw all boxes; those on goals look different, and one that is pushed keeps its looks until it arrives. With the
 * option `warn`, those that can no longer reach a goal are marked.
 * @param {Scene} scene @param {Board} board
 */
function drawBoxes(scene, board) {
  const { before, level, rules } = scene;
  const { goals, boxes, width } = squaresOf(level, scene.state, rules);
  const were = before ? squaresOf(level, before, rules).boxes : boxes;
  const left = were.findIndex((box, square) => box && !boxes[square]); // by the box that was pushed
  boxes.forEach((box, square) => {
    if (!box) return;
    const isNew = !were[square];
    put(scene, board, "box", square);
    if (goals[square]) put(scene, board, "box_on_goal", square, { late: isNew && !goals[left] });
    else if (isNew && goals[left]) put(scene, board, "box_on_goal", square, { leaving: true });
  });
  for (const square of scene.options.warn ? stuck(scene) : []) {
    const mark = { size: 0.5, as: `stuck ${square}`, late: true };
    board.put("deadlock", Math.floor(square / width), square % width, mark);
  }
}

/** The squares of boxes that can no longer reach a goal. @param {Scene} scene */
function stuck({ level, state, rules }) {
  const { boxes, dead, ...yard } = squaresOf(level, state, rules);
  return stuckBoxes(yard, dead, [...boxes.keys()].filter((square) => boxes[square]));
}

/**
 * Draw the player, facing the direction of his last move, and what blocked him.
 * @param {Scene} scene @param {Board} board
 */
function drawPlayer(scene, board) {
  const { state, action, rules } = scene;
  const { known, moved, pushed } = lastMove(scene);
  const facing = action ?? rules.DOWN;
  put(scene, board, `${pushed ? "pusher" : "player"}${POSES[facing]}`, state[rules.PLAYER], { as: "player" });
  if (!known || moved) return;
  put(scene, board, "bump", state[rules.PLAYER], { ...EDGES[facing], turns: TURNS[facing], late: true });
}

/** The effect of the last action. @param {Scene} scene */
function lastMove({ level, state, before, action, rules }) {
  const here = state[rules.PLAYER];
  if (action === null || !before) return { known: false, moved: false, pushed: false };
  const pushed = squaresOf(level, before, rules).boxes[here];
  return { known: true, moved: before[rules.PLAYER] !== here, pushed };
}

/** @param {Scene} scene @returns {Status} */
export function status(scene) {
  const { level, state, steps, score, metrics, rules } = scene;
  const count = level[rules.COUNT];
  return {
    ...standing(scene),
    numbers: [
      ["step", steps],
      ["return", Number(score.toPrecision(6))],
      ["pushes", Number(metrics.pushes ?? 0)],
      ["moves", Number(metrics.moves ?? 0)],
      ["boxes on goals", `${count - state[rules.ASTRAY]} of ${count}`],
    ],
  };
}

/** @param {Scene} scene @returns {{words: string, reason: string, sprite: string, tone: Status["tone"]}} */
function standing(scene) {
  const { state, metrics, options, rules } = scene;
  const astray = state[rules.ASTRAY];
  const [style, reason] = [styleOf(scene), lastAction(scene)];
  if (!astray) return { words: "solved", reason, sprite: `${style}/box_on_goal`, tone: "good" };
  if (metrics.deadlock || (options.warn && stuck(scene).length)) {
    return { words: "deadlock", reason: "no longer solvable", sprite: "deadlock", tone: "bad" };
  }
  return { words: `${astray} to go`, reason, sprite: `${style}/box`, tone: "plain" };
}

/** The effect of the last action in words. @param {Scene} scene */
function lastAction(scene) {
  const { action, actions, steps } = scene;
  if (action === null) return steps ? `after ${steps} steps` : "push boxes to the goals";
  const { known, moved, pushed } = lastMove(scene);
  if (!known) return actions[action];
  return `${moved ? (pushed ? "pushed" : "walked") : "blocked"} ${actions[action]}`;
}
