#!/usr/bin/env bash
# numba 0.68.1: in compiled functions `np.median` of numbers with a NaN is NaN or one of the numbers, as they are ordered,
# and `np.quantile` of numbers with infinities another one than NumPy's. `mean` of float32 adds one number after the other
# in float32, so that the mean of 2**25 ones is 0.5 (numba issues 2855 and 3702). Nothing warns. `np.max`, `np.sort` and
# `np.unique` of a NaN agree with NumPy.
#
# Seen on 2026-11-29, Python 3.11.7: "median: NumPy nan nan nan, numba nan 2.0 3.0", "quantile: NumPy nan, numba inf",
# "mean: NumPy 1.0, numba 0.5".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet numba==0.68.1 numpy==2.4.6
cat > "$folder/compare.py" <<'PYTHON'
import warnings

import numba
import numpy as np

warnings.simplefilter("ignore")  # NumPy's, of infinity minus infinity
nan, seen = np.nan, []
for name, function, arrays in (
    ("median", lambda a: np.median(a), ([1, 2, 3, nan, nan], [1, 3, 2, nan, nan], [1, nan, 3, 2, nan])),
    ("quantile", lambda a: np.quantile(a, 0.5), ([1, np.inf],)),
    ("mean", lambda a: a.astype(np.float32).mean(), (np.ones(2**25),)),
):
    compiled, arrays = numba.njit(function), [np.array(array, float) for array in arrays]
    found = [" ".join(str(float(each(array))) for array in arrays) for each in (function, compiled)]
    print(f"{name}: NumPy {found[0]}, numba {found[1]}")
    seen += found
assert seen == ["nan nan nan", "nan 2.0 3.0", "nan", "inf", "1.0", "0.5"]
PYTHON
"$folder/venv/bin/python" "$folder/compare.py"
