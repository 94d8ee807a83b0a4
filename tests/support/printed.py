"""What files for people hold: sheets, PDF files, pages with films."""

import json
import re
import zlib

import numpy as np
import pygame


def pixels(surface):
    return pygame.surfarray.array3d(surface)


def pages_of(data):
    """The pictures in a PDF, read by the table of its objects as a reader would."""
    begin = int(re.search(rb"startxref\n(\d+)\n%%EOF", data)[1])
    assert data[begin : begin + 4] == b"xref"
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n ", data[begin:])]
    objects = []
    for number, place in enumerate(places, start=1):
        assert data[place:].startswith(f"{number} 0 obj\n".encode())
        objects.append(data[place : data.index(b"\nendobj\n", place)])
    found = []
    for content in objects:
        if b"/Subtype /Image" in content:
            width, height, length = (
                int(re.search(rb"/%s (\d+)" % key, content)[1]) for key in (b"Width", b"Height", b"Length")
            )
            packed = content[content.index(b"stream\n") + 7 :][:length]
            found.append(np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width, 3))
    return found


def film_in(page):
    """The film in a page."""
    return json.loads(re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.DOTALL)[1])
