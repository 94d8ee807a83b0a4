// @ts-check
/** A puzzle with everything its page needs: its description, its compiled rules and its own scripts. */

import { Looks } from "./looks.js";
import { drawingOf } from "./picture.js";

/** @typedef {import("./scene.js").Drawing} Drawing */
/** @typedef {import("./scene.js").Text} Text */

/**
 * @typedef {object} Entry a puzzle's entry in the catalogue
 * @property {string} name
 * @property {string} title
 * @property {string} words a sentence that describes it
 * @property {boolean} reads whether it has scripts that read level text
 * @property {string[]} packs the names of its packs of levels
 * @property {boolean} hides whether anything is hidden from the player
 * @property {boolean} chance whether anything happens by chance, or is hidden
 * @property {Record<string, string>} agents the module of each agent
 * @property {string[]} searches
 * @property {string[]} solvers its own searches
 * @property {number[][] | null} boards the level rows that the searches can play; null: all
 * @property {string[]} advisors who gives hints, in the order in which they are asked
 * @property {string[]} minima the packs with proven minima
 * @property {Record<string, string>} gestures what a click and a drag do
 */

/**
 * @typedef {object} Puzzle
 * @property {string} name
 * @property {any} description of its module
 * @property {WebAssembly.Module} module
 * @property {Drawing} drawing
 * @property {Text | null} text
 * @property {Looks} gestures
 * @property {Entry} entry
 */

/**
 * Load a puzzle; everything is fetched at once.
 * @param {string} name
 * @returns {Promise<Puzzle>}
 */
export async function loadPuzzle(name) {
  const [entries, { description, module }] = await Promise.all([catalogue(), moduleOf(name)]);
  const entry = /** @type {Entry} */ (entries.find((each) => each.name === name));
  const text = entry.reads ? await import(`../puzzles/${name}/text.js`) : null;
  const looks = new Looks(module, description);
  return { name, description, module, drawing: drawingOf(description, looks), text, gestures: looks, entry };
}

/** @type {Map<string, Promise<{module: WebAssembly.Module, description: any}>>} */
const modules = new Map();

/** A module and its description, fetched once. @param {string} name */
export function moduleOf(name) {
  const found = modules.get(name) ?? compiled(name);
  modules.set(name, found);
  found.catch(() => modules.delete(name)); // so that it is tried again
  return found;
}

/** @param {string} name */
async function compiled(name) {
  const bytes = fetched(`modules/${name}.wasm`).then((answer) => answer.arrayBuffer());
  const [module, description] = await Promise.all([bytes.then(WebAssembly.compile), json(`modules/${name}.json`)]);
  return { module, description };
}

/** @returns {Promise<Entry[]>} the catalogue */
export function catalogue() {
  return json("catalogue.json");
}

/** @param {string} puzzle @param {string} sprite */
export function spriteAddress(puzzle, sprite) {
  return `art/${puzzle}/${sprite}.svg`;
}

/** @param {string} puzzle @param {string} pack @returns {Promise<string>} the level text of a pack */
export async function packText(puzzle, pack) {
  return (await fetched(`levels/${puzzle}/${pack}.txt`)).text();
}

/** The proven minima of a pack's levels by metric, null where none is known. @param {string} puzzle @param {string} pack @returns {Promise<Record<string, (number | null)[]>>} */
export function packMinima(puzzle, pack) {
  return json(`levels/${puzzle}/${pack}.minima.json`);
}

/** @param {string} id @returns {Promise<Int16Array>} the rows of the levels that an environment samples from */
export async function pooledRows(id) {
  return new Int16Array(await (await fetched(`modules/${id}.rows`)).arrayBuffer());
}

/** @param {string} path @returns {Promise<any>} */
async function json(path) {
  return (await fetched(path)).json();
}

/** @param {string} path */
async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return answer;
}
