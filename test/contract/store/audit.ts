import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AUDIT_KEPT_MS, type AuditedAction, type AuditRecord } from '../../../src/domain/audit.js'
import type { WalletCommand } from '../../../src/store/commands.js'
import { registration, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { orderCommand } from '../../support/orders.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const OPERATOR = { who: 'root (uid 0)', from: 'command line on shop' }

function action(change: Partial<AuditedAction> = {}): AuditedAction {
  return { ...OPERATOR, action: 'key.revoke', owner: 'alice', subject: 'f'.repeat(16), ...change }
}

async function listed(t: Scenario): Promise<readonly AuditRecord[]> {
  return (await t.store.audit.page({ after: null, limit: 100 })).items
}

/** What operators do leaves a trace that outlives the process. */
export function describeAudit(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('the trace of an action', () => {
    scenario('is there before the action, and tells afterwards what came of it', async (t) => {
      const { audit } = t.store
      const begun = await audit.begin(action())
      assert.match(begun.id, /^[0-9a-f]{32}$/)
      const open = { ...action(), id: begun.id, at: START_MS, outcome: null, detail: null, endedAt: null }
      assert.deepEqual(begun, open)
      await t.harness.reopen()
      assert.deepEqual(await listed(t), [open])
      t.clock.advance(5)
      await t.store.audit.note(begun.id, { outcome: 'refused', detail: 'api_key_not_found' })
      const ended = { ...open, outcome: 'refused', detail: 'api_key_not_found', endedAt: START_MS + 5 } as const
      assert.deepEqual(await listed(t), [ended])
      await t.store.audit.note(begun.id, { outcome: null, detail: 'it goes on' })
      assert.deepEqual(await listed(t), [{ ...open, detail: 'it goes on' }])
    })

    scenario('may be of no owner and no subject, and of texts of any language', async (t) => {
      const own = action({ who: 'Zoë Ωμέγα', owner: null, subject: null, action: 'import' })
      const { id } = await t.store.audit.begin(own)
      assert.deepEqual(await listed(t), [{ ...own, id, at: START_MS, outcome: null, detail: null, endedAt: null }])
    })

    scenario('is listed newest first, page by page', async (t) => {
      const ids: string[] = []
      for (let n = 0; n < 5; n += 1) {
        ids.unshift((await t.store.audit.begin(action({ subject: `key ${n}` }))).id)
        t.clock.advance(1)
      }
      const pages: string[][] = []
      for (let after: string | null = null; ; ) {
        const page = await t.store.audit.page({ after, limit: 2 })
        pages.push(page.items.map(({ id }) => id))
        after = page.next
        if (after === null) break
      }
      assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
      assert.deepEqual(await t.store.audit.page({ after: 'none', limit: 2 }), { items: [], next: null })
    })

    scenario(
      'is removed when it is older, the oldest first, some at a time, and its end is then noted nowhere',
      async (t) => {
        const ids: string[] = []
        for (let n = 0; n < 4; n += 1) {
          ids.push((await t.store.audit.begin(action())).id)
          t.clock.advance(1)
        }
        t.clock.advance(AUDIT_KEPT_MS)
        const before = START_MS + 3
        assert.equal(await t.store.audit.removeBefore(START_MS, 10), 0)
        assert.equal(await t.store.audit.removeBefore(before, 2), 2)
        assert.deepEqual(
          (await listed(t)).map(({ id }) => id),
          ids.slice(2).reverse(),
        )
        assert.equal(await t.store.audit.removeBefore(before, 2), 1)
        assert.equal(await t.store.audit.removeBefore(before, 2), 0)
        await t.store.audit.note(ids[0] ?? '', { outcome: 'done', detail: null })
        assert.deepEqual(
          (await listed(t)).map(({ id }) => id),
          ids.slice(3),
        )
      },
    )
  })

  describe('an action that is given its trace', () => {
    /** Traces one attempt of an action; answers the record afterwards. */
    const traced = async (t: Scenario, act: (trace: string) => Promise<{ readonly ok: boolean }>) => {
      const { id } = await t.store.audit.begin(action())
      t.clock.advance(7)
      const { ok } = await act(id)
      const record = (await listed(t)).find((one) => one.id === id)
      return { ok, outcome: record?.outcome, detail: record?.detail, endedAt: record?.endedAt }
    }
    const refused = { ok: false, outcome: null, detail: null, endedAt: null }
    const done = (t: Scenario, detail: string | null = null) => ({
      ...{ ok: true, outcome: 'done', detail },
      endedAt: t.clock.now(),
    })
    /** What came of a command, for its trace. */
    const perform = async (t: Scenario, command: WalletCommand): Promise<{ readonly ok: boolean }> => {
      const result = await t.perform(command)
      return 'outcome' in result && 'ok' in result.outcome ? result.outcome : assert.fail()
    }
    const created = async (t: Scenario): Promise<string> => {
      const result = await t.perform(orderCommand())
      return result.type === 'order' ? unwrap(result.outcome).order.id : assert.fail()
    }

    scenario('is traced as done with its revocation, and not with a refused one', async (t) => {
      const { keys } = t.store
      const { id } = unwrap(await keys.register(registration(1)))
      assert.deepEqual(await keys.withId(id), (await keys.page('alice', { after: null, limit: 1 })).items[0])
      assert.equal(await keys.withId('0'.repeat(16)), undefined)
      assert.equal(await keys.withId('no id'), undefined)
      assert.deepEqual(await traced(t, (trace) => keys.revoke(id, 'bob', trace)), refused)
      assert.deepEqual(await traced(t, (trace) => keys.revoke(id, 'alice', trace)), done(t))
      const again = await traced(t, (trace) => keys.revoke(id, 'alice', trace))
      assert.deepEqual(again, done(t, 'nothing changed'))
    })

    scenario('is traced as done with its redelivery, and not with a refused one', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/hook' })
      const { owed } = await t.deposit('confirmed', { receivedAt: START_MS + 1 })
      const delivery = present(owed[0])
      const { outbox } = t.store
      assert.deepEqual(await traced(t, (trace) => outbox.redeliver('alice', delivery.id, trace)), refused)
      await outbox.markAttempted(delivery.id)
      await outbox.recordResult(delivery.id, { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => null)
      assert.deepEqual(await traced(t, (trace) => outbox.redeliver('alice', delivery.id, trace)), done(t))
    })

    for (const type of ['void', 'accept', 'void-order', 'accept-order'] as const) {
      scenario(
        `is traced as done with its ${type}, as one that changed nothing when it is repeated, and not with a refused one`,
        async (t) => {
          await t.own('alice', 'wallet-1')
          const isOrder = type === 'void-order' || type === 'accept-order'
          const id = isOrder ? await created(t) : (await t.invoice()).id
          const ending = (owner: string) => (trace: string) =>
            isOrder
              ? perform(t, { type, orderId: id, owner, trace })
              : perform(t, { type, invoiceId: id, owner, trace })
          assert.deepEqual(await traced(t, ending('bob')), refused)
          assert.deepEqual(await traced(t, ending('alice')), done(t))
          assert.deepEqual(await traced(t, ending('alice')), done(t, 'nothing changed'))
        },
      )
    }
  })

  scenario('a record of another store is kept as it was there, once', async (t) => {
    const record: AuditRecord = {
      ...action(),
      id: `${(START_MS - 5).toString(16).padStart(12, '0')}${'7'.repeat(20)}`,
      at: START_MS - 5,
      outcome: 'done',
      detail: null,
      endedAt: START_MS - 4,
    }
    const add = async (one: AuditRecord) => {
      const [fate] = await t.store.imports.add([{ type: 'audit', record: one }])
      return fate?.status === 'fulfilled' ? fate.value : fate?.reason
    }
    assert.deepEqual(await add(record), { status: 'added' })
    assert.deepEqual(await add(record), { status: 'known' })
    const other = { status: 'refused', error: 'another record has its id' }
    assert.deepEqual(await add({ ...record, who: 'somebody else' }), other)
    assert.deepEqual(await listed(t), [record])
  })
}
