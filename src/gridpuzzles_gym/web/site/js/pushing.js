// @ts-check
/** Paths of one pushed box while everything else stays, for gestures. */
import { shortestPaths, stepsOn } from "./paths.js";

/** @typedef {{actions: number[], box: number, player: number}} Push a walk and a push, and the squares they lead to */

export class Pushing {
  /**
   * @param {{width: number, squares: number, ahead: import("./paths.js").Ahead}} board
   * @param {number} player its square
   * @param {number} box its square
   * @param {Set<number>} walkable the squares on which the player can walk, including its own, without the box's
   * @param {Set<number>} pushable those of them onto which the box can be pushed
   * @param {Set<number>} barred squares over which the box can be pushed, but that the player cannot enter: when it
   *   pushes the box off such a square, it stays where it is
   * @param {Set<number>} ends squares onto which the box can be pushed, but not away from
   */
  constructor(board, player, box, walkable, pushable, barred = new Set(), ends = new Set()) {
    this.board = board;
    this.box = box;
    this.player = player;
    // The player can walk on the box's first square once it has left it.
    this.walkable = barred.has(box) ? walkable : new Set([...walkable, box]);
    this.barred = barred;
    this.open = new Set([...pushable, ...barred, box]);
    this.ends = ends;
  }

  /**
   * Return every push that the player can make next.
   * @param {number} box @param {number} player @returns {Push[]}
   */
  pushes(box, player) {
    if (!this.open.has(box)) return [];
    const { width, squares, ahead } = this.board;
    /** @type {Map<number, number>} the side of each push, and its action */
    const sides = new Map();
    for (let action = 0; action < 4; action++) {
      const [there, side] = [ahead(box, action), ahead(box, action ^ 1)];
      if (this.walkable.has(side) && (this.open.has(there) || this.ends.has(there))) sides.set(side, action);
    }
    const steps = stepsOn(width, squares, (square) => square !== box && this.walkable.has(square));
    return Array.from(shortestPaths(player, [...sides.keys()], steps), ([side, walk]) => {
      const action = /** @type {number} */ (sides.get(side));
      return { actions: [...walk, action], box: ahead(box, action), player: this.barred.has(box) ? side : box };
    });
  }

  /**
   * Return the fewest moves, walking included, that push the box onto a square; null if it cannot be done.
   *
   * A*: the heuristic is the box's distance to the target.
   * @param {number} target
   * @returns {number[] | null}
   */
  shortest(target) {
    const { width, squares } = this.board;
    const distance = (/** @type {number} */ square) =>
      Math.abs(Math.floor(square / width) - Math.floor(target / width)) + Math.abs((square % width) - (target % width));
    const start = this.box * squares + this.player;
    /** @type {Map<number, {place: number, actions: number[]}>} */
    const came = new Map();
    const [moves, done, waiting] = [new Map([[start, 0]]), new Set(), new Heap()];
    waiting.push(distance(this.box) * squares ** 2 + start); // the number of moves, then the place
    for (let least = waiting.pop(); least !== undefined; least = waiting.pop()) {
      const here = least % squares ** 2;
      const [box, player] = [Math.floor(here / squares), here % squares];
      if (box === target) return wayBack(here, came);
      if (done.has(here)) continue;
      done.add(here);
      for (const push of this.pushes(box, player)) {
        const after = push.box * squares + push.player;
        const total = (moves.get(here) ?? 0) + push.actions.length;
        if (total >= (moves.get(after) ?? Infinity)) continue;
        moves.set(after, total);
        came.set(after, { place: here, actions: push.actions });
        waiting.push((total + distance(push.box)) * squares ** 2 + after);
      }
    }
    return null;
  }
}

/** @param {number} place @param {Map<number, {place: number, actions: number[]}>} came */
function wayBack(place, came) {
  const parts = [];
  for (let step = came.get(place); step; step = came.get(step.place)) parts.push(step.actions);
  return parts.reverse().flat();
}

/** A heap of numbers with the least on top. */
class Heap {
  /** @type {number[]} */
  numbers = [];

  /** @param {number} number */
  push(number) {
    const { numbers } = this;
    let k = numbers.push(number) - 1;
    for (let above = (k - 1) >> 1; k && numbers[above] > number; above = (k - 1) >> 1) {
      numbers[k] = numbers[above];
      k = above;
    }
    numbers[k] = number;
  }

  /** @returns {number | undefined} */
  pop() {
    const { numbers } = this;
    const least = numbers[0];
    const last = numbers.pop();
    if (last === undefined || !numbers.length) return least;
    let k = 0;
    for (let below = 1; below < numbers.length; below = 2 * k + 1) {
      if (below + 1 < numbers.length && numbers[below + 1] < numbers[below]) below++;
      if (numbers[below] >= last) break;
      numbers[k] = numbers[below];
      k = below;
    }
    numbers[k] = last;
    return least;
  }
}
