#!/usr/bin/env bash
# cavepacker-data 2.5.2 in Debian 12: one of its 1,015 Sokoban levels, grigrspecial0040.sok, begins with every box on a
# goal. It is meant so: the boxes are pushed away and back, and the file .sol beside it has 205 moves that do that. In a
# program that looks for the end before the first move, it is solved at once, with nothing to play.
#
# Needs Debian's apt-get and dpkg-deb. Seen on 2026-11-29: "begins solved: grigrspecial0040, 6 boxes", and no other.
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download --quiet cavepacker-data > log 2>&1
dpkg-deb --extract cavepacker-data_*.deb data
cat > solved.py <<'PYTHON'
from pathlib import Path

found = []
for file in sorted(Path("data/usr/share/games/cavepacker/maps").glob("*.sok")):
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    board = "".join(line for line in lines if "#" in line and {*line} <= {*"#@+$*. "})
    if "$" not in board:
        found.append((file.stem, board.count("*")))
        print(f"begins solved: {file.stem}, {board.count('*')} boxes")
assert found == [("grigrspecial0040", 6)]
PYTHON
python3 solved.py
