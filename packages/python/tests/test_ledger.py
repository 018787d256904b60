"""The ledger steps, by ``docs/vectors/identity.json`` and nodes that fail in every way."""

import json
import threading
import time
import unittest
from unittest import mock

from billhook import BillhookError, assign_wallet, identity_from_phrase, onboard
from billhook.ledger_verdict import ExpectedStream, verdict_of
from fake_service import FakeService, refusal, reply
from places import json_of
from test_signer import verifies
from test_transport import hang_up

VECTORS = json_of("docs/vectors/identity.json")
FIRST = VECTORS["identities"][0]
IDENTITY = identity_from_phrase(FIRST["phrase"])
OWNER = FIRST["identity"]
WALLET = FIRST["assignment"]["wallet"]
CREATED = {"$summary": {"total": 1, "vote": 1, "commit": 1}, "$streams": {"new": [{"id": OWNER}], "updated": []}}
ASSIGNED = {"$summary": {"total": 1, "vote": 1, "commit": 1}, "$streams": {"new": [], "updated": [{"id": WALLET}]}}


def failed(error):
    return reply(200, {"$summary": {"total": 1, "vote": 0, "commit": 0, "errors": [error]}, "$streams": {}})


def ledger_of(*services):
    return {**VECTORS["ledger"], "nodes": [service.url for service in services]}


