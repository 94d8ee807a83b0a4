"""The README as the package index shows it: links and pictures of the repository become addresses."""

import re
from pathlib import Path

from setuptools import setup

REPOSITORY = "https://github.com/gridpuzzles/gridpuzzles_gym"
RELATIVE = r"(?!https?:|mailto:|#)"


def addressed(markdown: str) -> str:
    """Replace relative links, outside blocks of code, by addresses; links to headings of the same page stay."""
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.M | re.S)
    for place, prose in enumerate(parts[::2]):
        pictured = re.sub(rf"(!\[[^]]*\]\(){RELATIVE}", rf"\g<1>{REPOSITORY}/raw/main/", prose)
        parts[2 * place] = re.sub(rf"(\]\(){RELATIVE}", rf"\g<1>{REPOSITORY}/blob/main/", pictured)
    return "".join(parts)


if __name__ == "__main__":
    readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    setup(long_description=addressed(readme), long_description_content_type="text/markdown")
