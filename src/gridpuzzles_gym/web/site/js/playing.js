// @ts-check
/** A person's game: every input becomes an action, undo or redo, or another game. */
import { Address } from "./address.js";
import { Chooser } from "./chooser.js";
import { button, tell } from "./elements.js";
import { Ending } from "./ending.js";
import { Gallery } from "./gallery.js";
import { Hints } from "./hints.js";
import { listenToKeys } from "./keys.js";
import { Pad } from "./pad.js";
import { PasteDialog } from "./paste.js";
import { listenToPointer } from "./pointer.js";
import { spriteAddress } from "./puzzle.js";
import { BrokenLink, fromHash } from "./share.js";
import { LevelError } from "./scene.js";
import { described, written } from "./speech.js";
import { scored, starsOf } from "./stars.js";
import { best, result } from "./storage.js";
import { View } from "./view.js";
import { Walk } from "./walk.js";
import { Watching } from "./watching.js";

/** @typedef {import("./opening.js").Opener} Opener */
/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("./share.js").Start} Start */

export class Playing {
  /** @param {Opener} opener @param {(id: string) => any} part of the page, by its id */
  constructor(opener, part) {
    const { puzzle } = opener;
    this.opener = opener;
    this.puzzle = puzzle;
    this.part = part;
    /** @type {Play | null} */
    this.play = null;
    /** @type {Start} */
    this.start = { seed: 0n };
    this.opened = 0; // number of games that were requested; only the last one is shown
    /** The best result before, if the person has just solved the game. @type {{before: number, better: boolean} | null} */
    this.best = null;
    /** The proven minima of the level, by name. @type {Record<string, number>} */
    this.minima = {};
    /** @type {Record<string, string>} marks by "row,column" */
    this.marks = {};
    this.view = new View(part("stage"), puzzle.drawing, (name) => spriteAddress(puzzle.name, name));
    this.pad = new Pad(part("pad"), puzzle.description, (action) => this.act([action]));
    this.ending = new Ending(part("ending"));
    this.walk = new Walk((action) => this.step(action));
    this.address = new Address(() => this.follow());
    this.paste = new PasteDialog(part("paste"), (text) => opener.parse(text), (text) => this.playOwn(text));
    const gallery = new Gallery(part("gallery"), opener, (number) => this.chooser.goTo(number));
    const resultOf = (/** @type {number} */ number) => result(this.nameOf({ ...this.start, number }));
    this.chooser = new Chooser(part("chooser"), opener, { choose: (start) => this.open(start), paste: () => this.askForText(), gallery, resultOf });
    this.hints = new Hints(part("hint"), this);
    this.watching = new Watching(part("agents"), this);
    this.undoButton = button("Undo", () => this.undo());
    this.redoButton = button("Redo", () => this.redo());
    const restart = button("Restart", () => this.restart());
    this.hintButton = button("Hint", () => this.hints.ask());
    part("toolbar").replaceChildren(this.undoButton, this.redoButton, restart, this.hintButton, button("Share", () => this.share()));
    this.hintButton.hidden = !puzzle.entry.advisors.length;
    this.listen();
  }

  listen() {
    const { keys } = this.puzzle.description;
    const [undo, redo] = [() => this.undo(), () => this.redo()];
    const [back, forward] = [() => this.chooser.go(-1), () => this.chooser.go(1)];
    const others = { backspace: undo, u: undo, y: redo, f4: redo, home: () => this.restart(), f2: () => this.hints.ask(), h: () => this.hints.ask(), pageup: back, pagedown: forward, n: forward };
    listenToKeys(keys, () => this.actions.length, { act: (action) => this.act([action]), undo, redo, others });
    listenToPointer(this.view.svg, {
      squareAt: (point) => this.view.board.squareAt(point),
      click: (square) => this.gesture("click", square),
      drag: (start, end, direction) => {
        if (start && end && this.gesture("drag", start, end)) return;
        const action = keys[direction];
        if (action !== undefined) this.act([action]);
      },
      mark: this.puzzle.gestures.marks.length ? (square) => this.mark(square) : null,
    });
    this.view.svg.setAttribute("role", "application"); // so that screen readers pass it the arrow keys
    this.view.svg.setAttribute("tabindex", "0");
    this.part("toolbar").addEventListener("click", (/** @type {MouseEvent} */ event) => {
      if (event.detail) this.focus(); // clicked, not chosen by a key: Space is the game's
    });
    let pointed = false; // whether the pointer was used last, not a key
    document.addEventListener("pointerdown", () => (pointed = true), true);
    document.addEventListener("keydown", () => (pointed = false), true);
    this.part("chooser").addEventListener("change", () => pointed && this.focus());
  }

  /** Focus the board, so that keys play. */
  focus() {
    this.view.svg.focus({ preventScroll: true });
  }

  /** The name under which the best result is stored. @param {Start} start */
  nameOf({ of, pack, text, number, seed }) {
    return [this.puzzle.name, of ?? pack ?? text, number, pack === undefined && text === undefined ? seed : ""].join(" ");
  }

  get actions() {
    return this.play ? this.play.game.environment.actions : [];
  }

  /** Play the game in the address, or the default. */
  async follow() {
    const first = this.opener.first();
    try {
      const found = await fromHash(location.hash, this.opener.registered.actions.length);
      await this.begin(found?.start ?? first, found?.taken ?? []);
    } catch (error) {
      await this.open(first);
      if (!(error instanceof BrokenLink || error instanceof LevelError)) throw error;
      this.report(`This link is broken: ${error.message}. Here is another game.`);
    }
  }

