"""The types, by mypy in its strict mode. Not a part of the other tests, because it needs mypy."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from places import PACKAGE
from test_sandbox import programs_of

#: What a program may get wrong, with a part of what mypy says of it.
MISTAKES = (
    ('billhook.create_invoice(wallet_ids=["w"], name="Tea", amount=25.0)', 'incompatible type "float"'),
    ('billhook.create_invoice(wallet_ids=["w"], name="Tea")', 'Missing named argument "amount"'),
    ('billhook.create_invoice(wallet_ids=["w"], name="Tea", amount="1", refrence="x")', 'Unexpected keyword argument "refrence"'),
    ('billhook.create_invoice(wallet_ids=["w"], name="Tea", amount="1", currency=1)', 'incompatible type "int"'),
    ('billhook.get_invoice("a")["paid"]', 'has no key "paid"'),
    ('billhook.request("GET /api/info", signer="api-key.pem")', 'incompatible type "str"'),
    ('billhook.set_webhook(url="https://x")', 'Unexpected keyword argument "url"'),
)

#: What a program may get right. ``reveal_type`` is not needed: a wrong type is an error.
RIGHT = """
from decimal import Decimal
from typing import Optional
from billhook import Billhook, BillhookError, verify_webhook

billhook = Billhook("http://127.0.0.1")
created = billhook.create_invoice(wallet_ids=["w"], name="Tea", amount=Decimal("1"), currency="USDT", reference=None)
billhook.create_invoice(wallet_ids=["w"], name="Tea", amount="1", currency="USDC")
expires: Optional[int] = created.expires_at
for event in billhook.list_events():
    if event["type"] == "deposit.confirmed":
        network: str = event["deposit"]["network"]
        value: Decimal = billhook.amount_of(event["deposit"]).value
payload = verify_webhook(b"", {"webhook-id": "x"}, ["s"]).payload
status: str = payload["status"]
told = verify_webhook(b"", {"webhook-id": "x"}, ["s"]).event
if told is not None and told["type"] == "invoice.paid":
    reference: Optional[str] = told["data"]["reference"]
"""


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def checked(self, program, *more):
        file = self.folder / "program.py"
        file.write_text(program, "utf-8")
        options = ("--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", str(self.folder / "cache"))
        run = [sys.executable, "-m", "mypy", *options, *(more or [str(file)])]
        ended = subprocess.run(run, capture_output=True, text=True, cwd=PACKAGE)
        return ended.returncode, ended.stdout + ended.stderr

    def test_are_right_in_the_package(self):
        code, told = self.checked("", "--package", "billhook")
        self.assertEqual(code, 0, told)

    def test_fit_the_programs_of_the_readme(self):
        for heading, program in programs_of(PACKAGE / "README.md").items():
            with self.subTest(heading):
                code, told = self.checked(program)
                self.assertEqual(code, 0, told)

    def test_fit_what_is_right(self):
        code, told = self.checked(RIGHT)
        self.assertEqual(code, 0, told)

    def test_show_mistakes(self):
        begin = 'from billhook import Billhook\nbillhook = Billhook("http://127.0.0.1")\n'
        code, told = self.checked(begin + "\n".join(mistake for mistake, _ in MISTAKES))
        self.assertEqual(code, 1)
        lines = [line for line in told.splitlines() if "error:" in line]
        for at, (mistake, part) in enumerate(MISTAKES):
            with self.subTest(mistake):
                on_line = [line for line in lines if f"program.py:{at + 3}:" in line]
                self.assertTrue(any(part in line for line in on_line), told)


if __name__ == "__main__":
    unittest.main()
