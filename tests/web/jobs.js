// @ts-check
/** What tests can have done in JavaScript: functions of files, as bytes by name, and of the job, as JSON. */
import { replay as replayed } from "./replay.js";

const text = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes));
const numbers = (/** @type {Uint8Array} */ bytes) => new Int16Array(Uint8Array.from(bytes).buffer);

/** @param {Record<string, Uint8Array>} files @param {any} job */
export function replay(files, job) {
  const rows = files.rows ? numbers(files.rows) : new Int16Array();
  return replayed(new WebAssembly.Module(/** @type {any} */ (files.wasm)), text(files.json), job, rows);
}
