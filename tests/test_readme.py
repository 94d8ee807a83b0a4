"""The code in the README runs and prints what it says."""

import doctest
import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_code_in_the_readme_runs():
    failures, tried = doctest.testfile(str(README), module_relative=False)
    assert tried > 8
    assert failures == 0


def test_the_pictures_of_the_readme_are_there():
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README.read_text())
    assert pictures
    for picture in pictures:
        assert (README.parent / picture).is_file(), picture
