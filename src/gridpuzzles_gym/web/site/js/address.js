// @ts-check
/** The address of the page says the position, so that it can be kept and shared. */
import { toHash } from "./share.js";

/** @typedef {import("./share.js").Start} Start */

const CALM = 400; // milliseconds without a move before the address follows: browsers limit how often it may change

export class Address {
  /** @param {() => void} changed is called when somebody else changes the address */
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
