// @ts-check
/** Light or dark: as the system says, until the switch says otherwise. */
import { keep, kept } from "./kept.js";

const root = document.documentElement;
const chosen = kept("theme");
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

/** @param {HTMLElement} button */
export function switchTheme(button) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const tell = () => button.setAttribute("aria-pressed", String(dark()));
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    keep("theme", root.dataset.theme);
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}
