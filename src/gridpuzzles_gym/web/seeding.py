"""Computes random bits from a seed as NumPy does, so that equal seeds give equal episodes on pages and in Python.

NumPy's ``SeedSequence`` mixes the seed into a pool of four words (M. E. O'Neill, "Developing a seed_seq alternative",
2015) and fills the state of a PCG64 generator with them, whose first word that is not 0 is what
:func:`~gridpuzzles_gym.engine.random.initial_bits` samples: NumPy rejects 0, and nothing else, for an integer in
``[1, 2**64)``. Tests compare with NumPy itself.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import rule

_LOW, _16, _32, _58, _63, _64 = (np.uint64(bits) for bits in (0xFFFFFFFF, 16, 32, 58, 63, 64))
_INIT_A, _MULT_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_INIT_B, _MULT_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_MIX_L, _MIX_R = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
_PCG_HIGH, _PCG_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
_0, _1 = np.uint64(0), np.uint64(1)
POOL = 4


@rule
def scrambled(word, constant, factor):
    """Return a word of 32 bits hashed with a constant, and the next constant."""
    word ^= constant
    constant = (constant * factor) & _LOW
    word = (word * constant) & _LOW
    return word ^ (word >> _16), constant


@rule
def mixed(one, other):
    """Return two words of 32 bits mixed into one."""
    word = (_MIX_L * one - _MIX_R * other) & _LOW
    return word ^ (word >> _16)


@rule
def high_product(one, other):
    """Return the upper 64 bits of the product of two words of 64 bits."""
    one_low, one_high, other_low, other_high = one & _LOW, one >> _32, other & _LOW, other >> _32
    middle = one_high * other_low + ((one_low * other_low) >> _32)
    carry = one_low * other_high + (middle & _LOW)
    return one_high * other_high + (middle >> _32) + (carry >> _32)


@rule
def advance(pcg):
    """Advance a generator, uint64[4]: the upper and lower half of its state, then of its increment."""
    high, low = pcg[0], pcg[1]
    product = low * _PCG_LOW
    above = high_product(low, _PCG_LOW) + high * _PCG_LOW + low * _PCG_HIGH
    total = product + pcg[3]
    pcg[0] = above + pcg[2] + (_1 if total < product else _0)
    pcg[1] = total


@rule
def fill_pool(seed, pool):
    """Fill a pool, uint64[4] of words of 32 bits, from a seed below 2**64."""
    constant = _INIT_A
    for k in range(POOL):
        word = seed & _LOW if k == 0 else seed >> _32 if k == 1 else _0
        pool[k], constant = scrambled(word, constant, _MULT_A)
    for source in range(POOL):
        for place in range(POOL):
            if source != place:
                word, constant = scrambled(pool[source], constant, _MULT_A)
                pool[place] = mixed(pool[place], word)


@rule
def start_generator(pool, pcg):
    """Fill a generator from a pool."""
    constant = _INIT_B
    for k in range(8):  # words of 32 bits: the lower half of each entry comes first
        word, constant = scrambled(pool[k % POOL], constant, _MULT_B)
        pcg[k // 2] = word if k % 2 == 0 else pcg[k // 2] | (word << _32)
    high, low = pcg[0], pcg[1]
    pcg[2] = (pcg[2] << _1) | (pcg[3] >> _63)
    pcg[3] = (pcg[3] << _1) | _1
    pcg[0] = pcg[1] = _0
    advance(pcg)
    total = pcg[1] + low
    pcg[0] += high + (_1 if total < low else _0)
    pcg[1] = total
    advance(pcg)


def fill_random_bits(seed, pool, pcg, random_bits):
    """Fill ``random_bits`` (uint64[n]) with what ``initial_bits`` samples n times from a generator with that seed.

    Args:
        seed: uint64, the seed.
        pool: uint64[4], scratch.
        pcg: uint64[4], scratch.
        random_bits: uint64[n], to be filled.
    """
    fill_pool(seed, pool)
    start_generator(pool, pcg)
    for k in range(random_bits.shape[0]):
        word = _0
        while word == _0:
            advance(pcg)
            turn, word = pcg[0] >> _58, pcg[0] ^ pcg[1]
            word = (word >> turn) | (word << ((_64 - turn) & _63))
        random_bits[k] = word
