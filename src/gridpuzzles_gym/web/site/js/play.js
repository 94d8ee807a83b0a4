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
   * @param {boolean} chance as in the puzzle's entry: then every action counts
   */
  constructor(game, start, title, id, registered, chance) {
    this.chance = chance;
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
    /** The last action, if it changed nothing and is no move. @type {number | null} */
    this.blocked = null;
    /** @type {Set<number>} which of the actions taken followed a hint, or were an agent's */
    this.helped = new Set();
    /** The action that the person was advised to take, and when. @type {{at: number, action: number} | null} */
    this.advice = null;
  }

  get over() {
    return this.game.ended;
  }

  get solved() {
    return this.over && this.game.outcome === "solved";
  }

  /** The number of moves: the puzzle's own number of that name, or else that of the actions. */
  get moves() {
    const { moves } = this.game.metrics;
    return typeof moves === "number" ? moves : this.taken.length;
  }

  /** The numbers of the game: moves, and the puzzle's metrics. @returns {Record<string, number>} */
  get numbers() {
    return { .../** @type {any} */ (this.game.metrics), moves: this.moves };
  }

  /** How many moves followed a hint, or were an agent's. */
  get hints() {
    return [...this.helped].filter((at) => at < this.taken.length).length;
  }

  /** Say that the person is shown this action as a hint. @param {number} action */
  advise(action) {
    this.advice = { at: this.taken.length, action };
  }

  /**
   * Apply an action. If a person's changes nothing, and nothing happens by chance, it is shown, but is no move. The
   * action that was undone last is redone: if it followed a hint, it still does.
   * @param {number} action
   * @param {boolean} [agent] whether it is an agent's
   */
  act(action, agent = false) {
    const at = this.taken.length;
    this.blocked = null;
    if (!agent && !this.chance && !this.game.mask[action]) {
      this.blocked = action;
      return;
    }
    if (this.undone.at(-1) === action) {
      this.undone.pop();
    } else {
      this.undone = [];
      this.helped = new Set([...this.helped].filter((each) => each < at));
    }
    if (agent || (this.advice?.at === at && this.advice.action === action)) this.helped.add(at);
    this.step(action);
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
    this.before = this.blocked = null;
    for (const action of actions) if (!this.over) this.step(action);
  }

  /** @param {number} action */
  step(action) {
    const before = this.game.state.slice();
    this.game.step(action);
    this.before = before;
    this.blocked = null;
    this.taken.push(action);
  }

  /** @param {boolean} revealed whether hidden things are shown @returns {Scene} */
  scene(revealed = this.over) {
    const { game, title, before } = this;
    const { options, actions } = game.environment;
    return {
      level: game.level.slice(),
      state: game.state.slice(),
      before: this.blocked === null ? before : game.state.slice(),
      start: this.first.state,
      action: this.blocked ?? this.taken.at(-1) ?? null,
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
