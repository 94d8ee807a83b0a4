// @ts-check
/** Buttons for the actions, as a cross where they are directions. */
import { button, make } from "./elements.js";
import { ARROWS, labelsOf } from "./keys.js";

const TURNS = /** @type {Record<string, string>} */ ({ left: "↶", right: "↷" });

export class Pad {
  /**
   * @param {HTMLElement} root an empty element
   * @param {any} description of the puzzle
   * @param {(action: number) => void} act
   */
  constructor(root, { keys, key_words: words }, act) {
    this.root = root;
    this.keys = keys;
    this.words = words;
    this.act = act;
    /** @type {string[]} */
    this.actions = [];
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
  }

  /**
   * Show the actions, and which of them would change something.
   * @param {string[]} actions their names
   * @param {ArrayLike<number>} mask
   */
  show(actions, mask) {
    if (actions.join() !== this.actions.join()) this.build(actions);
    this.buttons.forEach((button, action) => button.classList.toggle("idle", !mask[action]));
  }

  /** @param {string[]} actions */
  build(actions) {
    this.actions = actions;
    this.buttons = actions.map((name, action) => this.button(name, action));
    this.root.classList.toggle("cross", ["up", "down", "left", "right"].every((name) => actions.includes(name)));
    this.root.replaceChildren(...this.buttons);
  }

  /** @param {string} name @param {number} action */
  button(name, action) {
    const made = button("", () => this.act(action), "action");
    const labels = labelsOf(this.keys, action);
    const arrow = labels.find((label) => Object.values(ARROWS).includes(label));
    const key = Object.keys(ARROWS).find((each) => ARROWS[each] === arrow) ?? "";
    const icon = arrow === undefined ? "" : name === key ? arrow : (name.startsWith("turn") && TURNS[key]) || arrow;
    made.dataset.action = name;
    if (icon) made.append(hidden(make("span", "icon", icon)));
    made.append(make("span", "name", name), hidden(make("kbd", "", labels.join(" "))));
    made.title = this.words[action] ?? name;
    return made;
  }
}

/** Hide an element from screen readers. @param {HTMLElement} element */
function hidden(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}
