"""The text of a web page, which may contain levels as rows of symbols."""

import re
from html.parser import HTMLParser

from .html_import import BLOCKS, without_stray_brackets

_VERBATIM = {"pre", "textarea", "listing", "xmp"}
_UNSEEN = {"script", "style", "title"}
_NEW_LINE = {*BLOCKS, *_VERBATIM, "br", "hr", "table", "tr", "dd", "dt", "blockquote", "code"}
_SOURCE_LINE_END = re.compile(r"[ \t]*\r?\n[ \t]*")


class _Reader(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.verbatim: list[str] = []
        self.everything: list[str] = [""]
        self._line = 1
        """The line that ``verbatim`` has got to."""
        self._open: list[str] = []
        """The elements whose text is verbatim or unseen."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VERBATIM:
            self._keep("\n" * max(self.getpos()[0] - self._line, 0))  # each line is where it is in the page
        elif tag == "br" and self._verbatim():
            self._keep("\n")
        if tag in _VERBATIM or tag in _UNSEEN:
            self._open.append(tag)
        self._end_line(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_line(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            del self._open[self._open.index(tag) :]
        self._end_line(tag)

    def handle_data(self, data: str) -> None:
        if self._verbatim():
            self._keep(data)
            self.everything.append(data)
        elif not self._open:
            data = _SOURCE_LINE_END.sub("\n", data)
            if self.everything[-1].endswith("\n"):
                data = data.lstrip("\n")
            self.everything.append(data.replace("\n", " "))

    def _verbatim(self) -> bool:
        return bool(self._open) and self._open[-1] in _VERBATIM

    def _keep(self, text: str) -> None:
        self.verbatim.append(text)
        self._line += text.count("\n")

    def _end_line(self, tag: str) -> None:
        if tag in _NEW_LINE:
            self.everything.append("\n")


def texts_of(page: str) -> tuple[str, str]:
    """Return the preformatted text of a page, each line where it is in the page, and all of its text."""
    reader = _Reader()
    reader.feed(without_stray_brackets(page))
    reader.close()
    return "".join(reader.verbatim), "".join(reader.everything)
