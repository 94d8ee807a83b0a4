// @ts-check
/** The position as the address of the page, so that it can be saved and shared. */
import { toHash } from "./share.js";

/** @typedef {import("./share.js").Start} Start */

const CALM = 400; // milliseconds without a move until the address changes: browsers limit how often it may

export class Address {
  /** @param {() => void} changed called when the address is changed by something else */
  constructor(changed) {
    this.timer = 0;
    window.addEventListener("hashchange", changed);
  }

  /** @param {Start} start @param {number[]} taken */
  follow(start, taken) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(start, taken), CALM);
  }

  /** @param {Start} start @param {number[]} taken @returns {Promise<string>} the address */
  async write(start, taken) {
    clearTimeout(this.timer);
    const hash = await toHash(start, taken);
    history.replaceState(null, "", hash);
    return new URL(hash, location.href).href;
  }
}
