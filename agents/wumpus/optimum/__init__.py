"""The best that can be done in a small cave, and the tables to do it: see ``docs/wumpus-optimum.md``.

world.py        a cave's squares, walks and pits, counted once
knowledge.py    what the agent may know, packed into one number; how likely each percept is
relaxed.py      an upper bound of what a piece of knowledge is worth, wherever the agent stands
exact.py        what it is worth where the agent stands, and the steps left
solver.py       the search that both share: depth first, each piece of knowledge once
policy.py       the solution as a table, kept on disk
playing.py      the table, followed action by action
"""
