"""Amounts as they are observed, and as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Literal, Mapping, Union

from .errors import BillhookError

if TYPE_CHECKING:
    from .api_types import ServiceInfo

_TOKEN = "USDT"
#: The label of the token in deposits (specification, Deposit record).
_TOKEN_LABEL = "Tether"
_NATIVE_LABELS = ("#native", "", None)
_UNITS = re.compile("[0-9]+")
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
#: More than any amount has, so that nothing is rounded.
_DIGITS_MAX = 100_000

#: An amount of a request. A ``float`` cannot hold most decimals, so none is taken.
Amount = Union[str, Decimal]


@dataclass(frozen=True)
class ReadableAmount:
    """An amount as people write it."""

    #: Exact.
    value: Decimal
    #: As invoices name it.
    currency: Literal["native", "USDT"]
    #: The token, or the coin of the network: ``USDT``, ``ETH``.
    symbol: str

    @property
    def text(self) -> str:
        """Value and symbol: ``25 USDT``."""
        return f"{self.value:f} {self.symbol}"


def amount_of(observed: Mapping[str, object], info: ServiceInfo) -> ReadableAmount:
    """The amount of a webhook, an event's deposit or a deposit as people write it: ``25 USDT`` of ``25000000`` and ``Tether``.

    ``info`` is what ``get_info`` answers: a token has other decimals on other networks. Raises ``BillhookError`` with
    ``amount_unknown`` if it lists no such network, or if the currency is none that invoices are paid in.

    >>> info = billhook.get_info()
    >>> amount_of({"network": "TRX-NILE", "currency": "Tether", "amount": "25000000"}, info).text
    '25 USDT'
    """
    name, amount, currency = (observed.get(field) for field in ("network", "amount", "currency"))

    def unknown(why: str) -> BillhookError:
        return BillhookError(f"The amount {amount} of {currency} on {name} cannot be read: {why}.", "amount_unknown")

    network = next((network for network in info["networks"] if network["id"] == name), None)
    if network is None:
        raise unknown("the service does not list the network")
    if currency == _TOKEN_LABEL:
        if not isinstance(amount, str) or _UNITS.fullmatch(amount) is None:
            raise unknown("it is not in whole units")
        return ReadableAmount(_trimmed(Decimal(amount).scaleb(-network["decimals"], _EXACT)), "USDT", _TOKEN)
    if currency not in _NATIVE_LABELS:
        raise unknown("no invoice is paid in it")
    if not isinstance(amount, str) or _DECIMAL.fullmatch(amount) is None:
        raise unknown("it is no decimal")
    return ReadableAmount(_trimmed(Decimal(amount)), "native", network["symbol"])


_EXACT = Context(prec=_DIGITS_MAX)


def _trimmed(value: Decimal) -> Decimal:
    """Without zeros that say nothing, and without an exponent."""
    text = f"{value:f}"
    return Decimal(text.rstrip("0").rstrip(".") or "0") if "." in text else Decimal(text)


def amount_text(amount: object) -> str:
    """An amount as requests carry it. Raises ``TypeError`` for a number that is not exact, ``ValueError`` for one that is no number."""
    if isinstance(amount, str):
        return amount
    if not isinstance(amount, Decimal):
        raise TypeError(f"an amount must be a str or a Decimal, not {type(amount).__name__}: amounts are never rounded")
    if not amount.is_finite():
        raise ValueError(f"{amount} is no amount")
    return f"{amount:f}"
