"""Check a built site: ``python -m docs.site.checking FOLDER``.

Every link, picture, script and style of a page must lead to a file of the site, and to an anchor that is there; nothing
may be loaded from another host. Of addresses of other hosts in links only the syntax is checked.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""The attributes whose address a browser loads by itself."""


class Page(HTMLParser):
    """The links of a page, the files that it loads, and its anchors.

    Args:
        text: The page.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read one element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if LOADED.get(tag) in values:
            self.loaded.append(values[LOADED[tag]])


def faults(site: Path) -> Iterator[str]:
    """Yield the faults of a site, one line each."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site}: no pages"
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{where}: loads {address} from another host"
        for address in dict.fromkeys([*page.links, *page.loaded]):
            problem = _problem(address, path, pages)
            if problem:
                yield f"{where}: {address}: {problem}"


def _problem(address: str, path: Path, pages: dict[Path, Page]) -> str:
    """Return what is wrong with an address on a page; empty if nothing is."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        return str(error)
    if parts.scheme in ("data", "mailto"):
        return ""
    if parts.scheme or parts.netloc:
        return "" if parts.scheme in ("http", "https") and "." in parts.netloc else "not a web address"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return "no such file"
    if target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "no such anchor"
    return ""


def main(site: Path) -> int:
    """Print the faults of a site; return 1 if there are any, else 0."""
    found = list(faults(site))
    for line in found:
        print(line, file=sys.stderr)
    print(f"{site}: {len(list(site.rglob('*.html')))} pages checked, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
