"""Packs of graded levels on disk."""

from gridpuzzles_gym.agents.sokoban.generation.packs import table_text
from gridpuzzles_gym.engine.levels.sources import levels_text


def write_pack(path, boards, grades):
    """Write a level file and its table, and return the path of the table."""
    path.write_text(levels_text([grade.title for grade in grades], ["\n".join(rows) for rows in boards]))
    table = path.with_suffix(".csv")
    table.write_text(table_text(grades))
    return table
