"""The examples in docstrings, as `help(billhook)` shows them: every function, and every method of the client, has one that runs."""

import doctest
import inspect
import os
import re
import secrets
import tempfile
import time
import unittest
from decimal import Decimal
from pathlib import Path

import billhook as package
from billhook import Billhook, BillhookError, VerifiedWebhook, assign_wallet
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from places import PACKAGE, PROJECT
from test_sandbox import HAS_SANDBOXES, NEEDS_SANDBOXES, SECRET, STRICT_URL, URL, WAIT, Merchant, Receiver, signed

#: What the examples of webhooks are given.
RAW_BODY = (
    b'{"reference":"order-1001","status":"confirmed","invoiceId":"01a1f891300174609c7fb15f713cba98","network":"TRX-NILE",'
    b'"txHash":"1173e737","toAddress":"TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP","amount":"25000000","currency":"Tether",'
    b'"receivedAt":1795171627068}'
)
RAW_EVENT = b'{"id":"01a1f89143c60001","type":"invoice.paid","at":1795171631046,"data":{"invoiceId":"01a1f891","reference":"order-1001"}}'


def documented():
    """What a program calls, by name: the functions, the client, its methods, and the error."""
    named = [(name, getattr(package, name)) for name in package.__all__]
    functions = [(name, one) for name, one in named if inspect.isfunction(one)]
    methods = [(f"Billhook.{name}", one) for name, one in vars(Billhook).items() if not name.startswith("_")]
    others = [("Billhook", Billhook), ("BillhookError", BillhookError), ("VerifiedWebhook.event", VerifiedWebhook.event)]
    return [*others, *functions, *methods]


def example_of(name, one):
    return doctest.DocTestParser().get_doctest(inspect.getdoc(one) or "", {}, name, None, 0)


class Docstrings(unittest.TestCase):
    def test_have_an_example_each(self):
        without = [name for name, one in documented() if not example_of(name, one).examples]
        self.assertEqual(without, [])
        self.assertGreater(len(documented()), 35)


class Codes(unittest.TestCase):
    def test_are_the_same_in_the_page_and_in_the_docstring(self):
        page = (PROJECT / "docs/python.md").read_text("utf-8")
        table = re.search(r"^\| Code of the package \|.*?\n\n", page, re.DOTALL | re.MULTILINE)[0]
        told = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        self.assertEqual(told, re.findall(r"^- ``(\w+)``:", inspect.getdoc(BillhookError), re.MULTILINE))

    def test_are_all_that_the_package_raises(self):
        raised = set()
        for file in (PACKAGE / "src/billhook").glob("*.py"):
            raised |= set(re.findall(r'BillhookError\((?:[^()]|\([^()]*\))*?"([a-z]+_[a-z]+|unreachable)"', file.read_text("utf-8")))
        self.assertEqual(raised, set(re.findall(r"^- ``(\w+)``:", inspect.getdoc(BillhookError), re.MULTILINE)))


@unittest.skipUnless(HAS_SANDBOXES, NEEDS_SANDBOXES)
class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before = os.getcwd()
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()

    def keep_rates(self, url):
        """An example sets the rates of the sandbox, at which other tests have their prices."""
        sandbox = Billhook(url)
        self.addCleanup(sandbox.set_sandbox_rates, sandbox.get_rates()["rates"])

    def test_run(self):
        self.keep_rates(URL)
        with Receiver() as receiver:
            shop = Shop(URL, receiver)
            for name, one in documented():
                with self.subTest(name):
                    self.assertEqual(shop.told_by(example_of(name, one)), "")

    def test_run_in_strict_mode(self):
        """Those that no receiver has to answer: strict mode sends webhooks to public addresses only."""
        self.keep_rates(STRICT_URL)
        shop = Shop(STRICT_URL, None)
        for name, one in documented():
            if "webhook" not in name:
                with self.subTest(name):
                    self.assertEqual(shop.told_by(example_of(name, one)), "")


class Shop:
    """What examples take as given: a client, a wallet, an open invoice, and a webhook that has arrived."""

    def __init__(self, url, receiver):
        self.url = url
        self.receiver = receiver
        self.private_key = secrets.token_bytes(32)
        self.merchant = Merchant(url)
        owner = self.merchant.billhook.owner
        self.billhook = Billhook(url, owner=owner, private_key=self.private_key)
        self.billhook.register_api_key(label="shop", identity=self.merchant.identity)
        pem = ec.generate_private_key(ec.SECP256K1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        Path("identity.pem").write_bytes(pem)
        if receiver is not None:
            self._have_a_webhook_delivered()

    def told_by(self, example):
        """What is wrong with an example; nothing if all is as it says."""
        if self.receiver is not None:
            self.billhook.set_webhook(callback_url=self.receiver.url)
        invoice = self.billhook.create_invoice(**self.merchant.draft, amount="25.00", order_number="1001")
        example.globs = {
            **{name: getattr(package, name) for name in package.__all__},
            "Decimal": Decimal,
            "Path": Path,
            "secrets": secrets,
            "url": self.url,
            "owner": self.billhook.owner,
            "private_key": self.private_key,
            "identity": self.merchant.identity,
            "ledger": self.merchant.ledger,
            "billhook": self.billhook,
            "wallet_id": self.merchant.wallet["id"],
            "invoice": invoice,
            "receiver_url": None if self.receiver is None else self.receiver.url,
            "raw_body": RAW_BODY,
            "headers": signed(RAW_BODY),
            "raw_event": RAW_EVENT,
            "event_headers": signed(RAW_EVENT),
            "secret": SECRET,
        }
        told = []
        doctest.DocTestRunner(verbose=False).run(example, out=told.append)
        self._end_open_invoices()
        return "".join(told)

    def _have_a_webhook_delivered(self):
        billhook, draft = self.billhook, self.merchant.draft
        # On a wallet of its own: an invoice with a reference would be matched before those of the examples.
        wallet = billhook.claim_wallet("TRX-NILE")
        assign_wallet(self.merchant.ledger, self.merchant.identity, wallet["id"], billhook=billhook)
        billhook.wait_for_wallet(wallet["id"], **WAIT)
        billhook.set_webhook(callback_url=self.receiver.url)
        draft = {**draft, "wallet_ids": [wallet["id"]], "reference": secrets.token_hex(8)}
        billhook.simulate_deposit(invoice_id=billhook.create_invoice(**draft, amount="1").id, kind="confirmed")
        until = time.monotonic() + WAIT["timeout_seconds"]
        states = []
        while states != ["delivered"] * 2:
            assert time.monotonic() < until, states
            time.sleep(WAIT["interval_seconds"])
            states = [delivery["state"] for delivery in billhook.list_webhook_deliveries()]

    def _end_open_invoices(self):
        """So that the next example can ask for the same amount."""
        for invoice in self.billhook.list_invoices(status="unpaid"):
            if invoice["voided_at"] is None:
                self.billhook.void_invoice(invoice["id"])
