// @ts-check
/** A puzzle's drawing from its picture and its status: tables of its description, and numbers that its rules write. */
import { putAll } from "./placements.js";
import { plainStatus, statusOf } from "./status.js";

const LONGEST_SIDE = 30; // of boards, as a multiple of the rim's width, if there are numbers on it

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./placements.js").Row} Row */

const INSET_RIM = 0.1; // its width, in squares

/**
 * @typedef {object} Source where the numbers of a scene come from: the rules, or a film
 * @property {(scene: Scene) => number[]} area the board's rows and columns; top, left, rows and columns of what is drawn
 * @property {(scene: Scene) => string} groundKey what the ground depends on
 * @property {(scene: Scene) => Row[]} ground
 * @property {(scene: Scene) => Row[]} inset the second picture, if there is one
 * @property {(scene: Scene) => Row[]} pieces
 * @property {(scene: Scene) => number[]} status
 */

/**
 * @param {any} looks `picture` and `status` of the puzzle's description
 * @param {Source} source @returns {import("./scene.js").Drawing}
 */
export function drawingOf({ picture, status }, source) {
  const part = (/** @type {Scene} */ scene) => {
    const [, , top, left, rows, columns] = source.area(scene);
    return { top, left, rows, columns, cut: picture.cut, rim: rimOf(picture.frame, Math.max(rows, columns)) };
  };
  const said = (/** @type {Scene} */ scene) =>
    status ? statusOf(status, picture.icons[spriteStyle(picture, scene)], scene, source.status(scene)) : plainStatus(scene);
  const inset = (/** @type {Scene} */ scene) => ({
    name: picture.inset.name,
    part: { ...part(scene), rim: INSET_RIM },
    draw(/** @type {import("./board.js").Board} */ board) {
      const [rows, columns] = source.area(scene);
      board.ground(source.groundKey(scene), () =>
        putAll(board, source.inset(scene), picture.sprites[spriteStyle(picture, scene)], { rows, columns }),
      );
      board.frame(picture.inset.fill);
    },
  });
  return {
    part,
    status: (scene) => ({ ...said(scene), ...(picture.inset ? { picture: inset(scene) } : {}) }),
    draw(scene, board) {
      const [rows, columns] = source.area(scene);
      const sprites = picture.sprites[spriteStyle(picture, scene)];
      board.ground(`${spriteStyle(picture, scene)} ${source.groundKey(scene)}`, () =>
        putAll(board, source.ground(scene), sprites, { rows, columns }),
      );
      putAll(board, source.pieces(scene), sprites, { rows, columns });
      const solved = picture.solved_frame && said(scene).tone === "good";
      const { fill, edge, numbers } = solved ? picture.solved_frame : picture.frame;
      board.frame(fill[spriteStyle(picture, scene)], edge, numbers);
    },
  };
}

/** The width of a rim; wider on large boards if it has numbers. @param {any} frame @param {number} longer side of the board */
function rimOf({ share, numbers }, longer) {
  return numbers ? Math.max(share, longer / LONGEST_SIDE) : share;
}

/** The chosen style; the first one if it is a folder of one's own. @param {any} picture @param {Scene} scene */
function spriteStyle(picture, { options }) {
  return options.style in picture.sprites ? options.style : Object.keys(picture.sprites)[0];
}

/**
 * The numbers of a scene that rules read: see `placement.py`.
 * @param {any} description of the puzzle @param {Scene} scene
 */
export function numbersOf({ picture, hidden }, { action, before, steps, options, metrics, revealed }) {
  const seen = { ...options, ...(hidden ? (revealed ? hidden.revealed : hidden.playing) : {}) };
  const settings = Object.entries(picture.settings).map(([name, values]) =>
    Math.max(/** @type {any[]} */ (values).indexOf(seen[name]), 0),
  );
  const counted = picture.metrics.map((/** @type {string} */ name) => Number(metrics[name] ?? 0));
  return [action ?? -1, before ? 1 : 0, steps, ...settings, ...counted];
}
