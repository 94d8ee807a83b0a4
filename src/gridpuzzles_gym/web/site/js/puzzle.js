// @ts-check
/** A puzzle as its page needs it: its description, its compiled rules and its own scripts. */

/** @typedef {import("./scene.js").Drawing} Drawing */
/** @typedef {import("./scene.js").Text} Text */
/** @typedef {import("./scene.js").Gestures} Gestures */
/** @typedef {{name: string, title: string, words: string, packs: string[], hides: boolean, gestures: Record<string, string>}} Entry what the catalogue says of a puzzle */

/**
 * @typedef {object} Puzzle
 * @property {string} name
 * @property {any} description of its module
 * @property {WebAssembly.Module} module
 * @property {Drawing} drawing
 * @property {Text} text
 * @property {Gestures} gestures
 * @property {Entry} entry
 */

/**
 * Load a puzzle; everything is fetched at once.
 * @param {string} name
 * @returns {Promise<Puzzle>}
 */
export async function loadPuzzle(name) {
  const script = (/** @type {string} */ file) => import(`../puzzles/${name}/${file}.js`);
  const [entries, description, module, drawing, text, gestures] = await Promise.all([
    catalogue(),
    json(`modules/${name}.json`),
    fetched(`modules/${name}.wasm`).then((answer) => answer.arrayBuffer()).then(WebAssembly.compile),
    script("drawing"),
    script("text"),
    script("gestures"),
  ]);
  const entry = /** @type {Entry} */ (entries.find((each) => each.name === name));
  return { name, description, module, drawing, text, gestures, entry };
}

/** @returns {Promise<Entry[]>} what there is to play */
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

/** @param {string} id @returns {Promise<Int16Array>} the rows of the levels that an environment draws from */
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
