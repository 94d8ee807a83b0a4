// @ts-check
/** Watching an agent play the game on the page: pause, steps forwards and backwards, any pace, taking over. */
import { button, make, menu, tell } from "./elements.js";
import { beginsAtStart, playerOf, playersOf } from "./players.js";

/** @typedef {import("./playing.js").Playing} Playing */
/** @typedef {import("./players.js").Player} Player */
/** @typedef {import("./players.js").Decision} Decision */
/** @typedef {import("./view.js").Thoughts} Thoughts */

const PACES = [1600, 800, 400, 200, 100, 50]; // milliseconds between two actions
const DEFAULT_PACE = 400;
const MESSAGE_DELAY = 300; // milliseconds until the page says what it is waiting for

export class Watching {
  /**
   * @param {HTMLElement} root an empty element
   * @param {Playing} playing the game on the page, which the player continues
   */
  constructor(root, playing) {
    this.root = root;
    this.playing = playing;
    /** @type {Player | null} who plays; null while the person does */
    this.player = null;
    this.first = 0; // actions that were taken when the player began
    /** @type {Thoughts} */
    this.thoughts = {};
    this.pace = DEFAULT_PACE;
    this.paused = true;
    this.loading = false;
    this.turn = 0; // counts changes of the player, so that late decisions are dropped
    this.run = 0; // counts starts and pauses, in the same way
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.clock = undefined;
    this.menu = menu("Agent", [], () => this.playing.takeOver());
    this.toggle = button("Watch", () => (this.player && !this.over ? this.pause(!this.paused) : this.start()));
    this.back = button("Step back", () => this.goBack());
    this.forward = button("Step", () => this.stepOnce());
    this.paces = menu("Pace", PACES.map((pace) => `${pace} ms a step`), (k) => (this.pace = PACES[k]));
    this.paces.selectedIndex = PACES.indexOf(DEFAULT_PACE);
    this.release = button("Take over", () => this.stop());
    this.words = make("p", "message");
    this.words.setAttribute("role", "status");
    const row = make("div", "row");
    row.append(this.menu, this.paces, this.toggle, this.back, this.forward, this.release);
    root.replaceChildren(make("h2", "", "Watch an agent"), this.words, row); // the words are in view with the buttons
  }

  /** Whether an agent is playing; then everything is shown. */
  get active() {
    return this.player !== null;
  }

  /** Whether an agent plays without pause. */
  get running() {
    return this.active && !this.paused && !this.over;
  }

  get over() {
    return this.playing.play?.over ?? false;
  }

  /** Reset, because another game is on the page. */
  offer() {
    this.stop();
    const { play, puzzle } = this.playing;
    const names = play ? playersOf(puzzle, play) : [];
    const chosen = this.menu.value;
    this.menu.replaceChildren(...names.map((name) => make("option", "", name)));
    if (names.includes(chosen)) this.menu.value = chosen;
    this.root.hidden = !names.length;
    this.show();
  }

  /** Let the chosen agent begin; one with a memory begins at the start. @param {boolean} [paused] */
  async start(paused = false) {
    const { play, puzzle } = this.playing;
    if (!play) return;
    const name = this.menu.value;
    if (beginsAtStart(puzzle, name) || play.over) this.playing.restart();
    this.stop();
    const turn = this.turn;
    this.loading = true;
    const wait = setTimeout(() => this.say(`Loading ${name} …`), MESSAGE_DELAY);
    try {
      const player = await playerOf(puzzle, name, play);
      if (turn !== this.turn) return player.end();
      [this.player, this.first, this.loading] = [player, play.taken.length, false];
      this.say("");
      this.pause(paused);
    } catch (error) {
      if (turn === this.turn) this.fail(name, error);
    } finally {
      clearTimeout(wait);
    }
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.paused = paused;
    clearTimeout(this.clock);
    const run = ++this.run;
    this.show();
    if (!paused) this.think().then(() => this.goOn(run));
  }

  /** Take steps at the pace. @param {number} run */
  goOn(run) {
    if (run !== this.run) return;
    this.clock = setTimeout(async () => {
      const goesOn = await this.step();
      if (run !== this.run) return;
      if (goesOn) this.goOn(run);
      else this.pause(true);
    }, this.pace);
  }

  /**
   * Return the player's decision in the state of the game.
   * @returns {Promise<Decision | null | undefined>} null if there is none, undefined if it comes too late
   */
  async decide() {
    const { player, turn } = this;
    const { play } = this.playing;
    if (!player || !play) return undefined;
    const at = play.taken.length;
    const watch = setInterval(() => turn === this.turn && this.say(player.progress, true), MESSAGE_DELAY);
    try {
      const decision = await player.decide();
      return turn === this.turn && at === play.taken.length ? decision : undefined;
    } catch (error) {
      if (turn === this.turn) this.fail(this.menu.value, error);
    } finally {
      clearInterval(watch);
    }
  }

  /** Show the player's thoughts in the state of the game. @param {boolean} [moved] whether to animate the last move */
  async think(moved = false) {
    const decision = await this.decide();
    if (decision === undefined) return;
    this.say(decision || this.over ? "" : (this.player?.nothing ?? ""));
    this.thoughts = decision?.thoughts ?? {};
    this.playing.show(moved);
    this.showButtons();
  }

  /** Whether there are steps left: a person has no limit, but agents could play forever. */
  get left() {
    const { play, puzzle } = this.playing;
    const limit = play ? puzzle.description.environments[play.id].limit : 0;
    return !limit || (play?.taken.length ?? 0) < limit;
  }

  /** @returns {Promise<boolean>} whether the game continues */
  async step() {
    const decision = await this.decide();
    if (!decision) return false;
    this.playing.play?.act(decision.action, true);
    await this.think(true);
    if (this.over) return false;
    if (!this.left) this.say("The episode would end here: it has reached its limit of steps.");
    return this.left;
  }

  async stepOnce() {
    if (!this.player || this.over) await this.start(true);
    else this.pause(true);
    await this.step();
  }

  async goBack() {
    this.pause(true);
    const { play } = this.playing;
    if (play && play.taken.length > this.first && play.undo()) await this.think(true);
  }

  /** Let the person continue from here. */
  stop() {
    this.turn++;
    this.run++;
    clearTimeout(this.clock);
    const { player, loading } = this;
    [this.player, this.loading, this.paused, this.thoughts] = [null, false, true, {}];
    player?.end();
    if (player || loading) this.show();
  }

  /** @param {string} name @param {unknown} error */
  fail(name, error) {
    this.stop();
    this.say(`${name} cannot play: ${error instanceof Error ? error.message : error}`);
    this.words.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} words @param {boolean} [more] whether others follow soon; then screen readers skip them */
  say(words, more = false) {
    this.words.setAttribute("aria-busy", String(more));
    tell(this.words, words);
  }

  show() {
    if (!this.active) this.say("");
    this.playing.show(false);
    this.showButtons();
  }

  showButtons() {
    const { active, paused, over } = this;
    this.toggle.textContent = !active ? "Watch" : over ? "Again" : paused ? "Play on" : "Pause";
    this.back.disabled = !active || (this.playing.play?.taken.length ?? 0) <= this.first;
    this.release.disabled = !active;
  }
}
