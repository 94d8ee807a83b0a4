// @ts-check
/** Steps a second of the modules of the site; `node steps.js MODULES` prints them as JSON, by environment. */
import { readdirSync, readFileSync } from "node:fs";
import { Game } from "../../src/gridpuzzles_gym/web/site/js/game.js";

const STRETCH = 200_000; // steps
const folder = process.argv[2];

/** @param {Game} game @param {string | null} observation what to observe after each step */
function rate(game, observation) {
  const count = game.environment.actions.length;
  let best = 0;
  let word = 12345;
  for (let stretch = 0; stretch < 5; stretch++) {
    const begun = process.cpuUsage().user;
    for (let step = 0; step < STRETCH; step++) {
      if (game.ended) game.reset();
      word = (Math.imul(word, 1103515245) + 12345) & 0x7fffffff;
      game.step((word >> 16) % count);
      if (observation) game.observe(observation);
    }
    best = Math.max(best, STRETCH / ((process.cpuUsage().user - begun) / 1e6));
  }
  return best;
}

/** @type {Record<string, {step: number, observe: number}>} */
const rates = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const name = file.replace(/\.json$/, "");
  const description = JSON.parse(readFileSync(`${folder}/${file}`, "utf-8"));
  if (!description.environments) continue; // an agent or a search
  const module = new WebAssembly.Module(readFileSync(`${folder}/${name}.wasm`));
  for (const [id, environment] of Object.entries(description.environments)) {
    const { pool, level_size: L, state_size: S } = environment;
    const rows = pool ? new Int16Array(Uint8Array.from(readFileSync(`${folder}/${id}.rows`)).buffer) : new Int16Array();
    const levels = Array.from({ length: pool }, (_, k) => {
      const from = k * (L + S);
      return { level: rows.subarray(from, from + L), state: rows.subarray(from + L, from + L + S) };
    });
    const game = new Game(module, description, environment, levels);
    game.reset({ seed: 0 });
    const [first] = Object.keys(description.observations);
    rates[id] = { step: rate(game, null), observe: rate(game, first) };
  }
}
console.log(JSON.stringify(rates));