class Steps(unittest.TestCase):
    def setUp(self):
        # The pauses are in the way of a test, and the order of what happens does not depend on them.
        patch = mock.patch("billhook.ledger._PAUSE_SECONDS", 0.001)
        patch.start()
        self.addCleanup(patch.stop)

    def code_of(self, call, *args, **options):
        with self.assertRaises(BillhookError) as caught:
            call(*args, **options)
        return caught.exception.code

    def test_post_what_the_vectors_have(self):
        for vector in VECTORS["identities"]:
            identity = identity_from_phrase(vector["phrase"])
            created = {**CREATED, "$streams": {"new": [{"id": vector["identity"]}]}}
            with self.subTest(vector["phrase"]), FakeService(reply(200, created), reply(200, ASSIGNED)) as node:
                self.assertEqual(onboard(ledger_of(node), identity), vector["identity"])
                assign_wallet(ledger_of(node), identity, vector["assignment"]["wallet"])
                for asked, name in zip(node.asked, ("onboarding", "assignment")):
                    body = asked["body"].decode()
                    [signature] = json.loads(body)["$sigs"].values()
                    self.assertTrue(verifies(vector["publicKey"], vector[name]["signed"].encode(), signature))
                    # Signatures differ each time. Everything else is as it is in the vector, to the byte.
                    self.assertEqual(body.replace(signature, vector[name]["signature"]), vector[name]["body"])

    def test_sign_texts_beyond_ascii_as_they_are_sent(self):
        with FakeService(reply(200, CREATED)) as node:
            onboard({**ledger_of(node), "namespace": "käse"}, IDENTITY)
            self.assertIn("käse".encode(), node.asked[0]["body"])

    def test_are_done_where_the_identity_exists(self):
        with FakeService(failed("Deterministic Stream Name Exists - Error 1")) as node:
            self.assertEqual(onboard(ledger_of(node), IDENTITY), OWNER)

    def test_go_to_the_next_node_where_one_cannot_be_reached(self):
        with FakeService() as gone:
            pass
        with FakeService(reply(200, CREATED)) as node:
            onboard({**VECTORS["ledger"], "nodes": [gone.url, node.url]}, IDENTITY)
            self.assertEqual(len(node.asked), 1)
        self.assertEqual(self.code_of(onboard, ledger_of(gone), IDENTITY), "ledger_unavailable")
        self.assertEqual(self.code_of(onboard, {**VECTORS["ledger"], "nodes": []}, IDENTITY), "ledger_unavailable")

    def test_are_rejected_where_a_contract_or_a_node_refuses(self):
        for error in ("Vote Failure - no", "Unknown contract"):
            with self.subTest(error), FakeService(failed(error)) as node:
                self.assertEqual(self.code_of(assign_wallet, ledger_of(node), IDENTITY, WALLET), "ledger_rejected")
                self.assertEqual(len(node.asked), 1)

    def test_wait_for_a_transaction_in_progress(self):
        with FakeService(failed("Busy Locks"), failed("Busy Locks"), reply(200, ASSIGNED)) as node:
            assign_wallet(ledger_of(node), IDENTITY, WALLET)
        with FakeService(*[failed("Busy Locks")] * 9) as node:
            self.assertEqual(self.code_of(assign_wallet, ledger_of(node), IDENTITY, WALLET), "ledger_rejected")
            self.assertEqual(len(node.asked), 6)

    def test_stay_open_where_answers_are_lost(self):
        answers = (hang_up, reply(200, b"<html>"), reply(500, CREATED), reply(302, CREATED, location="http://x/"), reply(200, []), reply(200, {}))
        for answer in answers:
            with self.subTest(answer), FakeService(answer, answer, answer) as node:
                self.assertEqual(self.code_of(onboard, ledger_of(node), IDENTITY), "ledger_uncertain")
                self.assertEqual(len(node.asked), 2)

    def test_are_seen_by_the_service_where_answers_are_lost(self):
        with FakeService(hang_up) as node, FakeService(reply(200, {"exists": True})) as service:
            self.assertEqual(onboard(ledger_of(node), IDENTITY, billhook=service.client(owner=OWNER)), OWNER)
        with FakeService(hang_up) as node, FakeService(reply(200, [{"id": WALLET}])) as service:
            assign_wallet(ledger_of(node), IDENTITY, WALLET, billhook=service.client(owner=OWNER))

    def test_of_long_ago_are_seen_behind_a_refusal(self):
        with FakeService(failed("Vote Failure - taken")) as node, FakeService(reply(200, [{"id": WALLET}])) as service:
            assign_wallet(ledger_of(node), IDENTITY, WALLET, billhook=service.client(owner=OWNER))

    def test_stay_open_where_the_service_does_not_know_either(self):
        with FakeService(*[hang_up] * 2) as node, FakeService(*[refusal(503, "ledger_unreachable")] * 3) as service:
            billhook = service.client(owner=OWNER, attempts=1)
            code = self.code_of(onboard, ledger_of(node), IDENTITY, billhook=billhook, settle_seconds=0)
            self.assertEqual(code, "ledger_uncertain")

    def test_are_refused_after_an_open_one_only_as_open(self):
        with FakeService(hang_up, failed("Vote Failure - taken")) as node:
            self.assertEqual(self.code_of(assign_wallet, ledger_of(node), IDENTITY, WALLET), "ledger_uncertain")

    def test_assign_to_the_owner_of_the_client(self):
        with FakeService(reply(200, ASSIGNED)) as node, FakeService() as service:
            assign_wallet(ledger_of(node), IDENTITY, WALLET, billhook=service.client(owner="another"))
            body = json.loads(node.asked[0]["body"])
            self.assertEqual(list(body["$sigs"]), ["another"])
            self.assertEqual(body["$tx"]["$i"]["owner"]["$stream"], "another")

    def test_of_one_identity_go_one_at_a_time(self):
        running = []
        overlaps = []

        def answer(asked):
            running.append(1)
            overlaps.append(len(running))
            time.sleep(0.02)
            running.pop()
            return reply(200, CREATED)

        with FakeService() as node:
            node.answer_to = answer
            threads = [threading.Thread(target=onboard, args=(ledger_of(node), IDENTITY)) for _ in range(5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(overlaps, [1] * 5)


class Verdicts(unittest.TestCase):
    def test_are_by_what_was_committed(self):
        new, updated = ExpectedStream("new", OWNER), ExpectedStream("updated", WALLET)
        made, changed = {"new": [{"id": OWNER}]}, {"updated": [{"id": WALLET}]}

        def answer(commit, errors, streams):
            return {"$summary": {"commit": commit, "errors": errors}, "$streams": streams}

        rows = (
            ("committed", new, answer(2, None, made)),
            ("committed", updated, answer(2, [], changed)),
            ("committed", updated, answer(2, ["Busy Locks"], changed)),
            ("committed", updated, answer(2, ["Vote Failure - no"], changed)),
            ("committed", new, answer(0, ["Deterministic Stream Name Exists - 1"], None)),
            ("unknown", new, answer(2, ["Failed to save - 1"], made)),
            ("unknown", updated, answer(2, [], {})),
            ("unknown", updated, answer(0, [], {})),
            ("unknown", updated, answer(True, [], changed)),
            ("unknown", updated, answer("1", [], changed)),
            ("unknown", updated, {"$summary": None}),
            ("unknown", updated, {"$summary": [1], "$streams": "x"}),
            ("rejected", new, answer(2, [], {"new": [{"id": WALLET}]})),
            ("rejected", updated, answer(0, ["Deterministic Stream Name Exists"], {})),
            ("rejected", updated, answer(0, "one text", {})),
            ("busy", updated, answer(0, ["Input Stream Position Incorrect - 5"], {})),
            ("busy", updated, answer(0, ["x", "Error: 3x Right Knock Error"], {})),
        )
        for kind, expected, given in rows:
            with self.subTest(given):
                self.assertEqual(verdict_of(given, expected).kind, kind)
        self.assertTrue(verdict_of(answer(0, ["x", "Vote Failure - no"], {}), updated).by_contract)
        self.assertFalse(verdict_of(answer(0, ["x"], {}), updated).by_contract)


if __name__ == "__main__":
    unittest.main()
