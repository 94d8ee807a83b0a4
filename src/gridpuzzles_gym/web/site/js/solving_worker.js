// @ts-check
/** A worker that solves one problem, so that the page stays responsive; `planning.js` starts and ends it. */
import { solve } from "./solver.js";

self.addEventListener("message", ({ data: { module, description, name, start, most } }) => {
  self.postMessage(solve(module, description, name, start, most));
});
