// @ts-check
/**
 * A game that a person plays, with unlimited undo and redo.
 *
 * Equal actions from an equal start lead to equal states, even with chance, so only the actions are stored, and undo
 * replays those before: a million take a second.
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
   * @param {boolean} registered whether it is the registered environment, which its agents can play
   */
  constructor(game, start, title, id, registered) {
    this.id = id;
    this.registered = registered;
    /** The start that was chosen. @type {import("./share.js").Start} */
    this.from = { seed: start.seed };
    this.seed = start.seed;
    this.game = game;
    this.title = title;
    game.reset(start);
    this.snapshot = game.snapshot();
    this.first = { level: game.level.slice(), state: game.state.slice() };
    /** @type {number[]} the actions taken */
    this.taken = [];
    /** @type {number[]} the undone actions; the last one is redone first */
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

  /** @returns {boolean} whether there was an action to undo */
  undo() {
    const last = this.taken.at(-1);
    if (last === undefined) return false;
    this.undone.push(last);
    this.replay(this.taken.slice(0, -1));
    return true;
  }

  /** @returns {boolean} whether there was an action to redo */
  redo() {
    const next = this.undone.pop();
    if (next === undefined) return false;
    this.step(next);
    return true;
  }

  /** Go back to the start; everything can be redone. */
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

  /** @param {boolean} revealed whether hidden things are shown @returns {Scene} */
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
