"""Recovery phrases, and the keys and ids of identities (BIP-39, BIP-32)."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from functools import lru_cache
from importlib.resources import files
from typing import Dict, Sequence, Tuple

from cryptography.hazmat.primitives.asymmetric import ec

from .signer import ORDER, Signer, key_signer, public_point

#: Where the key of an identity is below the seed of its phrase (BIP-44).
IDENTITY_PATH = "m/44'/60'/0'/0/0"

_ENTROPY_BYTES = 16
_BITS_OF_WORD = 11
#: BIP-39, From mnemonic to seed.
_ROUNDS = 2048
#: How many words a phrase has, and how many of their bits are the checksum (BIP-39, Generating the mnemonic).
_CHECKSUM_BITS: Dict[int, int] = {12: 4, 15: 5, 18: 6, 21: 7, 24: 8}
_HARDENED = 0x80000000
_PATH = re.compile(r"m(?:/[0-9]{1,10}'?)*")


def new_phrase() -> str:
    """A new recovery phrase: twelve English words, of 128 random bits. They are the identity, and nobody can restore them.

    >>> len(new_phrase().split())
    12
    """
    return _phrase_of(secrets.token_bytes(_ENTROPY_BYTES))


def identity_from_phrase(words: str, *, path: str = IDENTITY_PATH) -> Signer:
    """The key of an identity from its recovery phrase: BIP-39 without a passphrase, then BIP-32 along ``path``.

    Case and the number of blanks do not matter. Raises ``ValueError`` for words that are no phrase, without repeating them.

    >>> identity = identity_from_phrase(new_phrase())
    >>> len(identity.public_key)
    66
    """
    phrase = words.lower().split()
    if not _is_phrase(phrase):
        raise ValueError("these words are no recovery phrase: a word is misspelt, missing or in the wrong place")
    return key_signer(_private_key_at(path, _seed_of(phrase)))


def identity_id(public_key: str, onboarding_name: str) -> str:
    """The id of the identity that belongs to a compressed public key in hex, ``0x`` optional: the SHA-256 of key and onboarding name.

    A ledger gives an identity this id when it is onboarded. Without a ledger, tell it to the operator, who adds the identity.

    >>> public_key = key_signer(secrets.token_bytes(32)).public_key
    >>> len(identity_id(public_key, "shop.example"))
    64
    """
    return hashlib.sha256((ledger_key(public_key) + onboarding_name).encode()).hexdigest()


def ledger_key(public_key: str) -> str:
    """A public key as ledger nodes take it and identities are made from: with ``0x``."""
    digits = public_key.lower()
    return digits if digits.startswith("0x") else f"0x{digits}"


@lru_cache(maxsize=None)
def _words() -> Tuple[str, ...]:
    return tuple(files(__package__).joinpath("english.txt").read_text("ascii").split())


@lru_cache(maxsize=None)
def _places() -> Dict[str, int]:
    return {word: place for place, word in enumerate(_words())}


def _phrase_of(entropy: bytes) -> str:
    checksum_bits = len(entropy) * 8 // 32
    number = int.from_bytes(entropy, "big") << checksum_bits | hashlib.sha256(entropy).digest()[0] >> 8 - checksum_bits
    count = (len(entropy) * 8 + checksum_bits) // _BITS_OF_WORD
    places = (number >> _BITS_OF_WORD * (count - 1 - at) & 0x7FF for at in range(count))
    return " ".join(_words()[place] for place in places)


def _is_phrase(words: Sequence[str]) -> bool:
    checksum_bits = _CHECKSUM_BITS.get(len(words))
    if checksum_bits is None or not all(word in _places() for word in words):
        return False
    number = 0
    for word in words:
        number = number << _BITS_OF_WORD | _places()[word]
    entropy = (number >> checksum_bits).to_bytes(checksum_bits * 4, "big")
    return _phrase_of(entropy).split() == list(words)


def _seed_of(words: Sequence[str]) -> bytes:
    # The English words are ASCII, so the normal form that BIP-39 asks for is theirs already.
    return hashlib.pbkdf2_hmac("sha512", " ".join(words).encode("ascii"), b"mnemonic", _ROUNDS)


def _private_key_at(path: str, seed: bytes) -> bytes:
    if _PATH.fullmatch(path) is None:
        raise ValueError("the path of a key begins with m, and has numbers behind slashes")
    node = hmac.new(b"Bitcoin seed", seed, hashlib.sha512).digest()
    for step in path.split("/")[1:]:
        index = int(step.rstrip("'"))
        if index >= _HARDENED:
            raise ValueError("the path of a key has a number that is too large")
        node = _child_of(node, index + _HARDENED if step.endswith("'") else index)
    return node[:32]


def _child_of(node: bytes, index: int) -> bytes:
    """BIP-32, private parent key to private child key: 32 bytes of key, 32 of chain code."""
    key, chain_code = node[:32], node[32:]
    parent = int.from_bytes(key, "big")
    if index >= _HARDENED:
        data = b"\0" + key
    else:
        data = public_point(ec.derive_private_key(parent, ec.SECP256K1()))
    made = hmac.new(chain_code, data + index.to_bytes(4, "big"), hashlib.sha512).digest()
    # That the sum is zero or the digest beyond the order has a probability below 2^-127.
    child = (int.from_bytes(made[:32], "big") + parent) % ORDER
    return child.to_bytes(32, "big") + made[32:]
