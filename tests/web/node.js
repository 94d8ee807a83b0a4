// @ts-check
/** Runs jobs in Node: `node node.js JOBS`, a file with a list of jobs; each writes its result to its own file. */
import { readFileSync, writeFileSync } from "node:fs";
import * as jobs from "./jobs.js";

const read = (/** @type {string} */ path) => readFileSync(path);
for (const job of JSON.parse(read(process.argv[2]).toString())) {
  const files = Object.fromEntries(Object.entries(job.files).map(([name, path]) => [name, read(/** @type {any} */ (path))]));
  writeFileSync(job.result, await /** @type {any} */ (jobs)[job.run](files, job));
}
