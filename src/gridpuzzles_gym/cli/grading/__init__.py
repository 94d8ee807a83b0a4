"""Agents that others wrote, each in a process of its own: the parts of ``gridpuzzles grade``.

``contest`` plays the episodes, and ``agent_process`` is the process of an agent with the grader's side of it. Marks,
levels and seeds stay in the grader; an agent's process gets observations only.
"""
