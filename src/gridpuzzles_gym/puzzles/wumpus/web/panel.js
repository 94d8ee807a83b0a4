// @ts-check
/** The panel next to a cave, as in `panel.py`: the status of the episode, and the agent's percepts and items. */

/** @typedef {import("../../js/scene.js").Scene} Scene */

/** @type {Record<string, string>} */
const SPRITES = {
  waiting: "state_waiting",
  moving: "state_moving",
  "gold found": "gold",
  "wumpus killed": "wumpus_dead",
  died: "state_died",
  "back home": "state_home",
};
const LEGEND = { agent: "you", wumpus: "wumpus", pit: "pit", gold: "gold", stairs: "way out" };

/** @param {Scene} scene @returns {import("../../js/scene.js").Status} */
export function statusOf(scene) {
  const { state, score, steps, rules } = scene;
  const words = stateWords(scene);
  const tone = words === "died" ? "bad" : words === "back home" ? "good" : "plain";
  const [arrow, gold] = [state[rules.ARROW] === 1, state[rules.GOLD] === rules.HELD];
  const percepts = Object.entries(perceptsOf(scene));
  return {
    words,
    reason: reasonOf(scene),
    sprite: SPRITES[words],
    tone,
    numbers: [["return", score], ["step", steps]],
    signs: [
      ...percepts.map(([name, on]) => ({ sprite: `icon_${name}`, name, on, group: "percepts" })),
      { sprite: "arrow", name: arrow ? "arrow" : "no arrow", on: arrow, group: "in hand" },
      { sprite: "gold", name: gold ? "gold" : "no gold", on: gold, group: "in hand" },
      ...Object.entries(LEGEND).map(([sprite, name]) => ({ sprite, name, on: true, group: "in the cave" })),
    ],
  };
}

/** The status of the episode in the words of the original program. @param {Scene} scene */
function stateWords({ state, steps, rules }) {
  const { EATEN, ENDING, FELL, GOLD, HELD, RUNNING, SCREAM, SQUARE } = rules;
  if (state[ENDING] !== RUNNING) return [FELL, EATEN].includes(state[ENDING]) ? "died" : "back home";
  if (steps === 0) return "waiting";
  if (state[SCREAM]) return "wumpus killed";
  return [HELD, state[SQUARE]].includes(state[GOLD]) ? "gold found" : "moving";
}

/** @param {Scene} scene */
function perceptsOf({ level, state, rules: { BREEZE, BUMP, CELLS, GOLD, SCREAM, SQUARE, STENCH } }) {
  const cell = level[CELLS + state[SQUARE]];
  return {
    stench: (cell & STENCH) !== 0,
    breeze: (cell & BREEZE) !== 0,
    glitter: state[GOLD] === state[SQUARE],
    bump: state[BUMP] === 1,
    scream: state[SCREAM] === 1,
  };
}

/** @param {Scene} scene */
function reasonOf(scene) {
  const { state, action, actions, rules } = scene;
  const { EATEN, ENDING, FELL, GOLD, HELD, RUNNING } = rules;
  if (state[ENDING] === FELL) return "fell into a pit";
  if (state[ENDING] === EATEN) return "eaten by the wumpus";
  if (state[ENDING] !== RUNNING) return state[GOLD] === HELD ? "with the gold" : "empty-handed";
  return action === null ? "find the gold" : inVain(scene) || actions[action];
}

/** What kept the last action from having the effect that was meant, if that is known. @param {Scene} scene */
function inVain({ before, state, action, rules }) {
  const { ARROW, BUMP, CLIMB_OUT, FORWARD, GOLD, GRAB, RELEASE, SCREAM, SHOOT } = rules;
  if (!before) return "";
  if (action === SHOOT && !state[SCREAM]) return before[ARROW] ? "missed" : "no arrow left";
  if (action === FORWARD && state[BUMP]) return "a wall is in the way";
  if (action === GRAB && before[GOLD] === state[GOLD]) return "nothing to grab";
  if (action === RELEASE && before[GOLD] === state[GOLD]) return "nothing to release";
  return action === CLIMB_OUT ? "no way out here" : "";
}
