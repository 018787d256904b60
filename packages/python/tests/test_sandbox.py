"""The package and running sandboxes: BILLHOOK_URL is one, BILLHOOK_STRICT_URL one in strict mode."""

import base64
import hashlib
import hmac
import http.client
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
import unittest
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

from billhook import (
    Billhook,
    BillhookError,
    assign_wallet,
    identity_from_phrase,
    key_signer,
    new_phrase,
    onboard,
    verify_webhook,
    wallet_ids_of,
)
from places import PACKAGE, PROJECT

URL = os.environ.get("BILLHOOK_URL")
STRICT_URL = os.environ.get("BILLHOOK_STRICT_URL")
NEEDS_SANDBOXES = "BILLHOOK_URL and BILLHOOK_STRICT_URL name no sandboxes"
HAS_SANDBOXES = URL is not None and STRICT_URL is not None
WAIT = {"timeout_seconds": 20, "interval_seconds": 0.02}
SECRET = "0123456789abcdef" * 4


class Merchant:
    """With an identity, a registered key and a TRON wallet."""

    def __init__(self, url):
        self.identity = identity_from_phrase(new_phrase())
        self.ledger = Billhook(url).get_info()["ledger"]
        owner = onboard(self.ledger, self.identity)
        self.billhook = Billhook(url, owner=owner, private_key=secrets.token_bytes(32))
        self.billhook.wait_for_identity(**WAIT)
        self.key = self.billhook.register_api_key(label="test", identity=self.identity)
        claimed = self.billhook.claim_wallet("TRX-NILE")
        assign_wallet(self.ledger, self.identity, claimed["id"], billhook=self.billhook)
        self.wallet = self.billhook.wait_for_wallet(claimed["id"], **WAIT)
        assert self.wallet["address"] == claimed["address"]
        self.draft = {"wallet_ids": [claimed["id"]], "name": "Tee für zwei", "currency": "USDT"}


