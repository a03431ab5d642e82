"""WHAT MAY A STRANGER'S TEXT DO IN THE PAGE? Be read, and nothing else.

# visible  a text with every character that would hide, reorder or break it written out
# packed   facts as compressed base64: whatever is in them, there is nothing in it that HTML could see
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from hashlib import sha256
from typing import Any

import numpy as np

# Control characters but tab and line feed, marks and overrides of direction, characters without width that
# are no part of any script or emoji, separators that end a line of JavaScript, tags, and half characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: object, most: int | None = None) -> str:
    r"""The text as it may be shown: what could not be seen is written out, what is too long is cut.

    >>> visible("invoice\u202egnp.exe"), visible("a\x00b"), visible("12345678", most=5)
    ('invoice‹U+202E›gnp.exe', 'a‹U+0000›b', '1234…')
    """
    words = str(text).replace("\r\n", "\n")
    if most is not None and len(words) > most:
        words = words[: max(most - 1, 1)] + "…"
    return _UNSEEN.sub(_written_out, words)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is no UTF-8
        return f"‹{code - 0xDC00:#04x}›"
    return f"‹U+{code:04X}›"


def packed(facts: Any) -> str:
    """JSON, deflated, in base64; the page's script has the way back."""
    text = json.dumps(facts, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode(), 9)).decode()


def numbers(values: Any, dtype: str) -> str:
    """An array as base64 of its little-endian bytes, for a typed array in the page."""
    return b64encode(np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()).decode()


def policy(*scripts: str) -> str:
    """The Content-Security-Policy: these scripts and no others, pictures within the page, no request.

    Styles are allowed where they stand, because the plots make theirs while they are drawn; without
    requests a style can do no harm. There is no 'unsafe-eval': nothing in the page makes code of a text.
    """
    hashes = " ".join(f"'sha256-{b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
