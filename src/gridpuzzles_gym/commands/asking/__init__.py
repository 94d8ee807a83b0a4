"""Evaluating a language model behind an OpenAI-compatible endpoint: the work of ``gridpuzzles ask``.

- :mod:`.endpoint` sends one request; :mod:`.retrying` sends it again where that helps.
- :mod:`.budget` limits requests, tokens and seconds.
- :mod:`.episodes` and :mod:`.items` are what a model is asked: whole episodes, or tasks of one turn.
- :mod:`.running` asks several at once; :mod:`.journal` keeps what is finished, so that an interruption loses nothing.
- :mod:`.references`, :mod:`.results` and :mod:`.films` make the table and the page.
"""
