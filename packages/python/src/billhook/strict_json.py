"""JSON as RFC 8259 has it, which the standard library reads more generously."""

from __future__ import annotations

import json
from typing import Any, NoReturn

#: More digits than any number of the service has. To convert very many takes long.
_DIGITS_MAX = 400


def parsed_json(text: bytes) -> Any:
    """Raises ``ValueError`` for what is no JSON in UTF-8, and for JSON that is nested too deeply."""
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_refuse, parse_int=_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _number(digits: str) -> int:
    if len(digits) > _DIGITS_MAX:
        raise ValueError("a number of too many digits")
    return int(digits)
