// @ts-check
/** Drawing of a board, as in drawing.py and panel.py: wooden tiles with the last move marked; next to them the goal. */
import { TURNS } from "../../js/directions.js";
import { goalTiles } from "./boards.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */
/** @typedef {import("../../js/scene.js").Status} Status */
/** @typedef {import("../../js/board.js").Board} Board */
/** @typedef {import("./boards.js").Tiles} Tiles */

const [WOOD, WOOD_EDGE, TRAY] = ["#4a3022", "#6d4a33", "#1c120d"];
const [WOOD_SOLVED, SOLVED_EDGE] = ["#555335", "#7ed07a"];
const [INK, INK_HOME, LIGHT, LIGHT_HOME] = ["#3d2410", "#24401a", "#fff6e2", "#f4fbe2"];
const RIM = 0.24;
const DIGIT = 0.72; // the height of a digit, as a share of its font's size
const NEXT_TO = ["above", "below", "left of", "right of"];
const TILE_MOVED = ["down", "up", "right", "left"];

/** @param {Scene} scene */
export function part(scene) {
  return { ...shape(scene), top: 0, left: 0, rim: RIM };
}

/** @param {Scene} scene */
function shape({ level, rules: { HEIGHT, WIDTH } }) {
  return { rows: level[HEIGHT], columns: level[WIDTH] };
}

/** @param {Scene} scene @param {Board} board */
export function draw(scene, board) {
  const { level, state, rules } = scene;
  const tiles = [...state.slice(rules.TILES)];
  const { rows, columns } = shape(scene);
  board.ground(`${rows} ${columns}`, () => drawTray(scene, board));
  drawTiles(tiles, goalTiles(level, rules), columns, board);
  drawMove(scene, board);
  if (state[rules.MISPLACED]) board.frame(WOOD, WOOD_EDGE);
  else board.frame(WOOD_SOLVED, SOLVED_EDGE);
}

/** @param {Scene} scene @param {Board} board */
function drawTray(scene, board) {
  const { rows, columns } = shape(scene);
  board.tint("ground", 0, 0, { x: columns / 2, y: rows / 2, size: columns, height: rows, fill: TRAY });
}

/**
 * Draw all tiles, those at home tinted.
 * @param {Tiles} tiles @param {Tiles} goal empty if none is to be tinted @param {number} columns @param {Board} board
 */
function drawTiles(tiles, goal, columns, board) {
  const height = tiles.length <= 10 ? 0.46 : 0.4; // of the digits
  /** @type {(square: number) => [number, number]} */
  const place = (square) => [Math.floor(square / columns), square % columns];
  const hole = tiles.indexOf(0);
  board.put("slot", ...place(hole), { as: `slot ${hole}` });
  tiles.forEach((tile, square) => {
    if (!tile) return;
    const home = goal[square] === tile;
    const spot = { size: height / DIGIT, style: "numeral" };
    board.put(home ? "tile_home" : "tile", ...place(square), { as: `tile ${tile}` });
    const [light, ink] = home ? [LIGHT_HOME, INK_HOME] : [LIGHT, INK];
    const engraved = { ...spot, y: 0.47 + height / 18, fill: light, as: `edge ${tile}` };
    board.write(String(tile), ...place(square), engraved);
    board.write(String(tile), ...place(square), { ...spot, y: 0.47, fill: ink, as: `number ${tile}` });
  });
}

/**
 * Mark the tile that slid and the square it came from, or the edge that stopped the blank.
 * @param {Scene} scene @param {Board} board
 */
function drawMove(scene, board) {
  const { state, before, action, rules } = scene;
  if (action === null || !before) return;
  const columns = shape(scene).columns;
  const put = (/** @type {string} */ sprite, /** @type {number} */ square, turns = 0) =>
    board.put(sprite, Math.floor(square / columns), square % columns, { turns, late: true });
  if (!movedTile(scene)) {
    put("wall", state[rules.BLANK], TURNS[action]);
  } else {
    put("moved", before[rules.BLANK]);
    put("trail", state[rules.BLANK], TURNS[action] + 2);
  }
}

/** The tile that slid; 0 if the blank could not move. @param {Scene} scene */
function movedTile({ state, before, rules: { BLANK, TILES } }) {
  return before ? state[TILES + before[BLANK]] : 0;
}

/** @param {Scene} scene @returns {Status} */
export function status(scene) {
  const { level, state, steps, score, rules } = scene;
  const count = state.length - rules.TILES - 1;
  const goal = goalTiles(level, rules);
  return {
    ...standing(scene),
    numbers: [
      ["step", steps],
      ["return", Number(score.toPrecision(6))],
      ["tiles at home", `${count - state[rules.MISPLACED]} of ${count}`],
    ],
    picture: {
      name: "goal",
      part: { ...part(scene), rim: 0.08 },
      draw(board) {
        drawTray(scene, board);
        drawTiles(goal, [], shape(scene).columns, board);
        board.frame(TRAY);
      },
    },
  };
}

/** @param {Scene} scene @returns {Pick<Status, "words" | "reason" | "sprite" | "turns" | "tone">} */
function standing(scene) {
  const { state, before, action, actions, options, rules } = scene;
  const tile = movedTile(scene);
  let reason = action === null ? `arrows move the ${options.arrows ?? "blank"}` : `blank ${actions[action]}`;
  if (action !== null && before) {
    reason = tile ? `tile ${tile} ${TILE_MOVED[action]}` : `nothing ${NEXT_TO[action]} the blank`;
  }
  if (!state[rules.MISPLACED]) return { words: "solved", reason, sprite: "state_solved", tone: "good" };
  if (action === null) return { words: "scrambled", reason, sprite: "state_start", tone: "plain" };
  const turns = before ? TURNS[action] : 0; // a tile slides opposite to the blank
  if (!tile && before) return { words: "blocked", reason, sprite: "state_wall", turns, tone: "plain" };
  return { words: "sliding", reason, sprite: "state_moved", turns: before ? turns + 2 : 0, tone: "plain" };
}
