"""A posted form with one file, whose bytes go at once to where they will lie; nothing is spooled beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from app.errors import InvalidInputError
from app.language import _
from app.uploads import incoming

if TYPE_CHECKING:
    from fastapi import Request
    from python_multipart.multipart import MultipartCallbacks

    from app.results.files import Arriving

LONGEST_FIELD = 1000  # bytes
MOST_PARTS = 6


@dataclass
class SentForm:
    """The file's name, "" where none was chosen, and the fields beside it."""

    name: str = ""
    fields: dict[str, str] = field(default_factory=dict)


async def read_sent(request: Request, form: SentForm, arriving: Arriving) -> None:
    """Fill `form`, and `arriving` with its file. Raises InvalidInputError and what `incoming` and `arriving` raise."""
    kind, options = parse_options_header(request.headers.get("content-type"))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise InvalidInputError(_("choose a file"))
    reader = _Reader(form, arriving)
    try:
        parser = MultipartParser(boundary, reader.callbacks())
        async for data in incoming(request):
            parser.write(data)
        parser.finalize()
    except FormParserError as error:
        raise InvalidInputError(_("what came is no form; choose the file again")) from error
    if not reader.ended:
        raise InvalidInputError(_("the form ends in the middle of the file; choose the file again"))


class _Reader:
    """Follows the parser through the form's parts."""

    def __init__(self, form: SentForm, arriving: Arriving) -> None:
        self._form = form
        self.ended = False
        self._arriving = arriving
        self._parts = 0
        self._files = 0
        self._header = [b"", b""]
        self._disposition = b""
        self._field = ""
        self._is_file = False
        self._value = b""

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._add(0, data[start:end]),
            "on_header_value": lambda data, start, end: self._add(1, data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_end,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._all,
        }

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise InvalidInputError(_("the form has too many fields"))
        self._disposition, self._value = b"", b""

    def _add(self, which: int, data: bytes) -> None:
        self._header[which] += data

    def _header_end(self) -> None:
        name, value = self._header
        if name.lower() == b"content-disposition":
            self._disposition = value
        self._header = [b"", b""]

    def _headers_end(self) -> None:
        _kind, options = parse_options_header(self._disposition)
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        self._is_file = b"filename" in options
        if self._is_file:
            self._files += 1
            if self._files > 1 or self._field != "file":
                raise InvalidInputError(_("send one file at a time, in the field `file`"))
            self._form.name = options[b"filename"].decode("utf-8", "replace")

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._is_file:
            self._arriving.write(data[start:end])
            return
        self._value += data[start:end]
        if len(self._value) > LONGEST_FIELD:
            raise InvalidInputError(_("a field of the form is too long"))

    def _end(self) -> None:
        if not self._is_file:
            self._form.fields[self._field] = self._value.decode("utf-8", "replace")

    def _all(self) -> None:
        self.ended = True
