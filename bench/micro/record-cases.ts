import { isDeepStrictEqual } from 'node:util'
import { fromStored, type InvoiceRow, invoiceCodec, toStored } from '../../src/store/lmdb/invoices/invoice-rows.js'
import { deliveryCodec } from '../../src/store/lmdb/outbox/delivery-rows.js'
import { CurrencyNumbers } from '../../src/store/lmdb/tables/currencies.js'
import {
  bigintFromBytes,
  bigintToBytes,
  type InvoiceId,
  type OwnerNo,
  type SetNo,
  sortableAmount,
  under,
} from '../../src/store/lmdb/tables/keys.js'
import { NOTHING } from '../../src/store/lmdb/tables/tables.js'
import type { Case } from './case.js'
import { functionCase } from './function-case.js'

const INPUTS = 64
const NOW_MS = 1_700_000_000_000
const numbers = Array.from({ length: INPUTS }, (_, n) => n)

/** Encodes and decodes keys and records, without tables. */
export function recordCases(): readonly Case[] {
  return [...keyCases(), ...invoiceCases(), ...deliveryCases()]
}

function keyCases(): readonly Case[] {
  return [
    functionCase({
      name: 'make the key of an index',
      inputs: numbers.map((n) => ({ number: n, id: Buffer.alloc(16, n) })),
      run: ({ number, id }) => under(number, id),
      isRight: (key, { number, id }) => key.readUInt32BE(0) === number && key.subarray(4).equals(id),
    }),
    functionCase({
      name: 'make the sortable key of an amount',
      inputs: numbers.map((n) => 10n ** 18n + BigInt(n)),
      run: sortableAmount,
      isRight: (key, amount) => bigintFromBytes(key.subarray(1)) === amount,
    }),
    functionCase({
      name: 'write a running total and read it',
      inputs: numbers.map((n) => 10n ** 20n + BigInt(n)),
      run: (total) => bigintFromBytes(bigintToBytes(total)),
      isRight: (read, total) => read === total,
    }),
  ]
}

function invoiceCases(): readonly Case[] {
  const set = {
    owner: 'owner',
    ownerNo: 1 as OwnerNo,
    no: 1 as SetNo,
    walletIds: ['wallet-1'],
    walletIdsText: 'wallet-1',
  }
  const currencies = new CurrencyNumbers(undefined)
  const inputs = numbers.map((n) => ({ id: invoiceId(n), row: invoiceRow(n) }))
  const stored = new Map(
    inputs.map(({ id, row }) => [id.toString('latin1'), invoiceCodec.encode(toStored(row, set, currencies))]),
  )
  return [
    functionCase({
      name: 'write the record of an invoice',
      inputs,
      run: ({ row }) => invoiceCodec.encode(toStored(row, set, currencies)),
      isRight: (bytes, { id }) => stored.get(id.toString('latin1'))?.equals(bytes) === true,
      note: 'without the table that it goes to',
    }),
    functionCase({
      name: 'read the record of an invoice',
      inputs,
      run: ({ id }) =>
        fromStored(id, invoiceCodec.decode(stored.get(id.toString('latin1')) ?? NOTHING), set, currencies),
      isRight: (read, { row }) => isDeepStrictEqual(read, row),
      note: 'from bytes in memory, looking them up included',
    }),
  ]
}

function deliveryCases(): readonly Case[] {
  const deliveries = numbers.map((n) => ({
    owner: 'owner',
    invoiceId: invoiceId(n).toString('hex'),
    status: 'confirmed' as const,
    event: null,
    url: 'https://merchant.example/webhooks',
    body: JSON.stringify({ reference: `order-${n}`, status: 'confirmed', amount: '1000000', currency: 'Tether' }),
    state: 'queued' as const,
    createdAt: NOW_MS + n,
    attemptedAt: null,
    attempts: 0,
    attemptsBefore: 0,
    nextAttemptAt: null,
    result: null,
  }))
  return [
    functionCase({
      name: 'write the record of a delivery and read it',
      inputs: deliveries,
      run: (delivery) => deliveryCodec.decode(deliveryCodec.encode(delivery)),
      isRight: (read, delivery) => JSON.stringify(read) === JSON.stringify(delivery),
    }),
  ]
}

function invoiceId(n: number): InvoiceId {
  const id = Buffer.alloc(16) as InvoiceId
  id.writeUIntBE(NOW_MS + n, 0, 6)
  return id
}

function invoiceRow(n: number): InvoiceRow {
  const id = invoiceId(n)
  return {
    id,
    invoice: {
      id: id.toString('hex'),
      owner: 'owner',
      wallet_id: 'wallet-1',
      wallet_ids: 'wallet-1',
      name: `Order ${n}`,
      description: null,
      reference: `order-${n}`,
      amount: `12.${n + 1}`,
      currency: 'USDT',
      callback_url: null,
      created_at: NOW_MS + n,
    },
    setNo: 1 as SetNo,
    orderId: null,
    expiresAt: null,
    voidedAt: null,
    acceptedAt: null,
    hasOutlivedExpiry: false,
  }
}
