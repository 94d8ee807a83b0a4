// @ts-check
/** A trained model: PPO's network from an observation to the probability of each action. `models.py` writes its file. */

/** @typedef {{values: Float32Array, shape: number[]}} Weights */

export class Policy {
  /** @param {ArrayBuffer} file */
  constructor(file) {
    const bytes = new Uint8Array(file);
    const end = bytes.indexOf(10) + 1;
    if (!end) throw new Error("this is not a model");
    /** @type {any} what the model plays, and how */
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
    /** @type {Record<string, Weights>} */
    this.arrays = {};
    let from = end;
    for (const [name, shape] of Object.entries(this.header.arrays)) {
      const length = /** @type {number[]} */ (shape).reduce((size, side) => size * side, 1);
      this.arrays[name] = { values: new Float32Array(file, from, length), shape: /** @type {number[]} */ (shape) };
      from += 4 * length;
    }
    const { shape, network } = this.header;
    this.window = network === "egocentric" ? new Window(shape) : null;
  }

  /**
   * The probability of each action.
   * @param {ArrayLike<number>} observation
   * @param {ArrayLike<number>} mask 1 for each action that may be taken, for models that heed it
   */
  probabilities(observation, mask) {
    const { arrays, header } = this;
    let values = this.window ? this.window.around(observation) : Float32Array.from(observation);
    if (arrays.centre) values = values.map((number, k) => number - arrays.centre.values[k]);
    const shared = positive(this.layer("shared", values));
    const logits = this.layer("actions", positive(this.layer("hidden", shared)));
    const allowed = Array.from(logits, (logit, action) => (header.masks && !mask[action] ? -Infinity : logit));
    const most = Math.max(...allowed);
    const weights = allowed.map((logit) => Math.exp(logit - most));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  /** @param {string} name @param {Float32Array} input */
  layer(name, input) {
    const { values, shape } = this.arrays[`${name}.weight`];
    const bias = this.arrays[`${name}.bias`].values;
    const [rows, columns] = shape;
    const found = new Float32Array(rows);
    for (let row = 0; row < rows; row++) {
      let sum = bias[row];
      const from = row * columns;
      for (let k = 0; k < columns; k++) if (input[k]) sum += values[from + k] * input[k];
      found[row] = sum;
    }
    return found;
  }
}

/** The most probable action. @param {number[]} probabilities */
function likeliest(probabilities) {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** An action with these probabilities. @param {number[]} probabilities @param {number} random from 0 to 1 */
export function sampled(probabilities, random) {
  let left = random;
  const found = probabilities.findIndex((probability) => (left -= probability) < 0);
  return found < 0 ? likeliest(probabilities) : found;
}

/** The planes shifted to put the player in the middle: `Egocentric` in `network.py`. */
class Window {
  /** @param {number[]} shape of the planes: (C, H, W) */
  constructor([planes, height, width]) {
    this.planes = planes;
    this.height = height;
    this.width = width;
  }

  /** @param {ArrayLike<number>} view */
  around(view) {
    const { planes, height, width } = this;
    const [rows, columns] = [2 * height - 5, 2 * width - 5];
    const at = this.player(view);
    const found = new Float32Array((planes - 2) * rows * columns);
    for (let plane = 1; plane < planes - 1; plane++) {
      for (let row = 1; row < height - 1; row++) {
        for (let column = 1; column < width - 1; column++) {
          const [y, x] = [row - at.row + height - 3, column - at.column + width - 3];
          found[((plane - 1) * rows + y) * columns + x] = view[(plane * height + row) * width + column];
        }
      }
    }
    return found;
  }

  /** @param {ArrayLike<number>} view */
  player(view) {
    const { planes, height, width } = this;
    for (let row = 1; row < height - 1; row++) {
      for (let column = 1; column < width - 1; column++) {
        if (view[((planes - 1) * height + row) * width + column]) return { row, column };
      }
    }
    return { row: 1, column: 1 };
  }
}

/** @param {Float32Array} values */
function positive(values) {
  return values.map((value) => Math.max(value, 0));
}
