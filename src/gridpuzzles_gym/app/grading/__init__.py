"""Grading somebody else's agents, each in a process of its own: the work of ``gridpuzzles grade``.

    agent_process.py   the parent's side of such a process: requests, replies, time limits
    guard.py           the process that it starts: it runs the agent in a child, and ends all that the child leaves
    hosting.py         that child: loads the file, constructs the class, calls predict
    restrictions.py    what the child may not do
    contest.py         the same episodes for every agent
    grades.py          marks, and the table
    report.py          the page
    template.py        an agent to begin with
    grading.py         all of it together

This keeps mistakes and mischief of a class from each other, from the grades and from the machine's memory and time. It
is no sandbox for hostile code: that needs a container or a virtual machine.
"""
