// @ts-check
/** Elements of pages. Texts are set as text, never as markup. */

/**
 * Make an element.
 * @param {string} name
 * @param {string} style its class
 * @param {string} [words] its text
 */
export function make(name, style = "", words) {
  const made = document.createElement(name);
  if (style) made.className = style;
  if (words !== undefined) made.textContent = words;
  return made;
}

/** @param {string} label @param {() => void} press @param {string} style */
export function button(label, press, style = "") {
  const made = /** @type {HTMLButtonElement} */ (make("button", style, label));
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

/** @param {string} label for screen readers @param {string[]} entries @param {(k: number) => void} choose an entry by its number */
export function menu(label, entries, choose) {
  const made = named(/** @type {HTMLSelectElement} */ (make("select")), label);
  made.append(...entries.map((entry) => make("option", "", entry)));
  made.addEventListener("change", () => choose(made.selectedIndex));
  return made;
}

/** Set the text of an element if it differs: screen readers would read an equal one again. @param {HTMLElement} element @param {string} words */
export function tell(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** Name an element for screen readers. @template {HTMLElement} T @param {T} element @param {string} label */
export function named(element, label) {
  element.setAttribute("aria-label", label);
  return element;
}
