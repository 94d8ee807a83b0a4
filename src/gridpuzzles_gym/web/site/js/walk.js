// @ts-check
/** Plays several actions slowly enough to be seen; a new walk ends the previous one. */

const PACE = 140; // milliseconds between two actions

export class Walk {
  /** @param {(action: number) => boolean} step applies an action; false ends the walk */
  constructor(step) {
    this.step = step;
    /** @type {number[]} */
    this.left = [];
    this.timer = 0;
  }

  /** @param {number[]} actions */
  start(actions) {
    this.stop();
    this.left = [...actions];
    this.next();
  }

  stop() {
    clearTimeout(this.timer);
    this.left = [];
  }

  next() {
    const action = this.left.shift();
    if (action === undefined) return;
    if (!this.step(action)) this.stop();
    else if (this.left.length) this.timer = setTimeout(() => this.next(), PACE);
  }
}
