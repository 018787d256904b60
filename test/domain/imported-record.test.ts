import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../src/domain/api-key.js'
import { parseImportedRecord } from '../../src/domain/imported-record.js'
import { PUSHED_KEYS_MAX } from '../../src/domain/key-history.js'
import { TEST_NETWORKS } from '../support/networks.js'

const AT = 0x019a_0000_0000
const IMPORTING = { networks: TEST_NETWORKS, nowMs: AT + DAY_MS }
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

const STATUS_FLAW = 'status must be pending or confirmed, or null for an event'

describe('an imported event', () => {
  test('is read with what it is about, and with nothing else', () => {
    const event = { id: ID, at: AT, invoiceId: CREATED.invoiceId, deposit: null, delivery: null }
    const read = (record: object) => parseImportedRecord({ ...record, reference: 'r', more: 1 }, IMPORTING)
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
      ...{
        type: 'event',
        owner: 'alice',
        event: { ...event, type: 'delivery.failed', delivery: { ...DELIVERY, event: null } },
      },
    })
    const ofEvent = { ...DELIVERY, status: null, event: { id: ID, type: 'deposit.pending' } }
    assert.deepEqual(read({ ...FAILED, invoiceId: null, delivery: ofEvent }), {
      ...{
        type: 'event',
        owner: 'alice',
        event: { ...event, invoiceId: null, type: 'delivery.failed', delivery: ofEvent },
      },
    })
    assert.deepEqual(read({ ...CREATED, type: 'events.removed', invoiceId: null }), {
      ...{ type: 'removal', owner: 'alice', id: ID },
    })
  })

  for (const [record, flaw] of [
    [{ ...CREATED, owner: ' alice' }, 'owner must be an identity'],
    [{ ...CREATED, id: ID.toUpperCase() }, 'id must be 16 lower-case hex characters'],
    [{ ...CREATED, at: AT + 1 }, 'at is not the time of its id'],
    [{ ...CREATED, at: 0xffff_ffff_ffff, id: 'f'.repeat(16) }, 'at is in the future'],
    [{ ...CREATED, type: 'invoice.lost' }, 'type is not one that is known'],
    [{ ...CREATED, invoiceId: null }, 'invoiceId is missing'],
    [{ ...PENDING, deposit: null }, 'deposit is missing'],
    [withDeposit({ network: 'ETH' }), 'network is not one that is known'],
    [withDeposit({ index: -1 }), 'index must be an integer from 0 to 4294967295'],
    [withDeposit({ currency: 7 }), 'currency must be a text'],
    [{ ...FAILED, invoiceId: '' }, 'invoiceId is missing'],
    [{ ...FAILED, delivery: [] }, 'delivery is missing'],
    [withDelivery({ id: 'b' }), 'id must be 32 lower-case hex characters'],
    [withDelivery({ status: 'dropped' }), STATUS_FLAW],
    [withDelivery({ status: null }), STATUS_FLAW],
    [withDelivery({ event: { id: ID, type: 'invoice.paid' } }), STATUS_FLAW],
    [withDelivery({ event: 'invoice.paid' }), 'event is none'],
    [withDelivery({ event: { id: ID, type: 'invoice.lost' } }), 'event is of no type that is known'],
    [withDelivery({ event: { id: 'x', type: 'invoice.paid' } }), 'id must be 16 lower-case hex characters'],
    [withDelivery({ attempt: 1.5 }), 'attempt must be a number'],
    [withDelivery({ httpStatus: '500' }), 'httpStatus must be a number or null'],
    [withDelivery({ failure: 'tired' }), 'failure is not one that is known'],
    // A deposit by itself.
    [{ ...SIGHTING, kind: 'pending', index: 4294967296 }, 'index must be an integer from 0 to 4294967295'],
  ] as const) {
    test(`is refused when ${flaw}: ${JSON.stringify(record)}`, () => {
      assert.deepEqual(parseImportedRecord(record, IMPORTING), { type: 'flaw', flaw })
    })
  }
})

