// @ts-check
/**
 * A game that a person plays: every action taken, undo and redo without limit.
 *
 * Equal actions from an equal start lead to equal states, chance included; so the actions are all that is kept, and
 * undo plays those before again: a million take a second.
 */

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Rows} Rows */
/** @typedef {import("./scene.js").Scene} Scene */

export class Play {
  /**
   * @param {Game} game
   * @param {{seed: bigint, level?: Rows}} start
   * @param {string} title
   * @param {string} id of the environment
   * @param {boolean} registered is the environment as it is registered, so that its agents can play it?
   */
  constructor(game, start, title, id, registered) {
    this.id = id;
    this.registered = registered;
    /** What was chosen to be played. @type {import("./share.js").Start} */
    this.from = { seed: start.seed };
    this.seed = start.seed;
    this.game = game;
    this.title = title;
    game.reset(start);
    this.snapshot = game.snapshot();
    this.first = { level: game.level.slice(), state: game.state.slice() };
    /** @type {number[]} the actions that led here */
    this.taken = [];
    /** @type {number[]} those that were undone, the last one first to be done again */
    this.undone = [];
    /** @type {Int16Array | null} */
    this.before = null;
  }

  get over() {
    return this.game.ended;
  }

  get solved() {
    return this.over && this.game.outcome === "solved";
  }

  /** Apply an action. @param {number} action */
  act(action) {
    this.step(action);
    if (this.undone.at(-1) === action) this.undone.pop();
    else this.undone = [];
  }

  /** @returns {boolean} was there an action to undo? */
  undo() {
    const last = this.taken.at(-1);
    if (last === undefined) return false;
    this.undone.push(last);
    this.replay(this.taken.slice(0, -1));
    return true;
  }

  /** @returns {boolean} was there an action to do again? */
  redo() {
    const next = this.undone.pop();
    if (next === undefined) return false;
    this.step(next);
    return true;
  }

  /** Go back to the start; everything can be done again. */
  restart() {
    this.undone = [...this.undone, ...this.taken.reverse()];
    this.replay([]);
  }

  /** Play these actions from the start; those after the end of the episode are left out. @param {number[]} actions */
  replay(actions) {
    this.game.restore(this.snapshot);
    this.taken = [];
    this.before = null;
    for (const action of actions) if (!this.over) this.step(action);
  }

  /** @param {number} action */
  step(action) {
    const before = this.game.state.slice();
    this.game.step(action);
    this.before = before;
    this.taken.push(action);
  }

  /** Where actions lead, for gestures. @type {import("./scene.js").Foresee} */
  foresee = (actions) => this.game.foresee(actions);

  /** @param {boolean} revealed is everything shown, even what the player does not know? @returns {Scene} */
  scene(revealed = this.over) {
    const { game, title, before } = this;
    const { options, actions } = game.environment;
    return {
      level: game.level.slice(),
      state: game.state.slice(),
      before,
      start: this.first.state,
      action: this.taken.at(-1) ?? null,
      options,
      rules: game.description.rules,
      actions,
      steps: game.steps,
      score: game.score,
      outcome: game.outcome,
      over: game.ended,
      metrics: game.metrics,
      title,
      revealed,
    };
  }
}
