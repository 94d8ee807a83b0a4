"""The random number generator of an environment, identical in compiled and interpreted rules.

The state of a generator is a row ``uint64[1]``, never zero. Each sample advances it by Marsaglia's xorshift64
(G. Marsaglia, "Xorshift RNGs", J. Stat. Soft. 8(14), 2003: shifts 13, 7, 17) and uses the upper 32 bits, so that no
product exceeds 64 bits and NumPy scalars never warn about an overflow.
"""

import numpy as np
import numpy.typing as npt

from .compile.compilation import rule

RandomBits = npt.NDArray[np.uint64]

_13, _7, _17, _32 = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)


@rule
def next_bits(rng: RandomBits) -> int:
    """Advance ``rng`` and return 32 random bits as an integer in ``[0, 2**32)``."""
    word = rng[0]
    word ^= word << _13
    word ^= word >> _7
    word ^= word << _17
    rng[0] = word
    return np.int64(word >> _32)  # type: ignore[return-value]  # an int to kernels


@rule
def below(rng: RandomBits, n: int) -> int:
    """Return a uniform random integer in ``[0, n)`` for ``0 < n < 2**31`` (bias below ``n / 2**32``)."""
    return (next_bits(rng) * n) >> 32


@rule
def chance(rng: RandomBits, weight: int) -> bool:
    """Return True with probability ``weight / 2**32``."""
    return next_bits(rng) < weight


def initial_bits(np_random: np.random.Generator) -> int:
    """Sample a non-zero initial state from a NumPy generator."""
    return int(np_random.integers(1, 2**64, dtype=np.uint64))
