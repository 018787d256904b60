import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { walletAssigned } from '../../support/fixtures.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** Which identities the ledger is known to have (decisions 8). */
export function describeIdentities(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('an identity', () => {
    scenario('is known by an event, by an assignment or because the ledger said so, and by nothing else', async (t) => {
      await t.tell({ type: 'identity.onboarded', identity: 'onboarded' })
      await t.tell(walletAssigned('w1', 'assigned'))
      await t.store.identities.remember('remembered')
      await t.store.identities.remember('remembered')
      await t.store.webhooks.put('configured', 'https://example.com/')
      await t.store.webhooks.secrets('secretive')
      for (const [owner, isKnown] of [
        ['onboarded', true],
        ['assigned', true],
        ['remembered', true],
        ['configured', false],
        ['secretive', false],
        ['', false],
        ['x'.repeat(5000), false],
      ] as const) {
        assert.equal(await t.store.identities.isKnown(owner), isKnown, owner)
      }
      await t.harness.reopen()
      assert.equal(await t.store.identities.isKnown('remembered'), true)
    })
  })
}
