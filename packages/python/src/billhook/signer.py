"""Keys of secp256k1, and the headers that sign a request."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from typing import Dict, Optional, Protocol, Union

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

_KEY_BYTES = 32
_COMPACT_BYTES = 64
#: The order of the group (SEC 2, 2.4.1).
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_COMPRESSED_KEY = re.compile("(?:0x)?0[23][0-9a-f]{64}", re.IGNORECASE)
_HEX_KEY = re.compile("(?:0x)?([0-9a-f]{64})", re.IGNORECASE)

#: 32 bytes, the same as 64 hex digits, or PEM as ``billhook keygen`` and OpenSSL write it, without a passphrase.
PrivateKey = Union[bytes, str]


class Signer(Protocol):
    """What signs: a key in memory, or one that never leaves a hardware module or another service."""

    @property
    def public_key(self) -> str:
        """The compressed public key, 66 hex digits."""

    def sign(self, digest: bytes) -> bytes:
        """Signs a SHA-256 digest of 32 bytes with ECDSA over secp256k1. 64 bytes are taken as r and s, any other length as DER."""


class _KeySigner:
    def __init__(self, private_key: PrivateKey) -> None:
        self._key = ec.derive_private_key(_number_in(private_key), ec.SECP256K1())
        self._public_key = public_point(self._key).hex()

    @property
    def public_key(self) -> str:
        return self._public_key

    def sign(self, digest: bytes) -> bytes:
        r, s = decode_dss_signature(self._key.sign(digest, ec.ECDSA(Prehashed(hashes.SHA256()))))
        # Some verifiers, such as libsecp256k1, accept only the lower of the two values of s.
        return encode_dss_signature(r, min(s, ORDER - s))

    def __repr__(self) -> str:
        return f"<key_signer {self._public_key}>"


def key_signer(private_key: PrivateKey) -> Signer:
    """A signer with a private key in memory. Raises ``ValueError`` for what is no key of secp256k1.

    >>> identity = key_signer(Path("identity.pem").read_text())
    >>> len(identity.public_key)
    66
    """
    return _KeySigner(private_key)


def public_point(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The compressed public key, 33 bytes."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


def _number_in(private_key: PrivateKey) -> int:
    if not isinstance(private_key, (bytes, bytearray, str)):
        raise TypeError("the private key must be bytes or a string")
    number = _number_in_text(private_key) if isinstance(private_key, str) else _number_in_bytes(private_key)
    if number is None:
        raise ValueError("the private key must be 32 bytes, 64 hex digits or PEM: what is in a file, not its name")
    if not 0 < number < ORDER:
        raise ValueError("the private key is out of the range of secp256k1")
    return number


def _number_in_bytes(private_key: Union[bytes, bytearray]) -> Optional[int]:
    if private_key.lstrip().startswith(b"-----BEGIN"):
        return _number_in_pem(bytes(private_key))
    return int.from_bytes(private_key, "big") if len(private_key) == _KEY_BYTES else None


def _number_in_text(private_key: str) -> Optional[int]:
    text = private_key.strip()
    if text.startswith("-----BEGIN"):
        return _number_in_pem(text.encode("utf-8", "replace"))
    digits = _HEX_KEY.fullmatch(text)
    return None if digits is None else int(digits[1], 16)


def _number_in_pem(pem: bytes) -> Optional[int]:
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The reason is not repeated: it may hold a part of the key.
        return None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256K1):
        return None
    return key.private_numbers().private_value


def checked_signer(signer: Signer) -> Signer:
    """The signer, once its public key was seen to be one."""
    if _COMPRESSED_KEY.fullmatch(signer.public_key) is None:
        raise ValueError("the public key of a signer must be compressed: 66 hex digits that begin with 02 or 03")
    return signer


def signature_of(signer: Signer, text: bytes) -> str:
    """Base64 of the DER signature of a text, as requests and ledger transactions carry it."""
    signature = signer.sign(hashlib.sha256(text).digest())
    if len(signature) == _COMPACT_BYTES:
        halves = signature[:_KEY_BYTES], signature[_KEY_BYTES:]
        signature = encode_dss_signature(*(int.from_bytes(half, "big") for half in halves))
    return base64.b64encode(signature).decode("ascii")


def signed_headers(
    signer: Signer, tag: str, body: Union[bytes, str] = b"", now_ms: Optional[int] = None
) -> Dict[str, str]:
    """The three headers that sign a request, for a program that sends it in its own way.

    ``tag`` is the method and the pattern of the endpoint, as in ``POST /api/invoices/:id/void``; ``body`` is what is sent. The
    service accepts five minutes of difference from its own clock.

    >>> headers = signed_headers(key_signer(private_key), "GET /api/invoices/:id")
    >>> sorted(headers)
    ['X-Service-Api-Key', 'X-Service-Signature', 'X-Service-Timestamp']
    """
    timestamp = str(int(time.time() * 1000) if now_ms is None else now_ms)
    sent = body.encode() if isinstance(body, str) else body
    return {
        "X-Service-Api-Key": signer.public_key,
        "X-Service-Timestamp": timestamp,
        "X-Service-Signature": signature_of(signer, f"{tag}\n{timestamp}\n".encode() + sent),
    }
