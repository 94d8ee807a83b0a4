// @ts-check
/** The dialog for the person's own levels; an error is marked at its position in the text. */
import { make } from "./elements.js";
import { SOURCE } from "./opening.js";
import { LevelError } from "./scene.js";

const LARGEST = 1 << 20; // characters
const PLACE = /^:(\d+):(?:(\d+):)? ?([^]*)$/;

export class PasteDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {(text: string) => void} check throws LevelError if the text cannot be played
   * @param {(text: string) => void} use called when the dialog is closed
   */
  constructor(dialog, check, use) {
    this.dialog = dialog;
    this.check = check;
    this.use = use;
    this.text = /** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea"));
    this.problem = /** @type {HTMLElement} */ (dialog.querySelector("[role=alert]"));
    dialog.querySelector("button[value=play]")?.addEventListener("click", () => this.play());
    this.text.addEventListener("input", () => this.tell());
  }

  /** @param {string} example shown while nothing is typed */
  open(example) {
    if (!this.text.value) this.text.value = example;
    this.tell();
    this.dialog.showModal();
    this.text.focus();
    this.text.select();
  }

  play() {
    this.tell();
    try {
      if (this.text.value.length > LARGEST) throw new LevelError(`the text is longer than ${LARGEST} characters`);
      this.check(this.text.value);
    } catch (error) {
      if (!(error instanceof LevelError)) throw error;
      return this.show(error.message);
    }
    this.dialog.close();
    this.use(this.text.value);
  }

  /** @param {string} [words] */
  tell(words = "") {
    this.problem.replaceChildren(words);
    this.text.setAttribute("aria-invalid", String(words !== ""));
  }

  /** Show an error, and the line and the column that its message begins with. @param {string} message */
  show(message) {
    const [, line, column, words] = message.startsWith(`${SOURCE}:`) ? message.slice(SOURCE.length).match(PLACE) ?? [] : [];
    if (line === undefined) return this.tell(message);
    const at = column === undefined ? 1 : Number(column);
    this.tell(`Line ${line}${column === undefined ? "" : `, column ${column}`}: ${words}`);
    const lines = this.text.value.split("\n");
    const shown = lines[Number(line) - 1];
    if (shown === undefined) return;
    const excerpt = make("pre", "excerpt");
    const letters = [...shown];
    excerpt.append(letters.slice(0, at - 1).join(""), make("mark", "", letters[at - 1] ?? " "), letters.slice(at).join(""));
    this.problem.append(excerpt);
    const before = lines.slice(0, Number(line) - 1).join("\n").length + (Number(line) > 1 ? 1 : 0);
    const from = before + letters.slice(0, at - 1).join("").length;
    this.text.focus();
    this.text.setSelectionRange(from, from + Math.max((letters[at - 1] ?? "").length, 1));
  }
}
