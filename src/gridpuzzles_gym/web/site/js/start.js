// @ts-check
/** The start of every page: its theme, and a message if it fails. */
import { switchTheme } from "./theme.js";

/** An element of the page. @param {string} id @returns {any} */
export function part(id) {
  return document.getElementById(id);
}

/** Show the page; `data-ready` is the number of milliseconds since the page was requested. @param {() => Promise<void>} show */
export async function start(show) {
  switchTheme(part("theme"));
  try {
    await show();
    document.body.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    part("problem").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : error}`;
    part("problem").hidden = false;
    throw error;
  }
}
