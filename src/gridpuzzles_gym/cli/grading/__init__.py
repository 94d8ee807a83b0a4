"""Agents that others wrote, each in a process of its own: the parts of ``gridpuzzles grade``.

``contest`` plays the episodes and computes marks, ``agent_process`` is the grader's side of an agent's process, and
``host`` the agent's. Marks, levels and seeds stay in the grader; an agent's process gets observations only.
"""
