"""Evaluating a language model behind an OpenAI-compatible endpoint: the work of ``gridpuzzles ask``. Private.

- :mod:`.endpoint` sends one request; :mod:`.retrying` sends it again after temporary errors.
- :mod:`.budget` limits requests, tokens and seconds.
- :mod:`.episodes` and :mod:`.items` are the two kinds of work: whole episodes, and single-turn tasks.
- :mod:`.running` does several at once; :mod:`.journal` saves each when it is finished, for ``--resume``.
- :mod:`.references`, :mod:`.results` and :mod:`.films` compute baselines and write the table and the page.
"""
