"""Level samplers: objects that an environment takes as ``levels=`` and that decide what it plays next.

    Pack          levels of a pack, all equally likely or by weights
    Drawn         levels that a puzzle's own rules draw: caves, mazes, scrambled tiles
    Avoiding      the same without certain levels, those of a test above all
    OnTheFly      levels made by processes in the background, so that training never waits
    Curriculum    levels by difficulty, harder as they are solved more often; or stages, each a sampler
    LevelReplay   levels again from which there is most to learn: prioritised level replay

Any of them may be the source of another. A sampler serves one environment, or one vector of them; its memory is part
of the environment's :meth:`get_state`, and with equal seeds it hands out equal levels.
"""

from .avoiding import Avoiding
from .base import Tagged
from .curriculum import Curriculum
from .generated_levels import GeneratedLevels
from .on_the_fly import OnTheFly
from .pack import Pack
from .replay import LevelReplay

__all__ = ["Avoiding", "Curriculum", "GeneratedLevels", "LevelReplay", "OnTheFly", "Pack", "Tagged"]
