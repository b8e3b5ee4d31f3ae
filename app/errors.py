"""Everything that can go wrong by a caller's doing, as a tree. No HTTP here: the edges map a code to a status.

AppError
├── NotFoundError         an id that names nothing
├── InvalidInputError     a value that cannot be taken, with one detail a problem
│   ├── CardInvalidError  a card with its findings, each with rule, line and column
│   ├── BodyInvalidError  another body with the same
│   ├── UnreadError       a file in which no measurement can be read
│   ├── SettingError      a setting of the environment that cannot be taken; stops every command
│   └── OtherBytesError   bytes that differ from those which are kept under the same name
├── UnauthorizedError     nobody known is asking
├── ForbiddenError        somebody known, who may not do this
├── ConflictError         the thing is no longer as the caller saw it
│   ├── LeaseLostError    the job is no longer this attempt's
│   ├── LogGapError       a piece of a log that does not follow what is there
│   └── IncompleteError   an end without all that it names
├── TooLargeError         a body above its limit
├── TooLongError          an address above its limit
├── UnsupportedTypeError  a body of another media type
├── NoSpaceError          no room on the disk for what was sent
├── TooSlowError          a body that stopped coming
├── AgainError            not now, but in `retry_after` seconds
│   ├── TooManyError      asked too often
│   └── BusyError         too many others are asking
├── SetupError            something that an operator must mend: the port, the data folder, the database
└── CatalogueError        a shipped file that is wrong; stops the start
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language import _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.yaml_tree import Problem


class AppError(Exception):
    """Base: `code` for machines, `message` for people, `details` one entry a problem."""

    code = "error"
    status = 500

    def __init__(self, message: str, details: Sequence[dict[str, object]] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = list(details)


class NotFoundError(AppError):
    code = "not_found"
    status = 404


class InvalidInputError(AppError):
    code = "invalid_input"
    status = 422


class CardInvalidError(InvalidInputError):
    code = "card_invalid"


class BodyInvalidError(InvalidInputError):
    code = "body_invalid"


class UnreadError(InvalidInputError):
    pass


class SettingError(InvalidInputError):
    code = "setting_invalid"


class OtherBytesError(InvalidInputError):
    code = "other_bytes"


class UnauthorizedError(AppError):
    code = "unauthorized"
    status = 401


class ForbiddenError(AppError):
    code = "forbidden"
    status = 403


class ConflictError(AppError):
    code = "conflict"
    status = 409


class LeaseLostError(ConflictError):
    code = "lease_lost"


class LogGapError(ConflictError):
    """`expected`: how many bytes of the log are there."""

    code = "log_gap"

    def __init__(self, message: str, expected: int) -> None:
        super().__init__(message, [{"field": "offset", "message": message}])
        self.expected = expected


class IncompleteError(ConflictError):
    """`expected`: how many bytes of the log are there."""

    code = "incomplete"

    def __init__(self, missing: Sequence[dict[str, object]], expected: int) -> None:
        super().__init__("; ".join(str(item["message"]) for item in missing[:5]), missing)
        self.expected = expected


class TooLargeError(AppError):
    code = "too_large"
    status = 413

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or _("this body is larger than this address takes"))


class TooLongError(AppError):
    code = "too_long"
    status = 414


class UnsupportedTypeError(AppError):
    code = "unsupported_media_type"
    status = 415


class NoSpaceError(AppError):
    code = "no_space"
    status = 507


class TooSlowError(AppError):
    code = "too_slow"
    status = 408


class AgainError(AppError):
    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TooManyError(AgainError):
    code = "too_many_requests"
    status = 429


class BusyError(AgainError):
    code = "busy"
    status = 503


class SetupError(AppError):
    code = "setup"


class CatalogueError(AppError):
    code = "catalogue_invalid"

    def __init__(self, problems: Sequence[Problem]) -> None:
        lines = "\n".join(str(problem) for problem in problems)
        super().__init__(f"the catalogue has {len(problems)} problem(s):\n{lines}")
        self.problems = list(problems)
