// @ts-check
/** Steps a second of the modules of the site, in Node or in a page. */
import { Game } from "../../src/gridpuzzles_gym/web/site/js/game.js";

const STRETCH = 200_000; // steps

/** @param {Game} game @param {string | null} observation what to observe after each step @param {() => number} clock in seconds */
function rate(game, observation, clock) {
  const count = game.environment.actions.length;
  let best = 0;
  let word = 12345;
  for (let stretch = 0; stretch < 5; stretch++) {
    const begun = clock();
    for (let step = 0; step < STRETCH; step++) {
      if (game.ended) game.reset();
      word = (Math.imul(word, 1103515245) + 12345) & 0x7fffffff;
      game.step((word >> 16) % count);
      if (observation) game.observe(observation);
    }
    best = Math.max(best, STRETCH / (clock() - begun));
  }
  return best;
}

/**
 * @param {string[]} names of the puzzles' modules
 * @param {(file: string) => Promise<Uint8Array>} read a file of the modules
 * @param {() => number} clock in seconds
 * @returns {Promise<Record<string, {step: number, observe: number}>>} by environment
 */
export async function rates(names, read, clock) {
  /** @type {Record<string, {step: number, observe: number}>} */
  const found = {};
  for (const name of names) {
    const description = JSON.parse(new TextDecoder().decode(await read(`${name}.json`)));
    const module = new WebAssembly.Module(/** @type {any} */ (await read(`${name}.wasm`)));
    for (const [id, environment] of Object.entries(description.environments)) {
      const bytes = environment.pool ? await read(`${id}.rows`) : [];
      const pool = new Int16Array(Uint8Array.from(bytes).buffer);
      const game = new Game(module, description, environment, pool);
      game.reset({ seed: 0 });
      const [first] = Object.keys(description.observations);
      found[id] = { step: rate(game, null, clock), observe: rate(game, first, clock) };
    }
  }
  return found;
}
