"""Amounts as they are observed, and as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from .errors import BillhookError

if TYPE_CHECKING:
    from .api_types import ServiceInfo

_USDT = "USDT"
#: The label of deposits in USDT (specification, Deposit record). Those in other tokens have the symbol.
_USDT_LABEL = "Tether"
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
    currency: str
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
    if currency not in _NATIVE_LABELS:
        token = _token_of(network, currency)
        if token is None:
            raise unknown("no invoice is paid in it")
        if not isinstance(amount, str) or _UNITS.fullmatch(amount) is None:
            raise unknown("it is not in whole units")
        value = _trimmed(Decimal(amount).scaleb(-token["decimals"], _EXACT))
        return ReadableAmount(value, token["symbol"], token["symbol"])
    if not isinstance(amount, str) or _DECIMAL.fullmatch(amount) is None:
        raise unknown("it is no decimal")
    return ReadableAmount(_trimmed(Decimal(amount)), "native", network["symbol"])


def _token_of(network: Mapping[str, Any], label: object) -> Optional[Mapping[str, Any]]:
    """The token that a label of deposits is of. Services of before there were several tell of USDT only."""
    symbol = _USDT if label == _USDT_LABEL else None if label == _USDT else label
    tokens = network.get("tokens", [{"symbol": _USDT, "decimals": network["decimals"]}])
    return next((token for token in tokens if token["symbol"] == symbol), None)


def is_known_in(info: Mapping[str, Any], network: object, label: object) -> bool:
    """Whether a deposit's amount can be read from what is known of its network."""
    found = next((one for one in info["networks"] if one["id"] == network), None)
    return found is not None and (label in _NATIVE_LABELS or _token_of(found, label) is not None)


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
