// @ts-check
/** The panel next to a maze, as in `panel.py`: the status of the episode, and the mouse's distances. */
import { TURNS } from "../../js/directions.js";
import { hasCat, hasExit, hasMouse, outcome, stepsFrom, symbolsOf } from "./mazes.js";

/** @typedef {import("../../js/scene.js").Scene} Scene */

/** @type {Record<string, string>} */
const SPRITES = {
  ready: "mouse",
  running: "state_running",
  stopped: "state_stopped",
  caught: "cat",
  escaped: "cheese",
};

/** @param {Scene} scene @returns {import("../../js/scene.js").Status} */
export function statusOf(scene) {
  const { level, action, score, steps, rules } = scene;
  const words = stateWords(scene);
  const [cheese, cat] = distances(scene);
  return {
    words,
    reason: reasonOf(scene, words),
    sprite: SPRITES[words],
    turns: words === "running" && action !== null ? TURNS[action] : 0,
    tone: words === "escaped" ? "good" : words === "caught" ? "bad" : "plain",
    numbers: [
      ["return", score],
      ["step", steps],
      ["steps to the cheese", cheese ?? "none"],
      [`steps to the ${level[rules.CATS] < 2 ? "cat" : "nearest cat"}`, cat ?? "none"],
    ],
  };
}

/** The status of the episode in one word. @param {Scene} scene */
function stateWords({ level, state, before, steps, rules }) {
  const ending = outcome(level, state, rules);
  if (ending !== rules.UNFINISHED) return ending === rules.SOLVED ? "escaped" : "caught";
  if (steps === 0) return "ready";
  return before && before[rules.MOUSE] === state[rules.MOUSE] ? "stopped" : "running";
}

/** The steps from the mouse to the exit and to the nearest cat; undefined where there is none. @param {Scene} scene */
function distances({ level, state, rules }) {
  const symbols = symbolsOf(level, state, rules);
  const steps = stepsFrom(symbols, level[rules.STRIDE], hasMouse);
  return [hasExit, hasCat].map((has) => {
    const found = steps.filter((length, square) => length >= 0 && has(symbols[square]));
    return found.length ? Math.min(...found) : undefined;
  });
}

/** @param {Scene} scene @param {string} words */
function reasonOf({ level, state, before, action, actions, rules: { BLOCKED, CAT, MOUSE } }, words) {
  if (words === "escaped") return "reached the cheese";
  if (words === "caught") return before?.includes(state[MOUSE], CAT) ? "ran into the cat" : "by the cat";
  if (words === "stopped") return level[BLOCKED] ? "something is in the way" : "by a wall";
  return action === null ? "on to the cheese" : actions[action];
}
