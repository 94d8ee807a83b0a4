"""What learners reach, a row of docs/learning.md a recipe: training, tests, the table and its picture.

rows.toml    the rows: what is trained, and on what it is tested
runs.py      trains and tests one run; its result is a file in docs/learning
page.py      the table and the picture, made of these files
shipping.py  makes a trained model the bundled one
"""
