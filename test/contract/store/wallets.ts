import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LedgerFact } from '../../../src/domain/ledger-fact.js'
import { addressOf, refusalOf, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const LEASE_MS = 600_000

/** Wallets, their addresses and owners, and the pool of unassigned ones (decisions 8). */
export function describeWallets(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('the last wallet of an extended key', () => {
    const PREFIX = 'xpub-0123456789abcdef-SEP-'

    scenario('is found among other ids, whatever was added in which order', async (t) => {
      const last = () => t.store.wallets.lastDerived(PREFIX)
      assert.equal(await last(), null)
      // Beside it in every order that ids may have: another key, another network, an upper-case one, and what is no index.
      const others = ['xpub-0123456789abcdee-SEP-0000000099', 'xpub-0123456789abcdf0-SEP-0000000099']
      const alike = [`${PREFIX}99`, `${PREFIX}99999999990`, `${PREFIX}000000009x`, `${PREFIX}zzzzzzzzzz`, PREFIX]
      const networks = ['xpub-0123456789abcdef-SEPA-0000000099', 'xpub-0123456789abcdef-S-0000000099']
      const shapes = ['XPUB-0123456789ABCDEF-SEP-0000000099', 'xpub0123456789abcdefSEP0000000099', 'xpub']
      for (const id of [...others, ...alike, ...networks, ...shapes]) await t.own('alice', id)
      assert.equal(await last(), null)
      for (const [index, expected] of [
        [0, 0],
        [9, 9],
        [10, 10],
        [2, 10],
        [2 ** 31 - 1, 2 ** 31 - 1],
        [11, 2 ** 31 - 1],
      ]) {
        await t.own('alice', `${PREFIX}${String(index).padStart(10, '0')}`)
        assert.equal(await last(), expected)
      }
      await t.harness.reopen()
      assert.equal(await last(), 2 ** 31 - 1)
      assert.equal(await t.store.wallets.lastDerived('xpub-0123456789abcdef-S-'), 99)
    })
  })

  describe('a claim', () => {
    scenario('hands out each unassigned wallet of the network once, then none', async (t) => {
      for (const id of ['w1', 'w2', 'w3']) await t.tell(walletCreated(id))
      await t.tell(walletCreated('t1', 'TRX-NILE'))
      assert.equal(await t.store.wallets.countUnassigned('SEP'), 3)
      const claims = await Promise.all(Array.from({ length: 5 }, () => t.store.wallets.claim('SEP', LEASE_MS)))
      const handedOut = claims.filter((claim) => claim !== null)
      assert.deepEqual(new Set(handedOut.map(({ id }) => id)), new Set(['w1', 'w2', 'w3']))
      assert.equal(handedOut.length, 3)
      assert.deepEqual(await t.store.wallets.claim('TRX-NILE', LEASE_MS), { id: 't1', address: addressOf('t1') })
      assert.equal(await t.store.wallets.claim('TRX-NILE', LEASE_MS), null)
    })

    scenario('hands a wallet out again only when its lease has ended, across restarts', async (t) => {
      await t.tell(walletCreated('w1'))
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
      t.clock.set(START_MS + LEASE_MS - 1)
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      await t.harness.reopen()
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      t.clock.set(START_MS + LEASE_MS)
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
    })

    scenario('never hands out a wallet that was once assigned, leased or not, whatever is told again', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletCreated('w2'))
      const claimed = await t.store.wallets.claim('SEP', LEASE_MS)
      await t.tell(walletAssigned(claimed?.id ?? '', 'alice'))
      await t.tell(walletAssigned(claimed?.id === 'w1' ? 'w2' : 'w1', 'bob'))
      await t.tell(walletCreated('w1'))
      await t.tell(walletCreated('w2'))
      t.clock.advance(10 * LEASE_MS)
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      assert.equal(await t.store.wallets.countUnassigned('SEP'), 0)
    })

    scenario('does not hand out a wallet that was assigned before its address was known', async (t) => {
      await t.tell(walletAssigned('w1', 'alice'))
      await t.tell(walletCreated('w1'))
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
    })

    scenario('leaves the others to be counted, without those that are leased and no further than asked', async (t) => {
      for (const id of ['w1', 'w2', 'w3']) await t.tell(walletCreated(id))
      await t.tell(walletCreated('t1', 'TRX-NILE'))
      assert.equal(await t.store.wallets.countClaimable('SEP', 1000), 3)
      assert.equal(await t.store.wallets.countClaimable('SEP', 2), 2)
      await t.store.wallets.claim('SEP', LEASE_MS)
      assert.equal(await t.store.wallets.countClaimable('SEP', 1000), 2)
      assert.equal(await t.store.wallets.countClaimable('TRX-NILE', 1000), 1)
      t.clock.advance(LEASE_MS)
      assert.equal(await t.store.wallets.countClaimable('SEP', 1000), 3)
    })

    scenario('is not disturbed by a probe of the disk', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.store.probeWrite()
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
    })

    scenario('hands out none when there is none', async (t) => {
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      assert.equal(await t.store.wallets.countUnassigned('SEP'), 0)
    })
  })

  describe('the pool of a network', () => {
    const gone = { type: 'wallet.withdrawn', umid: '5'.padStart(64, '0'), ledgerMs: 5, mayBeUnknown: false } as const
    const ids = async (t: Scenario, limit: number) =>
      (await t.walk((after) => t.store.wallets.unassigned('SEP', { after, limit }))).map((page) =>
        page.map(({ id }) => id),
      )

    scenario('is listed page by page in the order of claims, leased wallets included', async (t) => {
      for (const id of ['w1', 'w2', 'w3', 'w4', 'w5']) await t.tell(walletCreated(id))
      await t.tell(walletCreated('t1', 'TRX-NILE'))
      assert.deepEqual(await ids(t, 2), [['w1', 'w2'], ['w3', 'w4'], ['w5']])
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
      assert.deepEqual(await ids(t, 10), [['w2', 'w3', 'w4', 'w5', 'w1']])
      assert.deepEqual(await ids(t, 4), [['w2', 'w3', 'w4', 'w5'], ['w1']])
      const { items, next } = await t.store.wallets.unassigned('SEP', { after: null, limit: 1 })
      assert.deepEqual([items, typeof next], [[await t.store.wallets.find('w2')], 'string'])
    })

    scenario('is listed without wallets that have an owner or were withdrawn', async (t) => {
      for (const id of ['w1', 'w2', 'w3', 'w4']) await t.tell(walletCreated(id))
      await t.tell({ ...gone, id: 'w2' })
      await t.tell(walletAssigned('w3', 'alice'))
      assert.deepEqual(await ids(t, 1), [['w1'], ['w4']])
      unwrap(await t.store.wallets.putBack('w2', 0))
      // Its lease ended when it was withdrawn, so it is claimed last.
      assert.deepEqual(await ids(t, 10), [['w1', 'w4', 'w2']])
      assert.deepEqual(await t.store.wallets.unassigned('TRX-NILE', { after: null, limit: 10 }), {
        items: [],
        next: null,
      })
    })
  })

  describe('a wallet that the ledger has given away', () => {
    const gone = (id: string, ledgerMs: number, mayBeUnknown = true) =>
      ({ type: 'wallet.withdrawn', id, umid: `${ledgerMs}`.padStart(64, '0'), ledgerMs, mayBeUnknown }) as const
    const withdrawn = async (t: Scenario, limit = 10) =>
      (await t.walk((after) => t.store.wallets.withdrawn({ after, limit }))).map((page) => page.map(({ id }) => id))

    scenario('is withdrawn: never handed out, counted and listed, across restarts', async (t) => {
      for (const id of ['w1', 'w2']) await t.tell(walletCreated(id))
      assert.deepEqual(await t.tell(gone('w1', 5)), { status: 'applied' })
      await t.harness.reopen()
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w2')
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      t.clock.advance(1000 * LEASE_MS)
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w2')
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      assert.deepEqual(
        [await t.store.wallets.countUnassigned('SEP'), await t.store.wallets.countWithdrawn('SEP')],
        [1, 1],
      )
      assert.equal(await t.store.wallets.countWithdrawn('TRX-NILE'), 0)
      const { items } = await t.store.wallets.withdrawn({ after: null, limit: 10 })
      assert.deepEqual(items, [
        {
          ...(await t.store.wallets.find('w1')),
          withdrawal: { umid: '5'.padStart(64, '0'), ledgerMs: 5, at: START_MS },
        },
      ])
    })

    scenario('is withdrawn while it is leased, too, and for longer than the longest lease', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.store.wallets.claim('SEP', LEASE_MS)
      await t.tell(gone('w1', 5))
      t.clock.advance(10 * LEASE_MS)
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      await t.tell(walletCreated('w2'))
      await t.store.wallets.claim('SEP', Number.MAX_SAFE_INTEGER)
      assert.equal(await t.store.wallets.countWithdrawn('SEP'), 1)
    })

    scenario('does not enter the pool when it is told only then', async (t) => {
      assert.deepEqual(await t.tell(gone('w1', 5)), { status: 'applied' })
      await t.tell(walletCreated('w1'))
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      assert.deepEqual(await withdrawn(t), [['w1']])
      assert.deepEqual(
        [await t.store.wallets.countUnassigned('SEP'), await t.store.wallets.countWithdrawn('SEP')],
        [0, 1],
      )
    })

    scenario('is left alone where only a known wallet counts, and when it has an owner', async (t) => {
      assert.deepEqual(await t.tell(gone('w1', 5, false)), { status: 'duplicate' })
      assert.equal(await t.store.wallets.find('w1'), undefined)
      await t.own('alice', 'w2')
      assert.deepEqual(await t.tell(gone('w2', 5)), { status: 'duplicate' })
      assert.equal((await t.tell(gone('', 5))).status, 'rejected')
      assert.deepEqual(await withdrawn(t), [[]])
      assert.equal((await t.store.wallets.find('w2'))?.owner, 'alice')
    })

    scenario("is its owner's when the assignment is believed after all", async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(gone('w1', 5))
      await t.tell({ ...walletAssigned('w1', 'alice'), ledgerMs: 4 } as LedgerFact)
      assert.equal((await t.store.wallets.find('w1'))?.owner, 'alice')
      assert.deepEqual([await withdrawn(t), await t.store.wallets.countWithdrawn('SEP')], [[[]], 0])
      assert.equal(refusalOf(await t.store.wallets.putBack('w1', LEASE_MS)), 'not_found')
    })

    scenario('can be put back, and only a later transaction withdraws it again', async (t) => {
      for (const id of ['w1', 'w2']) await t.tell(walletCreated(id))
      await t.tell(gone('w1', 5))
      assert.equal((await t.tell(gone('w1', 7))).status, 'applied')
      assert.deepEqual(unwrap(await t.store.wallets.putBack('w1', LEASE_MS)), await t.store.wallets.find('w1'))
      for (const ledgerMs of [5, 6, 7]) assert.deepEqual(await t.tell(gone('w1', ledgerMs)), { status: 'duplicate' })
      assert.deepEqual([await withdrawn(t), await t.store.wallets.countUnassigned('SEP')], [[[]], 2])
      t.clock.advance(LEASE_MS)
      const claimed = [await t.store.wallets.claim('SEP', LEASE_MS), await t.store.wallets.claim('SEP', LEASE_MS)]
      assert.deepEqual(claimed.map((one) => one?.id).sort(), ['w1', 'w2'])
      assert.deepEqual(await t.tell(gone('w1', 8)), { status: 'applied' })
      assert.deepEqual(await withdrawn(t), [['w1']])
      for (const id of ['w2', 'nothing', ''])
        assert.equal(refusalOf(await t.store.wallets.putBack(id, LEASE_MS)), 'not_found')
    })

    scenario('is handed out to nobody else during the lease that it may have had, when it is put back', async (t) => {
      await t.tell(walletCreated('w1'))
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
      t.clock.advance(1)
      await t.tell(gone('w1', 5))
      t.clock.advance(1)
      unwrap(await t.store.wallets.putBack('w1', LEASE_MS))
      assert.equal(await t.store.wallets.claim('SEP', LEASE_MS), null)
      t.clock.advance(LEASE_MS)
      assert.equal((await t.store.wallets.claim('SEP', LEASE_MS))?.id, 'w1')
    })

    scenario('is not withdrawn again by the same transaction, whenever that is dated', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(gone('w1', 5))
      unwrap(await t.store.wallets.putBack('w1', LEASE_MS))
      const again = { ...gone('w1', 5), ledgerMs: 99 }
      assert.deepEqual(await t.tell(again), { status: 'duplicate' })
      assert.deepEqual(await t.tell({ ...again, umid: 'ff'.repeat(32) }), { status: 'applied' })
    })

    scenario('leaves its end in the trail of the operator, together with what was done', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(gone('w1', 5))
      const action = { who: 'root', from: 'here', action: 'wallet.put_back', owner: null, subject: 'w1' }
      const trace = await t.store.audit.begin(action)
      unwrap(await t.store.wallets.putBack('w1', LEASE_MS, trace.id))
      const [record] = (await t.store.audit.page({ after: null, limit: 1 })).items
      assert.equal(record?.outcome, 'done')
    })

    scenario('is listed with others page by page, without those that were put back', async (t) => {
      const ids = Array.from({ length: 7 }, (_, i) => `w${i}`)
      for (const id of ids) await t.tell(gone(id, 5))
      unwrap(await t.store.wallets.putBack('w3', LEASE_MS))
      const pages = await withdrawn(t, 2)
      assert.deepEqual(
        pages.flat(),
        ids.filter((id) => id !== 'w3'),
      )
      assert.ok(pages.every((page) => page.length <= 2))
    })
  })

  describe('a wallet', () => {
    scenario('is found by its id and by its address', async (t) => {
      await t.tell({ type: 'wallet.created', id: 'w1', address: '0xAbCd', network: 'SEP' })
      const wallet = { id: 'w1', network: 'SEP', address: '0xAbCd', owner: null, assignedAt: null }
      assert.deepEqual(await t.store.wallets.find('w1'), wallet)
      assert.deepEqual(await t.store.wallets.at('SEP', '0xABCD'), wallet)
      assert.equal(await t.store.wallets.at('TRX-NILE', '0xAbCd'), undefined)
      for (const text of ['', 'w', 'w11', 'x'.repeat(129), 'x'.repeat(5000)]) {
        assert.equal(await t.store.wallets.find(text), undefined)
        assert.equal(await t.store.wallets.at('SEP', text), undefined)
      }
    })

    scenario('belongs to the last identity it was assigned to, and is listed by the latest assignment', async (t) => {
      for (const id of ['w1', 'w2', 'w3']) await t.tell(walletCreated(id))
      for (const id of ['w2', 'w1', 'w3']) {
        t.clock.advance(1)
        await t.tell(walletAssigned(id, 'alice'))
      }
      const ids = async (owner: string, limit: number) =>
        (await t.walk((after) => t.store.wallets.page(owner, { after, limit }))).map((page) => page.map(({ id }) => id))
      assert.deepEqual(await ids('alice', 10), [['w3', 'w1', 'w2']])
      assert.deepEqual(await ids('alice', 2), [['w3', 'w1'], ['w2']])
      assert.equal((await t.store.wallets.find('w1'))?.assignedAt, START_MS + 2)

      await t.tell(walletAssigned('w1', 'bob'))
      assert.deepEqual([await ids('alice', 10), await ids('bob', 10)], [[['w3', 'w2']], [['w1']]])
      assert.equal(refusalOf(await t.request({ owner: 'alice', walletIds: ['w1'] })), 'wallet_not_owned')
      await t.invoice({ owner: 'bob', walletIds: ['w1'] })

      t.clock.advance(1)
      await t.tell(walletAssigned('w1', 'alice'))
      assert.deepEqual([await ids('alice', 10), await ids('bob', 10)], [[['w1', 'w3', 'w2']], [[]]])
      assert.deepEqual(await ids('nobody', 10), [[]])
    })

    scenario('keeps one address for ever, and an address one wallet', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletCreated('w2'))
      const before = await t.snapshot()
      const errors = [
        await t.tell({ type: 'wallet.created', id: 'w1', address: '0xelsewhere', network: 'SEP' }, 'e1'),
        await t.tell(
          { type: 'wallet.created', id: 'w3', address: addressOf('w1').toUpperCase(), network: 'SEP' },
          'e2',
        ),
        await t.tell(
          { type: 'wallet.assigned', id: 'w2', address: addressOf('w1'), network: 'SEP', owner: 'alice' },
          'e3',
        ),
        await t.tell({ type: 'wallet.created', id: 'a,b', address: '0xcomma', network: 'SEP' }, 'e4'),
        await t.tell(walletAssigned('w1', ''), 'e5'),
        await t.tell(walletAssigned('w1', 'x'.repeat(3000)), 'e6'),
        await t.tell({ type: 'identity.onboarded', identity: '' }, 'e7'),
        await t.tell({ type: 'identity.onboarded', identity: 'x'.repeat(600) }, 'e8'),
        await t.tell(walletCreated('w9'), ''),
        await t.tell(walletCreated('w9'), 'x'.repeat(513)),
      ]
      assert.deepEqual(
        errors.map(({ status }) => status),
        errors.map(() => 'rejected'),
      )
      assert.deepEqual(await t.snapshot(), before)
      // An id that was rejected stays so; the correction needs one of its own.
      assert.equal((await t.tell(walletAssigned('w2', 'alice'), 'e3')).status, 'rejected')
      assert.equal((await t.tell(walletAssigned('w2', 'alice'), 'e9')).status, 'applied')
    })
  })
}
