#!/usr/bin/env bash
# stormpy 2.0.0, which contains the model checker Storm: expected rewards until a state, `R[F …]`, of a Markov decision
# process whose rewards are negative are wrong, and nothing warns. Here a step costs 1 until one goes: at best -1, and as
# little as one likes. Storm says infinity and -1, and bounds that exclude the true values, with doubles and with
# fractions. For total rewards, `R[C]`, it is an error that negative rewards are not implemented. With a limit of steps,
# `R[C<=k]`, they are right; so are costs with the sign changed. Related: stormchecker/storm issues 29 and 1061.
#
# Seen on 2026-11-29, Python 3.11.7: "rewards, max: inf in [inf, inf]", "rewards, min: -1.0 in [-1.0, -1.0]",
# "rewards, max within 10 steps: -1.0", "costs, min: 1.0 in [1.0, 1.0]".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet stormpy==2.0.0
cat > "$folder/model.prism" <<'PRISM'
mdp
module game
s : [0..1] init 0;
[wait] s=0 -> true;
[go] s=0 -> (s'=1);
[end] s=1 -> true;
endmodule
rewards "reward" [wait] true : -1; [go] true : -1; endrewards
rewards "cost" [wait] true : 1; [go] true : 1; endrewards
PRISM
cat > "$folder/check.py" <<'PYTHON'
import sys

import stormpy

program, seen = stormpy.parse_prism_program(sys.argv[1]), []
for name, formula in (
    ("rewards, max", 'R{"reward"}max=? [F s=1]'),
    ("rewards, min", 'R{"reward"}min=? [F s=1]'),
    ("rewards, max within 10 steps", 'R{"reward"}max=? [C<=10]'),
    ("costs, min", 'R{"cost"}min=? [F s=1]'),
):
    properties = stormpy.parse_properties(formula, program)
    model = stormpy.build_model(program, properties)
    result = stormpy.model_checking(model, properties[0])
    value = result[model.initial_states[0]]
    print(f"{name}: {value.value}" + ("" if "C" in formula else f" in [{value.lower}, {value.upper}]"))
    seen.append(value.value)
assert seen == [float("inf"), -1, -1, 1]
PYTHON
"$folder/venv/bin/python" "$folder/check.py" "$folder/model.prism"
