import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LedgerMemory, LedgerProgress } from '../../../src/domain/ledger-progress.js'
import { walletAssigned, walletCreated } from '../../support/fixtures.js'
import { type OpenStore, type Scenario, settledValue, withStore } from './harness.js'

const T = 1_700_000_000_000
const umidOf = (n: number) => n.toString(16).padStart(64, '0')
const at = (n: number, timestampMs: number) => ({ umid: umidOf(n), timestampMs })
const progress: LedgerProgress = { origin: 'a ledger', newestMs: T, windowMs: T, comparingMs: null, comparedAtMs: 0 }
const nothing = { taken: [], setAside: [], settled: [] }

/** Facts of the ledger, and the memory of a follower. */
export function describeLedger(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('what a follower of the ledger remembers', () => {
    scenario('is nothing at first, then every step, also when the store is opened again', async (t) => {
      assert.equal(await t.store.ledger.memory(), undefined)
      const aside = { ...at(2, T + 1), attempts: 3, dueMs: T + 9 }
      await t.store.ledger.saveStep({ progress, taken: [at(1, T), at(2, T + 1)], setAside: [aside], settled: [] })
      const first: LedgerMemory = { progress, taken: [at(1, T), at(2, T + 1)], setAside: [aside] }
      assert.deepEqual(await t.store.ledger.memory(), first)
      const next = { ...progress, newestMs: T + 5, comparingMs: 7, comparedAtMs: T }
      await t.store.ledger.saveStep({ progress: next, taken: [at(3, T + 5)], setAside: [], settled: [umidOf(2)] })
      await t.harness.reopen()
      const taken = [at(1, T), at(2, T + 1), at(3, T + 5)]
      assert.deepEqual(await t.store.ledger.memory(), { progress: next, taken, setAside: [] })
    })

    scenario('is forgotten where the window has gone by', async (t) => {
      const taken = Array.from({ length: 20_000 }, (_, i) => at(i, T + i))
      const newest = { ...progress, newestMs: T + 19_999 }
      await t.store.ledger.saveStep({ ...nothing, progress: newest, taken })
      await t.store.ledger.saveStep({ ...nothing, progress: { ...newest, windowMs: T + 19_990 } })
      const left = taken.slice(19_990)
      assert.deepEqual((await t.store.ledger.memory())?.taken, left)
      await t.harness.reopen()
      assert.deepEqual((await t.store.ledger.memory())?.taken, left)
    })

    scenario('is forgotten as a whole when something else is followed', async (t) => {
      const aside = { ...at(2, T), attempts: 1, dueMs: T }
      await t.store.ledger.saveStep({ progress, taken: [at(1, T)], setAside: [aside], settled: [] })
      const other = { ...progress, origin: 'another', windowMs: 0 }
      await t.store.ledger.saveStep({ ...nothing, progress: other, taken: [at(3, T)] })
      assert.deepEqual(await t.store.ledger.memory(), { progress: other, taken: [at(3, T)], setAside: [] })
    })
  })

  describe('what a follower remembers of the keys of an identity', () => {
    const identity = umidOf(7)
    const key = (prefix: string) => `${prefix}${'a'.repeat(64)}`
    const span = { from: 1, to: 3, certain: [key('02')], possible: [key('02'), key('03')] }

    scenario('is nothing at first, then what it said last, also when the store is opened again', async (t) => {
      assert.equal(await t.store.ledger.keyHistory(identity), undefined)
      await t.store.ledger.saveKeyHistory(identity, { spans: [span], length: 3, head: umidOf(1) })
      assert.deepEqual(await t.store.ledger.keyHistory(identity), { spans: [span], length: 3, head: umidOf(1) })
      const later = { spans: [span, { from: 4, to: 5, certain: [], possible: [] }], length: 5, head: umidOf(2) }
      await t.store.ledger.saveKeyHistory(identity, later)
      await t.harness.reopen()
      assert.deepEqual(await t.store.ledger.keyHistory(identity), later)
      assert.equal(await t.store.ledger.keyHistory(umidOf(8)), undefined)
    })
  })

  describe('an assignment with a date of the ledger', () => {
    const dated = (owner: string, ledgerMs: number) => ({ ...walletAssigned('w', owner), ledgerMs })
    const told = async (t: Scenario, eventId: string | null, fact: ReturnType<typeof dated>) => {
      const [fate] = await t.store.ledger.applyFacts([{ eventId, fact }])
      return fate?.status === 'fulfilled' ? fate.value.status : fate?.reason
    }
    const ownerOf = async (t: Scenario) => (await t.store.wallets.find('w'))?.owner

    scenario('overwrites an earlier one, and none that is dated later', async (t) => {
      assert.equal(await told(t, 'a', dated('alice', T)), 'applied')
      assert.equal(await told(t, 'c', dated('carol', T + 2)), 'applied')
      assert.equal(await told(t, 'b', dated('bob', T + 1)), 'duplicate')
      assert.equal(await ownerOf(t), 'carol')
      await t.harness.reopen()
      assert.equal(await told(t, null, dated('bob', T + 1)), 'duplicate')
      assert.equal(await told(t, 'd', dated('bob', T + 3)), 'applied')
      assert.equal(await ownerOf(t), 'bob')
    })

    scenario('dates what was told without a date before, under the same id or of the same owner', async (t) => {
      for (const [eventId, again] of [
        ['x', 'x'],
        ['y', 'z'],
      ] as const) {
        await t.store.ledger.applyFacts([{ eventId, fact: walletAssigned('w', eventId) }])
        assert.equal(await told(t, again, dated(eventId, T + 5)), 'duplicate')
        assert.equal(await told(t, null, dated('late', T + 4)), 'duplicate')
        assert.equal(await ownerOf(t), eventId)
      }
    })

    scenario('gives way to one without a date, which is told when it happens', async (t) => {
      await told(t, 'a', dated('alice', T + 9))
      await t.tell(walletAssigned('w', 'bob'))
      assert.equal(await ownerOf(t), 'bob')
      assert.equal(await told(t, 'b', dated('carol', T + 8)), 'duplicate')
      assert.equal(await ownerOf(t), 'bob')
    })
  })

  describe('facts of the ledger', () => {
    scenario('are applied in order, and repeated ones are duplicates by their content or by their id', async (t) => {
      const facts = [
        { eventId: '1', fact: walletCreated('w1') },
        { eventId: '2', fact: walletAssigned('w1', 'alice') },
        { eventId: '3', fact: walletAssigned('w1', 'bob') },
        { eventId: '2', fact: walletAssigned('w1', 'alice') },
        { eventId: null, fact: walletAssigned('w1', 'bob') },
        { eventId: '4', fact: { type: 'identity.onboarded' as const, identity: 'carol' } },
        { eventId: '5', fact: { type: 'identity.onboarded' as const, identity: 'carol' } },
      ]
      const outcomes = (await t.store.ledger.applyFacts(facts)).map((fate) => settledValue(fate).status)
      assert.deepEqual(outcomes, ['applied', 'applied', 'applied', 'duplicate', 'duplicate', 'applied', 'duplicate'])
      assert.equal((await t.store.wallets.find('w1'))?.owner, 'bob')
      await t.harness.reopen()
      assert.equal((await t.tell(walletAssigned('w1', 'alice'), '2')).status, 'duplicate')
      assert.equal((await t.store.wallets.find('w1'))?.owner, 'bob')
    })

    scenario('may give a wallet back to an earlier owner under a new event id', async (t) => {
      await t.tell(walletCreated('w1'), '1')
      await t.tell(walletAssigned('w1', 'alice'), '2')
      await t.tell(walletAssigned('w1', 'bob'), '3')
      assert.equal((await t.tell(walletAssigned('w1', 'alice'), '4')).status, 'applied')
      assert.equal((await t.store.wallets.find('w1'))?.owner, 'alice')
    })
  })
}