class Receiver:
    """Keeps what is posted to it."""

    def __enter__(self):
        received = self.received = []
        arrived = self.arrived = threading.Semaphore(0)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                received.append((self.rfile.read(int(self.headers["content-length"])), self.headers))
                self.send_response(204)
                self.end_headers()
                arrived.release()

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/billhook"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@unittest.skipUnless(HAS_SANDBOXES, NEEDS_SANDBOXES)
class Sandbox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.merchant = Merchant(URL)
        cls.billhook = cls.merchant.billhook
        cls.draft = cls.merchant.draft

    def code_of(self, call, *args, **options):
        with self.assertRaises(BillhookError) as caught:
            call(*args, **options)
        return caught.exception.code

    def test_has_an_invoice_paid(self):
        created = self.billhook.create_invoice(**self.draft, amount=Decimal("25.50"), expires_in_seconds=3600)
        self.assertEqual((created.is_replay, created.page_url), (False, f"{URL}/pay/{created.id}"))
        self.assertGreater(created.expires_at, time.time() * 1000)
        self.assertIsNotNone(created.request_id)
        invoice = self.billhook.get_invoice(created.id)
        self.assertEqual((invoice["amount"], invoice["payment"]["status"]), ("25.50", "unpaid"))
        self.assertEqual(wallet_ids_of(invoice), self.draft["wallet_ids"])
        deposit = self.billhook.simulate_deposit(invoice_id=created.id)
        self.assertEqual(self.billhook.amount_of(deposit).text, "25.5 USDT")
        self.assertEqual(self.billhook.amount_of(deposit).value, Decimal(invoice["amount"]))
        paid = self.billhook.wait_for_payment(created.id, **WAIT)
        self.assertEqual(paid["payment"]["received"], "25.5")
        self.assertEqual(self.code_of(self.billhook.void_invoice, created.id), "invoice_paid")

    def test_creates_no_second_invoice_with_the_same_key(self):
        create = lambda: self.billhook.create_invoice(**self.draft, amount="31", idempotency_key=key)
        key = secrets.token_hex(8)
        first, again = create(), create()
        self.assertEqual((first.is_replay, again.is_replay, again.id), (False, True, first.id))
        self.assertEqual(self.code_of(self.billhook.create_invoice, **self.draft, amount="31"), "amount_in_use")

    def test_says_which_wallet_is_at_fault(self):
        with self.assertRaises(BillhookError) as caught:
            self.billhook.create_invoice(**{**self.draft, "wallet_ids": ["nobody"]}, amount="1")
        self.assertEqual((caught.exception.code, caught.exception.wallet, caught.exception.status), ("wallet_not_owned", "nobody", 400))

    def test_lists_by_pages(self):
        merchant = Merchant(URL)
        made = [merchant.billhook.create_invoice(**merchant.draft, amount=str(at + 1)).id for at in range(5)]
        listed = merchant.billhook.list_invoices(page_size=2)
        self.assertEqual([invoice["id"] for invoice in listed], made[::-1])
        plain = merchant.billhook.list_invoices_without_payment(page_size=3)
        self.assertEqual([invoice["amount"] for invoice in plain], ["5", "4", "3", "2", "1"])
        self.assertEqual(list(merchant.billhook.list_invoices(status="paid")), [])
        ended = merchant.billhook.void_invoice(made[0])
        self.assertIsNotNone(ended["voided_at"])
        with self.assertRaises(BillhookError) as caught:
            merchant.billhook.wait_for_payment(made[0])
        self.assertEqual(caught.exception.code, "invoice_void")
        types = [event["type"] for event in merchant.billhook.list_events(page_size=2)]
        self.assertEqual(types, ["invoice.created"] * 5 + ["invoice.voided"])

    def test_goes_on_with_events_behind_the_last(self):
        merchant = Merchant(URL)
        invoice = merchant.billhook.create_invoice(**merchant.draft, amount="3")
        *_, last = merchant.billhook.list_events()
        merchant.billhook.simulate_deposit(invoice_id=invoice.id, kind="confirmed")
        events = list(merchant.billhook.list_events(after=last["id"]))
        self.assertEqual({event["type"] for event in events} - {"deposit.pending"}, {"deposit.confirmed", "invoice.paid"})
        deposits = [event["deposit"] for event in events if event["type"] == "deposit.confirmed"]
        self.assertEqual([merchant.billhook.amount_of(deposit).text for deposit in deposits], ["3 USDT"])

    def test_sends_webhooks_that_verify(self):
        merchant = Merchant(URL)
        billhook = merchant.billhook
        self.assertEqual(billhook.get_webhook()["secret"], None)
        with Receiver() as receiver:
            old = billhook.set_webhook(callback_url=receiver.url, payload="with-invoice")["secret"]
            self.assertEqual(billhook.test_webhook()["state"], "delivered")
            self.assertTrue(receiver.arrived.acquire(timeout=20))
            body, headers = receiver.received[0]
            self.assertTrue(verify_webhook(body, headers, old).payload["test"])
            new = billhook.rotate_webhook_secret(overlap_seconds=3600)["secret"]
            self.assertNotEqual(old, new)
            invoice = billhook.create_invoice(**merchant.draft, amount="4", reference=secrets.token_hex(8))
            billhook.simulate_deposit(invoice_id=invoice.id, kind="confirmed")
            for _ in range(2):
                self.assertTrue(receiver.arrived.acquire(timeout=20))
            for body, headers in receiver.received[1:]:
                for known in (old, new, [old, new]):
                    payload = verify_webhook(body, headers, known).payload
                    self.assertEqual(payload["invoiceId"], invoice.id)
                self.assertEqual(billhook.amount_of(payload).text, "4 USDT")
                verify_webhook(body, {"X-Service-Signature": headers["x-service-signature"]}, old, accept_untimed=True)
                with self.assertRaises(BillhookError):
                    verify_webhook(body.replace(b"4000000", b"9000000"), headers, old)
            deliveries = list(billhook.list_webhook_deliveries(page_size=1))
            self.assertEqual({delivery["invoiceId"] for delivery in deliveries}, {invoice.id})
            redelivered = self._redelivered(billhook, deliveries[0]["id"])
            self.assertEqual(redelivered["id"], deliveries[0]["id"])
            self.assertTrue(receiver.arrived.acquire(timeout=20))
        self.assertEqual((billhook.delete_webhook(), billhook.delete_webhook()), ({"deleted": True}, {"deleted": False}))

    def _redelivered(self, billhook, delivery_id):
        # The receiver has answered before the outcome is recorded.
        until = time.monotonic() + 20
        while True:
            try:
                return billhook.redeliver_webhook(delivery_id)
            except BillhookError as error:
                if error.code != "delivery_in_progress" or time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def test_has_keys_listed_and_revoked(self):
        merchant = Merchant(URL)
        self.assertEqual([key["label"] for key in merchant.billhook.list_api_keys()], ["test"])
        self.assertIsNotNone(merchant.billhook.revoke_api_key(merchant.key["id"])["revoked_at"])
        self.assertEqual(self.code_of(merchant.billhook.create_invoice, **merchant.draft, amount="1"), "api_key_revoked")

    def test_refuses_networks_that_it_does_not_have(self):
        with self.assertRaisesRegex(ValueError, 'no network "ETH".*SEP, TRX-NILE'):
            self.billhook.claim_wallet("ETH")

    def test_does_the_ledger_steps_twice_without_harm(self):
        merchant = self.merchant
        self.assertEqual(onboard(merchant.ledger, merchant.identity), merchant.billhook.owner)
        assign_wallet(merchant.ledger, merchant.identity, merchant.wallet["id"], billhook=merchant.billhook)
        with self.assertRaises(BillhookError) as caught:
            stranger = Merchant(URL)
            assign_wallet(stranger.ledger, stranger.identity, merchant.wallet["id"], billhook=stranger.billhook, settle_seconds=0)
        self.assertEqual(caught.exception.code, "ledger_rejected")

    def test_is_asked_by_several_threads_at_once(self):
        failures = []

        def work(at):
            try:
                created = self.billhook.create_invoice(**self.draft, amount=str(1000 + at))
                if self.billhook.get_invoice(created.id)["amount"] != str(1000 + at):
                    failures.append(at)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_is_described(self):
        self.assertIn("networks", self.billhook.describe_sandbox())
        reply = self.billhook.request("GET /api/users/:id/wallets", params={"id": self.billhook.owner})
        self.assertEqual(reply.body, self.billhook.list_wallets())


