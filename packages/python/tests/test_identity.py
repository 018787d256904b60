"""Phrases, keys and identities, by ``docs/vectors/identity.json`` and published vectors."""

import hashlib
import unittest

from billhook import identity_from_phrase, identity_id, new_phrase
from billhook.identity import _phrase_of, _private_key_at, _seed_of
from places import PACKAGE, json_of

VECTORS = json_of("docs/vectors/identity.json")


class Identities(unittest.TestCase):
    def test_are_made_of_a_phrase_as_the_vectors_say(self):
        for vector in VECTORS["identities"]:
            with self.subTest(vector["phrase"]):
                seed = _seed_of(vector["phrase"].split())
                self.assertEqual(seed.hex(), vector["seed"])
                self.assertEqual(_private_key_at(VECTORS["path"], seed).hex(), vector["privateKey"])
                identity = identity_from_phrase(vector["phrase"])
                self.assertEqual(identity.public_key, vector["publicKey"])
                made = identity_id(identity.public_key, VECTORS["ledger"]["onboardingName"])
                self.assertEqual(made, vector["identity"])
                prefixed = identity_id(f"0x{identity.public_key.upper()}", VECTORS["ledger"]["onboardingName"])
                self.assertEqual(prefixed, vector["identity"])

    def test_are_not_made_of_words_that_are_no_phrase(self):
        self.assertGreaterEqual(len(VECTORS["refused"]), 4)
        for vector in VECTORS["refused"]:
            with self.subTest(vector["reason"]):
                with self.assertRaises(ValueError) as caught:
                    identity_from_phrase(vector["words"])
                self.assertNotIn("abandon", str(caught.exception))

    def test_do_not_depend_on_case_and_blanks(self):
        phrase = VECTORS["identities"][0]["phrase"]
        spread = f"\t {phrase.upper().replace(' ', '   ')}\n"
        self.assertEqual(identity_from_phrase(spread).public_key, identity_from_phrase(phrase).public_key)

    def test_are_not_at_a_path_that_is_none(self):
        phrase = VECTORS["identities"][0]["phrase"]
        for path in ("", "44'", "m/", "m/x", "m/-1", "m/4294967296", "m/2147483648", "m/1 ", "m/0\n", "m/٣"):
            with self.subTest(path), self.assertRaises(ValueError):
                identity_from_phrase(phrase, path=path)


class Derivation(unittest.TestCase):
    def test_is_that_of_bip_32(self):
        # Test vectors 1 and 2 of BIP-32.
        rows = (
            ("000102030405060708090a0b0c0d0e0f", "m", "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"),
            ("000102030405060708090a0b0c0d0e0f", "m/0'", "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea"),
            ("000102030405060708090a0b0c0d0e0f", "m/0'/1", "3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368"),
        )
        for seed, path, key in rows:
            with self.subTest(path):
                self.assertEqual(_private_key_at(path, bytes.fromhex(seed)).hex(), key)


class Phrases(unittest.TestCase):
    def test_come_from_the_list_of_bip_39(self):
        text = (PACKAGE / "src/billhook/english.txt").read_bytes()
        # Of english.txt in the repository of BIP-39.
        checksum = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
        self.assertEqual(hashlib.sha256(text).hexdigest(), checksum)

    def test_hold_their_entropy_and_its_checksum(self):
        # Test vectors of BIP-39, of every length.
        rows = (
            ("00" * 16, "abandon " * 11 + "about"),
            ("7f" * 16, "legal winner thank year wave sausage worth useful legal winner thank yellow"),
            ("ff" * 16, "zoo " * 11 + "wrong"),
            ("80" * 24, "letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter always"),
            ("ff" * 32, "zoo " * 23 + "vote"),
        )
        for entropy, phrase in rows:
            with self.subTest(entropy):
                self.assertEqual(_phrase_of(bytes.fromhex(entropy)), phrase)
                self.assertEqual(len(identity_from_phrase(phrase).public_key), 66)

    def test_are_new_each_time_and_twelve_words(self):
        phrases = {new_phrase() for _ in range(20)}
        self.assertEqual(len(phrases), 20)
        for phrase in phrases:
            self.assertEqual(len(phrase.split(" ")), 12)
            identity_from_phrase(phrase)


if __name__ == "__main__":
    unittest.main()
