"""The pieces of a level, for drawing it by hand, in plain XSB."""

from ...engine.board.palette import Palette
from .boards import LARGEST

PIECES = {" ": "floor", "#": "wall", "@": "player", "$": "box", ".": "goal"}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(3, LARGEST),
    size=(8, 9),
    examples=lambda extent: (
        "##########\n#        #\n# @ $ .* #\n#        #\n##########\n",
        "##########\n#        #\n# + $    #\n#        #\n##########\n",
    ),
    combined={"*": ".$", "+": ".@"},
    single=("@",),
    border="#",
    aliases={"-": " ", "_": " "},
    visible_empty="-",
)
