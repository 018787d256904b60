"""Amounts, as they are given and as they are read."""

import decimal
import unittest
from decimal import Decimal

from billhook import BillhookError, amount_of
from billhook.amount import amount_text

INFO = {
    "networks": [
        {"id": "SEP", "symbol": "ETH", "decimals": 6, "claim": "sep/eth"},
        {
            "id": "BSC",
            "symbol": "BNB",
            "decimals": 18,
            "claim": "bsc/bnb",
            "tokens": [{"symbol": "USDT", "contract": None, "decimals": 18}, {"symbol": "USDC", "contract": None, "decimals": 6}],
        },
        {"id": "WHOLE", "symbol": "W", "decimals": 0, "claim": "w/w"},
    ]
}


def read(network, amount, currency):
    return amount_of({"network": network, "amount": amount, "currency": currency}, INFO)


class Amounts(unittest.TestCase):
    def test_are_read_as_people_write_them(self):
        rows = (
            ("SEP", "25000000", "Tether", "25 USDT"),
            ("SEP", "1", "Tether", "0.000001 USDT"),
            ("SEP", "0", "Tether", "0 USDT"),
            ("SEP", "0025100000", "Tether", "25.1 USDT"),
            ("BSC", "25000000000000000001", "Tether", "25.000000000000000001 USDT"),
            ("BSC", "9" * 78, "Tether", f"{'9' * 60}.{'9' * 18} USDT"),
            ("WHOLE", "100", "Tether", "100 USDT"),
            ("BSC", "25000001", "USDC", "25.000001 USDC"),
            ("SEP", "0.50", "#native", "0.5 ETH"),
            ("SEP", ".5", None, "0.5 ETH"),
            ("SEP", "1000", "", "1000 ETH"),
            ("SEP", "0.0000000000000001", "#native", "0.0000000000000001 ETH"),
        )
        for network, amount, currency, text in rows:
            with self.subTest(text):
                made = read(network, amount, currency)
                self.assertEqual(made.text, text)
                self.assertEqual(f"{made.value:f} {made.symbol}", text)
                self.assertEqual(made.currency, {"Tether": "USDT", "USDC": "USDC"}.get(currency, "native"))

    def test_do_not_depend_on_the_context_of_the_program(self):
        with decimal.localcontext(decimal.Context(prec=3)):
            self.assertEqual(read("BSC", "25000000000000000001", "Tether").text, "25.000000000000000001 USDT")
            self.assertEqual(amount_text(Decimal("12345.6789")), "12345.6789")

    def test_that_cannot_be_read_say_why(self):
        rows = (
            ("ETH", "1", "Tether"),
            (None, "1", "Tether"),
            ("SEP", "1", "Dai"),
            ("SEP", "1", "USDC"),
            ("BSC", "1", "USDT"),
            ("SEP", None, "Tether"),
            ("SEP", "1.5", "Tether"),
            ("SEP", "-1", "Tether"),
            ("SEP", "٣", "Tether"),
            ("SEP", "1\n", "Tether"),
            ("SEP", 1, "Tether"),
            ("SEP", None, None),
            ("SEP", "1e5", "#native"),
            ("SEP", "NaN", "#native"),
            ("SEP", "1.", "#native"),
        )
        for row in rows:
            with self.subTest(row), self.assertRaises(BillhookError) as caught:
                read(*row)
            self.assertEqual(caught.exception.code, "amount_unknown")

    def test_are_sent_exactly(self):
        rows = (("25.00", "25.00"), (Decimal("25.00"), "25.00"), (Decimal("1E+3"), "1000"), (Decimal("1E-18"), "0.000000000000000001"))
        for given, text in rows:
            with self.subTest(text):
                self.assertEqual(amount_text(given), text)

    def test_that_may_be_rounded_are_refused(self):
        for given in (25.0, 25, True, None, b"25"):
            with self.subTest(given), self.assertRaises(TypeError):
                amount_text(given)
        for given in (Decimal("NaN"), Decimal("Infinity"), Decimal("sNaN")):
            with self.subTest(given), self.assertRaises(ValueError):
                amount_text(given)


if __name__ == "__main__":
    unittest.main()
