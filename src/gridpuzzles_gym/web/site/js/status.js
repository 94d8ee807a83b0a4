// @ts-check
/** What is said next to a board, from the numbers that a puzzle's status rule writes: see `status.py`. */

/** @typedef {import("./scene.js").Scene} Scene */

const NUMBERS = 3; // before them: the state, the reason, the icon's quarter turns

/**
 * @param {any} tables of the puzzle's description @param {Record<string, string>} icons the path of each @param {Scene} scene
 * @param {number[]} said the rule's numbers @returns {import("./scene.js").Status}
 */
export function statusOf(tables, icons, scene, said) {
  const { action, actions, steps, score, metrics } = scene;
  const [state, reason, turns] = said;
  const numbers = said.slice(NUMBERS);
  /** @type {Record<string, any>} */
  const values = { ...numbers, ...metrics, step: steps, return: Number(score.toPrecision(6)), action: actions[action ?? -1] ?? "" };
  const fill = (/** @type {string} */ words) => words.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? 0));
  const { words, icon, tone } = tables.states[state];
  const sign = (/** @type {any} */ each, /** @type {string} */ group) => {
    const number = numbers[each.number];
    const on = number >= each.least;
    const choice = each.choice === null ? number : numbers[each.choice];
    const name = each.words[Math.min(Math.max(choice, 0), each.words.length - 1)];
    const amount = fill(on ? each.amount : each.none || each.amount);
    return { sprite: icons[each.icon], name: amount ? `${name}: ${amount}` : name, on, group };
  };
  return {
    words: fill(words),
    reason: fill(tables.reasons[reason]),
    sprite: icons[icon],
    turns,
    tone,
    numbers: Object.entries({ ...tables.figures, ...tables.tally }).map(([name, template]) => [name, fill(/** @type {string} */ (template))]),
    signs: tables.groups.flatMap((/** @type {any} */ { heading, signs }) =>
      signs.map((/** @type {any} */ each) => sign(each, heading)),
    ),
  };
}

/** What is said if a puzzle has no status rule. @param {Scene} scene @returns {import("./scene.js").Status} */
export function plainStatus({ outcome, steps, score }) {
  const tone = outcome === "solved" ? "good" : outcome === "died" ? "bad" : "plain";
  return { words: outcome, tone, numbers: [["return", Number(score.toPrecision(6))], ["step", steps]] };
}
