import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayHeaders, ServiceFixture } from '../support/service-fixture.js'

const OLD = 'the old secret of the gateway'
const NEW = 'the new secret of the gateway'

/** The status of a push that is signed with the secret. */
async function push(fixture: ServiceFixture, secret: string): Promise<number> {
  const body = JSON.stringify({ events: [{ id: 'e', type: 'identity.onboarded', identity: 'shop' }] })
  return (await fixture.post('/internal/events', body, gatewayHeaders(String(Date.now()), body, secret))).status
}

test('the secret of the gateway is replaced without a rejected push', async (t) => {
  for (const [secrets, withOld, withNew] of [
    [OLD, 200, 401],
    [`${NEW},${OLD}`, 200, 200],
    [NEW, 401, 200],
  ] as const) {
    const fixture = await ServiceFixture.start({ BILLHOOK_GATEWAY_SECRET: secrets })
    t.after(() => fixture.stop())
    assert.deepEqual([await push(fixture, OLD), await push(fixture, NEW)], [withOld, withNew])
  }
})
