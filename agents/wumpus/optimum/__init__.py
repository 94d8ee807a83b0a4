"""The optimal policy of a small cave, and the tables to play it: see ``docs/wumpus-optimum.md``. Private.

world.py        a cave's squares, walks and pits, computed once
knowledge.py    the agent's knowledge, packed into one number; the probability of each percept
relaxed.py      an upper bound on the value of a knowledge state, wherever the agent stands
exact.py        its exact value, given where the agent stands and the steps left
solver.py       the search that both share: depth first, each knowledge state once
policy.py       the solution as a table, kept on disk
playing.py      plays by the table, action by action
off_policy.py   plays on from states that the optimal policy does not reach
odds.py         what it knows about the squares that it could enter next
"""
