"""The optimal policies of the default cave, without and with a climb action: solving the first takes 1½ minutes.

``python -m gridpuzzles_gym.agents.wumpus.optimum.tables`` solves them and writes the files of this folder again.
"""
