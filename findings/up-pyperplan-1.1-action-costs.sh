#!/usr/bin/env bash
# up-pyperplan 1.1.0 (the newest) with unified-planning 1.3.0: `pyperplan-opt` ignores the costs of actions, and returns
# SOLVED_OPTIMALLY for a plan of cost 10 where one of cost 2 exists. The only sign is the warning that it cannot be
# established whether it can solve the problem. Its `supported_kind()` has PLAN_LENGTH only, but its status does not
# look at which metric the problem has. up-fast-downward 1.0.0's `fast-downward-opt` returns the plan of cost 2.
#
# Seen on 2026-11-29, Python 3.11.7: "fast-downward-opt: SOLVED_OPTIMALLY, cost 2: walk, walk_on",
# "pyperplan-opt: SOLVED_OPTIMALLY, cost 10: fly".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-cache-dir \
    unified-planning==1.3.0 up-pyperplan==1.1.0 up-fast-downward==1.0.0
cat > "$folder/costs.py" <<'PYTHON'
import unified_planning.shortcuts as up

up.get_environment().credits_stream = None
problem = up.Problem("journey")
home, half_way, arrived = (up.Fluent(name) for name in ("at_home", "half_way", "arrived"))
for fluent in (home, half_way, arrived):
    problem.add_fluent(fluent, default_initial_value=False)
problem.set_initial_value(home, True)
problem.add_goal(arrived)
costs = {}
for name, start, end, cost in (("fly", home, arrived, 10), ("walk", home, half_way, 1), ("walk_on", half_way, arrived, 1)):
    action = up.InstantaneousAction(name)
    action.add_precondition(start)
    action.add_effect(end, True)
    problem.add_action(action)
    costs[action] = up.Int(cost)
problem.add_quality_metric(up.MinimizeActionCosts(costs))
for name in ("fast-downward-opt", "pyperplan-opt"):
    with up.OneshotPlanner(name=name) as planner:
        result = planner.solve(problem)
    plan = [each.action.name for each in result.plan.actions]
    cost = sum(10 if action == "fly" else 1 for action in plan)
    print(f"{name}: {result.status.name}, cost {cost}: {', '.join(plan)}")
PYTHON
cd "$folder"
venv/bin/python -W ignore costs.py | tee output
[ "$(cat output)" = "fast-downward-opt: SOLVED_OPTIMALLY, cost 2: walk, walk_on
pyperplan-opt: SOLVED_OPTIMALLY, cost 10: fly" ]
