import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assignment, onboarding } from '../sandbox/sandbox-fixture.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'

describe('a sandbox with a ledger like a real one', () => {
  test('answers the transactions that wait without an answer when it stops', async (context) => {
    const fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_SANDBOX_LEDGER: 'real' })
    let isStopped = false
    const stop = async () => {
      if (!isStopped) await fixture.stop()
      isStopped = true
    }
    context.after(stop)
    const { json: place } = await fixture.get('/sandbox')
    const post = (body: unknown) => fixture.call('POST', '/sandbox/ledger/', { body })
    const key = testKey('waits')
    const { json: onboarded } = await post(onboarding(place, key))
    const identity: string = onboarded.$streams.new[0].id
    const claims = Array.from({ length: 6 }, () => fixture.get('/api/wallets/claim/sep/eth'))
    const wallets = (await Promise.all(claims)).map(({ json }) => json.id)
    const answers = wallets.map((wallet) => post(assignment(place, key, identity, wallet)))
    await Promise.race(answers)
    await stop()
    // What had not arrived yet is not answered.
    const settled = await Promise.allSettled(answers)
    const arrived = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const errors = arrived.flatMap(({ json }) => json.$summary.errors ?? [])
    assert.ok(errors.includes('Busy Locks'), errors.join())
  })
})
