"""A real browser for tests of pages: Chromium as the system has it, driven by Playwright; nothing is downloaded."""

import contextlib
import gzip
import shutil
import threading

from gridpuzzles_gym.web.assembly import site
from gridpuzzles_gym.web.serving import Server

PHONE, DESKTOP = (390, 844), (1440, 900)


def why_not():
    """Return why no browser can be driven here; empty if one can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed"
    return "" if chromium() else "Chromium is not installed"


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextlib.contextmanager
def running_browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


def served_site():
    """Serve the site from this process; yield its address."""
    return served(site())


@contextlib.contextmanager
def served(files):
    """Serve files from this process; yield the address."""
    with Server(files) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.address
        server.shutdown()


class Visit:
    """A person's visit: one page, and everything that it asked for or complained of."""

    def __init__(self, browser, address, size, **options):
        width, height = size
        options = {"has_touch": True, "is_mobile": True} | options if width < 600 else options
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.session = self.context.new_cdp_session(self.page)
        self.address = address
        self.requests, self.bytes, self.complaints = [], 0, []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfinished", self._count)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)

    def _count(self, request):
        """Count what a server that compresses would send."""
        self.bytes += len(gzip.compress(request.response().body())) + request.sizes()["responseHeadersSize"]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()
        if not error[0]:
            assert self.complaints == []
            assert [url for url in self.requests if not url.startswith(self.address)] == []

    def open(self, path):
        """Open a page; return the milliseconds until it could be used."""
        self.page.goto(self.address + path)
        self.page.wait_for_selector("body[data-ready]")
        return int(self.page.get_attribute("body", "data-ready"))

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def swipe(self, selector, directions):
        """Swipe with a finger from the middle of an element, up (U), down, left and right, one after the other."""
        box = self.page.locator(selector).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for direction in directions:
            right, down = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}[direction]
            self.touch("touchStart", x, y)
            for far in (20, 40, 60):  # a finger takes its time: after a jump, the browser ignores the next tap
                self.touch("touchMove", x + far * right, y + far * down)
                self.page.wait_for_timeout(8)
            self.touch("touchEnd")

    def touch(self, kind, *point):
        """Send one event of a finger."""
        points = [dict(zip("xy", point, strict=True))] if point else []
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def words(self, selector):
        return self.page.locator(selector).inner_text()
