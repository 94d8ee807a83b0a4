"""The puzzles, one package each: ``__init__.py`` (the record), ``rules.py``, ``text.py``, ``picture.py`` and others.

The package of every puzzle is public; the table of environments names them.
"""

__all__: list[str] = []
