"""Sokoban levels as pages of the web show them: a table of images."""

ROWS = ("#######", "#+   .#", "# $$* #", "#     #", "#######")
NAMES = {"#": "wall", " ": "floor", "@": "player", "+": "player_on_goal", "$": "box", "*": "box_on_goal", ".": "goal"}


def image(name):
    return f'<img src="http://puzzles.example/img/{name}.gif?v=2" width=16>'


def table(rows=ROWS, names=NAMES, tile=image):
    lines = ("<tr>" + "".join(f"<td>{tile(names[symbol])}</td>" for symbol in row) + "</tr>\n" for row in rows)
    return f"<html><body><table>{''.join(lines)}</table></body></html>"
