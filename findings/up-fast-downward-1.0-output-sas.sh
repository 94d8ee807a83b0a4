#!/usr/bin/env bash
# up-fast-downward 1.0.0 (the newest) with unified-planning 1.3.0: its domain, problem and plan are in a temporary
# folder, but Fast Downward's translation, output.sas, is written into the current folder. Two processes that plan in
# the same folder at the same time overwrite it, and one gets a plan of the other's problem, SOLVED_OPTIMALLY, with
# nothing said; or an error, if it has no such action. Each in a folder of its own, all plans are right.
#
# Seen on 2026-11-29, Python 3.11.7, two cores: "a folder each: 0 of 80 plans are another problem's", "one folder: 1 of
# 80 plans are another problem's, in round 1 of 12"; it is a race, so the number and the round differ.
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-cache-dir unified-planning==1.3.0 up-fast-downward==1.0.0
cat > "$folder/chain.py" <<'PYTHON'
import sys

import unified_planning.shortcuts as up

up.get_environment().credits_stream = None
length = int(sys.argv[1])  # the only plan has so many actions
problem, step = up.Problem("chain"), {}
facts = [up.Fluent(f"fact{k}") for k in range(length + 1)]
for fact in facts:
    problem.add_fluent(fact, default_initial_value=False)
problem.set_initial_value(facts[0], True)
problem.add_goal(facts[-1])
for k in range(length):
    action = up.InstantaneousAction(f"step{k}")
    action.add_precondition(facts[k])
    action.add_effect(facts[k + 1], True)
    problem.add_action(action)
    step[action] = up.Int(1)
problem.add_quality_metric(up.MinimizeActionCosts(step))
for _ in range(20):
    try:
        with up.OneshotPlanner(name="fast-downward-opt") as planner:
            result = planner.solve(problem)
    except up.exceptions.UPException as error:
        print("error:", error)
        continue
    found = len(result.plan.actions) if result.plan else 0
    right = result.status.name == "SOLVED_OPTIMALLY" and found == length
    print("right" if right else "another's" if result.plan else "error", result.status.name, found)
PYTHON
plan() {  # in the folder $2, for a problem whose plan has $1 actions
    mkdir -p "$folder/$2"
    (cd "$folder/$2" && "$folder/venv/bin/python" "$folder/chain.py" "$1") > "$folder/log-$1" 2>&1
}
others() {  # the number of plans of another problem, with four processes in the folders $1$2, …
    for length in 3 5 7 9; do plan "$length" "$1${2:+$length}" & done
    wait
    cat "$folder"/log-* | grep -c "^another's SOLVED_OPTIMALLY" || true
}
apart=$(others each by-length)
together=0 rounds=0
while [ "$together" -eq 0 ] && [ "$rounds" -lt 12 ]; do
    together=$(others one)
    rounds=$((rounds + 1))
done
echo "a folder each: $apart of 80 plans are another problem's"
echo "one folder: $together of 80 plans are another problem's, in round $rounds of 12"
[ "$together" -gt 0 ] && [ "$apart" -eq 0 ]
