"""Webhooks, by ``examples/snippets/vectors.json``, and those that somebody else made."""

import base64
import hashlib
import hmac
import http.client
import unittest

from billhook import BillhookError, judge_webhook, verify_webhook
from places import json_of

VECTORS = json_of("examples/snippets/vectors.json")["webhooks"]
SECRET = "0123456789abcdef" * 4
OTHER = "f" * 64
ID = "a" * 32
NOW = 1_795_171_628
BODY = b'{"reference":"order-1001","status":"confirmed"}'


def signed(body=BODY, webhook_id=ID, timestamp=str(NOW), secret=SECRET):
    text = f"{webhook_id}.{timestamp}.".encode() + body
    mac = hmac.new(bytes.fromhex(secret), text, hashlib.sha256).digest()
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }


def plain(body=BODY, secret=SECRET):
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def flaw_of(body, headers, secrets=SECRET, **options):
    return judge_webhook(body, headers, secrets, **{"now_seconds": NOW, **options}).flaw


class Genuine(unittest.TestCase):
    def test_are_those_of_the_vectors_with_each_secret(self):
        for vector in VECTORS:
            now = int(vector["headers"]["webhook-timestamp"])
            for secrets in (*vector["secrets"], vector["secrets"], [OTHER, *vector["secrets"]]):
                with self.subTest(secrets):
                    webhook = verify_webhook(vector["body"], vector["headers"], secrets, now_seconds=now)
                    self.assertEqual(webhook.id, vector["headers"]["webhook-id"])
                    self.assertEqual(webhook.payload["status"], "confirmed")

    def test_may_have_the_plain_signature_alone_if_that_is_accepted(self):
        headers = {"X-Service-Signature": plain()}
        self.assertEqual(flaw_of(BODY, headers), "it has no webhook-signature")
        webhook = verify_webhook(BODY, headers, [OTHER, SECRET], accept_untimed=True)
        self.assertIsNone(webhook.id)
        for vector in VECTORS:
            headers = {"x-service-signature": vector["headers"]["X-Service-Signature"]}
            verify_webhook(vector["body"].encode(), headers, vector["secrets"], accept_untimed=True)

    def test_may_come_with_headers_of_every_framework(self):
        headers = signed()
        message = http.client.HTTPMessage()
        for name, value in headers.items():
            message[name.upper()] = value
        forms = (
            headers,
            {name.title(): value for name, value in headers.items()},
            {name: [value] for name, value in headers.items()},
            list(headers.items()),
            [(name.encode(), value.encode()) for name, value in headers.items()],
            message,
        )
        for form in forms:
            with self.subTest(type(form)):
                self.assertIsNone(flaw_of(BODY, form))

    def test_may_be_bytes_of_any_kind_or_a_text(self):
        for body in (BODY, bytearray(BODY), memoryview(BODY), BODY.decode()):
            with self.subTest(type(body)):
                self.assertIsNone(flaw_of(body, signed()))

    def test_are_so_for_five_minutes_in_either_direction(self):
        for seconds, is_genuine in ((0, True), (300, True), (-300, True), (301, False), (-301, False), (300.5, False)):
            with self.subTest(seconds):
                verdict = judge_webhook(BODY, signed(), SECRET, now_seconds=NOW + seconds)
                self.assertEqual(verdict.flaw is None, is_genuine)
                self.assertEqual(verdict.sent_at_ms, NOW * 1000)
        self.assertIsNone(flaw_of(BODY, signed(), now_seconds=NOW + 900, tolerance_seconds=900))
        self.assertIn("900 s ago", flaw_of(BODY, signed(), now_seconds=NOW + 900))
        self.assertIn("900 s in the future", flaw_of(BODY, signed(), now_seconds=NOW - 900))


