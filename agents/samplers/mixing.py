"""Turns the random bits a sampler is given into indices, fractions and further random bits."""

_MASK = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15


def mix(random_bits: int, number: int = 0) -> int:
    """Return output number ``number`` of a SplitMix64 generator that starts from ``random_bits``: a uint64.

    (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.)
    """
    mixed = (random_bits + (number + 1) * _GAMMA) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


def below(random_bits: int, n: int) -> int:
    """Return a uniform integer in ``[0, n)`` from uniform random bits (bias below ``n / 2**64``)."""
    return random_bits * n >> 64


def share(random_bits: int) -> float:
    """Return a uniform number in ``[0, 1)`` from uniform random bits."""
    return (random_bits >> 11) * 2.0**-53
