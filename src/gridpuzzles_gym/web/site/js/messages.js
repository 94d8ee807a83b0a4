// @ts-check
/** Texts as Python treats them, so that messages are the same: characters are code points, white space is Unicode's. */

const LONGEST = 500; // characters of a message
const LONGEST_QUOTE = 80;
export const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LINE_END = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/u;
const [LEADING, TRAILING] = [new RegExp(`^${SPACE}+`, "u"), new RegExp(`${SPACE}+$`, "u")];
const SPACES = new RegExp(`${SPACE}+`, "gu");
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/u;
/** @type {Record<string, string>} */
const ESCAPES = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Split a text into lines without line ends: `str.splitlines`. @param {string} text */
export function linesOf(text) {
  const lines = text.split(LINE_END);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** Split a text into words: `str.split`. @param {string} text */
export function wordsOf(text) {
  return text.split(SPACES).filter((word) => word !== "");
}

/** Return a text without white space at its end. @param {string} text */
export function trimEnd(text) {
  return text.replace(TRAILING, "");
}

/** Return a text without white space at its ends. @param {string} text */
export function trim(text) {
  return trimEnd(text.replace(LEADING, ""));
}

/** Whether a character is white space. @param {string} character */
export function isSpace(character) {
  return LEADING.test(character);
}

/**
 * Return a text with its middle replaced by an ellipsis if it is too long.
 * @param {string} text
 */
export function shorten(text, longest = LONGEST) {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const head = Math.floor(longest / 2);
  return `${characters.slice(0, head).join("")}…${characters.slice(head + 1 - longest).join("")}`;
}

/** Return a text in quotes, with escapes for unprintable characters: Python's `repr`. @param {string} text */
export function repr(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = Array.from(text, (character) => {
    if (character === mark) return `\\${mark}`;
    return ESCAPES[character] ?? (UNPRINTABLE.test(character) ? numbered(character) : character);
  });
  return `${mark}${escaped.join("")}${mark}`;
}

/** @param {string} character */
function numbered(character) {
  const code = /** @type {number} */ (character.codePointAt(0));
  const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

/** Return a text in quotes, on one line and shortened. @param {string} text */
export function quote(text, longest = LONGEST_QUOTE) {
  const characters = [...text];
  const ends = [...characters.slice(0, longest), ...characters.slice(-longest)];
  const short = characters.length > longest ? ends.join("") : text;
  return shorten(wordsOf(repr(short)).join(" "), longest);
}

/** Return a whole number with commas between thousands. @param {number} number */
export function grouped(number) {
  return number.toLocaleString("en-US");
}

/** Return a number with its noun: `1 level`, `2 levels`. @param {number} number @param {string} noun */
export function plural(number, noun, nouns = `${noun}s`) {
  return `${grouped(number)} ${number === 1 ? noun : nouns}`;
}
