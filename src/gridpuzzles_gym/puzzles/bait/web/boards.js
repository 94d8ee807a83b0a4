// @ts-check
/** Boards as lists of symbols, and as the rows of the rules: as boards.py. */
import { aheadOn } from "../../js/directions.js";

/** @typedef {Int16Array} Row */
/** @typedef {Record<string, number>} Rules */

export const LARGEST = 64; // squares per side
export const LETTERS = "w.kg01%*mAKxX"; // the letter of each symbol in level text
// A symbol is an index into LETTERS: a wall; floor plus things; or a person, plus 1 with the key, plus DEAD.
export const WALL_SYMBOL = 0;
const [FLOOR, PERSON, DEAD] = [1, 9, 2];

/** The things on the square of a symbol. @param {number} symbol @param {Rules} rules */
function thingsIn(symbol, { HOLE, NOTHING }) {
  if (symbol === WALL_SYMBOL) return NOTHING;
  return symbol < PERSON ? symbol - FLOOR : symbol < PERSON + DEAD ? NOTHING : HOLE;
}

/** GVGAI's score for things. @param {number} things @param {Rules} rules */
function worth(things, { BOX, BOX_WORTH, GOAL, GOAL_WORTH, MUSHROOM, MUSHROOM_WORTH }) {
  if (things === MUSHROOM) return MUSHROOM_WORTH;
  return (things & BOX ? BOX_WORTH : 0) + ((things & ~BOX) === GOAL ? GOAL_WORTH : 0);
}

/**
 * Return the rows of a board with one avatar.
 * @param {number[]} symbols @param {number} height @param {number} width
 * @param {Record<string, any>} options @param {Rules} rules
 */
export function makeRows(symbols, height, width, options, rules) {
  const { AVATAR, CELLS, GOAL, GOALS, KEY, SCHEME, STRIDE, THINGS, WAIT, WALL, WORTH } = rules;
  const squares = height * width;
  const [level, state] = [new Int16Array(CELLS + squares), new Int16Array(THINGS + Math.ceil(squares / 4))];
  level[STRIDE] = width;
  level[SCHEME] = rules[options.reward.toUpperCase()];
  const ahead = aheadOn(width, squares);
  const blocked = (/** @type {number} */ square) => square < 0 || symbols[square] === WALL_SYMBOL;
  symbols.forEach((symbol, square) => {
    let bits = 1 << WAIT;
    for (let action = 0; action < 4; action++) bits |= Number(blocked(ahead(square, action))) << action;
    level[CELLS + square] = symbol === WALL_SYMBOL ? bits | WALL : bits;
    const things = thingsIn(symbol, rules);
    state[THINGS + (square >> 2)] |= things << ((square & 3) << 2);
    state[GOALS] += (things & 3) === GOAL ? 1 : 0;
    state[WORTH] += worth(things, rules);
  });
  state[AVATAR] = symbols.findIndex((symbol) => symbol >= PERSON);
  state[KEY] = symbols.some((symbol) => "KX".includes(LETTERS[symbol])) ? 1 : 0;
  return { level, state };
}

/** Return the things on each square. @param {Row} level @param {Row} state @param {Rules} rules */
function thingsOf(level, state, { CELLS, THINGS }) {
  return Array.from({ length: level.length - CELLS }, (_, k) => (state[THINGS + (k >> 2)] >> ((k & 3) << 2)) & 7);
}

/**
 * Return the symbols of a board: the inverse of `makeRows`.
 * @param {Row} level @param {Row} state @param {Rules} rules
 */
export function symbolsOf(level, state, rules) {
  const { AVATAR, CELLS, HOLE, KEY, WALL } = rules;
  return thingsOf(level, state, rules).map((things, square) => {
    if (square === state[AVATAR]) return PERSON + state[KEY] + (things === HOLE ? DEAD : 0);
    return level[CELLS + square] & WALL ? WALL_SYMBOL : FLOOR + things;
  });
}
