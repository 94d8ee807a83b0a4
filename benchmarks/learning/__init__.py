"""The learning curves and scores of docs/learning.md: ``python -m benchmarks.learning``, in the repository's folder.

    plan.toml     what is trained, tested and drawn
    plan.py       reads it
    training.py   trains, tests and saves one run after another; goes on where it was stopped
    testing.py    plays a model or an agent on test levels
    results.py    the files in docs/learning/: small, one pair for each run, so results of several machines add up
    charts.py     draws them
    page.py       writes the tables of docs/learning.md

Drawing needs the files in docs/learning/ only, and no PyTorch.
"""
