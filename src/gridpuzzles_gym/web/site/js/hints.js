// @ts-check
/** Hints: what the puzzle's best agent or search that runs here would do next. */
import { beginsAtStart, playerOf } from "./players.js";

/** @typedef {import("./playing.js").Playing} Playing */
/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("./players.js").Player} Player */

export class Hints {
  /** @param {HTMLElement} line for the words @param {Playing} playing the game on the page */
  constructor(line, playing) {
    this.line = line;
    this.playing = playing;
    this.asked = 0; // counts requests, so that late answers are dropped
    /** @type {number | null} */
    this.action = null;
    /** @type {Player | null} who is asked */
    this.player = null;
  }

  /** Show a hint; asked again, play it. */
  async ask() {
    const { playing, action } = this;
    const { play } = playing;
    if (!play || play.over) return;
    if (action !== null) return playing.act([action]);
    playing.takeOver();
    const asked = ++this.asked;
    this.line.textContent = "Thinking …";
    let words = "Nobody knows what to do here.";
    for (const name of playing.puzzle.entry.advisors) {
      const [found, why] = await this.adviceOf(name, play).catch((error) => [null, `${name}: ${error.message ?? error}`]);
      if (asked !== this.asked) return;
      if (found !== null) return this.show(found, play);
      words = why;
    }
    this.line.textContent = words;
  }

  /** @param {import("./players.js").Decision} decision @param {Play} play */
  show({ action, thoughts }, play) {
    this.action = action;
    play.advise(action);
    const plan = thoughts.figures?.plan;
    const left = plan ? `, ${plan.split(" ")[0]} moves to the goal` : "";
    this.line.textContent = `Hint: ${play.game.environment.actions[action]}${left}. Hint again plays it.`;
  }

  /**
   * What a player would do now. One that begins at the start is shown the whole game.
   * @param {string} name @param {Play} play
   * @returns {Promise<[import("./players.js").Decision | null, string]>} or why there is none
   */
  async adviceOf(name, play) {
    const { puzzle, opener, start } = this.playing;
    const fromStart = beginsAtStart(puzzle, name);
    const seen = fromStart ? await opener.open(start) : play;
    const player = (this.player = await playerOf(puzzle, name, seen));
    for (const action of fromStart ? play.taken : []) {
      await player.decide();
      seen.act(action, true);
    }
    try {
      return [await player.decide(), player.nothing];
    } finally {
      player.end();
    }
  }

  /** Forget the hint, because the position has changed. */
  forget() {
    this.asked++;
    this.player?.end();
    [this.player, this.action, this.line.textContent] = [null, null, ""];
  }
}
