import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { walletAssigned } from '../../support/fixtures.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const KEY_AA = `02${'a'.repeat(64)}`
const KEY_BB = `03${'b'.repeat(64)}`
const KEY_CC = `02${'c'.repeat(64)}`
const KEY_DD = `02${'d'.repeat(64)}`

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

    scenario('has the keys that were pushed last, is known by them, and keeps its history beside them', async (t) => {
      const keys = (...keys: readonly string[]) => ({ type: 'identity.keys', identity: 'pushed', keys }) as const
      const history = { spans: [], length: 1, head: 'a'.repeat(64) }
      assert.equal(await t.store.identities.pushedKeys('pushed'), null)
      await t.store.ledger.saveKeyHistory('pushed', history)
      assert.equal(await t.store.identities.pushedKeys('pushed'), null)
      assert.equal(await t.store.identities.isKnown('pushed'), false)
      assert.equal((await t.tell(keys(KEY_AA, KEY_BB))).status, 'applied')
      assert.equal((await t.tell(keys(KEY_AA, KEY_BB))).status, 'duplicate')
      assert.deepEqual(await t.store.identities.pushedKeys('pushed'), [KEY_AA, KEY_BB])
      assert.equal(await t.store.identities.isKnown('pushed'), true)
      assert.equal((await t.tell(keys(KEY_CC))).status, 'applied')
      await t.harness.reopen()
      assert.deepEqual(await t.store.identities.pushedKeys('pushed'), [KEY_CC])
      assert.deepEqual(await t.store.ledger.keyHistory('pushed'), history)
      assert.equal(await t.store.identities.pushedKeys('x'.repeat(5000)), null)
      const { items } = await t.store.overview.owners({ after: null, limit: 9 })
      assert.deepEqual(items, [{ owner: 'pushed', isKnown: true, keys: `0x${KEY_CC}` }])
      // Imported ones do not replace those that are there.
      assert.equal((await t.tell({ ...keys(KEY_DD), keepsKeys: true })).status, 'duplicate')
      assert.deepEqual(await t.store.identities.pushedKeys('pushed'), [KEY_CC])
      assert.equal((await t.tell({ ...keys(KEY_DD), identity: 'imported', keepsKeys: true })).status, 'applied')
      assert.deepEqual(await t.store.identities.pushedKeys('imported'), [KEY_DD])
    })

    scenario('with a name that can be none has no keys', async (t) => {
      const outcome = await t.tell({ type: 'identity.keys', identity: ' pushed', keys: [KEY_AA] })
      assert.equal(outcome.status, 'rejected')
    })
  })
}
