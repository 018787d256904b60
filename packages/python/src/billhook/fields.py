"""Fields of requests, by the names that Python has for them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Dict, Iterable, Mapping

from .amount import amount_text
from .request_fields import REQUEST_FIELDS

_AMOUNT = "amount"
#: Type checkers take a ``str`` for a sequence of ``str``.
_LISTS = ("wallet_ids", "permissions", "types")


def fields_of(method: str, given: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields as the service names them, without those that are ``None``.

    Raises ``TypeError`` for one that the request does not have: services ignore those, so a misspelt one would be lost. And for a
    text where a list belongs.
    """
    known = REQUEST_FIELDS[method]
    body = {}
    for name, value in given.items():
        if name not in known:
            raise TypeError(f'{method} has no field "{name}"{suggestion(name, known)} It has {", ".join(known)}.')
        if name in _LISTS and isinstance(value, str):
            raise TypeError(f'{name} must be a list, as in [{value!r}], not a str')
        if value is not None:
            body[known[name]] = amount_text(value) if name == _AMOUNT else value
    return body


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that refuses a name: it asks for the one that was meant, if there is one."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    nearest = get_close_matches(name.lower(), by_lower_case, 1, 0.7)
    return f'; did you mean "{by_lower_case[nearest[0]]}"?' if nearest else "."
