#!/usr/bin/env bash
# pytest-xdist 3.8.0 (the newest) with pytest 9.2.0: tests of one `xdist_group` are spread over all workers, and nothing
# says so. With pytest 9.1.1 the same command runs them in one worker, as the documentation of `--dist loadgroup` has it.
# pytest-xdist writes the group into `item._nodeid`, which pytest 9.2 no longer reads.
#
# Seen on 2026-11-28, Python 3.11.7: "pytest 9.1.1: 1 worker", "pytest 9.2.0: 2 workers".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/test_group.py" <<'PYTHON'
import os
import time

import pytest


@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(20))
def test_in_a_group(number):
    time.sleep(0.02)
    with open(os.environ["WORKERS"], "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\n")
PYTHON
workers() {  # the number of workers that ran tests of the group, with this version of pytest
    python3 -m venv "$folder/venv-$1"
    "$folder/venv-$1/bin/python" -m pip install --quiet "pytest==$1" pytest-xdist==3.8.0
    (cd "$folder" && WORKERS="$folder/workers-$1" "venv-$1/bin/python" -m pytest -q -n 2 --dist loadgroup \
        -p no:cacheprovider test_group.py) > "$folder/log-$1"
    sort -u "$folder/workers-$1" | wc -l
}
before=$(workers 9.1.1)
after=$(workers 9.2.0)
echo "pytest 9.1.1: $before worker"
echo "pytest 9.2.0: $after workers"
[ "$before" -eq 1 ] && [ "$after" -eq 2 ]
