import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Currency } from '../../src/domain/amount.js'
import type { Deposit } from '../../src/domain/deposit.js'
import type { Network } from '../../src/domain/network.js'
import { kindOfAddress } from '../../src/sandbox/address.js'
import { CONFIRMATION_DELAY_MS, TRANSFERS_MAX, UNASSIGNED_WALLETS } from '../../src/sandbox/simulated-networks.js'
import { invoiceRequest } from '../support/lmdb-fixture.js'
import { START_MS } from '../support/manual-clock.js'
import { SandboxFixture } from './sandbox-fixture.js'

let fixture: SandboxFixture
let count = 0

before(async () => {
  fixture = await SandboxFixture.start()
})
after(() => fixture.close())

interface OwnedWallet {
  readonly id: string
  readonly address: string
}

async function wallet(network: Network, owner = 'merchant'): Promise<OwnedWallet> {
  const claimed = await fixture.store.wallets.claim(network, 600_000)
  assert.ok(claimed !== null)
  const fact = { type: 'wallet.assigned', id: claimed.id, address: null, network: null, owner } as const
  await fixture.intake.apply([{ eventId: null, fact }])
  return claimed
}

async function invoice(wallets: readonly OwnedWallet[], amount: string, currency: Currency): Promise<string> {
  const request = invoiceRequest(
    'merchant',
    wallets.map(({ id }) => id),
    amount,
    { currency },
  )
  const [fate] = await fixture.store.commands.perform([{ type: 'invoice', request }])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
  return fate.value.outcome.value.id
}

function paymentOf(id: string) {
  return fixture.store.invoices.findWithPayment(id)?.payment
}

async function deposit(body: Record<string, unknown>): Promise<Deposit> {
  const outcome = await fixture.sandbox.networks.deposit(body)
  assert.ok(outcome.ok, JSON.stringify(outcome))
  return outcome.value
}

async function refused(body: Record<string, unknown>, field: string, reason: string): Promise<void> {
  const told = fixture.intake.events.length
  assert.deepEqual(await fixture.sandbox.networks.deposit(body), {
    ok: false,
    failure: { code: 'invalid_sandbox_deposit', field, message: `The simulated deposit is not valid: ${reason}.` },
  })
  assert.equal(fixture.intake.events.length, told)
}

function txHash(): string {
  count += 1
  return `tx${count}`
}

function kindOf({ network, txHash, index }: Deposit) {
  return fixture.store.deposits.find(network, txHash, index)?.kind
}

describe('the wallets of a simulated network', () => {
  test('are 100 that belong to nobody, with valid addresses of their own', () => {
    const made = fixture.intake.events.slice(0, 2 * UNASSIGNED_WALLETS).map(({ eventId, fact }) => {
      assert.equal(eventId, null)
      assert.ok(fact.type === 'wallet.created')
      assert.match(fact.id, /^[0-9a-f]{64}$/)
      assert.equal(kindOfAddress(fact.address), fact.network === 'SEP' ? 'evm' : 'tron')
      return fact
    })
    for (const network of ['SEP', 'TRX-NILE'] as const) {
      const addresses = made.filter((fact) => fact.network === network).map(({ address }) => address)
      assert.equal(new Set(addresses).size, UNASSIGNED_WALLETS)
    }
  })
})

