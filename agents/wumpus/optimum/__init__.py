"""The optimal policy of a small cave, and the tables to play it: see ``docs/wumpus-optimum.md``. Private.

world.py        a cave's squares, walks and pits, computed once
knowledge.py    the agent's knowledge, packed into one number; the probability of each percept
exact.py        the value of a knowledge state: an upper bound wherever the agent is, and the exact one
policy.py       the solution as a table, kept on disk
playing.py      plays by the table, action by action; what it knows about the squares that it could enter next
"""
