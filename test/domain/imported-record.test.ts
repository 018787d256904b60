import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseImportedRecord } from '../../src/domain/imported-record.js'
import { TEST_NETWORKS } from '../support/networks.js'

const AT = 0x019a_0000_0000
const ID = '019a000000000007'
const SIGHTING = {
  ...{ network: 'SEP', txHash: 'tx', index: 0, toAddress: '0x0', currency: 'Tether', amount: '5', receivedAt: AT },
}
const CREATED = { owner: 'alice', id: ID, type: 'invoice.created', at: AT, invoiceId: 'a'.repeat(32) }
const PENDING = { ...CREATED, type: 'deposit.pending', invoiceId: null, deposit: SIGHTING }
const DELIVERY = { id: 'b'.repeat(32), status: 'pending', attempt: 2, httpStatus: null, failure: 'timeout' }
const FAILED = { ...CREATED, type: 'delivery.failed', delivery: DELIVERY }

function withDeposit(change: object) {
  return { ...PENDING, deposit: { ...SIGHTING, ...change } }
}

function withDelivery(change: object) {
  return { ...FAILED, delivery: { ...DELIVERY, ...change } }
}

describe('an imported event', () => {
  test('is read with what it is about, and with nothing else', () => {
    const event = { id: ID, at: AT, invoiceId: CREATED.invoiceId, deposit: null, delivery: null }
    const read = (record: object) => parseImportedRecord({ ...record, reference: 'r', more: 1 }, TEST_NETWORKS)
    assert.deepEqual(read({ ...CREATED, deposit: SIGHTING }), {
      ...{ type: 'event', owner: 'alice', event: { ...event, type: 'invoice.created' } },
    })
    for (const currency of ['Tether', '', null]) {
      const deposit = { ...SIGHTING, currency }
      assert.deepEqual(read(withDeposit({ currency })), {
        ...{ type: 'event', owner: 'alice', event: { ...event, type: 'deposit.pending', invoiceId: null, deposit } },
      })
    }
    assert.deepEqual(read(FAILED), {
      ...{ type: 'event', owner: 'alice', event: { ...event, type: 'delivery.failed', delivery: DELIVERY } },
    })
    assert.deepEqual(read({ ...CREATED, type: 'events.removed', invoiceId: null }), {
      ...{ type: 'removal', owner: 'alice', id: ID },
    })
  })

  for (const [record, flaw] of [
    [{ ...CREATED, owner: ' alice' }, 'owner must be an identity'],
    [{ ...CREATED, id: ID.toUpperCase() }, 'id must be 16 lower-case hex characters'],
    [{ ...CREATED, at: AT + 1 }, 'at is not the time of its id'],
    [{ ...CREATED, at: 0xffff_ffff_ffff, id: 'f'.repeat(16) }, 'at is not the time of its id'],
    [{ ...CREATED, type: 'invoice.lost' }, 'type is not one that is known'],
    [{ ...CREATED, invoiceId: null }, 'invoiceId is missing'],
    [{ ...PENDING, deposit: null }, 'deposit is missing'],
    [withDeposit({ network: 'ETH' }), 'network is not one that is known'],
    [withDeposit({ index: -1 }), 'index must be an integer from 0 to 4294967295'],
    [withDeposit({ currency: 7 }), 'currency must be a text'],
    [{ ...FAILED, invoiceId: '' }, 'invoiceId is missing'],
    [{ ...FAILED, delivery: [] }, 'delivery is missing'],
    [withDelivery({ id: 'b' }), 'id must be 32 lower-case hex characters'],
    [withDelivery({ status: 'dropped' }), 'status must be pending or confirmed'],
    [withDelivery({ attempt: 1.5 }), 'attempt must be a number'],
    [withDelivery({ httpStatus: '500' }), 'httpStatus must be a number or null'],
    [withDelivery({ failure: 'tired' }), 'failure is not one that is known'],
    // A deposit by itself.
    [{ ...SIGHTING, kind: 'pending', index: 4294967296 }, 'index must be an integer from 0 to 4294967295'],
  ] as const) {
    test(`is refused when ${flaw}: ${JSON.stringify(record)}`, () => {
      assert.deepEqual(parseImportedRecord(record, TEST_NETWORKS), { type: 'flaw', flaw })
    })
  }
})