const RETURN_FLAW =
  'returnUrl must be an absolute http or https URL of at most 2048 characters, without user and password'

const INVOICE = {
  ...{
    id: 'a'.repeat(32),
    owner: 'alice',
    wallet_id: 'w1',
    wallet_ids: 'w1,w2',
    name: 'Tea',
    description: 'Two',
    reference: 'r',
  },
  ...{ amount: '10', currency: 'USDT', callback_url: 'https://shop.example/hook', created_at: AT },
}
const DEPOSIT = { ...SIGHTING, kind: 'confirmed', confirmedAt: AT + 1 }
const KEY = {
  ...{ id: '0'.repeat(16), owner: 'alice', label: 'till', public_key: '02', permissions: 'invoices:create' },
  ...{ created_at: AT, expires_at: null, revoked_at: null },
}
const WALLET = { id: 'w1', address: '0x0', network: 'SEP', owner: 'alice' }
const LATER = AT + DAY_MS + 1
const URL_FLAW =
  'callback_url must be an absolute http or https URL of at most 2048 characters, without user and password'
const EXPIRY_FLAW = 'expires_at must be 60 to 31536000 seconds after created_at'
const NOTE = {
  ...{ id: `${AT.toString(16).padStart(12, '0')}${'7'.repeat(20)}`, invoiceId: 'A'.repeat(32), at: AT },
  ...{ who: 'root (uid 0)', text: 'one\ntwo' },
}
const walletIds = (count: number) => Array.from({ length: count }, (_, i) => `w${i + 1}`).join()

