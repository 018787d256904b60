"""Keys and signatures, by ``examples/snippets/vectors.json``."""

import base64
import hashlib
import unittest

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from billhook import Billhook, key_signer, signed_headers
from billhook.signer import ORDER
from places import json_of

VECTORS = json_of("examples/snippets/vectors.json")
KEY = VECTORS["key"]


def verifies(public_key, text, signature):
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), bytes.fromhex(public_key))
    try:
        key.verify(base64.b64decode(signature), text, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def pem_of(key, form=PrivateFormat.PKCS8):
    return key.private_bytes(Encoding.PEM, form, NoEncryption()).decode()


class Keys(unittest.TestCase):
    def test_are_taken_in_every_form(self):
        private = ec.derive_private_key(int(KEY["privateKey"], 16), ec.SECP256K1())
        forms = {
            "bytes": bytes.fromhex(KEY["privateKey"]),
            "hex": KEY["privateKey"],
            "hex with 0x, blanks and capitals": f" 0x{KEY['privateKey'].upper()}\n",
            "PEM": KEY["pem"],
            "bytes of PEM": KEY["pem"].encode(),
            "PEM of SEC 1": pem_of(private, PrivateFormat.TraditionalOpenSSL),
        }
        for name, form in forms.items():
            with self.subTest(name):
                self.assertEqual(key_signer(form).public_key, KEY["publicKey"])

    def test_are_refused_where_they_are_none(self):
        other_curve = pem_of(ec.generate_private_key(ec.SECP256R1()))
        other_kind = pem_of(rsa.generate_private_key(65537, 1024))
        broken = KEY["pem"].replace("MD4C", "MD5C")
        for form in (b"", b"1" * 31, "", "zz", "0x", "-----BEGIN", other_curve, other_kind, broken, "0" * 64, f"{ORDER:x}", b"\xff" * 32):
            with self.subTest(form), self.assertRaises(ValueError):
                key_signer(form)
        for form in (None, 1, [1]):
            with self.subTest(form), self.assertRaises(TypeError):
                key_signer(form)

    def test_do_not_show_in_a_log(self):
        self.assertNotIn(KEY["privateKey"], repr(key_signer(KEY["privateKey"])))


class Signatures(unittest.TestCase):
    def test_fit_what_the_vectors_sign(self):
        signer = key_signer(KEY["pem"])
        for vector in VECTORS["requests"]:
            with self.subTest(vector["firstLine"]):
                headers = signed_headers(signer, vector["firstLine"], vector["body"], int(vector["timestamp"]))
                self.assertEqual(headers["X-Service-Api-Key"], KEY["publicKey"])
                self.assertEqual(headers["X-Service-Timestamp"], vector["timestamp"])
                text = bytes.fromhex(vector["textHex"])
                self.assertTrue(verifies(KEY["publicKey"], text, headers["X-Service-Signature"]))
                self.assertTrue(verifies(KEY["publicKey"], text, vector["signature"]))
                self.assertFalse(verifies(KEY["publicKey"], text + b" ", headers["X-Service-Signature"]))

    def test_have_the_lower_s(self):
        signer = key_signer(KEY["pem"])
        # Half of what OpenSSL makes has the higher one.
        for at in range(32):
            _, s = decode_dss_signature(signer.sign(hashlib.sha256(b"%d" % at).digest()))
            self.assertLessEqual(s, ORDER // 2)

    def test_of_another_signer_may_be_r_and_s(self):
        inner = key_signer(KEY["pem"])

        class Compact:
            public_key = inner.public_key

            def sign(self, digest):
                return b"".join(part.to_bytes(32, "big") for part in decode_dss_signature(inner.sign(digest)))

        headers = signed_headers(Compact(), "GET /x", "", 1)
        self.assertTrue(verifies(KEY["publicKey"], b"GET /x\n1\n", headers["X-Service-Signature"]))

    def test_of_r_and_s_with_zeros_in_front_are_der(self):
        class Small:
            public_key = KEY["publicKey"]

            def sign(self, digest):
                return (1).to_bytes(32, "big") + (2).to_bytes(32, "big")

        headers = signed_headers(Small(), "GET /x", "", 1)
        self.assertEqual(base64.b64decode(headers["X-Service-Signature"]), encode_dss_signature(1, 2))


class Clients(unittest.TestCase):
    def test_refuse_a_signer_whose_key_is_not_compressed(self):
        class Wrong:
            public_key = "04" + "0" * 128

            def sign(self, digest):
                return b""

        with self.assertRaises(ValueError):
            Billhook("http://127.0.0.1", signer=Wrong())

    def test_refuse_what_cannot_be_right(self):
        rows = (
            {"url": "ftp://x"},
            {"url": "shop.example"},
            {"url": "http://"},
            {"url": "http://x:port"},
            {"url": "http://x:99999"},
            {"url": "http://user:pw@x"},
            {"url": "http://x?a=b"},
            {"url": "http://[::1"},
            {"url": "http://" + "a" * 64},
            {"url": "http://x/ü"},
            {"url": " http://x"},
            {"url": "http://x/a b"},
            {"url": "http://x\r\nX-Evil: 1"},
            {"url": "http://x", "owner": " "},
            {"url": "http://x", "attempts": 0},
            {"url": "http://x", "timeout_seconds": 0},
            {"url": "http://x", "timeout_seconds": float("nan")},
            {"url": "http://x", "private_key": KEY["pem"], "signer": key_signer(KEY["pem"])},
        )
        for row in rows:
            with self.subTest(row), self.assertRaises(ValueError):
                Billhook(**row)


if __name__ == "__main__":
    unittest.main()
