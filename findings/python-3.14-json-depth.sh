#!/usr/bin/env bash
# Python 3.14 and 3.15: `json.loads` returns lists that are nested 50,000 deep, for which Python up to 3.13 raised
# RecursionError; `sys.setrecursionlimit` has no part in it. What is returned can be printed, but `pickle.dumps` and
# `copy.deepcopy` raise RecursionError. Who relied on `except RecursionError` for a message to the sender gets it
# later, and elsewhere. The limit is that of the stack: 200,000 deep, both raise.
#
# Needs python3.13 and python3.14 on the PATH. Seen on 2026-11-29, Debian: "3.13.15: loads RecursionError",
# "3.14.8: loads right, dumps right, pickle RecursionError, deepcopy RecursionError"; 3.15.0 as 3.14.8.
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/deep.py" <<'PYTHON'
import copy
import json
import pickle
import platform

text, value, seen = "[" * 50_000 + "]" * 50_000, None, {}
for name, work in (
    ("loads", lambda: json.loads(text)),
    ("dumps", lambda: json.dumps(value)),
    ("pickle", lambda: pickle.dumps(value)),
    ("deepcopy", lambda: copy.deepcopy(value)),
):
    try:
        result = work()
        value = result if name == "loads" else value
        seen[name] = "right"
    except RecursionError:
        seen[name] = "RecursionError"
        if name == "loads":
            break
print(f"{platform.python_version()}:", ", ".join(f"{name} {what}" for name, what in seen.items()))
PYTHON
python3.13 "$folder/deep.py" | tee "$folder/before"
python3.14 "$folder/deep.py" | tee "$folder/after"
grep -q ": loads RecursionError$" "$folder/before"
grep -q ": loads right, dumps right, pickle RecursionError, deepcopy RecursionError$" "$folder/after"