describe('an imported record', () => {
  test('is a note with what somebody wrote, and nothing else', () => {
    assert.deepEqual(parseImportedRecord({ ...NOTE, owner: 'alice', more: 1 }, IMPORTING), { type: 'note', note: NOTE })
  })

  for (const [what, record] of [
    ['an invoice', INVOICE],
    ['an invoice of before multi-wallet support', { ...INVOICE, wallet_ids: null }],
    ['an invoice with an empty list of wallets', { ...INVOICE, wallet_ids: '' }],
    [
      'an invoice that has only what every one has',
      {
        ...{ id: INVOICE.id, owner: 'alice', wallet_id: 'w1', name: 'Tea', amount: '.5', currency: 'native' },
        created_at: 1,
      },
    ],
    [
      'an invoice with texts as long as they may be',
      { ...INVOICE, name: '😀'.repeat(80), description: '😀'.repeat(500), reference: '😀'.repeat(80) },
    ],
    ['an invoice on 50 wallets', { ...INVOICE, wallet_ids: walletIds(50) }],
    ['an invoice that expires in the future', { ...INVOICE, expires_at: AT + 365 * DAY_MS }],
    ['a void invoice', { ...INVOICE, voided_at: AT + DAY_MS }],
    ['a deposit', DEPOSIT],
    ['a key that expires when no calendar has a day', { ...KEY, expires_at: Number.MAX_SAFE_INTEGER }],
    ['a wallet', WALLET],
  ] as const) {
    test(`is taken: ${what}`, () => {
      const parsed = parseImportedRecord(record, IMPORTING)
      assert.equal(parsed.type === 'flaw' ? parsed.flaw : null, null)
    })
  }

  test('of an identity has the keys that were pushed for it, which do not replace those that are there', () => {
    const [key, other] = [`02${'a'.repeat(64)}`, `03${'b'.repeat(64)}`]
    assert.deepEqual(parseImportedRecord({ owner: 'alice', isKnown: true, keys: `0x${other},0x${key}` }, IMPORTING), {
      type: 'fact',
      fact: { type: 'identity.keys', identity: 'alice', keys: [key, other], keepsKeys: true },
    })
    assert.deepEqual(parseImportedRecord({ owner: 'alice', isKnown: true, keys: null }, IMPORTING), {
      type: 'fact',
      fact: { type: 'identity.onboarded', identity: 'alice' },
    })
  })

  test('of a deposit that does not tell when it was confirmed takes the time of its receipt for it', () => {
    const { confirmedAt: _, ...deposit } = DEPOSIT
    assert.deepEqual(parseImportedRecord(deposit, IMPORTING), {
      ...{ type: 'deposit', deposit: { ...SIGHTING, kind: 'confirmed', confirmedAt: AT } },
    })
  })

  test('of a wallet is one fact, which takes the wallet from nobody', () => {
    const { owner, ...place } = WALLET
    assert.deepEqual(parseImportedRecord(WALLET, IMPORTING), {
      ...{ type: 'fact', fact: { type: 'wallet.assigned', ...place, owner, keepsOwner: true } },
    })
    assert.deepEqual(parseImportedRecord(place, IMPORTING), {
      type: 'fact',
      fact: { type: 'wallet.created', ...place },
    })
  })

  for (const [record, flaw] of [
    ...[
      'shop.example/hook',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://u:p@shop.example/',
      'http://',
      '//x',
      'https://x/\r\nA: b',
      `https://x/${'y'.repeat(2048)}`,
    ].map((callback_url) => [{ ...INVOICE, callback_url }, URL_FLAW] as const),
    ...['yes', 1, null].map((isKnown) => [{ owner: 'alice', isKnown }, 'isKnown must be true or false'] as const),
    ...['02aa', `0x02${'a'.repeat(63)}`, `0x${'02'.repeat(33)},`, 'x'].map(
      (keys) => [{ owner: 'alice', isKnown: true, keys }, 'keys must be compressed public keys behind 0x'] as const,
    ),
    [
      {
        owner: 'alice',
        isKnown: true,
        keys: Array(PUSHED_KEYS_MAX + 1)
          .fill(`0x${'02'.repeat(33)}`)
          .join(),
      },
      `keys must be ${PUSHED_KEYS_MAX} at most`,
    ],
    [{ owner: 'alice', isKnown: true, keys: ['02'] }, 'keys must be a text'],
    [{ ...INVOICE, reference: 'r'.repeat(81) }, 'reference is longer than 80 characters'],
    [{ ...INVOICE, name: 'n'.repeat(81) }, 'name is longer than 80 characters'],
    [{ ...INVOICE, name: ' \n' }, 'name is blank'],
    [{ ...INVOICE, description: 'd'.repeat(501) }, 'description is longer than 500 characters'],
    [{ ...INVOICE, returnUrl: 'javascript:alert(1)' }, RETURN_FLAW],
    [{ ...INVOICE, returnUrl: 'https://user:secret@shop.example/' }, RETURN_FLAW],
    [{ ...INVOICE, orderNumber: 'n'.repeat(81) }, 'orderNumber is longer than 80 characters'],
    [{ ...INVOICE, orderNumber: 7 }, 'orderNumber must be a text'],
    [{ ...INVOICE, metadata: { a: 1 } }, 'metadata is none of an invoice'],
    [{ ...INVOICE, metadata: 'a=b' }, 'metadata is none of an invoice'],
    [{ ...INVOICE, metadata: { a: 'v'.repeat(501) } }, 'metadata is none of an invoice'],
    [{ ...INVOICE, wallet_ids: walletIds(51) }, 'wallet_ids names more than 50 wallets'],
    [{ ...INVOICE, wallet_ids: 'w1,w2,w1' }, 'wallet_ids names a wallet twice'],
    [{ ...INVOICE, wallet_ids: 'w2,w1' }, 'wallet_id is not the first of wallet_ids'],
    [{ ...INVOICE, wallet_ids: 'w1,,w2' }, 'a wallet id must have 1 to 128 characters and no comma'],
    [
      { ...INVOICE, wallet_id: 'w'.repeat(129), wallet_ids: null },
      'a wallet id must have 1 to 128 characters and no comma',
    ],
    [{ ...INVOICE, created_at: LATER }, 'created_at is in the future'],
    [{ ...INVOICE, voided_at: LATER }, 'voided_at is in the future'],
    [{ ...INVOICE, expires_at: AT + 59_999 }, EXPIRY_FLAW],
    [{ ...INVOICE, expires_at: AT + 365 * DAY_MS + 1 }, EXPIRY_FLAW],
    [{ ...INVOICE, created_at: `${AT}` }, 'created_at must be Unix milliseconds'],
    [{ ...INVOICE, amount: 10 }, 'amount must be a text'],
    [{ ...INVOICE, amount: '0' }, 'amount is no amount of an invoice'],
    [{ ...INVOICE, currency: 'BTC' }, 'currency must be native or that of a token of the networks'],
    [{ ...INVOICE, name: '\ud800' }, 'name must be a text'],
    [{ ...DEPOSIT, receivedAt: LATER }, 'receivedAt is in the future'],
    [{ ...DEPOSIT, confirmedAt: LATER }, 'confirmedAt is in the future'],
    [{ ...DEPOSIT, txHash: 't'.repeat(129) }, 'txHash must have 1 to 128 characters'],
    [{ ...DEPOSIT, toAddress: 'a'.repeat(129) }, 'toAddress must have 1 to 128 characters'],
    [{ ...DEPOSIT, amount: '-1' }, 'amount is not a positive amount of its currency'],
    [{ ...DEPOSIT, network: 'ETH' }, 'network is not one that is known'],
    [{ ...KEY, label: 'l'.repeat(61) }, 'label is longer than 60 characters'],
    [{ ...KEY, label: ' ' }, 'label is blank'],
    [{ ...KEY, permissions: 'everything' }, 'permissions must be names of permissions, each once'],
    [{ ...KEY, permissions: 'invoices:create,invoices:create' }, 'permissions must be names of permissions, each once'],
    [{ ...KEY, created_at: LATER }, 'created_at is in the future'],
    [{ ...KEY, revoked_at: LATER }, 'revoked_at is in the future'],
    [{ ...WALLET, id: 'w'.repeat(129) }, 'a wallet id must have 1 to 128 characters and no comma'],
    [{ ...WALLET, network: 'ETH' }, 'network is not one that is known'],
    [{ ...WALLET, owner: 'a'.repeat(129) }, 'owner must be an identity'],
    [{ ...CREATED, at: LATER, id: `${LATER.toString(16).padStart(12, '0')}0000` }, 'at is in the future'],
    [withDeposit({ receivedAt: LATER }), 'receivedAt is in the future'],
    [{ ...NOTE, id: 'n'.repeat(32) }, 'id must be 32 lower-case hex characters'],
    [{ ...NOTE, at: AT + 1 }, 'at is not the time of its id'],
    [{ ...NOTE, at: LATER, id: `${LATER.toString(16).padStart(12, '0')}${'7'.repeat(20)}` }, 'at is in the future'],
    [{ ...NOTE, invoiceId: 'order-1' }, 'invoiceId must be 32 hex characters'],
    [{ ...NOTE, who: '' }, 'who is missing'],
    [{ ...NOTE, who: 'a\0' }, 'who has a NUL in it'],
    [{ ...NOTE, who: 'w'.repeat(201) }, 'who is longer than 200 characters'],
    [{ ...NOTE, text: 7 }, 'text must be a text'],
    [{ ...NOTE, text: ' ' }, 'text is no text of a note'],
    [{ ...NOTE, text: 'a\u001b[2J' }, 'text is no text of a note'],
    [{ ...NOTE, text: '\u{1f600}'.repeat(2001) }, 'text is no text of a note'],
    [{ what: 'ever' }, 'it is no invoice, order, deposit, wallet, key, identity, event, note or record of an audit'],
    [[INVOICE], 'it is no JSON object'],
  ] as const) {
    test(`is refused: ${flaw}, as in ${JSON.stringify(record).slice(0, 200)}`, () => {
      assert.deepEqual(parseImportedRecord(record, IMPORTING), { type: 'flaw', flaw })
    })
  }
})
