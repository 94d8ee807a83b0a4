// @ts-check
/** `node node.js MODULES NAME ...` prints the steps a second of puzzles' modules as JSON; it counts processor time. */
import { readFileSync } from "node:fs";
import { rates } from "./steps.js";

const [folder, ...names] = process.argv.slice(2);
const read = async (/** @type {string} */ file) => readFileSync(`${folder}/${file}`);
console.log(JSON.stringify(await rates(names, read, () => process.cpuUsage().user / 1e6)));
