"""The site in a real browser."""

import pytest
from browser import DESKTOP, Visit, served_site


@pytest.fixture(scope="session")
def address():
    with served_site() as address:
        yield address


@pytest.fixture
def visit(browser, address):
    """Starts a person's visit."""

    def start(size=DESKTOP, **options):
        return Visit(browser, address, size, **options)

    return start