describe('a deposit to an address', () => {
  test('is pending at once and confirmed after a second', async () => {
    const { address } = await wallet('SEP')
    const seen = await deposit({ address, amount: '1.5' })
    assert.match(seen.txHash, /^0x[0-9a-f]{64}$/)
    assert.deepEqual(seen, {
      network: 'SEP',
      txHash: seen.txHash,
      index: 0,
      toAddress: address,
      currency: '#native',
      amount: '1.5',
      kind: 'pending',
      receivedAt: START_MS,
      confirmedAt: null,
    })
    fixture.scheduler.pass(CONFIRMATION_DELAY_MS - 1)
    assert.equal(kindOf(seen), 'pending')
    fixture.scheduler.pass(1)
    await fixture.until(() => kindOf(seen) === 'confirmed')
  })

  const kinds = ['pending', 'confirmed'] as const
  for (const kind of kinds) {
    test(`with kind ${kind} is ${kind}, and nothing follows`, async () => {
      const { address } = await wallet('TRX-NILE')
      const pending = fixture.scheduler.pending
      const seen = await deposit({ address, amount: '2', kind })
      assert.equal(seen.kind, kind)
      assert.match(seen.txHash, /^[0-9a-f]{64}$/)
      assert.equal(fixture.scheduler.pending, pending)
    })
  }

  test('takes what it is told', async () => {
    const { address } = await wallet('TRX-NILE')
    const hash = txHash()
    const told = {
      address,
      amount: '0.25',
      currency: 'USDT',
      network: 'TRX-NILE',
      txHash: hash,
      receivedAt: 5,
      kind: 'pending',
    }
    assert.deepEqual(await deposit(told), {
      network: 'TRX-NILE',
      txHash: hash,
      index: 0,
      toAddress: address,
      currency: 'Tether',
      amount: '2500',
      kind: 'pending',
      receivedAt: 5,
      confirmedAt: null,
    })
  })

  const networks: readonly [what: string, address: string, network: Network][] = [
    ['an unknown EVM address', '0x52908400098527886e0f7030069857d2e4169ee7', 'SEP'],
    ['an unknown TRON address', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TRX-NILE'],
  ]
  for (const [what, address, network] of networks) {
    test(`${what} is on ${network}`, async () => {
      assert.equal((await deposit({ address, amount: '1', kind: 'pending' })).network, network)
    })
  }

  test('a known wallet has its network, whatever its address looks like', async () => {
    const fact = { type: 'wallet.created', id: 'odd', address: 'odd address', network: 'TRX-NILE' } as const
    await fixture.intake.apply([{ eventId: null, fact }])
    assert.equal((await deposit({ address: 'odd address', amount: '1', kind: 'pending' })).network, 'TRX-NILE')
    assert.equal(
      (await deposit({ address: 'odd address', amount: '1', network: 'TRX-NILE', kind: 'pending' })).network,
      'TRX-NILE',
    )
  })

  test('null counts as absent', async () => {
    const { address } = await wallet('SEP')
    const nothing = { invoiceId: null, currency: null, network: null, txHash: null, receivedAt: null, kind: null }
    assert.equal((await deposit({ address, amount: '1', ...nothing })).kind, 'pending')
  })

  const address = '0x52908400098527886E0F7030069857D2E4169EE7'
  const good = { address, amount: '1' }
  const refusals: readonly [what: string, body: Record<string, unknown>, field: string, reason: string][] = [
    ['neither address nor invoice', { amount: '1' }, 'address', 'either address or invoiceId is needed'],
    ['both', { ...good, invoiceId: 'i' }, 'address', 'either address or invoiceId is needed'],
    ['a number as address', { ...good, address: 1 }, 'address', 'address must be a non-empty string'],
    ['an empty address', { ...good, address: '' }, 'address', 'address must be a non-empty string'],
    ['a number as invoice', { invoiceId: 1 }, 'invoiceId', 'invoiceId must be a non-empty string'],
    ['an empty invoice', { invoiceId: '' }, 'invoiceId', 'invoiceId must be a non-empty string'],
    ['an address of no network', { ...good, address: 'nowhere' }, 'address', 'the address belongs to no network'],
    [
      'an address of another network',
      { ...good, network: 'TRX-NILE' },
      'address',
      'the address is not one of TRX-NILE',
    ],
    ['an unknown network', { ...good, network: 'sep' }, 'network', 'network must be one of SEP, TRX-NILE'],
    ['no amount', { address }, 'amount', 'amount is needed with an address'],
    ['a number as amount', { ...good, amount: 1 }, 'amount', 'amount must be a decimal string'],
    ['an empty amount', { ...good, amount: '' }, 'amount', 'amount must be a decimal string'],
    ...['0', '0.000', '-1', '+1', '1e3', '0x10', ' 1', '1,5', '.', '0.0000000000000000001', '1'.repeat(79)].map(
      (amount): [string, Record<string, unknown>, string, string] => [
        `an amount of ${amount}`,
        { ...good, amount },
        'amount',
        'amount must be a decimal string greater than zero',
      ],
    ),
    [
      'a fraction of the smallest unit',
      { ...good, amount: '0.0000001', currency: 'USDT' },
      'amount',
      'USDT has 6 decimals on SEP',
    ],
    [
      'a fraction of the smallest unit elsewhere',
      { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', amount: '0.00001', currency: 'USDT' },
      'amount',
      'USDT has 4 decimals on TRX-NILE',
    ],
    ['another currency', { ...good, currency: 'usdt' }, 'currency', 'currency must be one of native, USDT, USDC, EURC'],
    [
      'a label as currency',
      { ...good, currency: 'Tether' },
      'currency',
      'currency must be one of native, USDT, USDC, EURC',
    ],
    ['a number as hash', { ...good, txHash: 1 }, 'txHash', 'txHash must be a non-empty string'],
    ['an empty hash', { ...good, txHash: '' }, 'txHash', 'txHash must be a non-empty string'],
    [
      'a time in a string',
      { ...good, receivedAt: '1' },
      'receivedAt',
      'receivedAt must be Unix milliseconds, an integer',
    ],
    [
      'half a millisecond',
      { ...good, receivedAt: 0.5 },
      'receivedAt',
      'receivedAt must be Unix milliseconds, an integer',
    ],
    ['an unknown kind', { ...good, kind: 'dropped' }, 'kind', 'kind must be pending or confirmed'],
    ['a boolean as kind', { ...good, kind: true }, 'kind', 'kind must be pending or confirmed'],
  ]
  for (const [what, body, field, reason] of refusals) {
    test(`with ${what} is refused`, () => refused(body, field, reason))
  }

  const byStore: readonly [what: string, more: Record<string, unknown>, reason: string][] = [
    ['too long a hash', { txHash: 'x'.repeat(129) }, 'txHash must have 1 to 128 characters'],
    ['a time before 1970', { receivedAt: -1 }, 'receivedAt must be Unix milliseconds'],
    ['a time beyond 48 bits', { receivedAt: 2 ** 48 }, 'receivedAt must be Unix milliseconds'],
  ]
  for (const [what, more, reason] of byStore) {
    test(`with ${what} is refused in the store's words`, async () => {
      const outcome = await fixture.sandbox.networks.deposit({ ...good, ...more })
      assert.equal(outcome.ok, false)
      assert.equal(!outcome.ok && outcome.failure.message, `The simulated deposit is not valid: ${reason}.`)
      assert.equal(!outcome.ok && outcome.failure.field, Object.keys(more)[0])
    })
  }
})

describe('a deposit for an invoice', () => {
  for (const [currency, amount, observed] of [
    ['native', '2.50', '2.5'],
    ['USDT', '10.00', '10000000'],
  ] as const) {
    test(`of ${currency} pays what is missing`, async () => {
      const id = await invoice([await wallet('SEP')], amount, currency)
      const seen = await deposit({ invoiceId: id })
      assert.equal(seen.amount, observed)
      assert.equal(seen.receivedAt, fixture.clock.now() + 1)
      assert.deepEqual(
        [paymentOf(id)?.status, paymentOf(id)?.pending],
        ['unpaid', currency === 'native' ? '2.5' : '10'],
      )
      fixture.scheduler.pass(CONFIRMATION_DELAY_MS)
      await fixture.until(() => paymentOf(id)?.status === 'paid')
      assert.equal(paymentOf(id)?.overpaid, '0')
    })
  }

  test('pays the rest after a part', async () => {
    const id = await invoice([await wallet('TRX-NILE')], '10', 'USDT')
    assert.equal((await deposit({ invoiceId: id, amount: '3.5', kind: 'confirmed' })).amount, '35000')
    assert.equal((await deposit({ invoiceId: id, kind: 'confirmed' })).amount, '65000')
    assert.equal(paymentOf(id)?.status, 'paid')
  })

  test('is received now when the invoice is older', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    fixture.clock.advance(5000)
    assert.equal((await deposit({ invoiceId: id, kind: 'confirmed' })).receivedAt, fixture.clock.now())
  })

  test('is received when it is told', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    assert.equal(
      (await deposit({ invoiceId: id, receivedAt: START_MS - 1, kind: 'confirmed' })).receivedAt,
      START_MS - 1,
    )
    assert.equal(paymentOf(id)?.status, 'unpaid')
  })

  test('goes to the first wallet, or the first of the network', async () => {
    const wallets = [await wallet('SEP'), await wallet('TRX-NILE'), await wallet('TRX-NILE')]
    const id = await invoice(wallets, '4', 'native')
    assert.equal((await deposit({ invoiceId: id, kind: 'pending' })).toAddress, wallets[0]?.address)
    const elsewhere = await deposit({ invoiceId: id, network: 'TRX-NILE', kind: 'confirmed' })
    assert.deepEqual([elsewhere.toAddress, elsewhere.network], [wallets[1]?.address, 'TRX-NILE'])
    assert.equal(paymentOf(id)?.status, 'paid')
  })

  test('may be of another currency, and then pays nothing of it', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    assert.equal(
      (await deposit({ invoiceId: id, amount: '4', currency: 'USDT', kind: 'confirmed' })).currency,
      'Tether',
    )
    assert.equal(paymentOf(id)?.received, '0')
  })

  test('that is paid is refused without an amount, and overpays it with one', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    await deposit({ invoiceId: id, kind: 'confirmed' })
    await refused({ invoiceId: id }, 'amount', 'the invoice is paid already; amount is needed')
    await deposit({ invoiceId: id, amount: '0.5', kind: 'confirmed' })
    assert.equal(paymentOf(id)?.overpaid, '0.5')
  })

  test('that nobody knows is refused', () =>
    refused({ invoiceId: '0'.repeat(32) }, 'invoiceId', 'no invoice has the invoiceId'))

  test('without a wallet on the network is refused', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    await refused(
      { invoiceId: id, network: 'TRX-NILE' },
      'network',
      'the invoice has no wallet on TRX-NILE with an address',
    )
  })

  test('of another currency without an amount is refused', async () => {
    const id = await invoice([await wallet('SEP')], '4', 'native')
    await refused(
      { invoiceId: id, currency: 'USDT' },
      'amount',
      "amount is needed in another currency than the invoice's",
    )
  })

  test('whose rest the token cannot express is refused', async () => {
    const id = await invoice([await wallet('SEP')], '1.0000001', 'USDT')
    await refused({ invoiceId: id }, 'amount', 'USDT has 6 decimals on SEP')
  })
})

