// @ts-check
/** The choice of a game: an instance by its seed, a level of a bundled pack, or the person's own text. */
import { button, make, menu, named } from "./elements.js";
import { SEED_LIMIT } from "./seeds.js";
import { isNamed, randomSeed } from "./opening.js";

/** @typedef {import("./share.js").Start} Start */
/** @typedef {import("./scene.js").Level} Level */

const OWN = "own";

export class Chooser {
  /**
   * @param {HTMLElement} root an empty element
   * @param {import("./opening.js").Opener} opener
   * @param {object} page
   * @param {(start: Start) => void} page.choose
   * @param {() => void} page.paste ask for the person's own text
   * @param {import("./gallery.js").Gallery} page.gallery
   * @param {(number: number) => import("./storage.js").Result | null} page.resultOf the person's best on a level of the pack
   */
  constructor(root, opener, { choose, paste, gallery, resultOf }) {
    this.opener = opener;
    this.choose = choose;
    this.paste = paste;
    this.resultOf = resultOf;
    /** @type {Start} */
    this.start = { seed: 0n };
    /** @type {Level[]} levels of the pack, or of the person's own text */
    this.levels = [];
    this.number = 1; // of the level among them, from 1
    this.source = menu("Source of the game", [], () => this.chooseSource());
    this.level = menu("Level", [], (k) => this.goTo(k + 1));
    this.seed = /** @type {HTMLInputElement} */ (make("input"));
    this.seeds = make("label", "seed");
    this.seeds.append(make("span", "", "seed"), this.seed);
    Object.assign(this.seed, { inputMode: "numeric", pattern: "\\d{1,20}", maxLength: 20, autocomplete: "off" });
    this.back = named(button("‹", () => this.go(-1)), "Previous");
    this.forward = named(button("›", () => this.go(1)), "Next");
    this.fresh = button("New", () => this.choose({ ...this.start, seed: randomSeed() }));
    this.fresh.title = "Another random seed";
    this.pictures = button("Levels", () => gallery.open(this.levels, this.levels.map(titled), this.number, resultOf));
    this.pictures.title = "A picture of every level";
    this.seed.addEventListener("change", () => this.chooseSeed());
    this.offer();
    root.replaceChildren(this.source, this.back, this.level, this.seeds, this.forward, this.pictures, this.fresh);
  }

  /** List the choices. */
  offer() {
    const variants = [...this.opener.variants.keys()].map((of) => option(of.split("~")[1], `of ${of}`));
    const packs = this.opener.puzzle.entry.packs.map((pack) => option(pack, `pack ${pack}`));
    const own = this.opener.puzzle.text ? [option("Your own level …", OWN)] : [];
    const groups = /** @type {[string, HTMLElement[]][]} */ ([["Random", variants], ["Levels", packs], ["Yours", own]]);
    for (const [label, options] of groups.filter(([, each]) => each.length)) {
      const group = /** @type {HTMLOptGroupElement} */ (make("optgroup"));
      group.label = label;
      group.append(...options);
      this.source.append(group);
    }
  }

  /**
   * Show the current choice.
   * @param {Start} start
   * @param {Level[]} levels of the pack, or of the person's own text
   * @param {number} number the level's, from 1
   */
  show(start, levels, number) {
    this.start = start;
    const given = start.of === undefined;
    this.source.value = !given ? `of ${start.of}` : start.pack !== undefined ? `pack ${start.pack}` : OWN;
    const other = given && levels !== this.levels;
    this.levels = levels;
    this.number = number;
    if (other) this.level.replaceChildren(...levels.map((level, k) => option(this.labelled(level, k), String(k + 1))));
    this.level.hidden = !given;
    this.pictures.hidden = !given || levels.length < 2;
    this.level.selectedIndex = number - 1;
    this.seeds.hidden = given;
    this.seed.value = String(start.seed);
    this.fresh.hidden = given && !this.opener.puzzle.entry.chance;
    for (const [step, arrow] of /** @type {[number, HTMLButtonElement][]} */ ([[-1, this.back], [1, this.forward]])) {
      arrow.disabled = !this.has(step);
    }
  }

  /** Tick the level that has just been solved. */
  mark() {
    const entry = this.level.options[this.number - 1];
    if (this.start.of === undefined && entry) entry.textContent = this.labelled(this.levels[this.number - 1], this.number - 1);
  }

  /** @param {Level} level @param {number} k */
  labelled(level, k) {
    return `${this.start.text === undefined && this.resultOf(k + 1) ? "✓ " : ""}${titled(level, k)}`;
  }

  /** Whether there is a level, or a seed, that many further. @param {number} step */
  has(step) {
    const { start, levels, number } = this;
    if (start.of === undefined) return number + step >= 1 && number + step <= levels.length;
    return isSeed(start.seed + BigInt(step));
  }

  /** @param {number} step */
  go(step) {
    if (!this.has(step)) return;
    if (this.start.of === undefined) this.goTo(this.number + step);
    else this.choose({ ...this.start, seed: this.start.seed + BigInt(step) });
  }

  /** @param {number} number */
  goTo(number) {
    this.choose({ ...this.start, number });
  }

  chooseSource() {
    const [kind, ...words] = this.source.value.split(" ");
    const name = words.join(" ");
    if (kind === OWN) {
      this.show(this.start, this.levels, this.number); // until there is a text
      this.paste();
    } else if (kind === "of") this.choose({ of: name, seed: randomSeed() });
    else this.choose({ pack: name, number: 1, seed: randomSeed() });
  }

  chooseSeed() {
    const { value } = this.seed;
    const valid = /^\d+$/.test(value) && isSeed(BigInt(value));
    this.seed.setCustomValidity(valid ? "" : `A seed is a number from 0 to ${SEED_LIMIT - 1n}.`);
    if (this.seed.reportValidity()) this.choose({ ...this.start, seed: BigInt(value) });
    this.seed.setCustomValidity("");
  }
}

/** @param {bigint} seed */
function isSeed(seed) {
  return seed >= 0n && seed < SEED_LIMIT;
}

/** @param {Level} level @param {number} k */
function titled({ title }, k) {
  const number = String(k + 1);
  if (!isNamed(title)) return number;
  return title.startsWith(`${number} `) ? title : `${number}  ${title}`;
}

/** @param {string} words @param {string} value */
function option(words, value) {
  const made = /** @type {HTMLOptionElement} */ (make("option", "", words));
  made.value = value;
  return made;
}
