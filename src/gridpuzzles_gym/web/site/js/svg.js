// @ts-check
/** Elements of SVG pictures. */
import { TILE } from "./pieces.js";

const SVG = "http://www.w3.org/2000/svg";
const MORE = 1; // of a quarter of a picture, on each side

/** Make an element. @param {string} name @param {Record<string, string | number>} attributes */
export function element(name, attributes) {
  return set(document.createElementNS(SVG, name), attributes);
}

/** Set attributes of an element. @param {Element} element @param {Record<string, string | number>} attributes */
export function set(element, attributes) {
  for (const [name, entry] of Object.entries(attributes)) element.setAttribute(name, String(entry));
  return element;
}

/**
 * Return a picture of which only a quarter is shown, and a little more, so that no gap appears between two.
 * @param {Element} image @param {number} quarter
 */
export function quarterOf(image, quarter) {
  const size = TILE / 2 + 2 * MORE;
  const [x, y] = [quarter % 2 ? -MORE : MORE - size, quarter < 2 ? MORE - size : -MORE];
  const window = element("svg", { x, y, width: size, height: size, viewBox: `${x} ${y} ${size} ${size}` });
  const group = element("g", {});
  window.append(image);
  group.append(window);
  return group;
}