@unittest.skipUnless(HAS_SANDBOXES, NEEDS_SANDBOXES)
class StrictSandbox(unittest.TestCase):
    def test_has_an_invoice_paid(self):
        merchant = Merchant(STRICT_URL)
        created = merchant.billhook.create_invoice(**merchant.draft, amount="2")
        merchant.billhook.simulate_deposit(invoice_id=created.id)
        paid = merchant.billhook.wait_for_payment(created.id, **WAIT)
        self.assertEqual(paid["payment"]["status"], "paid")
        merchant.billhook.set_webhook(callback_url="http://127.0.0.1:1/")
        self.assertEqual(merchant.billhook.test_webhook()["state"], "failed")
        self.assertEqual(len(list(merchant.billhook.list_events())) > 2, True)
        merchant.billhook.revoke_api_key(merchant.key["id"])

    def test_registers_a_key_only_for_the_identity(self):
        merchant = Merchant(STRICT_URL)
        other = Billhook(STRICT_URL, owner=merchant.billhook.owner, private_key=secrets.token_bytes(32))
        for identity in (None, key_signer(secrets.token_bytes(32))):
            with self.assertRaises(BillhookError) as caught:
                other.register_api_key(label="x", identity=identity)
            self.assertEqual(caught.exception.code, "not_identity_key")
        other.register_api_key(label="x", identity=merchant.identity)
        with self.assertRaises(BillhookError):
            Billhook(STRICT_URL, owner=merchant.billhook.owner).list_wallets()


def programs_of(path):
    """The first program of each section of a page, by its heading."""
    text = path.read_text("utf-8")
    return dict(re.findall(r"^##+ ([^\n]+)\n(?:(?!^##)[^\n]*\n)*?```python\n(.*?)```", text, re.DOTALL | re.MULTILINE))


@unittest.skipUnless(HAS_SANDBOXES, NEEDS_SANDBOXES)
class Programs(unittest.TestCase):
    PAGES = (PACKAGE / "README.md", PROJECT / "docs/python.md")

    def test_go_from_nothing_to_a_paid_order(self):
        program, *others = [programs_of(page)["From nothing to a paid order"] for page in self.PAGES]
        self.assertEqual(others, [program])
        self.assertIn("http://127.0.0.1:8080", program)
        for url in (URL, STRICT_URL):
            with self.subTest(url):
                run = [sys.executable, "-c", program.replace("http://127.0.0.1:8080", url)]
                ended = subprocess.run(run, capture_output=True, text=True, timeout=60)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                self.assertRegex(ended.stdout, "^Pay at http://127.0.0.1:[0-9]+/order/[0-9a-f]{32}\npaid: 25.00 EUR\n$")

    def test_receive_webhooks(self):
        programs = {page.name: programs_of(page) for page in self.PAGES}
        self.assertEqual(programs["README.md"]["A webhook"], programs["python.md"]["Webhooks"])
        with socket.create_server(("127.0.0.1", 0)) as sock:
            port = sock.getsockname()[1]
        environment = {**os.environ, "PORT": str(port), "WEBHOOK_SECRET": SECRET}
        run = [sys.executable, "-c", programs["README.md"]["A webhook"]]
        child = subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            body = b'{"reference":"order-1","status":"confirmed"}'
            self.assertEqual(self._posted(port, body, {}), 401)
            self.assertEqual(self._posted(port, body, signed(body)), 204)
            self.assertEqual(child.stdout.readline(), "confirmed order-1\n")
        finally:
            child.kill()
            child.communicate()

    def test_read_events(self):
        merchant = Merchant(URL)
        references = [secrets.token_hex(8) for _ in range(3)]
        ids = [merchant.billhook.create_invoice(**merchant.draft, amount=str(at + 1), reference=reference).id for at, reference in enumerate(references)]
        merchant.billhook.accept_invoice(ids[0])
        merchant.billhook.simulate_deposit(invoice_id=ids[1], kind="confirmed")
        merchant.billhook.wait_for_payment(ids[1], **WAIT)
        marked, cursors = [], []
        given = {"billhook": merchant.billhook, "load_cursor": lambda: None, "mark_paid": marked.append, "save_cursor": cursors.append}
        exec(programs_of(PROJECT / "docs/python.md")["Events"], given)
        self.assertEqual(marked, references[:2])
        self.assertEqual(cursors, sorted(set(cursors)))

    def _posted(self, port, body, headers):
        until = time.monotonic() + 20
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                connection.request("POST", "/", body, headers)
                return connection.getresponse().status
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
            finally:
                connection.close()


def signed(body):
    timestamp = str(int(time.time()))
    mac = hmac.new(bytes.fromhex(SECRET), f"w1.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": "w1",
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


if __name__ == "__main__":
    unittest.main()
