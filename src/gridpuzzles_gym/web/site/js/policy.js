// @ts-check
/** A trained model: computes the probability of each action from an observation. `models.py` writes its file. */

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
    const { shape, network, player, flags } = this.header;
    this.window = network === "egocentric" ? new Window(shape, player, flags) : null;
  }

  /**
   * The probability of each action.
   * @param {ArrayLike<number>} observation
   * @param {ArrayLike<number>} mask 1 for each action that may be taken, for models that use the mask
   */
  probabilities(observation, mask) {
    const { header } = this;
    const logits = header.orientations ? this.averaged(observation) : this.logits(observation);
    const allowed = Array.from(logits, (logit, action) => (header.masks && !mask[action] ? -Infinity : logit));
    const most = Math.max(...allowed);
    const weights = allowed.map((logit) => Math.exp(logit - most));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  /** The mean of the logits over the orientations of the board: `Network` in `network.py`. @param {ArrayLike<number>} view */
  averaged(view) {
    const { orientations, actions } = this.header;
    const found = new Float32Array(actions);
    for (const { squares, places } of orientations) {
      const size = squares.length;
      const logits = this.logits(Float32Array.from(view, (_, at) => view[at - (at % size) + squares[at % size]]));
      for (let action = 0; action < actions; action++) found[action] += logits[places[action]] / orientations.length;
    }
    return found;
  }

  /** The logarithms of the actions' probabilities, up to a constant. @param {ArrayLike<number>} observation */
  logits(observation) {
    const residual = this.header.network === "residual";
    const features = residual ? this.pooled(Float32Array.from(observation)) : this.shared(this.seen(observation));
    return this.layer("policy.out", positive(this.layer("policy.hidden", features)));
  }

  /** The planes, around the player if it has a window, then one square of each flag. @param {ArrayLike<number>} view */
  seen(view) {
    const { shape, flags } = this.header;
    const size = view.length / shape[0];
    const whole = (shape[0] - flags) * size;
    const planes = this.window ? this.window.around(view) : Array.from(view).slice(0, whole);
    return Float32Array.from([...planes, ...Array.from({ length: flags }, (_, k) => view[whole + k * size])]);
  }

  /** The layers shared by policy and value. @param {Float32Array} values */
  shared(values) {
    const { centre } = this.arrays;
    if (centre) values = values.map((number, k) => number - centre.values[k]);
    for (let k = 0; this.arrays[`shared.${k}.weight`]; k++) values = positive(this.layer(`shared.${k}`, values));
    return values;
  }

  /** The residual blocks and the pooling after them: `Residual` in `residual.py`. @param {Float32Array} planes */
  pooled(planes) {
    const { shape, player } = this.header;
    const size = shape[1] * shape[2];
    let x = positive(this.convolved("stem", planes));
    for (let k = 0; this.arrays[`block.${k}.first.weight`]; k++) {
      const change = this.convolved(`block.${k}.second`, positive(this.convolved(`block.${k}.first`, x)));
      x = positive(change.map((number, at) => number + x[at]));
    }
    const here = planes.subarray(player * size, (player + 1) * size);
    const channels = Array.from({ length: x.length / size }, (_, k) => x.subarray(k * size, (k + 1) * size));
    const sum = (/** @type {Float32Array} */ values) => values.reduce((total, number) => total + number, 0);
    const pooled = [
      ...channels.map((channel) => sum(channel) / size),
      ...channels.map((channel) => Math.max(...channel)),
      ...channels.map((channel) => sum(channel.map((number, at) => number * here[at]))),
    ];
    return positive(this.layer("pooled", Float32Array.from(pooled)));
  }

  /** A 3×3 convolution, with zeros around the board. @param {string} name @param {Float32Array} input */
  convolved(name, input) {
    const { values, shape } = this.arrays[`${name}.weight`];
    const bias = this.arrays[`${name}.bias`].values;
    const [outputs, inputs] = shape;
    const [, height, width] = this.header.shape;
    const size = height * width;
    const found = new Float32Array(outputs * size);
    for (let output = 0; output < outputs; output++) {
      const sums = found.subarray(output * size, (output + 1) * size).fill(bias[output]);
      for (let k = 0; k < 9 * inputs; k++) {
        const weight = values[output * 9 * inputs + k];
        const [from, down, right] = [Math.floor(k / 9) * size, (Math.floor(k / 3) % 3) - 1, (k % 3) - 1];
        for (let row = Math.max(0, -down); row < height - Math.max(0, down); row++) {
          const source = from + (row + down) * width + right;
          for (let column = Math.max(0, -right); column < width - Math.max(0, right); column++) {
            sums[row * width + column] += weight * input[source + column];
          }
        }
      }
    }
    return found;
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

/** An action sampled with these probabilities. @param {number[]} probabilities @param {number} random from 0 to 1 */
export function sampled(probabilities, random) {
  let left = random;
  const found = probabilities.findIndex((probability) => (left -= probability) < 0);
  return found < 0 ? likeliest(probabilities) : found;
}

/** The planes shifted to put the player in the middle: `Egocentric` in `egocentric.py`. */
class Window {
  /**
   * @param {number[]} shape of the planes: (C, H, W)
   * @param {number} player the plane of the player
   * @param {number} flags the number of planes, at the end, that are constant
   */
  constructor([planes, height, width], player, flags) {
    /** @type {number[]} */
    this.seen = [...Array(planes - flags).keys()].filter((plane) => plane > 0 && plane !== player);
    this.plane = player;
    this.height = height;
    this.width = width;
  }

  /** @param {ArrayLike<number>} view */
  around(view) {
    const { seen, height, width } = this;
    const [rows, columns] = [2 * height - 5, 2 * width - 5];
    const at = this.player(view);
    const found = new Float32Array(seen.length * rows * columns);
    for (const [k, plane] of seen.entries()) {
      for (let row = 1; row < height - 1; row++) {
        for (let column = 1; column < width - 1; column++) {
          const [y, x] = [row - at.row + height - 3, column - at.column + width - 3];
          found[(k * rows + y) * columns + x] = view[(plane * height + row) * width + column];
        }
      }
    }
    return found;
  }

  /** @param {ArrayLike<number>} view */
  player(view) {
    const { plane, height, width } = this;
    for (let row = 1; row < height - 1; row++) {
      for (let column = 1; column < width - 1; column++) {
        if (view[(plane * height + row) * width + column]) return { row, column };
      }
    }
    return { row: 1, column: 1 };
  }
}

/** @param {Float32Array} values */
function positive(values) {
  return values.map((value) => Math.max(value, 0));
}