describe('deposits of one transaction', () => {
  test('the same one again is the same deposit', async () => {
    const { address } = await wallet('SEP')
    const body = { address, amount: '1', txHash: txHash() }
    assert.equal((await deposit({ ...body, kind: 'pending' })).kind, 'pending')
    assert.equal((await deposit({ ...body, kind: 'pending' })).kind, 'pending')
    const confirmed = await deposit({ ...body, kind: 'confirmed' })
    assert.deepEqual([confirmed.kind, confirmed.index], ['confirmed', 0])
    assert.equal((await deposit(body)).kind, 'confirmed')
    assert.equal(fixture.store.deposits.find('SEP', body.txHash, 1), undefined)
  })

  test('others get indexes of their own, also at the same time', async () => {
    const first = await wallet('SEP')
    const second = await wallet('SEP')
    const hash = txHash()
    const bodies = [
      { address: first.address, amount: '1' },
      { address: second.address, amount: '1' },
      { address: first.address, amount: '2' },
      { address: first.address, amount: '1', currency: 'USDT' },
    ]
    const seen = await Promise.all(bodies.map((body) => deposit({ ...body, txHash: hash, kind: 'pending' })))
    assert.deepEqual(
      seen.map(({ index }) => index),
      [0, 1, 2, 3],
    )
  })

  test('on two networks do not meet', async () => {
    const hash = txHash()
    for (const network of ['SEP', 'TRX-NILE'] as const) {
      const { address } = await wallet(network)
      assert.equal((await deposit({ address, amount: '1', txHash: hash, kind: 'pending' })).index, 0)
    }
    const settled = await fixture.sandbox.networks.settle(hash, 'confirmed')
    assert.ok(settled.ok)
    assert.deepEqual(
      settled.value.map(({ network, kind }) => [network, kind]),
      [
        ['SEP', 'confirmed'],
        ['TRX-NILE', 'confirmed'],
      ],
    )
  })

  test('are at most 100', async () => {
    const { address } = await wallet('SEP')
    const hash = txHash()
    const amounts = Array.from({ length: TRANSFERS_MAX }, (_, i) => String(i + 1))
    await Promise.all(amounts.map((amount) => deposit({ address, amount, txHash: hash, kind: 'pending' })))
    const more = { address, amount: String(TRANSFERS_MAX + 1), txHash: hash }
    await refused(more, 'txHash', 'a transaction has at most 100 transfers')
    assert.equal((await deposit({ ...more, amount: '7', kind: 'pending' })).index, 6)
    const dropped = await fixture.sandbox.networks.settle(hash, 'dropped')
    assert.ok(dropped.ok && dropped.value.length === TRANSFERS_MAX)
    assert.ok(dropped.value.every(({ kind }) => kind === 'dropped'))
  })
})

