"""The methods, by ``docs/openapi.json``: each operation that a merchant needs has one, and it asks for just that."""

import re
import unittest

import billhook
from billhook import Billhook
from fake_service import FakeService, reply
from places import PROJECT, json_of
from test_transport import DRAFT, INFO

#: Chapters of the reference that a merchant's program calls, and operations of others.
CHAPTERS = {"Invoices", "Orders", "API keys", "Webhooks", "Events", "Identities and wallets"}
OTHERS = {"getInfo", "getRates", "describeSandbox", "simulateDeposit", "setSandboxRates"}
#: Another operation covers these: claims of every network go to one path, which these two spell out.
COVERED = {"claimTronNileWallet": "claimWallet", "claimSepoliaWallet": "claimWallet"}

CALLS = {
    "createInvoice": lambda billhook: billhook.create_invoice(**DRAFT),
    "getInvoice": lambda billhook: billhook.get_invoice("a"),
    "voidInvoice": lambda billhook: billhook.void_invoice("a"),
    "acceptInvoice": lambda billhook: billhook.accept_invoice("a"),
    "listInvoices": lambda billhook: list(billhook.list_invoices()),
    "createOrder": lambda billhook: billhook.create_order(
        price={"amount": "1", "currency": "EUR"}, options=[{"walletIds": ["w"]}], name="x"
    ),
    "getOrder": lambda billhook: billhook.get_order("a"),
    "voidOrder": lambda billhook: billhook.void_order("a"),
    "acceptOrder": lambda billhook: billhook.accept_order("a"),
    "listOrders": lambda billhook: list(billhook.list_orders()),
    "registerApiKey": lambda billhook: billhook.register_api_key(label="x", public_key="02"),
    "listApiKeys": lambda billhook: billhook.list_api_keys(),
    "revokeApiKey": lambda billhook: billhook.revoke_api_key("k"),
    "getWebhook": lambda billhook: billhook.get_webhook(),
    "setWebhook": lambda billhook: billhook.set_webhook(callback_url="https://x"),
    "deleteWebhook": lambda billhook: billhook.delete_webhook(),
    "rotateWebhookSecret": lambda billhook: billhook.rotate_webhook_secret(overlap_seconds=5),
    "testWebhook": lambda billhook: billhook.test_webhook(),
    "listWebhookDeliveries": lambda billhook: list(billhook.list_webhook_deliveries()),
    "redeliverWebhook": lambda billhook: billhook.redeliver_webhook("d"),
    "listEvents": lambda billhook: list(billhook.list_events()),
    "identityExists": lambda billhook: billhook.identity_exists(),
    "claimWallet": lambda billhook: billhook.claim_wallet("SEP"),
    "listWallets": lambda billhook: billhook.list_wallets(),
    "getInfo": lambda billhook: billhook.get_info(),
    "getRates": lambda billhook: billhook.get_rates(),
    "describeSandbox": lambda billhook: billhook.describe_sandbox(),
    "simulateDeposit": lambda billhook: billhook.simulate_deposit(address="x", amount="1"),
    "setSandboxRates": lambda billhook: billhook.set_sandbox_rates({"EUR": {"USDT": "0.92"}}),
}

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in json_of("docs/openapi.json")["paths"].items()
    for method, operation in methods.items()
    if method in ("get", "post", "put", "delete")
}


def answer_to(asked):
    """An answer that every method takes."""
    path = asked["path"].split("?")[0]
    if path == "/api/info":
        return reply(200, INFO)
    if asked["method"] == "GET" and re.search("/(invoices|orders|api-keys|deliveries|events|wallets)$", path):
        return reply(200, [])
    if path.endswith("/orders"):
        return reply(201, {"id": "a", "url": "/order/a", "expires_at": 1, "invoices": []})
    return reply(200, {"id": "a", "url": "/pay/a", "exists": True, "payment": {}, "status": "paid"})


class Operations(unittest.TestCase):
    def test_that_a_merchant_needs_have_a_method(self):
        needed = {
            name
            for name, (_, _, operation) in OPERATIONS.items()
            if name in OTHERS or CHAPTERS.intersection(operation.get("tags", []))
        }
        self.assertGreater(len(needed), 15)
        self.assertEqual({COVERED.get(name, name) for name in needed}, set(CALLS))
        for name in CALLS:
            method = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
            self.assertTrue(callable(getattr(Billhook, method, None)), method)

    def test_are_asked_for_by_their_methods(self):
        for name, call in CALLS.items():
            method, path, operation = OPERATIONS[name]
            with self.subTest(name), FakeService() as service:
                service.answer_to = answer_to
                call(service.client(owner="me", attempts=1))
                asked = service.asked[-1]
                self.assertEqual(asked["method"], method)
                self.assertRegex(asked["path"].split("?")[0], f"^{re.sub('{[^}]*}', '[^/]+', path)}$")
                has_body = operation.get("requestBody") is not None
                self.assertEqual(asked["body"] != b"", has_body)


class ThePage(unittest.TestCase):
    def test_names_everything_that_there_is(self):
        page = (PROJECT / "docs/python.md").read_text("utf-8")
        methods = [name for name in vars(Billhook) if not name.startswith("_") and callable(getattr(Billhook, name))]
        functions = [name for name in billhook.__all__ if name.islower()]
        self.assertGreater(len(methods) + len(functions), 30)
        self.assertEqual([name for name in methods + functions if f"{name}(" not in page and f"`{name}`" not in page], [])


if __name__ == "__main__":
    unittest.main()
