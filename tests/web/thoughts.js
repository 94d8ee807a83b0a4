// @ts-check
/** What an agent thinks at each step of an episode, as the pages show it. */

/**
 * @param {Record<string, Uint8Array>} files the modules of the puzzle and of the agent, with their descriptions
 * @param {any} job the address of the site, the puzzle, the environment's id, the agent, the seed and the number of steps
 */
export async function thoughts(files, { site, puzzle, id, agent: name, seed, steps }) {
  const script = (/** @type {string} */ path) => import(`${site}/${path}`);
  const json = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes));
  const { Game } = await script("js/game.js");
  const { Agent } = await script("js/agent.js");
  const agentScript = await script(`agents/${puzzle}/thoughts.js`);
  const [description, described] = [json(files.json), json(files.agent_json)];
  const environment = description.environments[id];
  const module = (/** @type {Uint8Array} */ bytes) => new WebAssembly.Module(/** @type {any} */ (bytes));
  const rows = new Int16Array(Uint8Array.from(files.rows ?? []).buffer);
  const pool = environment.generated ? undefined : rows;
  const game = new Game(module(files.wasm), description, environment, pool);
  const agent = new Agent(module(files.agent_wasm), described, name, id, game, seed);
  game.reset({ seed });
  const found = [];
  while (found.length < steps && !game.ended) {
    const action = agent.act();
    const arrays = Object.fromEntries(Object.entries(agent.arrays).map(([key, { values }]) => [key, values]));
    const { level, state } = game;
    const scene = { level, state, rules: description.rules, actions: environment.actions };
    found.push({ action, ...agentScript.thoughts(name, arrays, described.agents[name][id].constants, scene) });
    game.step(action);
  }
  return JSON.stringify(found);
}
