import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import { noble } from '../../../src/crypto/noble.js'
import { Limiters } from '../../../src/http/guards/rate-limiter.js'
import { apiKeyHandlers } from '../../../src/http/routes/identities.js'
import { invoiceHandlers } from '../../../src/http/routes/invoices.js'
import { deliveryHandlers } from '../../../src/http/routes/webhooks.js'
import type { Answer } from '../../../src/http/server.js'
import { present, Scenario } from '../../contract/store/harness.js'
import { registration, unwrap } from '../../support/fixtures.js'
import { openLmdbHarness } from '../../support/lmdb-harness.js'
import { START_MS } from '../../support/manual-clock.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { headFrom } from '../head-from.js'

test('the endpoints that revoke, redeliver, void and accept are traced as done in the transaction that does it', async () => {
  const harness = await openLmdbHarness()
  const t = new Scenario(harness)
  const { store } = t
  const directory = new WalletDirectory(store)
  try {
    await t.own('alice', 'wallet-1', 'wallet-2')
    await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/hook' })
    const { owed } = await t.deposit('confirmed', { receivedAt: START_MS + 1 })
    const delivery = present(owed[0])
    await store.outbox.markAttempted(delivery.id)
    await store.outbox.recordResult(delivery.id, { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => null)
    const { id: invoiceId } = await t.invoice({ walletIds: ['wallet-2'] })
    const { id: acceptedId } = await t.invoice({ amount: '7', walletIds: ['wallet-2'] })
    const { id: keyId } = unwrap(await store.keys.register(registration(1)))

    const lists = unlimitedLists()
    const keys = apiKeyHandlers(store.keys, noble, lists)
    const invoices = invoiceHandlers({
      ...{ invoices: store.invoices, directory, lists },
      ...{ basePath: '', defaultExpirySeconds: null, networks: store.networks },
    })
    const deliveries = deliveryHandlers({
      ...{ outbox: store.outbox, lists, clock: t.clock, limiters: new Limiters(t.clock), basePath: '' },
      tests: { send: () => assert.fail('no test is sent') },
      onOwed: () => {},
    })
    const body = Buffer.from(JSON.stringify({ owner: 'alice' }))
    const request = { ...headFrom('192.0.2.1'), body, aborted: false }
    const requests: Record<string, (trace: string) => Answer | Promise<Answer>> = {
      'key.revoke': (trace) => keys['POST /api/api-keys/:id/revoke'](request, { id: keyId }, null, trace),
      'invoice.void': (trace) => invoices['POST /api/invoices/:id/void'](request, { id: invoiceId }, null, trace),
      // What was voided cannot be accepted.
      'invoice.accept': (trace) => invoices['POST /api/invoices/:id/accept'](request, { id: acceptedId }, null, trace),
      'delivery.redeliver': (trace) =>
        deliveries['POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver'](
          request,
          { id: 'alice', deliveryId: delivery.id },
          null,
          trace,
        ),
    }
    for (const [action, ask] of Object.entries(requests)) {
      const operator = { who: 'root (uid 0)', from: 'admin.sock' }
      const { id } = await store.audit.begin({ ...operator, action, owner: 'alice', subject: null })
      assert.equal((await ask(id)).status, 200, action)
      const records = (await store.audit.page({ after: null, limit: 10 })).items
      assert.equal(records.find((one) => one.id === id)?.outcome, 'done', action)
    }
  } finally {
    await directory.idle()
    await harness.discard()
  }
})
