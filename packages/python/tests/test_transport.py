"""Requests: signed, repeated where that is safe, and bounded whatever answers."""

import gc
import json
import os
import socket
import struct
import threading
import time
import unittest
import weakref
from decimal import Decimal
from email.utils import formatdate
from unittest import mock

from billhook import Billhook, BillhookError, connections, wallet_ids_of
from fake_service import FakeService, refusal, reply
from places import json_of
from test_signer import verifies

KEY = json_of("examples/snippets/vectors.json")["key"]
CREATED = {"id": "a1", "url": "/pay/a1"}
DRAFT = {"wallet_ids": ["w"], "name": "Tea", "amount": "25.00", "currency": "USDT"}
INVOICE = {"id": "a1", "voided_at": None, "payment": {"status": "unpaid"}}
NETWORKS = [{"id": "SEP", "symbol": "ETH", "decimals": 6, "claim": "sep/eth"}, {"id": "TRX-NILE", "symbol": "TRX", "decimals": 6, "claim": "niles/trx"}]
INFO = {"version": "1", "networks": NETWORKS, "ledger": None}


def hang_up(sock):
    """Ends the connection with a reset, without an answer."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drip(head, piece=b"x"):
    """Sends a byte at a time for ever, so that no single read takes long."""

    def send(sock):
        sock.sendall(head)
        while True:
            sock.sendall(piece)
            time.sleep(0.02)

    return send


class Requests(unittest.TestCase):
    def code_of(self, call, *args, **options):
        with self.assertRaises(BillhookError) as caught:
            call(*args, **options)
        return caught.exception.code

    def test_are_signed_as_sent(self):
        with FakeService(reply(201, CREATED)) as service:
            billhook = service.client(private_key=KEY["pem"])
            billhook.create_invoice(**{**DRAFT, "name": "Tee für zwei"}, idempotency_key="order-1")
            [asked] = service.asked
            headers = asked["headers"]
            text = b"POST /api/invoices\n" + headers["x-service-timestamp"].encode() + b"\n" + asked["body"]
            self.assertTrue(verifies(KEY["publicKey"], text, headers["x-service-signature"]))
            self.assertEqual(headers["idempotency-key"], "order-1")
            self.assertEqual(headers["content-type"], "application/json")
            expected = {"walletIds": ["w"], "name": "Tee für zwei", "amount": "25.00", "currency": "USDT"}
            self.assertEqual(json.loads(asked["body"]), expected)

    def test_name_the_owner_where_they_are_not_signed(self):
        with FakeService(reply(201, CREATED), reply(200, INVOICE)) as service:
            billhook = service.client(owner="me")
            billhook.create_invoice(**DRAFT)
            billhook.void_invoice("a1")
            self.assertEqual([json.loads(asked["body"])["owner"] for asked in service.asked], ["me", "me"])

    def test_answer_what_the_service_says_of_a_creation(self):
        headers = {"invoice_expires_at": "1795171628000", "idempotency_replayed": "true", "x_request_id": "r1"}
        with FakeService(reply(200, CREATED, **headers), reply(201, CREATED)) as service:
            billhook = service.client(owner="me")
            made = billhook.create_invoice(**DRAFT)
            self.assertEqual((made.id, made.url, made.page_url), ("a1", "/pay/a1", f"{service.url}/pay/a1"))
            self.assertEqual((made.expires_at, made.is_replay, made.request_id), (1795171628000, True, "r1"))
            made = billhook.create_invoice(**DRAFT)
            self.assertEqual((made.expires_at, made.is_replay, made.request_id), (None, False, None))

    def test_keep_the_path_of_the_service_and_encode_names(self):
        with FakeService(reply(200, INVOICE)) as service:
            with Billhook(f"{service.url}/shop/") as billhook:
                billhook.get_invoice("a/b ü")
            self.assertEqual(service.asked[0]["path"], "/shop/api/invoices/a%2Fb%20%C3%BC")
        for name in ("", " ", ".", "..", None):
            with self.subTest(name), self.assertRaises(ValueError):
                Billhook("http://127.0.0.1:1").get_invoice(name)

    def test_refuse_fields_that_there_are_not_and_amounts_that_may_be_rounded(self):
        billhook = Billhook("http://127.0.0.1:1", owner="me")
        with self.assertRaisesRegex(TypeError, 'create_invoice has no field "refrence"; did you mean "reference"'):
            billhook.create_invoice(**DRAFT, refrence="order-1")
        with self.assertRaisesRegex(TypeError, "a str or a Decimal, not float"):
            billhook.create_invoice(**{**DRAFT, "amount": 25.0})
        with self.assertRaises(TypeError):
            billhook.set_webhook(url="https://x")
        with self.assertRaises(TypeError):
            billhook.list_invoices(state="paid")
        with self.assertRaisesRegex(TypeError, "needs the owner"):
            Billhook("http://127.0.0.1:1").list_invoices()

    def test_refuse_what_programs_mistake(self):
        nowhere = "http://127.0.0.1:1"
        billhook = Billhook(nowhere, owner="me")
        keyless = Billhook(nowhere)
        for kind, told, call in (
            (TypeError, r"wallet_ids must be a list, as in \['w'\], not a str", lambda: billhook.create_invoice(**{**DRAFT, "wallet_ids": "w"})),
            (TypeError, "types must be a list", lambda: billhook.set_webhook(callback_url="https://x", types="invoice.paid")),
            (TypeError, "needs a key, .*private_key", lambda: keyless.create_invoice(**DRAFT)),
            (TypeError, "needs a key, .*private_key", lambda: keyless.void_invoice("a1")),
            (TypeError, "the id of an identity, a str, not int", lambda: Billhook(nowhere, owner=5)),
            (ValueError, 'a tag is a method and a pattern, .*not "/api/info"', lambda: billhook.request("/api/info")),
            (ValueError, "a tag is a method and a pattern", lambda: billhook.request("get /api/info")),
            (ValueError, "what is in a file, not its name", lambda: Billhook(nowhere, private_key="api-key.pem")),
        ):
            with self.subTest(told), self.assertRaisesRegex(kind, told):
                call()

    def test_send_decimals_exactly_and_leave_out_what_is_none(self):
        with FakeService(reply(201, CREATED)) as service:
            service.client(owner="me").create_invoice(**{**DRAFT, "amount": Decimal("2.50E+1"), "reference": None})
            self.assertEqual(json.loads(service.asked[0]["body"]), {"owner": "me", "walletIds": ["w"], "name": "Tea", "amount": "25.0", "currency": "USDT"})

    def test_cannot_smuggle_headers(self):
        with FakeService(reply(201, CREATED)) as service:
            with self.assertRaises(ValueError):
                service.client(owner="me").create_invoice(**DRAFT, idempotency_key="a\r\nX-Evil: 1")
            self.assertEqual(service.asked, [])


class Repetitions(unittest.TestCase):
    def test_are_of_what_may_be_repeated(self):
        for first in (hang_up, refusal(429, "rate_limited"), refusal(500, "internal"), refusal(503, "overloaded")):
            with self.subTest(first), FakeService(first, reply(201, CREATED)) as service:
                service.client(owner="me").create_invoice(**DRAFT)
                keys = [asked["headers"]["idempotency-key"] for asked in service.asked]
                self.assertEqual(len(keys), 2)
                self.assertEqual(len(set(keys)), 1)

    def test_are_of_nothing_else(self):
        calls = {
            "registration": lambda billhook: billhook.register_api_key(label="x", public_key="02"),
            "rotation": lambda billhook: billhook.rotate_webhook_secret(),
            "redelivery": lambda billhook: billhook.redeliver_webhook("d"),
            "voiding": lambda billhook: billhook.void_invoice("a1"),
            "accepting": lambda billhook: billhook.accept_invoice("a1"),
            "a test": lambda billhook: billhook.test_webhook(),
            "revocation": lambda billhook: billhook.revoke_api_key("k"),
        }
        for name, call in calls.items():
            with self.subTest(name), FakeService(hang_up, reply(200, INVOICE)) as service:
                with self.assertRaises(BillhookError) as caught:
                    call(service.client(owner="me"))
                self.assertEqual((caught.exception.code, len(service.asked)), ("unreachable", 1))
        with FakeService(reply(200, INFO), hang_up, reply(200, CREATED)) as service:
            with self.assertRaises(BillhookError):
                service.client(owner="me").claim_wallet("SEP")
            self.assertEqual([asked["path"] for asked in service.asked], ["/api/info", "/api/wallets/claim/sep/eth"])

    def test_of_refusals_there_are_none(self):
        with FakeService(refusal(409, "amount_in_use"), reply(201, CREATED)) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client(owner="me").create_invoice(**DRAFT)
            self.assertEqual((caught.exception.code, caught.exception.status, len(service.asked)), ("amount_in_use", 409, 1))

    def test_end_with_the_attempts(self):
        with FakeService(*[refusal(503, "overloaded")] * 9) as service:
            for attempts in (1, 4):
                service.asked.clear()
                with self.assertRaises(BillhookError):
                    service.client(owner="me", attempts=attempts).get_webhook()
                self.assertEqual(len(service.asked), attempts)

    def test_come_when_the_service_asks_for_them(self):
        with FakeService(refusal(429, "rate_limited", retry_after="7"), reply(200, INVOICE)) as service:
            with mock.patch("billhook.transport.time.sleep") as sleep:
                service.client().get_invoice("a1")
            sleep.assert_called_once_with(7.0)

    def test_do_not_wait_long(self):
        later = formatdate(time.time() + 3600, usegmt=True)
        for retry_after in ("31", later, "999999999"):
            with self.subTest(retry_after), FakeService(refusal(429, "rate_limited", retry_after=retry_after)) as service:
                with self.assertRaises(BillhookError) as caught:
                    service.client().get_invoice("a1")
                self.assertGreater(caught.exception.retry_after_seconds, 30)
                self.assertEqual(len(service.asked), 1)

    def test_survive_a_retry_after_that_is_none(self):
        for retry_after in ("soon", "-1", "1e9", "٣", "Thu, 99 Foo 99999 99:99:99 GMT"):
            with self.subTest(retry_after), FakeService(
                refusal(429, "rate_limited", retry_after=retry_after.encode().decode("latin-1")), reply(200, INVOICE)
            ) as service:
                service.client().get_invoice("a1")


class Clocks(unittest.TestCase):
    def test_follow_the_service(self):
        date = formatdate(time.time() + 3600, usegmt=True)
        late = refusal(401, "invalid_timestamp", date=date)
        with FakeService(late, reply(200, {"id": "d"}), reply(200, {"id": "d"})) as service:
            billhook = service.client(owner="me", private_key=KEY["pem"])
            billhook.redeliver_webhook("d")
            billhook.redeliver_webhook("d")
            ahead = [int(asked["headers"]["x-service-timestamp"]) / 1000 - time.time() for asked in service.asked]
            self.assertEqual([round(seconds / 600) for seconds in ahead], [0, 6, 6])

    def test_are_corrected_once(self):
        late = refusal(401, "invalid_timestamp", date=formatdate(usegmt=True))
        with FakeService(late, late, reply(200, {})) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client(owner="me", private_key=KEY["pem"]).get_webhook()
            self.assertEqual((caught.exception.code, len(service.asked)), ("invalid_timestamp", 2))

    def test_are_not_corrected_where_every_request_is_sent_once(self):
        late = refusal(401, "invalid_timestamp", date=formatdate(usegmt=True))
        with FakeService(late, reply(200, {})) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client(owner="me", private_key=KEY["pem"], attempts=1).get_webhook()
            self.assertEqual((caught.exception.code, len(service.asked)), ("invalid_timestamp", 1))

    def test_are_not_corrected_by_no_date(self):
        for headers in ({}, {"date": "yesterday"}, {"date": "Thu, 01 Jan 99999 00:00:00 GMT"}):
            with self.subTest(headers), FakeService(refusal(401, "invalid_timestamp", **headers)) as service:
                with self.assertRaises(BillhookError) as caught:
                    service.client(owner="me", private_key=KEY["pem"]).get_webhook()
                self.assertEqual((caught.exception.code, len(service.asked)), ("invalid_timestamp", 1))


class HostileAnswers(unittest.TestCase):
    def error_of(self, answer, call=lambda billhook: billhook.get_invoice("a1"), **options):
        with FakeService(answer) as service:
            with self.assertRaises(BillhookError) as caught:
                call(service.client(**{"owner": "me", "attempts": 1, **options}))
            self.assertEqual(len(service.asked), 1)
            return caught.exception

    def test_that_drip_end_with_the_time_of_the_request(self):
        heads = {
            "the status": b"HTTP/1.1 20",
            "a header": b"HTTP/1.1 200 OK\r\nx: ",
            "the body": b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
            "the body without a length": b"HTTP/1.1 200 OK\r\n\r\n",
            "pieces": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n",
        }
        for name, head in heads.items():
            with self.subTest(name):
                began = time.monotonic()
                error = self.error_of(drip(head), timeout_seconds=0.3)
                self.assertEqual(error.code, "unreachable")
                self.assertIn("gave no answer within 0.3 s", str(error))
                # It would drip for ever.
                self.assertLess(time.monotonic() - began, 30)
        error = self.error_of(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), timeout_seconds=0.3)
        self.assertEqual(error.code, "unreachable")

    def test_that_do_not_come_end_with_the_time_of_the_request(self):
        error = self.error_of(lambda sock: sock.recv(1), timeout_seconds=0.2)
        self.assertIn("gave no answer within 0.2 s", str(error))

    def test_that_are_huge_are_not_kept(self):
        with mock.patch.object(connections, "ANSWER_MAX_BYTES", 1000):
            self.assertIn("larger than 1000 bytes", str(self.error_of(reply(200, b"[" + b" " * 1000 + b"]"))))
            chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
            endless = lambda sock: drip(chunked, b"1000\r\n" + b"x" * 0x1000 + b"\r\n")(sock)
            self.assertIn("larger than 1000 bytes", str(self.error_of(endless)))
        for head in (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000 + b"\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\n\r\n"):
            self.assertEqual(self.error_of(head).code, "unreachable")

    def test_that_end_too_early_are_lost(self):
        short = lambda head, sent: lambda sock: sock.sendall(head + sent)
        for answer in (
            short(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", b'{"id":"a1"}'),
            short(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b'b\r\n{"id":"a1"}\r\n'),
            short(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"zz\r\n"),
            short(b"HTTP/1.1 2", b""),
            short(b"\0\0\0", b"\r\n\r\n"),
            short(b"", b""),
        ):
            self.assertEqual(self.error_of(answer).code, "unreachable")

    def test_that_redirect_are_not_followed(self):
        with FakeService(reply(200, INVOICE)) as elsewhere:
            for status in (301, 302, 303, 307, 308, 304):
                with self.subTest(status):
                    error = self.error_of(reply(status, INVOICE, location=f"{elsewhere.url}/x"))
                    self.assertEqual((error.code, error.status), ("unexpected_answer", status))
            self.assertEqual(elsewhere.asked, [])

    def test_that_are_no_json_are_not_of_the_service(self):
        for body in (b"", b"<html>", b"null", b"1", b'"x"', b"{", b'{"id":NaN}', b"\xff", '{"a":1}'.encode("utf-16"), b"[" * 200_000):
            with self.subTest(body[:10]):
                self.assertEqual(self.error_of(reply(200, body)).code, "unexpected_answer")
                call = lambda billhook: billhook.request("GET /api/info")
                self.assertEqual(self.error_of(reply(200, body), call).code, "unexpected_answer")

    def test_that_lie_about_their_form_are_not_of_the_service(self):
        rows = (
            (lambda billhook: billhook.get_invoice("a"), []),
            (lambda billhook: billhook.get_invoice("a"), {"id": "a"}),
            (lambda billhook: billhook.get_invoice("a"), {"payment": "paid"}),
            (lambda billhook: billhook.wait_for_payment("a"), {"payment": None}),
            (lambda billhook: billhook.create_invoice(**DRAFT), {"id": 1, "url": "/"}),
            (lambda billhook: billhook.create_invoice(**DRAFT), {"id": "a"}),
            (lambda billhook: billhook.identity_exists(), {"exists": "false"}),
            (lambda billhook: billhook.identity_exists(), {}),
            (lambda billhook: billhook.list_wallets(), {}),
            (lambda billhook: billhook.list_wallets(), ["a"]),
            (lambda billhook: list(billhook.list_invoices()), {"id": "a"}),
            (lambda billhook: list(billhook.list_events()), [1]),
            (lambda billhook: billhook.get_info(), {"networks": {}}),
            (lambda billhook: billhook.get_info(), {"networks": [1]}),
            (lambda billhook: billhook.get_info(), {"networks": [{"id": "SEP"}]}),
            (lambda billhook: billhook.get_info(), {"networks": [{**NETWORKS[0], "decimals": 10**9}]}),
        )
        for call, body in rows:
            with self.subTest(body):
                self.assertEqual(self.error_of(reply(200, body), call).code, "unexpected_answer")

    def test_that_are_errors_of_something_else_say_so(self):
        for body in (b"", b"<html>", b"[]", b'{"error":1,"code":2}', b'{"error":"x"}', b'{"error":{"a":1},"code":"x"}'):
            with self.subTest(body):
                error = self.error_of(reply(404, body, x_request_id="r"))
                self.assertEqual((error.code, error.status, error.request_id), ("unexpected_answer", 404, "r"))

    def test_that_page_for_ever_end(self):
        link = '</api/users/me/invoices?cursor=c>; rel="next"'
        page = reply(200, [{"id": "a"}], link=link)
        with FakeService(page, page, page) as service:
            with self.assertRaises(BillhookError) as caught:
                list(service.client(owner="me").list_invoices())
            self.assertEqual((caught.exception.code, len(service.asked)), ("unexpected_answer", 2))

    def test_carry_what_the_service_says(self):
        body = {
            "error": "Every wallet must belong to this identity.",
            "code": "wallet_not_owned",
            "field": "walletIds",
            "wallet": "w1",
            "reason": "not_assigned",
            "supported": ["a", "b"],
        }
        error = self.error_of(reply(400, body, x_request_id="r1"))
        self.assertEqual((error.code, error.status, error.field, error.wallet), ("wallet_not_owned", 400, "walletIds", "w1"))
        self.assertEqual((error.reason, error.supported, error.request_id), ("not_assigned", ["a", "b"], "r1"))
        for told in ("Every wallet", "Field: walletIds", "a, b", "Wallet w1 is not assigned"):
            self.assertIn(told, str(error))

    def test_say_what_to_do(self):
        for code, told in (("not_identity_key", "identity="), ("not_found", "Only a sandbox")):
            self.assertIn(told, str(self.error_of(refusal(403, code))))

    def test_do_not_come_where_nobody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as sock:
            url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        for place in (url, "http://name.invalid", url.replace("http:", "https:")):
            with self.subTest(place), self.assertRaises(BillhookError) as caught:
                Billhook(place, attempts=1).get_info()
            self.assertEqual(caught.exception.code, "unreachable")


class Pages(unittest.TestCase):
    def test_are_read_as_they_are_needed(self):
        first = reply(200, [{"id": "1"}], link='</x?limit=1&cursor=c%2B1>; rel="next"')
        with FakeService(first, reply(200, [{"id": "2"}])) as service:
            invoices = service.client(owner="m/e").list_invoices(page_size=1, status="paid", created_after=5)
            self.assertEqual(next(invoices)["id"], "1")
            self.assertEqual(len(service.asked), 1)
            self.assertEqual([invoice["id"] for invoice in invoices], ["2"])
        paths = [asked["path"] for asked in service.asked]
        start = "/api/users/m%2Fe/invoices?include=payment&status=paid&createdAfter=5&limit=1"
        self.assertEqual(paths, [start, f"{start}&cursor=c%2B1"])

    def test_of_events_go_on_behind_the_last(self):
        first = reply(200, [{"id": "7"}], link='</x?after=7>; rel="next"')
        with FakeService(first, reply(200, [])) as service:
            self.assertEqual(len(list(service.client(owner="me").list_events(after="6"))), 1)
            self.assertEqual([asked["path"].split("after=")[1] for asked in service.asked], ["6", "7"])


class Waits(unittest.TestCase):
    def test_end_with_a_payment(self):
        paid = {**INVOICE, "payment": {"status": "paid"}}
        script = (reply(200, INVOICE), *[refusal(503, "overloaded")] * 4, reply(200, paid))
        with FakeService(*script) as service:
            invoice = service.client().wait_for_payment("a1", interval_seconds=0.001)
            self.assertEqual(invoice["payment"]["status"], "paid")

    def test_end_with_an_invoice_that_is_accepted(self):
        answers = (INVOICE, {**INVOICE, "accepted_at": None}, {**INVOICE, "accepted_at": 5})
        with FakeService(*[reply(200, answer) for answer in answers]) as service:
            invoice = service.client().wait_for_payment("a1", interval_seconds=0.001)
            self.assertEqual(invoice["accepted_at"], 5)

    def test_end_with_an_invoice_that_is_void(self):
        with FakeService(reply(200, INVOICE), reply(200, {**INVOICE, "voided_at": 5})) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client().wait_for_payment("a1", interval_seconds=0.001)
            self.assertEqual(caught.exception.code, "invoice_void")

    def test_end_with_their_time(self):
        with FakeService(*[reply(200, INVOICE)] * 1000) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client().wait_for_payment("a1", interval_seconds=0.01, timeout_seconds=0.1)
            self.assertEqual(caught.exception.code, "wait_timeout")

    def test_end_with_their_time_while_an_answer_hangs(self):
        with FakeService(reply(200, INVOICE), drip(b"HTTP/1.1 200 OK\r\n\r\n")) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client(timeout_seconds=60).wait_for_payment("a1", interval_seconds=0.01, timeout_seconds=0.3)
            self.assertEqual(caught.exception.code, "wait_timeout")

    def test_end_with_their_time_where_the_service_asks_for_more(self):
        later = refusal(503, "overloaded", retry_after="20")
        with FakeService(reply(200, INVOICE), later) as service, mock.patch("time.sleep") as sleep:
            with self.assertRaises(BillhookError) as caught:
                service.client().wait_for_payment("a1", interval_seconds=0.01, timeout_seconds=5)
            self.assertEqual(caught.exception.code, "wait_timeout")
            self.assertLessEqual(max(call[0][0] for call in sleep.call_args_list), 5)

    def test_end_with_their_time_where_no_answer_ever_comes(self):
        with FakeService(drip(b"HTTP/1.1 200 OK\r\n\r\n")) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client(timeout_seconds=60).wait_for_payment("a1", timeout_seconds=0.2)
            self.assertEqual(caught.exception.code, "wait_timeout")

    def test_do_not_begin_without_a_service(self):
        with FakeService(*[refusal(503, "overloaded")] * 4) as service:
            with self.assertRaises(BillhookError) as caught:
                service.client().wait_for_payment("a1")
            self.assertEqual(caught.exception.code, "overloaded")

    def test_for_a_wallet_are_for_its_address(self):
        answers = ([], [{"id": "w", "address": None}], [{"id": "v", "address": "x"}, {"id": "w", "address": "y"}])
        with FakeService(*[reply(200, answer) for answer in answers]) as service:
            self.assertEqual(service.client(owner="me").wait_for_wallet("w", interval_seconds=0.001)["address"], "y")

    def test_for_an_identity_are_for_a_yes(self):
        with FakeService(reply(200, {"exists": False}), reply(200, {"exists": True})) as service:
            service.client(owner="me").wait_for_identity(interval_seconds=0.001)
            self.assertEqual(len(service.asked), 2)


class Networks(unittest.TestCase):
    def test_that_are_not_there_are_refused_before_a_claim(self):
        with FakeService(reply(200, INFO), reply(200, INFO)) as service:
            with self.assertRaisesRegex(ValueError, 'no network "sep"; did you mean "SEP"\\? It has SEP, TRX-NILE'):
                service.client().claim_wallet("sep")
            with self.assertRaisesRegex(ValueError, 'no network "ETH"\\. It has'):
                service.client().claim_wallet("ETH")
            self.assertEqual({asked["path"] for asked in service.asked}, {"/api/info"})

    def test_are_asked_for_once_until_another_one_comes(self):
        with FakeService(reply(200, INFO), reply(200, INFO)) as service:
            billhook = service.client()
            observed = {"network": "SEP", "amount": "25000000", "currency": "Tether"}
            self.assertEqual([billhook.amount_of(observed).text for _ in range(3)], ["25 USDT"] * 3)
            self.assertEqual(len(service.asked), 1)
            with self.assertRaises(BillhookError):
                billhook.amount_of({**observed, "network": "BSC"})
            self.assertEqual(len(service.asked), 2)


class Connections(unittest.TestCase):
    def test_are_used_again(self):
        with FakeService(*[reply(200, INVOICE)] * 5) as service:
            with service.client() as billhook:
                for _ in range(5):
                    billhook.get_invoice("a1")
            self.assertEqual(service.connections, 1)

    def test_that_the_service_closed_cost_no_attempt(self):
        def last(sock):
            sock.sendall(reply(200, INVOICE))

        with FakeService(last, last, reply(200, INVOICE)) as service:
            billhook = service.client(attempts=1)
            for _ in range(3):
                billhook.get_invoice("a1")
            self.assertEqual(service.connections, 3)

    def test_are_new_for_what_may_not_be_repeated(self):
        with FakeService(reply(200, INVOICE), reply(200, {"id": "d"})) as service:
            billhook = service.client(owner="me")
            billhook.get_invoice("a1")
            billhook.redeliver_webhook("d")
            self.assertEqual(service.connections, 2)

    def test_end_where_the_service_says_so(self):
        def last(sock):
            sock.sendall(reply(200, INVOICE, connection="close"))
            # The answer must have been read, though the connection is not for another request.
            sock.recv(1)

        with FakeService(last, reply(200, INVOICE)) as service:
            billhook = service.client(attempts=1)
            billhook.get_invoice("a1")
            billhook.get_invoice("a1")
            self.assertEqual(service.connections, 2)

    def test_with_something_to_read_are_not_used_again(self):
        def babbling(sock):
            sock.sendall(reply(200, INVOICE))
            time.sleep(0.05)
            sock.sendall(reply(200, {**INVOICE, "id": "forged"}))
            sent.set()
            sock.recv(1)

        sent = threading.Event()
        with FakeService(babbling, reply(200, INVOICE)) as service:
            billhook = service.client()
            billhook.get_invoice("a1")
            self.assertTrue(sent.wait(10))
            self.assertEqual(billhook.get_invoice("a1")["id"], "a1")
            self.assertEqual(service.connections, 2)

    def test_belong_to_one_thread_at_a_time(self):
        with FakeService() as service:
            service.answer_to = lambda asked: reply(200, {**INVOICE, "id": asked["path"].rsplit("/", 1)[1]})
            billhook = service.client()
            wrong = []

            def work(name):
                for at in range(50):
                    if billhook.get_invoice(f"{name}-{at}")["id"] != f"{name}-{at}":
                        wrong.append(at)

            threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual((wrong, len(service.asked)), ([], 200))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_end_with_their_client_after_a_refusal(self):
        with FakeService(refusal(404, "invoice_not_found")) as service:
            billhook = service.client()
            gc.disable()
            self.addCleanup(gc.enable)
            try:
                billhook.get_invoice("a1")
            except BillhookError as error:
                self.assertEqual(error.code, "invoice_not_found")
            kept = weakref.ref(billhook)
            del billhook
            self.assertIsNone(kept())

    def test_are_not_shared_with_a_fork(self):
        with FakeService(*[reply(200, INVOICE)] * 3) as service:
            billhook = service.client()
            billhook.get_invoice("a1")
            child = os.fork()
            if child == 0:
                try:
                    billhook.get_invoice("a1")
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            billhook.get_invoice("a1")
            self.assertEqual(service.connections, 2)


class Records(unittest.TestCase):
    def test_have_their_wallets_joined(self):
        rows = (({"wallet_id": "a", "wallet_ids": None}, ["a"]), ({"wallet_id": "a", "wallet_ids": ""}, ["a"]), ({"wallet_id": "a", "wallet_ids": "a,b"}, ["a", "b"]))
        for record, wallets in rows:
            self.assertEqual(wallet_ids_of(record), wallets)


if __name__ == "__main__":
    unittest.main()
