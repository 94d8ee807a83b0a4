"""Grading agents that others wrote, each in its own process: the work of ``gridpuzzles grade``.

    agent_process.py   the grader's side of such a process: requests, replies, time limits
    hosting.py         the agent's side: loads the file, constructs the class, calls predict
    isolation.py       which sandbox the system has, and what an agent can read
    namespaces.py      the sandbox without bubblewrap
    restrictions.py    resource limits and the system-call filter
    contest.py         plays the same episodes with every agent
    grades.py          marks and the table
    report.py          the HTML page
    template.py        an agent to start from
    grading.py         puts it all together

Marks, levels and seeds stay in the grader; an agent's process gets observations only. The table in
``docs/guides/teaching-a-course.md`` lists what the sandbox prevents; tests cover each row of it.
"""

__all__ = ["grading"]
