// @ts-check
/**
 * Scenes, and the interface of a puzzle's own scripts: `text.js` in its folder `web`, and `thoughts.js` in that of its
 * agents.
 *
 * They are plain functions over the rules' rows of numbers. `rules` has the integer constants of the puzzle's
 * `rules.py` by name, so that the indices into a row are defined once.
 */
import { shorten } from "./messages.js";

/** @typedef {Int16Array} Row */
/** @typedef {{row: number, column: number}} Square */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./board.js").Part} Part */

/**
 * @typedef {object} Scene a state of an episode, and everything needed to draw it
 * @property {Row} level
 * @property {Row} state
 * @property {Row | null} before the state before the last action; null at the start
 * @property {Row} [start] the state in which the episode began, if it is known
 * @property {number | null} action the last action; null at the start
 * @property {Record<string, any>} options the puzzle's own keyword arguments
 * @property {Record<string, number>} rules constants of the puzzle's rules
 * @property {string[]} actions the names of the actions
 * @property {number} steps
 * @property {number} score the return
 * @property {string} outcome "unfinished" until the episode has ended
 * @property {boolean} over whether it has ended, by the rules or by its limit
 * @property {Record<string, number | boolean>} metrics the puzzle's own
 * @property {string} title
 * @property {boolean} revealed whether hidden things are shown
 * @property {any} [looks] its placements and its status's numbers, in films
 */

/**
 * @typedef {object} Drawing how scenes are drawn
 * @property {(scene: Scene) => Part} part the squares that are shown
 * @property {(scene: Scene, board: Board) => void} draw put everything on the board, from back to front
 * @property {(scene: Scene) => Status} status
 */

/**
 * @typedef {object} Status the texts and pictures next to the board
 * @property {string} words the state of the game in a word or two, as in the window
 * @property {string} [reason] the reason for that, in a few words
 * @property {string} [sprite] a picture of it
 * @property {number} [turns] quarter turns clockwise of that picture
 * @property {"plain" | "good" | "bad"} tone
 * @property {[string, string | number][]} numbers names and numbers
 * @property {Sign[]} [signs] percepts, things in hand, the legend
 * @property {{name: string, part: Part, draw: (board: Board) => void}} [picture] a second, small picture, e.g. of the goal
 */

/** @typedef {{sprite: string, name: string, on: boolean, group?: string}} Sign `group` is the heading above it */

/**
 * @typedef {object} Text what `text.js` exports
 * @property {(text: string, source: string) => Level[]} parse read level text; throws LevelError
 * @property {(level: Level, extent: number[], options: Record<string, any>, rules: Record<string, number>) => {level: Row, state: Row}} encode the rows of a level, on a board of an extent
 * @property {(level: Row, state: Row, rules: Record<string, number>) => string} format level text, which reads back to the same rows
 */

/** @typedef {{extent: number[], content: any, title: string}} Level */

/**
 * @typedef {object} ThoughtReader what `thoughts.js` exports
 * @property {(name: string, arrays: Record<string, ArrayLike<number>>, constants: Record<string, number>, scene: Scene) =>
 *   import("./view.js").Thoughts} thoughts the thoughts of the agent of that name, read from its memory: its arrays, and the
 *   constants of its Python module with the indices into them
 */

/** A level text that is invalid; its message begins with `source:line:column`, as in Python. */
export class LevelError extends Error {
  name = "LevelError";

  /** @param {string} message */
  constructor(message) {
    super(shorten(message));
  }
}