class Forged(unittest.TestCase):
    def test_are_told(self):
        good = signed()
        without = lambda name: {key: value for key, value in good.items() if key != name}
        rows = {
            "no header": {},
            "no id": without("webhook-id"),
            "no time": without("webhook-timestamp"),
            "no signature": without("webhook-signature"),
            "another id": {**good, "webhook-id": "b" * 32},
            "another time": {**good, "webhook-timestamp": str(NOW + 1)},
            "another secret": signed(secret=OTHER),
            "an empty signature": {**good, "webhook-signature": ""},
            "another version": {**good, "webhook-signature": good["webhook-signature"].replace("v1,", "v1a,")},
            "a signature beyond ASCII": {**good, "webhook-signature": "v1,\u00e4\u20ac"},
            "a surrogate": {**good, "webhook-signature": "v1,\ud800", "webhook-id": "\udfff"},
            "the plain signature besides": {**without("webhook-signature"), "x-service-signature": plain()},
        }
        for name, headers in rows.items():
            with self.subTest(name):
                self.assertIsNotNone(flaw_of(BODY, headers))
                with self.assertRaises(BillhookError) as caught:
                    verify_webhook(BODY, headers, SECRET, now_seconds=NOW)
                self.assertEqual(caught.exception.code, "webhook_rejected")
        for body in (BODY + b" ", b"", BODY.decode().encode("utf-16"), b"\xef\xbb\xbf" + BODY, BODY.decode() + "\ud800"):
            with self.subTest(body):
                self.assertIsNotNone(flaw_of(body, good))

    def test_times_are_no_numbers(self):
        for timestamp in ("", " ", "1e9", "-1", "+1", "1.5", "NaN", "0x1", "٣", "²", "1" * 13, f"{NOW} ", f"{NOW}\n", f"1_{NOW}"):
            with self.subTest(timestamp):
                self.assertIn("webhook-timestamp", flaw_of(BODY, signed(timestamp=timestamp)))

    def test_headers_are_there_twice(self):
        good = signed()
        for name in good:
            with self.subTest(name):
                self.assertEqual(flaw_of(BODY, [*good.items(), (name.upper(), good[name])]), f"it has more than one {name}")
                self.assertEqual(flaw_of(BODY, {**good, name: [good[name], "x"]}), f"it has more than one {name}")
                joined = {**good, name: f"{good[name]}, {good[name]}"}
                self.assertEqual(flaw_of(BODY, joined), f"it has more than one {name}")
        twice = [("X-Service-Signature", plain()), ("X-Service-Signature", plain())]
        self.assertIsNotNone(flaw_of(BODY, twice, accept_untimed=True))

    def test_plain_signatures_do_not_fit(self):
        for signature in ("", plain(secret=OTHER), plain().upper(), plain() + " ", "\u00e4"):
            with self.subTest(signature):
                headers = {"x-service-signature": signature}
                self.assertIsNotNone(flaw_of(BODY, headers, accept_untimed=True))
        self.assertIsNotNone(flaw_of(BODY, {}, accept_untimed=True))

    def test_a_wrong_timed_signature_is_not_saved_by_the_plain_one(self):
        headers = {**signed(secret=OTHER), "x-service-signature": plain()}
        self.assertIsNotNone(flaw_of(BODY, headers, accept_untimed=True))

    def test_what_is_signed_is_no_object_in_json(self):
        bodies = (
            b"",
            b"[]",
            b"null",
            b'"x"',
            b"{",
            b'{"a":NaN}',
            b'{"a":Infinity}',
            b'{"a":' + b"1" * 4000 + b"}",
            b'{"a":' * 100_000,
            b"[" * 100_000,
            b'{"a":"\xff"}',
            b"\xef\xbb\xbf{}",
            '{"a":1}'.encode("utf-16"),
            '{"a":1}'.encode("utf-32"),
        )
        for body in bodies:
            with self.subTest(body[:20]):
                self.assertEqual(flaw_of(body, signed(body)), "it is signed, but no JSON object")


class Events(unittest.TestCase):
    def test_are_read_as_such(self):
        body = b'{"id":"1","type":"invoice.paid","at":1,"data":{"invoiceId":"1","reference":"order-1"}}'
        webhook = verify_webhook(body, signed(body), SECRET, now_seconds=NOW)
        self.assertEqual((webhook.event["type"], webhook.event["data"]["reference"]), ("invoice.paid", "order-1"))

    def test_are_not_in_other_payloads(self):
        for body in (BODY, b'{"data":"x"}'):
            with self.subTest(body):
                self.assertIsNone(verify_webhook(body, signed(body), SECRET, now_seconds=NOW).event)


class Misuse(unittest.TestCase):
    def test_is_no_verdict(self):
        rows = (
            ({"a": 1}, SECRET, {}, TypeError),
            (None, SECRET, {}, TypeError),
            (BODY, "", {}, ValueError),
            (BODY, [], {}, ValueError),
            (BODY, SECRET.upper(), {}, ValueError),
            (BODY, SECRET + "\n", {}, ValueError),
            (BODY, [SECRET, None], {}, ValueError),
            (BODY, None, {}, ValueError),
            (BODY, SECRET, {"tolerance_seconds": float("nan")}, ValueError),
            (BODY, SECRET, {"tolerance_seconds": float("inf")}, ValueError),
            (BODY, SECRET, {"now_seconds": float("nan")}, ValueError),
        )
        for body, secrets, options, error in rows:
            with self.subTest((body, secrets, options)), self.assertRaises(error):
                judge_webhook(body, signed(), secrets, **options)


if __name__ == "__main__":
    unittest.main()
