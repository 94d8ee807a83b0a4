// @ts-check
/**
 * A position as the part of an address after `#`: where the game starts, and the actions since.
 *
 *     #of=ID~VARIANT&seed=7&play=c3ab       an instance by its seed
 *     #pack=first&number=3&play=d2          a level of a bundled pack
 *     #text=q1ZKzkhU…&play=d2               a level text, compressed
 *
 * Actions are letters in their order, a is 0; a number after a letter repeats it.
 */
import { SEED_LIMIT } from "./seeds.js";

/**
 * @typedef {object} Start where a game starts: an instance by its seed, a level of a pack, or a text with one level
 * @property {bigint} seed
 * @property {string} [of] "ID~VARIANT"
 * @property {string} [pack]
 * @property {number} [number] from 1
 * @property {string} [text]
 */

const LONGEST = 1e5; // characters of a level text, or actions

/** An invalid address of a position; the message says what is wrong with it. */
export class BrokenLink extends Error {
  name = "BrokenLink";
}

/** @param {Start} start @param {number[]} taken */
export async function toHash({ of, pack, number, text, seed }, taken) {
  const parts = new URLSearchParams();
  if (text !== undefined) parts.set("text", await squeezed(text));
  else if (pack !== undefined) parts.set("pack", pack);
  else if (of !== undefined) parts.set("of", of);
  if (number !== undefined) parts.set("number", String(number));
  if (seed || of !== undefined) parts.set("seed", String(seed));
  if (taken.length) parts.set("play", written(taken));
  return `#${parts}`;
}

/**
 * Read the part of an address after `#`.
 * @param {string} hash
 * @param {number} actions the number of the puzzle's actions
 * @returns {Promise<{start: Start, taken: number[]} | null>} null if it is empty
 */
export async function fromHash(hash, actions) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (![...parts].length) return null;
  const given = (/** @type {string} */ name) => parts.get(name) ?? undefined;
  const [of, pack, text] = ["of", "pack", "text"].map(given);
  if ([of, pack, text].filter((part) => part !== undefined).length !== 1) {
    throw new BrokenLink("it must say one of “of”, “pack” and “text”");
  }
  const seed = whole(given("seed") ?? "0", "seed", 0n, SEED_LIMIT - 1n);
  const number = pack === undefined ? undefined : Number(whole(given("number") ?? "1", "number", 1n, 10n ** 6n));
  const start = { of, pack, number, text: text === undefined ? undefined : await unsqueezed(text), seed };
  return { start, taken: read(given("play") ?? "", actions) };
}

/** @param {string} digits @param {string} name @param {bigint} least @param {bigint} most */
function whole(digits, name, least, most) {
  const found = /^\d{1,20}$/.test(digits) ? BigInt(digits) : -1n;
  if (found < least || found > most) throw new BrokenLink(`“${name}” must be an integer from ${least} to ${most}`);
  return found;
}

/** @param {number[]} taken */
function written(taken) {
  const letters = taken.map((action) => String.fromCharCode(97 + action)).join("");
  return letters.replace(/(.)\1+/g, (run, letter) => (run.length > 2 ? letter + run.length : run));
}

/** @param {string} letters @param {number} actions @returns {number[]} */
function read(letters, actions) {
  if (!/^([a-z]\d{0,6})*$/.test(letters)) throw new BrokenLink("“play” must be letters and numbers");
  const taken = [];
  for (const [, letter, count] of letters.matchAll(/([a-z])(\d*)/g)) {
    const action = letter.charCodeAt(0) - 97;
    if (action >= actions) throw new BrokenLink(`“play” has ${letter}, but the last action is ${String.fromCharCode(96 + actions)}`);
    if (taken.length + Number(count || 1) > LONGEST) throw new BrokenLink(`“play” has more than ${LONGEST} actions`);
    for (let k = 0; k < Number(count || 1); k++) taken.push(action);
  }
  return taken;
}

/** @param {string} text */
async function squeezed(text) {
  const bytes = new Uint8Array(await new Response(through(new Blob([text]), new CompressionStream("deflate-raw"))).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} letters */
async function unsqueezed(letters) {
  try {
    const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return await limited(through(new Blob([bytes]), new DecompressionStream("deflate-raw")));
  } catch {
    throw new BrokenLink("“text” is incomplete, or was changed");
  }
}

/** @param {Blob} blob @param {CompressionStream | DecompressionStream} stream */
function through(blob, stream) {
  return /** @type {ReadableStream<Uint8Array>} */ (blob.stream().pipeThrough(/** @type {any} */ (stream)));
}

/** The text of a stream; an error if it is too long, so that a short address cannot fill the memory. @param {ReadableStream<Uint8Array>} stream */
async function limited(stream) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST) throw new RangeError("too long");
  }
}
