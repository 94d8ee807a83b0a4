"""PDF files of pictures, one on each page."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

POINTS_PER_INCH = 72


class Page(NamedTuple):
    """A picture that fills a page."""

    width: int
    height: int
    """In pixels."""
    pixels: bytes
    """The red, green and blue of each pixel, row by row from the top."""


def pdf_of(pages: Sequence[Page], dots_per_inch: int) -> bytes:
    """Return a PDF file (ISO 32000-1) with the pictures, losslessly compressed.

    Args:
        pages: The pictures; at least one.
        dots_per_inch: Their resolution, which determines the size of the pages.
    """
    numbers = range(3, 3 + 3 * len(pages), 3)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{number} 0 R' for number in numbers)}] >>".encode(),
    ]
    for number, page in zip(numbers, pages, strict=True):
        width, height = (side * POINTS_PER_INCH / dots_per_inch for side in page[:2])
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}] /Contents {number + 1} 0 R "
            f"/Resources << /XObject << /Picture {number + 2} 0 R >> >> >>".encode(),
            _stream("", f"{width:.2f} 0 0 {height:.2f} 0 0 cm /Picture Do".encode()),
            _stream(
                f"/Type /XObject /Subtype /Image /Width {page.width} /Height {page.height} /ColorSpace /DeviceRGB "
                "/BitsPerComponent 8 /Filter /FlateDecode ",
                zlib.compress(page.pixels, 9),
            ),
        ]
    return _file(objects)


def _stream(entries: str, content: bytes) -> bytes:
    return f"<< {entries}/Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _file(objects: Sequence[bytes]) -> bytes:
    """Return a file of numbered objects, the first of which is the catalogue, with the table of their positions."""
    text = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(text))
        text += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return text + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()
