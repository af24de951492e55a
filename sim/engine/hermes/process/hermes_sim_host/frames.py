"""Length-prefixed frames of plain data over binary streams.

A frame is an 8-byte big-endian length and a pickle of plain data (dict, list, tuple, str, numbers, None). Strings keep
lone surrogates; a frame that names any class is refused, so a frame can hold data only.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import Any, BinaryIO

_HEADER = struct.Struct(">Q")
_PROTOCOL = 4


class FrameError(Exception):
    """The stream ended inside a frame, or a frame held more than plain data."""


class _PlainData(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise FrameError(f"a frame may hold plain data only, not {module}.{name}")


def encode(message: Any) -> bytes:
    """One frame, header included."""
    body = pickle.dumps(message, _PROTOCOL)
    return _HEADER.pack(len(body)) + body


def write(stream: BinaryIO, frame: bytes) -> None:
    """Send an encoded frame at once."""
    stream.write(frame)
    stream.flush()


def read(stream: BinaryIO) -> Any:
    """The next message.

    Raises:
        EOFError: the other side closed the stream between frames.
        FrameError: it ended inside a frame.
    """
    header = stream.read(_HEADER.size)
    if not header:
        raise EOFError
    if len(header) < _HEADER.size:
        raise FrameError("stream ended inside a frame header")
    (length,) = _HEADER.unpack(header)
    body = stream.read(length)
    if len(body) < length:
        raise FrameError("stream ended inside a frame")
    return _PlainData(io.BytesIO(body)).load()
