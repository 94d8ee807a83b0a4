// @ts-check
/** Opens games: levels are fetched when they are chosen, and parsed once. */
import { Game } from "./game.js";
import { Play } from "./play.js";
import { packMinima, packText, pooledRows } from "./puzzle.js";
import { LevelError } from "./scene.js";
import { BrokenLink } from "./share.js";

/** @typedef {import("./puzzle.js").Puzzle} Puzzle */
/** @typedef {import("./scene.js").Level} Level */
/** @typedef {import("./share.js").Start} Start */

export const SOURCE = "level text"; // the name of a pasted text in messages

export class Opener {
  /** @param {Puzzle} puzzle */
  constructor(puzzle) {
    this.puzzle = puzzle;
    /** @type {Map<string, Promise<Level[]>>} */
    this.packs = new Map();
    /** The person's own levels. @type {{text: string, levels: Level[]} | undefined} */
    this.own = undefined;
    /** The environments with generated or sampled instances, by "ID~VARIANT". @type {Map<string, any>} */
    this.variants = new Map();
    for (const [id, variants] of Object.entries(puzzle.description.variants)) {
      for (const [name, environment] of Object.entries(variants)) {
        this.variants.set(`${id}~${name}`, { id, ...environment });
      }
    }
  }

  /** Where a game starts if nothing else is asked for: as `gymnasium.make` does if that makes instances. @returns {Start} */
  first() {
    const [of] = this.variants.keys();
    const [pack] = this.puzzle.entry.packs;
    const generated = this.registered.generated || pack === undefined;
    return generated ? { of, seed: randomSeed() } : { pack, number: 1, seed: randomSeed() };
  }

  /**
   * The levels of a start's pack or text; empty for an instance.
   * @param {Start} start
   * @returns {Promise<Level[]>} throws LevelError if its text is invalid
   */
  async levels({ pack, text }) {
    if (pack !== undefined) return this.pack(pack);
    if (text === undefined) return [];
    if (this.own?.text !== text) this.own = { text, levels: this.parse(text) };
    return this.own.levels;
  }

  /** @param {string} text @returns {Level[]} at least one, all of which can be played; throws LevelError */
  parse(text) {
    const levels = this.text.parse(text, SOURCE);
    if (!levels.length) throw new LevelError(`${SOURCE}:1:1: there is no level`);
    for (const level of levels) this.rows(level);
    return levels;
  }

  /** What reads level text; throws BrokenLink if this puzzle has none. @returns {import("./scene.js").Text} */
  get text() {
    if (!this.puzzle.text) throw new BrokenLink("this puzzle's page reads no levels");
    return this.puzzle.text;
  }

  /** @param {string} name */
  pack(name) {
    const { puzzle, packs } = this;
    if (!puzzle.entry.packs.includes(name)) throw new BrokenLink(`there is no pack “${name}”`);
    const found = packs.get(name) ?? packText(puzzle.name, name).then((text) => this.text.parse(text, name));
    packs.set(name, found);
    found.catch(() => packs.delete(name)); // so that it is tried again
    return found;
  }

  /**
   * Begin a game.
   * @param {Start} start
   * @returns {Promise<Play>}
   */
  async open(start) {
    const play = await this.opened(start);
    play.from = start;
    return play;
  }

  /** @param {Start} start @returns {Promise<Play>} */
  async opened(start) {
    const { of, number = 1, seed } = start;
    if (of !== undefined) return this.instance(of, seed);
    const level = (await this.levels(start))[number - 1];
    if (!level) throw new BrokenLink(`there is no level ${number}`);
    const { options } = this.puzzle.description;
    const alone = { ...this.environmentOf(level.extent), options, extent: level.extent, generated: false, pool: 0 };
    return this.play(alone, undefined, { seed, level: this.rows(level) }, level.title);
  }

  /** The default environment. @returns {any} */
  get registered() {
    return Object.values(this.puzzle.description.environments)[0];
  }

  /** The environment in which levels of an extent are played. @param {number[]} extent @returns {any} */
  environmentOf(extent) {
    const environments = Object.entries(this.puzzle.description.environments);
    const [id, found] = environments.find(([, each]) => String(each.extent) === String(extent)) ?? environments[0];
    return { id, .../** @type {any} */ (found) };
  }

  /** @param {Level} level */
  rows(level) {
    const { description } = this.puzzle;
    return this.text.encode(level, level.extent, description.options, description.rules);
  }

  /** A complete start of a game; the person's own level becomes the text of its first state. @param {Start} start @param {Play} play */
  complete(start, play) {
    if (start.text === undefined) return start;
    const { level, state } = play.first;
    const title = isNamed(play.title) ? `; ${play.title}\n` : "";
    return { text: title + this.text.format(level, state, this.puzzle.description.rules), seed: start.seed };
  }

  /** @param {string} of @param {bigint} seed */
  async instance(of, seed) {
    const environment = this.variants.get(of);
    if (environment === undefined) throw new BrokenLink(`there is no “${of}”`);
    const pool = environment.generated ? undefined : await pooledRows(environment.id);
    return this.play(environment, pool, { seed }, `seed ${seed}`);
  }

  /** A person has no step limit. @param {any} environment @param {Int16Array | undefined} pool @param {any} start @param {string} title */
  play(environment, pool, start, title) {
    const { module, description } = this.puzzle;
    const game = new Game(module, description, { ...environment, limit: 0 }, pool);
    const same = isSame(environment, description.environments[environment.id]);
    return new Play(game, start, title, environment.id, same, this.puzzle.entry.chance);
  }

  /** The proven minima of a level, by the names of metrics; empty if none is known. @param {Start} start @returns {Promise<Record<string, number>>} */
  async minima({ pack, number = 1 }) {
    if (pack === undefined || !this.puzzle.entry.minima.includes(pack)) return {};
    const found = Object.entries(await packMinima(this.puzzle.name, pack)).map(([name, numbers]) => [name, numbers[number - 1]]);
    return Object.fromEntries(found.filter(([, least]) => least !== null));
  }

  /** The start of a level, for a picture; what is hidden stays hidden. @param {Level} level @returns {import("./scene.js").Scene} */
  firstScene(level) {
    const { description, entry } = this.puzzle;
    const rows = this.rows(level);
    const { actions } = this.environmentOf(level.extent);
    const known = { options: description.options, rules: description.rules, actions, title: level.title, revealed: !entry.hides };
    const nothing = { before: null, start: rows.state, action: null, steps: 0, score: 0, outcome: "unfinished", over: false, metrics: {} };
    return { ...rows, ...known, ...nothing };
  }
}

/** Whether a level has a title, not only its position in a text. @param {string} title */
export function isNamed(title) {
  return !/:\d+(:\d+)?$/.test(title);
}

/** A short random seed, easy to share. */
export function randomSeed() {
  return BigInt(Math.floor(Math.random() * 1e6));
}

/** Whether two environments differ only in their levels and limits. @param {any} one @param {any} other */
function isSame(one, other) {
  return ["extent", "settings"].every((name) => String(one[name]) === String(other[name]));
}
