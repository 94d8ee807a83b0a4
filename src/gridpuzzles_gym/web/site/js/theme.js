// @ts-check
/** The theme, light or dark: the system's, or the one chosen by the button. */
import { store, stored } from "./storage.js";

const root = document.documentElement;
const chosen = stored("theme");
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

/** @param {HTMLElement} button */
export function switchTheme(button) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const tell = () => button.setAttribute("aria-pressed", String(dark()));
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    store("theme", root.dataset.theme);
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}
