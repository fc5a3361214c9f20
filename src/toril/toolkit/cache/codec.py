"""How values become bytes, and become values again."""

from typing import Final, Generic, Protocol, TypeVar, cast

import msgspec

from toril.core import codec as json
from toril.core.errors import UndecodableError

V = TypeVar("V")


class Codec(Protocol[V]):
    """Between values and bytes. Both ways must be safe: anybody may have written the bytes."""

    @property
    def mark(self) -> int:
        """0 to 255, stored with each value: what has the mark of another codec is not read.

        Those of toril are below 128.
        """
        ...

    def encode(self, value: V, /) -> bytes:
        """The bytes; raises `BadInputError` for what cannot be stored."""
        ...

    def decode(self, payload: bytes, /) -> V:
        """The value; raises `UndecodableError`, or any `ValueError`."""
        ...


class JsonCodec(Generic[V]):
    """Strict JSON: what other readers would take for another value is refused.

    With a type, such as a dataclass, a `msgspec.Struct` or `list[int]`, what is read is one, or
    an error. Without, it is what JSON makes of it.

    >>> JsonCodec(list[int]).decode(b"[1, 2]")
    [1, 2]
    """

    mark: Final = 1

    def __init__(self, kind: type[V] | None = None) -> None:
        self._read: Final = None if kind is None else msgspec.json.Decoder(kind).decode

    def encode(self, value: V, /) -> bytes:
        """Compact JSON.

        Raises:
            BadInputError: names the path within the value.
        """
        return json.encode(value, field="value")

    def decode(self, payload: bytes, /) -> V:
        """The value.

        Raises:
            UndecodableError: it is not JSON, or not of the type.
        """
        if self._read is None:
            return cast("V", json.decode(payload, field="value"))
        try:
            return self._read(payload)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise UndecodableError("value", f"{error}") from error
