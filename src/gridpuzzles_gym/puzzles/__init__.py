"""The puzzles, one flat each: ``__init__.py`` (the record), ``rules.py``, ``text.py``, ``drawing.py``."""