describe('confirming and dropping', () => {
  test('of a transaction that nobody made is refused', async () => {
    for (const report of ['confirmed', 'dropped'] as const) {
      const outcome = await fixture.sandbox.networks.settle('nothing', report)
      assert.equal(!outcome.ok && outcome.failure.code, 'deposit_not_found')
    }
  })

  test('a confirmation does not wait for the second to pass', async () => {
    const { address } = await wallet('SEP')
    const seen = await deposit({ address, amount: '1' })
    const pending = fixture.scheduler.pending
    const outcome = await fixture.sandbox.networks.settle(seen.txHash, 'confirmed')
    assert.deepEqual(outcome.ok && outcome.value, [{ ...seen, kind: 'confirmed', confirmedAt: fixture.clock.now() }])
    assert.equal(fixture.scheduler.pending, pending - 1)
  })

  test('what is dropped before its confirmation stays dropped', async () => {
    const { address } = await wallet('SEP')
    const seen = await deposit({ address, amount: '1' })
    const outcome = await fixture.sandbox.networks.settle(seen.txHash, 'dropped')
    assert.equal(outcome.ok && outcome.value[0]?.kind, 'dropped')
    const later = await deposit({ address, amount: '2' })
    fixture.scheduler.pass(CONFIRMATION_DELAY_MS)
    await fixture.until(() => kindOf(later) === 'confirmed')
    assert.equal(kindOf(seen), 'dropped')
  })

  test('dropping a confirmed deposit takes the payment away, confirming it gives it back', async () => {
    const id = await invoice([await wallet('SEP')], '9', 'native')
    const seen = await deposit({ invoiceId: id, kind: 'confirmed' })
    assert.equal(paymentOf(id)?.status, 'paid')
    await fixture.sandbox.networks.settle(seen.txHash, 'dropped')
    assert.equal(paymentOf(id)?.status, 'unpaid')
    await fixture.sandbox.networks.settle(seen.txHash, 'confirmed')
    assert.equal(paymentOf(id)?.status, 'paid')
  })
})

describe('a network whose reports fail', () => {
  test('tells the one who asks, and tries confirmations again', async () => {
    const { address } = await wallet('SEP')
    const seen = await deposit({ address, amount: '1' })
    fixture.intake.failure = new Error('the mailbox is full')
    await assert.rejects(fixture.sandbox.networks.deposit({ address, amount: '2', txHash: txHash() }), /mailbox/)
    const failed = fixture.intake.failedCount
    fixture.scheduler.pass(CONFIRMATION_DELAY_MS)
    await fixture.until(() => fixture.intake.failedCount > failed)
    fixture.intake.failure = null
    assert.equal((await deposit({ address, amount: '3', txHash: txHash(), kind: 'pending' })).kind, 'pending')
    assert.equal(kindOf(seen), 'pending')
    fixture.scheduler.pass(CONFIRMATION_DELAY_MS)
    await fixture.until(() => kindOf(seen) === 'confirmed')
  })
})
