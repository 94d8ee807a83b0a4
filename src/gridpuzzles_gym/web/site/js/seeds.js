// @ts-check
/**
 * The random bits of a seed as in NumPy.
 *
 * Its `SeedSequence` mixes the seed into a pool of four words (M. E. O'Neill, "Developing a seed_seq alternative", 2015)
 * and fills the state of a PCG64 generator with them, whose first word that is not 0 is what `initial_bits` samples.
 */

export const SEED_LIMIT = 2n ** 64n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

/** @param {number | bigint} seed @returns {bigint} */
export function randomBits(seed) {
  const given = BigInt(seed);
  if (given < 0n || given >= SEED_LIMIT) throw new RangeError("a seed must be from 0 to 2**64 - 1");
  const [first, second, third, fourth] = seedSequence(given);
  const increment = BigInt.asUintN(128, (((third << 64n) | fourth) << 1n) | 1n);
  const advance = (/** @type {bigint} */ state) => BigInt.asUintN(128, state * MULTIPLIER + increment);
  let state = advance(increment + ((first << 64n) | second));
  for (;;) {
    state = advance(state);
    const word = (state >> 64n) ^ BigInt.asUintN(64, state);
    const turn = state >> 122n;
    if (word) return BigInt.asUintN(64, (word >> turn) | (word << (64n - turn)));
  }
}

/** Four words of 64 bits. @param {bigint} seed */
function seedSequence(seed) {
  let hash = hashing(0x43b0d7e5, 0x931e8875);
  const pool = [Number(BigInt.asUintN(32, seed)), Number(seed >> 32n), 0, 0].map(hash);
  for (let source = 0; source < 4; source++) {
    for (let place = 0; place < 4; place++) if (source !== place) pool[place] = mixed(pool[place], hash(pool[source]));
  }
  hash = hashing(0x8b51f9dd, 0x58f38ded);
  const halves = [...pool, ...pool].map((word) => BigInt(hash(word)));
  return [0, 2, 4, 6].map((k) => halves[k] | (halves[k + 1] << 32n));
}

/** A hash of words of 32 bits, with another constant for each. @param {number} constant @param {number} factor */
function hashing(constant, factor) {
  return (/** @type {number} */ word) => {
    const before = constant;
    constant = Math.imul(constant, factor);
    return folded(Math.imul(word ^ before, constant));
  };
}

/** @param {number} one @param {number} other */
const mixed = (one, other) => folded(Math.imul(0xca01f9dd, one) - Math.imul(0x4973f715, other));

/** @param {number} word */
const folded = (word) => (word ^ (word >>> 16)) >>> 0;
