"""The puzzles, one package each: ``__init__.py`` (the record), ``rules.py``, ``text.py``, ``drawing.py`` and others."""
