import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Sighting } from '../../../src/domain/deposit.js'
import type { FailedDelivery } from '../../../src/domain/event.js'
import type { ImportedEvent } from '../../../src/domain/imported-event.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { type EventImportWork, importEvent, importRemoval } from '../../../src/store/rules/import-events.js'
import type { LogWork } from '../../../src/store/rules/import-outcomes.js'

const NOW = 1_700_000_000_000
const ID = '018bcfe568000000'

type Told = Extract<ImportedEvent, { readonly type: 'event' }>

const DEPOSIT: Sighting = {
  network: 'SEP',
  txHash: '0xabc',
  index: 0,
  toAddress: '0xdef',
  currency: null,
  amount: '10',
  receivedAt: NOW,
}
const DELIVERY: FailedDelivery = { id: 'd', status: 'pending', attempt: 1, httpStatus: 500, failure: null, event: null }

function told(change: Partial<Told['event']> = {}): Told {
  const event = { id: ID, type: 'invoice.paid', at: NOW + 3, invoiceId: 'i', deposit: null, delivery: null } as const
  return { type: 'event', owner: 'alice', event: { ...event, ...change } }
}

interface There {
  readonly invoiceOwner?: string | null
  readonly hasDeposit?: boolean
  readonly isRemoved?: boolean
  readonly found?: 'none' | 'same' | 'other'
  readonly hasEarlier?: boolean
}

/** A log in which what is there is given, and what is done is noted. */
function log({
  invoiceOwner = 'alice',
  hasDeposit = true,
  isRemoved = false,
  found = 'none',
  hasEarlier = false,
}: There) {
  const done: string[] = []
  const work: EventImportWork<string, 'same' | 'other'> & LogWork = {
    readClock: () => NOW,
    logFrom: (timeMs) => void done.push(`log from ${timeMs - NOW}`),
    invoice: (id) => (invoiceOwner === null ? undefined : { owner: invoiceOwner, named: `row of ${id}` }),
    ownerOfOrder: () => invoiceOwner ?? undefined,
    hasDeposit: () => hasDeposit,
    open: () => isRemoved,
    stored: () => (found === 'none' ? undefined : found),
    says: (stored) => stored === 'same',
    hasEarlier: () => hasEarlier,
    passOver: (_owner, id) => void done.push(`pass over ${id}`),
    insert: (_owner, _id, { type, invoice }) => void done.push(`${type} of ${invoice}`),
    beginBehind: (_owner, id) => void done.push(`begin behind ${id}`),
  }
  return { work, done }
}

describe('an imported event', () => {
  const rows = [
    { of: 'an invoice', record: told(), done: 'invoice.paid of row of i' },
    {
      of: 'a deposit of nobody’s invoice',
      record: told({ type: 'deposit.pending', invoiceId: null, deposit: DEPOSIT }),
      done: 'deposit.pending of null',
    },
    {
      of: 'a deposit',
      record: told({ type: 'deposit.dropped', deposit: DEPOSIT }),
      done: 'deposit.dropped of row of i',
    },
    {
      of: 'a webhook',
      record: told({ type: 'delivery.failed', delivery: DELIVERY }),
      done: 'delivery.failed of row of i',
    },
  ]
  for (const { of, record, done } of rows) {
    test(`of ${of} is added, and nothing before it need be an event`, () => {
      const t = log({})
      assert.deepEqual(answeredNow(importEvent(t.work, t.work, record)), { status: 'added' })
      assert.deepEqual(t.done, [`pass over ${ID}`, done, 'log from 4'])
    })
  }

  const refusals: readonly {
    readonly of: string
    readonly record: Told
    readonly there: There
    readonly error: RegExp
  }[] = [
    { of: 'its invoice is not known', record: told(), there: { invoiceOwner: null }, error: /import invoices first/ },
    {
      of: 'its invoice is of another owner',
      record: told(),
      there: { invoiceOwner: 'bob' },
      error: /of another owner/,
    },
    { of: 'it names no invoice', record: told({ invoiceId: null }), there: {}, error: /no invoice/ },
    { of: 'it names no webhook', record: told({ type: 'delivery.failed' }), there: {}, error: /no webhook/ },
    {
      of: 'its webhook is of no invoice',
      record: told({ type: 'delivery.failed', invoiceId: null, delivery: DELIVERY }),
      there: {},
      error: /no webhook/,
    },
    { of: 'it names no deposit', record: told({ type: 'deposit.pending' }), there: {}, error: /import deposits first/ },
    {
      of: 'its deposit is not known',
      record: told({ type: 'deposit.pending', deposit: DEPOSIT }),
      there: { hasDeposit: false },
      error: /import deposits first/,
    },
    { of: 'another event has its id', record: told(), there: { found: 'other' }, error: /another event/ },
  ]
  for (const { of, record, there, error } of refusals) {
    test(`is refused where ${of}`, () => {
      const t = log(there)
      const outcome = answeredNow(importEvent(t.work, t.work, record))
      assert.match(outcome.status === 'refused' ? outcome.error : '', error)
      assert.deepEqual(t.done, [])
    })
  }

  for (const there of [{ isRemoved: true, found: 'other' }, { found: 'same' }] as const) {
    test(`is known where ${'isRemoved' in there ? 'it was removed' : 'it is there'}`, () => {
      const t = log(there)
      assert.deepEqual(answeredNow(importEvent(t.work, t.work, told())), { status: 'known' })
      assert.deepEqual(t.done, [])
    })
  }
})

describe('an imported removal', () => {
  const rows: readonly {
    readonly of: string
    readonly there: There
    readonly status: string
    readonly done: readonly string[]
  }[] = [
    { of: 'of an empty log', there: {}, status: 'added', done: [`pass over ${ID}`, `begin behind ${ID}`] },
    { of: 'that is told already', there: { isRemoved: true, hasEarlier: true }, status: 'known', done: [] },
    { of: 'up to an event that is here', there: { found: 'other', hasEarlier: true }, status: 'known', done: [] },
    { of: 'behind earlier events', there: { hasEarlier: true }, status: 'refused', done: [] },
  ]
  for (const { of, there, status, done } of rows) {
    test(`${of} is ${status}`, () => {
      const t = log(there)
      assert.equal(answeredNow(importRemoval(t.work, 'alice', ID)).status, status)
      assert.deepEqual(t.done, done)
    })
  }
})
