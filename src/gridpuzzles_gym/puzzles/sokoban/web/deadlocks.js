// @ts-check
/** Simple tests that show that a level can no longer be solved: as `finish`, `freeze` and `stuck` of rules.py. */

/**
 * @typedef {object} Yard a board; all lists have an entry for each square
 * @property {number} width squares in a row
 * @property {boolean[]} walls they enclose all other squares
 * @property {boolean[]} goals
 */

/**
 * Return on which squares a box can never reach a goal, walls included: those to which a single box cannot be pulled
 * from a goal, regardless of whether the player can walk around it.
 * @param {Yard} yard
 */
export function deadSquares({ width, walls, goals }) {
  const dead = goals.map((goal) => !goal);
  const waiting = [...goals.keys()].filter((square) => goals[square] && !walls[square]);
  for (const square of waiting) {
    for (const step of [-width, width, -1, 1]) {
      const [beside, behind] = [square + step, square + 2 * step];
      if (walls[beside] === false && dead[beside] && walls[behind] === false) {
        dead[beside] = false;
        waiting.push(beside);
      }
    }
  }
  return dead;
}

/**
 * Return the boxes that can never move, and those on dead squares; boxes that could be pushed from some side are lifted
 * off, until none is left that could.
 * @param {Yard} yard @param {boolean[]} dead @param {Iterable<number>} boxes their squares
 */
function frozenBoxes({ width, walls }, dead, boxes) {
  const frozen = new Set(boxes);
  const blocked = (/** @type {number} */ square) => walls[square] || frozen.has(square);
  const canMove = (/** @type {number} */ square) =>
    [width, 1].some((step) => {
      const [one, other] = [square - step, square + step];
      return !blocked(one) && !blocked(other) && !(dead[one] && dead[other]);
    });
  for (let count = -1; count !== frozen.size; ) {
    count = frozen.size;
    for (const square of frozen) if (canMove(square)) frozen.delete(square);
  }
  return frozen;
}

/**
 * Return the boxes that can no longer reach a goal; there are some if the level is `stuck`.
 * @param {Yard} yard @param {boolean[]} dead @param {Iterable<number>} boxes
 */
export function stuckBoxes(yard, dead, boxes) {
  return [...frozenBoxes(yard, dead, boxes)].filter((square) => !yard.goals[square]);
}
