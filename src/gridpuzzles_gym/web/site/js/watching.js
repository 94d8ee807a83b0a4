// @ts-check
/** Watching an agent play the game that is on the page: pause, steps forwards and backwards, any pace, taking over. */
import { button } from "./ending.js";
import { playerOf, playersOf } from "./players.js";
import { make } from "./view.js";

/** @typedef {import("./playing.js").Playing} Playing */
/** @typedef {import("./players.js").Player} Player */
/** @typedef {import("./view.js").Thoughts} Thoughts */

const PACES = [1600, 800, 400, 200, 100, 50]; // milliseconds between two actions
const DEFAULT_PACE = 400;

export class Watching {
  /**
   * @param {HTMLElement} root an empty element
   * @param {Playing} playing the game on the page, which is played on
   */
  constructor(root, playing) {
    this.root = root;
    this.playing = playing;
    /** @type {Player | null} who plays; null while the person does */
    this.player = null;
    /** @type {Thoughts} */
    this.thoughts = {};
    this.pace = DEFAULT_PACE;
    this.paused = true;
    this.turn = 0; // every change of who plays, so that what comes late is dropped
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.clock = undefined;
    this.menu = /** @type {HTMLSelectElement} */ (make("select"));
    this.menu.ariaLabel = "Agent";
    this.toggle = button("Watch", () => (this.player ? this.pause(!this.paused) : this.start()));
    this.back = button("Step back", () => this.goBack());
    this.forward = button("Step", () => this.stepOnce());
    this.paces = /** @type {HTMLSelectElement} */ (make("select"));
    this.paces.ariaLabel = "Pace";
    this.paces.append(...PACES.map((pace) => make("option", "", `${pace} ms a step`)));
    this.paces.selectedIndex = PACES.indexOf(DEFAULT_PACE);
    this.paces.addEventListener("change", () => (this.pace = PACES[this.paces.selectedIndex]));
    this.over = button("Take over", () => this.stop());
    this.words = make("p", "told");
    this.words.setAttribute("role", "status");
    const row = make("div", "row");
    row.append(this.menu, this.toggle, this.back, this.forward, this.paces, this.over);
    root.replaceChildren(make("h2", "", "Watch an agent"), row, this.words);
  }

  /** Is an agent playing, so that everything is shown? */
  get active() {
    return this.player !== null;
  }

  /** Another game is on the page. */
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

  /** Let the chosen agent begin: one that remembers what it saw begins at the start. */
  async start() {
    const { play, puzzle } = this.playing;
    if (!play) return;
    const turn = ++this.turn;
    const name = this.menu.value;
    if (puzzle.entry.agents[name] !== undefined || play.over) this.playing.restart();
    this.words.textContent = "loading …";
    try {
      const player = await playerOf(puzzle, name, play);
      if (turn !== this.turn) return;
      this.player = player;
      this.pause(false);
    } catch (error) {
      this.words.textContent = `${name} cannot play: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.paused = paused;
    clearTimeout(this.clock);
    if (!paused) this.run();
    this.show();
  }

  /** Take a step at the pace, again and again. */
  async run() {
    const turn = this.turn;
    await this.think();
    if (turn !== this.turn || this.paused || !this.player) return;
    this.clock = setTimeout(async () => {
      if (turn === this.turn && (await this.step()) && !this.paused) this.run();
      else if (turn === this.turn) this.pause(true);
    }, this.pace);
  }

  /** Show what the player thinks in the state that it is in. */
  async think() {
    const { player, turn } = this;
    if (!player) return null;
    const watch = setInterval(() => (this.words.textContent = player.progress), 200);
    const decision = await player.decide();
    clearInterval(watch);
    if (turn !== this.turn) return null;
    this.words.textContent = decision || this.playing.play?.over ? "" : "It finds nothing to do here.";
    this.thoughts = decision?.thoughts ?? {};
    this.playing.show(false);
    return decision;
  }

  /** Are there steps left? A person has no limit, but agents may go on for ever. */
  get left() {
    const { play, puzzle } = this.playing;
    const limit = play ? puzzle.description.environments[play.id].limit : 0;
    return !limit || (play?.taken.length ?? 0) < limit;
  }

  /** @returns {Promise<boolean>} does the game go on? */
  async step() {
    const { turn, player } = this;
    const decision = await player?.decide();
    if (turn !== this.turn || !player || !decision) return false;
    this.thoughts = {};
    const goesOn = this.playing.step(decision.action);
    await this.think();
    if (goesOn && !this.left) this.words.textContent = "The episode would end here: it has reached its limit of steps.";
    return goesOn && this.left;
  }

  async stepOnce() {
    if (!this.player) await this.start();
    this.pause(true);
    await this.step();
  }

  async goBack() {
    this.pause(true);
    this.playing.play?.undo();
    await this.think();
  }

  /** The person plays on from here. */
  stop() {
    this.turn++;
    clearTimeout(this.clock);
    this.player?.end();
    this.player = null;
    this.paused = true;
    this.thoughts = {};
    this.show();
  }

  show() {
    const { active, paused } = this;
    this.toggle.textContent = !active ? "Watch" : paused ? "Play on" : "Pause";
    this.back.disabled = !active;
    this.over.disabled = !active;
    if (!active) this.words.textContent = "";
    if (this.playing.play) this.playing.show(false);
  }
}
