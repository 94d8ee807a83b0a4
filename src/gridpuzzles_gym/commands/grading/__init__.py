"""Grading somebody else's agents, each in a process of its own: the work of ``gridpuzzles grade``.

    agent_process.py   the parent's side of such a process: requests, replies, time limits
    hosting.py         that process: loads the file, constructs the class, calls predict
    isolation.py       what keeps the process apart: which sandbox the system has, and what an agent can read
    namespaces.py      the sandbox without bubblewrap
    restrictions.py    limits, and the filter of system calls
    contest.py         the same episodes for every agent
    grades.py          marks, and the table
    report.py          the page
    template.py        an agent to begin with
    grading.py         all of it together

Marks, levels and seeds stay in the grader; a process gets observations only. What the sandbox keeps agents from is
the table in ``docs/guides/teaching-a-course.md``, and tests show each line of it.
"""
