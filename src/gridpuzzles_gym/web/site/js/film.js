// @ts-check
/**
 * A film: recorded episodes, played at any pace, forwards and backwards.
 *
 * The page is one file with the episodes as JSON, which `film.py` describes.
 */
import { button, make, menu, named } from "./elements.js";
import { View } from "./view.js";

const PACES = [0.5, 1, 2, 4, 8, 16, 32]; // steps a second
const ENTRY = 2; // numbers of a change of the state row: index and value

/**
 * Show a film.
 * @param {HTMLElement} root an empty element
 * @param {any} film
 * @param {import("./scene.js").Drawing} drawing the puzzle's
 */
export function show(root, film, drawing) {
  return new Film(root, film, drawing);
}

class Film {
  /** @param {HTMLElement} root @param {any} film @param {import("./scene.js").Drawing} drawing */
  constructor(root, film, drawing) {
    this.film = film;
    this.drawing = drawing;
    this.at = 0;
    this.pace = film.pace;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.clock = null;
    /** The views of the round's players. @type {ReturnType<Film["player"]>[]} */
    this.players = [];
    this.last = 0; // frame of the longest episode
    this.area = make("div", "players");
    this.slider = named(/** @type {HTMLInputElement} */ (make("input", "slider")), "step");
    Object.assign(this.slider, { type: "range", min: "0", step: "1" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.play = button("Play", () => this.toggle());
    const back = button("Step back", () => this.go(this.at - 1));
    const forward = button("Step", () => this.go(this.at + 1));
    [this.play.title, back.title, forward.title] = ["space", "←", "→"]; // their keys
    const paces = [...new Set([...PACES, film.pace])].sort((a, b) => a - b);
    const pace = menu("pace", paces.map((each) => `${each} steps/s`), (k) => {
      this.pace = paces[k];
      if (this.clock) this.start();
    });
    pace.selectedIndex = paces.indexOf(film.pace);
    const rounds = film.rounds.map((/** @type {any} */ { label }) => label);
    const choice = menu("episode", rounds, (k) => this.open(k));
    choice.hidden = rounds.length < 2;
    const controls = make("div", "controls");
    controls.append(this.play, back, forward, this.slider, pace, choice);
    root.replaceChildren(this.area, controls);
    document.addEventListener("keydown", (event) => this.key(event));
    this.open(0);
  }

  /** Show a round: the episodes of all players on the same level with the same seed. @param {number} number */
  open(number) {
    this.stop();
    this.at = 0;
    this.players = this.film.rounds[number].episodes.map((/** @type {any} */ episode) => this.player(episode));
    this.last = Math.max(...this.players.map(({ frames }) => frames.length - 1));
    this.slider.max = String(this.last);
    this.area.replaceChildren(...this.players.map(({ root }) => root));
    this.draw(false);
  }

  /** @param {any} episode */
  player(episode) {
    const [root, figure] = [make("section", "player"), make("div")];
    const [title, end] = [make("h2", "", episode.player), make("p", "end")];
    const words = make("div", "words-said");
    const panel = make("div", "panel");
    panel.append(figure, words);
    root.append(title, end, panel);
    const frames = unpacked(this.film, episode);
    words.hidden = frames.every(({ lines }) => !lines.length);
    const view = new View(figure, this.drawing, (name) => this.film.sprites[name]);
    return { root, end, view, episode, frames, words };
  }

  /** @param {boolean} moved */
  draw(moved) {
    this.slider.value = String(this.at);
    for (const { view, frames, episode, end, words } of this.players) {
      const k = Math.min(this.at, frames.length - 1);
      view.show(frames[k].scene, moved && k === this.at, frames[k].thoughts);
      if (!words.hidden) words.replaceChildren(...said(frames[k].lines));
      end.textContent = k === frames.length - 1 ? episode.summary : episode.label;
    }
    this.play.textContent = this.clock ? "Pause" : this.at === this.last ? "Again" : "Play";
  }

  /** @param {number} place @param {boolean} stops whether to stop playing */
  go(place, stops = true) {
    if (stops) this.stop();
    const before = this.at;
    this.at = Math.min(Math.max(place, 0), this.last);
    if (this.at === this.last) this.stop();
    this.draw(this.at === before + 1);
  }

  toggle() {
    if (this.clock) this.stop();
    else this.start();
    this.draw(false);
  }

  start() {
    this.stop();
    if (this.at === this.last) this.at = 0;
    this.clock = setInterval(() => this.go(this.at + 1, false), 1000 / this.pace);
  }

  stop() {
    if (this.clock) clearInterval(this.clock);
    this.clock = null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = { " ": () => this.toggle(), ArrowRight: () => this.go(this.at + 1), ArrowLeft: () => this.go(this.at - 1),
                      Home: () => this.go(0), End: () => this.go(this.last) };
    const action = /** @type {Record<string, () => void>} */ (actions)[event.key];
    if (!action || (event.key === " " && target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    action();
  }
}

/**
 * Return the lines as paragraphs, always as text, never as markup.
 * @param {string[][]} lines
 */
function said(lines) {
  return lines.map(([speaker, text]) => {
    const paragraph = make("p", speaker, text);
    paragraph.tabIndex = 0; // long paragraphs scroll, also by the keyboard
    return paragraph;
  });
}

/**
 * Return the frames of an episode, which are stored as changes since the previous frame.
 * @param {any} film @param {any} episode
 * @returns {{scene: import("./scene.js").Scene, thoughts: any, lines: string[][]}[]} lines: [speaker, text]
 */
export function unpacked(film, episode) {
  const [level, start] = [Int16Array.from(episode.level), Int16Array.from(episode.state)];
  let [state, before] = [start, /** @type {Int16Array | null} */ (null)];
  let [notes, values] = [{}, {}];
  let frame = /** @type {any} */ ({});
  /** @type {number[]} */
  let pieces = [];
  return episode.frames.map((/** @type {any} */ change, /** @type {number} */ steps) => {
    frame = { ...frame, ...change };
    if (steps) [before, state] = [state, state.slice()];
    for (let k = 0; k < (change.state ?? []).length; k += ENTRY) state[change.state[k]] = change.state[k + 1];
    notes = patched(notes, change.notes);
    values = patched(values, change.values);
    const thoughts = { ...frame.thoughts, notes, values };
    const { action, score, metrics, outcome, over } = frame;
    const { options, rules, actions, revealed } = film;
    const [from, count, ...indices] = change.pieces ?? [0, 0];
    pieces = [...pieces.slice(0, from), ...indices, ...pieces.slice(from + count)];
    const looks = { episode, pieces, said: frame.said };
    const scene = { looks, level, start, state, before, action, score, steps, metrics, outcome, over, title: episode.title,
                    options, rules, actions, revealed };
    return { scene, thoughts, lines: frame.lines ?? [] };
  });
}

/** @param {Record<string, any>} before @param {Record<string, any> | undefined} change null for removed entries */
function patched(before, change) {
  if (!change) return before;
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, entry]) => entry !== null));
}