  /** Play something else. @param {Start} start @param {number[]} [taken] */
  async open(start, taken) {
    try {
      await this.begin(start, taken);
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {Start} start @param {number[]} taken the actions to play at once */
  async begin(start, taken = []) {
    const number = ++this.opened;
    this.walk.stop();
    const { opener } = this;
    const [play, levels, minima] = await Promise.all([opener.open(start), opener.levels(start), opener.minima(start)]);
    if (number !== this.opened) return;
    if (taken.some((action) => action >= play.game.environment.actions.length)) throw new BrokenLink("there is no such action");
    play.replay(taken);
    [this.play, this.start, this.marks, this.best, this.minima] = [play, start, {}, null, minima];
    this.hints.forget();
    this.report("");
    this.chooser.show(start, levels, start.number ?? 1);
    this.watching.offer();
  }

  /** @param {number[]} actions */
  act(actions) {
    this.takeOver();
    this.walk.start(actions);
  }

  /** @param {number} action @returns {boolean} whether the game continues */
  step(action) {
    if (!this.play || this.play.over) return false;
    const { play } = this;
    play.act(action);
    this.best = play.solved && !play.hints ? best(this.nameOf(this.start), play.moves, this.stars) : null;
    if (this.best) this.chooser.mark();
    this.show(true);
    return !play.over;
  }

  get stars() {
    return this.play ? starsOf(this.play.numbers, this.minima, this.play.hints) : 0;
  }

  /** @param {"click" | "drag"} kind @param {...any} squares @returns {boolean} whether it means any action */
  gesture(kind, ...squares) {
    const { play } = this;
    if (!play || play.over) return false;
    const gestures = /** @type {any} */ (this.puzzle.gestures);
    const actions = gestures[kind](play.scene(), ...squares);
    if (actions.length) this.act(actions);
    return actions.length > 0;
  }

  /** @param {{row: number, column: number}} square */
  mark({ row, column }) {
    const [square, marks] = [`${row},${column}`, ["", ...this.puzzle.gestures.marks]];
    const next = marks[(marks.indexOf(this.marks[square] ?? "") + 1) % marks.length];
    if (next) this.marks[square] = next;
    else delete this.marks[square];
    this.show(false);
  }

  undo() {
    this.takeOver();
    this.walk.stop();
    if (this.play?.undo()) this.show(true);
  }

  redo() {
    this.takeOver();
    this.walk.stop();
    if (this.play?.redo()) this.show(true);
  }

  restart() {
    this.takeOver();
    this.walk.stop();
    this.play?.restart();
    this.best = null;
    this.show(false);
  }

  /** Let the person play again, if an agent is watched. */
  takeOver() {
    this.watching.stop();
  }

  /** @param {boolean} moved whether to animate the last move */
  show(moved) {
    const { play, start, watching, minima } = this;
    if (!play) return;
    if (play.advice?.at !== play.taken.length) this.hints.forget();
    this.part("score").textContent = scored(play.numbers, minima, result(this.nameOf(start))?.moves).join(" · ");
    const scene = play.scene(play.over || watching.active);
    const status = this.puzzle.drawing.status(scene);
    this.view.show(scene, moved, watching.active ? watching.thoughts : play.over ? {} : { notes: { ...this.marks } });
    const { width, height } = this.view.svg.viewBox.baseVal;
    this.view.svg.style.setProperty("--ratio", String(width / height)); // the board is as large as possible
    this.pad.show(scene.actions, play.game.mask);
    this.undoButton.disabled = !play.taken.length;
    this.redoButton.disabled = !play.undone.length;
    this.hintButton.disabled = play.over;
    if (!watching.running) tell(this.part("speech"), described(scene, status));
    this.part("text").hidden = !this.puzzle.text;
    this.part("text").querySelector("pre").textContent = written(scene, this.puzzle);
    if (play.over) this.end(status);
    else this.ending.hide();
    this.part("pad").hidden = play.over || watching.active;
    this.address.follow(this.opener.complete(start, play), play.taken);
  }

  /** @param {import("./scene.js").Status} status */
  end({ words, reason }) {
    const { play, start } = this;
    if (!play) return;
    const { best } = this;
    /** @type {[string, () => void][]} */
    const choices = [["Play again", () => this.restart()]];
    if (start.of !== undefined) choices.unshift(["New game", () => this.chooser.fresh.click()]);
    else if (play.solved && this.chooser.has(1)) choices.unshift(["Next level", () => this.chooser.go(1)]);
    const sentence = [words, reason].filter(Boolean).join(", ");
    const score = { moves: play.moves, hints: play.hints, stars: play.solved ? this.stars : null, minimum: this.minima.moves };
    this.ending.show({ outcome: play.game.outcome, words: sentence, ...score, best, choices });
  }

  /** Play the person's own valid level text. @param {string} text */
  playOwn(text) {
    this.focus(); // a closing dialog returns the focus to the menu that opened it
    this.open({ text, number: 1, seed: 0n });
  }

  askForText() {
    const { play, puzzle } = this;
    const hides = puzzle.entry.hides && !play?.over;
    this.paste.open(!play || hides ? "" : this.opener.text.format(play.first.level, play.first.state, puzzle.description.rules));
  }

  async share() {
    if (!this.play) return;
    const address = await this.address.write(this.opener.complete(this.start, this.play), this.play.taken);
    try {
      await navigator.clipboard.writeText(address);
      this.report("The address of this position is copied.");
    } catch {
      this.report("The address of this page holds this position: copy it from the address bar.");
    }
  }

  /** @param {string} words empty to hide the line */
  report(words) {
    const line = this.part("problem");
    line.textContent = words;
    line.hidden = !words;
  }
}
