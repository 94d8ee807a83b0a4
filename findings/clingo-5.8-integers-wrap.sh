#!/usr/bin/env bash
# clingo 5.8.3: integers of the language have 32 bits, and larger ones wrap around without a word: those that are written,
# results, and `-c n=…`. A cost of `#minimize` or a `#sum` that is too large is an error, and a division by zero at least
# a message. Wrapping is intended (potassco/clingo issue 89).
#
# Seen on 2026-11-29, Python 3.11.7: "written: a(1215752191)", "added: a(-2147483648)", "given: a(1)",
# "divided: nothing, and a message", "summed: RuntimeError".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet clingo==5.8.3
cat > "$folder/wrap.py" <<'PYTHON'
import clingo

seen = {}
for name, program, options in (
    ("written", "a(99999999999).", []),
    ("added", "a(2147483647 + 1).", []),
    ("given", "a(n).", ["-c", "n=4294967297"]),
    ("divided", "a(1 / 0).", []),
    ("summed", "{ x }. :- #sum { 2147483647, 1 : x; 2147483647, 2 : x } > 5.", []),
):
    messages, models = [], []
    try:
        control = clingo.Control(options, logger=lambda code, message: messages.append(message))
        control.add("base", [], program)
        control.ground([("base", [])])
        control.solve(on_model=lambda model: models.append(str(model) or "nothing"))
        seen[name] = models[0] + (", and a message" if messages else "")
    except RuntimeError:
        seen[name] = "RuntimeError"
    print(f"{name}: {seen[name]}")
assert [*seen.values()] == ["a(1215752191)", "a(-2147483648)", "a(1)", "nothing, and a message", "RuntimeError"]
PYTHON
"$folder/venv/bin/python" "$folder/wrap.py"
