// @ts-check
/** What a puzzle's own scripts say of texts and of scenes; `site` is the address of the site. */

/** @param {any} job @returns {(path: string) => Promise<any>} */
const importer = ({ site }) => (path) => import(`${site}/${path}`);

/** @param {() => any} compute @returns {any} what is computed, or the message of the error */
function resultOf(compute) {
  try {
    return compute();
  } catch (error) {
    if (/** @type {any} */ (error).name !== "LevelError") throw error;
    return { error: /** @type {any} */ (error).message };
  }
}

/** The levels of each text with their rows and as text again, or what is wrong. @param {any} _ @param {any} job */
export async function texts(_, { puzzle, rules, source, texts, ...job }) {
  const { parse, encode, format } = await importer(job)(`puzzles/${puzzle}/text.js`);
  const found = texts.map((/** @type {any} */ { text, boards }) => {
    const levels = resultOf(() => parse(text, source));
    if (levels.error) return levels;
    return levels.map((/** @type {any} */ level, /** @type {number} */ k) => ({
      title: level.title,
      extent: [...level.extent],
      rows: (boards[k] ?? []).map((/** @type {any} */ [extent, options]) =>
        resultOf(() => {
          const { level: row, state } = encode(level, extent, options, rules);
          return { level: [...row], state: [...state], text: format(row, state, rules) };
        }),
      ),
    }));
  });
  return JSON.stringify(found);
}

/** What is shown of each scene, and what clicks and drags do in it. @param {Record<string, Uint8Array>} files @param {any} job */
export async function scenes(files, { puzzle, environment, scenes, ...job }) {
  const load = importer(job);
  const { format } = await load(`puzzles/${puzzle}/text.js`);
  const { Looks } = await load("js/looks.js");
  const { drawingOf } = await load("js/picture.js");
  const description = JSON.parse(new TextDecoder().decode(files.json));
  const module = new WebAssembly.Module(/** @type {any} */ (files.wasm));
  const looks = new Looks(module, description);
  const { draw, part, status } = drawingOf(description, looks);
  const written = ["ground", "inset", "pieces"].filter((name) => name in description.exports);
  const found = scenes.map((/** @type {any} */ { clicks, drags, ...given }) => {
    const [level, state] = [Int16Array.from(given.level), Int16Array.from(given.state)];
    const before = given.before && Int16Array.from(given.before);
    const start = Int16Array.from(given.start);
    const scene = { ...job, ...given, level, state, before, start, actions: environment.actions, options: environment.options };
    const board = new Recorder();
    board.part = part(scene);
    draw(scene, board);
    const shown = status(scene);
    if (shown.sprite) board.sprites.add(shown.sprite);
    for (const { sprite } of shown.signs ?? []) board.sprites.add(sprite);
    return {
      text: format(level, state, job.rules),
      words: shown.words,
      reason: shown.reason,
      sprites: [...board.sprites],
      placements: written.map((name) => looks[name](scene).map((/** @type {any} */ row) => [...row])),
      clicks: clicks.map((/** @type {any} */ square) => looks.click(scene, square)),
      drags: drags.map((/** @type {any} */ [start, end]) => looks.drag(scene, start, end)),
    };
  });
  return JSON.stringify(found);
}

/** A board that keeps the names of the sprites that are put on it. */
class Recorder {
  /** @type {any} */
  part = null;
  /** @type {Set<string>} */
  sprites = new Set();

  /** @param {string} sprite @param {number[]} numbers */
  put(sprite, ...numbers) {
    this.sprites.add(sprite);
    this.check(numbers.slice(0, 2));
  }

  /** @param {string} _ @param {number[]} numbers */
  tint(_, ...numbers) {
    this.check(numbers.slice(0, 2));
  }

  /** @param {string} _ @param {number[]} numbers */
  write(_, ...numbers) {
    this.check(numbers.slice(0, 2));
  }

  /** @param {string} _ @param {() => void} draw */
  ground(_, draw) {
    draw();
  }

  cover() {}
  frame() {}
  trace() {}

  /** @param {number[]} square */
  check(square) {
    if (!square.every(Number.isInteger)) throw new Error(`${square} is no square`);
  }
}
