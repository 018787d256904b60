import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  assignWallet,
  Billhook,
  BillhookError,
  identityFromPhrase,
  identityId,
  keySigner,
  newPhrase,
  onboard,
  type Signer,
} from '@billhook/client'
import { merchantOperations } from '../docs/client-types.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'
import { merchantAt } from './merchant.js'

const ONBOARDING_NAME = 'onboarding'

describe('the client and a sandbox', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
  })
  after(() => fixture.stop())

  test('go from a phrase to a paid invoice', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const draft = {
      walletIds: [wallet],
      name: 'Tea',
      amount: '25',
      currency: 'USDT',
      reference: 'a reference',
    } as const
    const invoice = await billhook.createInvoice(draft)
    assert.equal(invoice.pageUrl, `${fixture.url}/pay/${invoice.id}`)
    assert.equal((await fetch(invoice.pageUrl)).status, 200)
    const paid = billhook.waitForPayment(invoice.id, { intervalMs: 50, timeoutMs: 20_000 })
    await billhook.simulateDeposit({ invoiceId: invoice.id })
    assert.deepEqual((await paid).payment, {
      status: 'paid',
      received: '25',
      pending: '0',
      remaining: '0',
      overpaid: '0',
      own: '25',
    })
  })

  test('are told of the networks and the ledger', async () => {
    const billhook = new Billhook({ url: fixture.url })
    const { networks, ledger } = await billhook.getInfo()
    assert.deepEqual(networks.map(({ id }) => id).sort(), ['SEP', 'TRX-NILE'])
    const { nodeUrl, contracts } = await billhook.describeSandbox()
    const { onboard, assignOwner } = contracts
    assert.deepEqual([ledger?.nodes, ledger?.contracts], [[nodeUrl], { onboard, assignOwner }])
  })

  test('onboard an identity twice without harm', async () => {
    const { billhook, identity, ledger, owner } = await merchantAt(fixture.url)
    assert.equal(await ledger.onboard(identity), owner)
    assert.equal(await billhook.identityExists(), true)
    assert.equal(await billhook.identityExists('0'.repeat(64)), false)
  })

  test('create one invoice for one idempotency key', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const draft = { walletIds: [wallet], name: 'Tea', amount: '1' }
    const first = await billhook.createInvoice(draft, { idempotencyKey: 'order-1' })
    const replay = await billhook.createInvoice(draft, { idempotencyKey: 'order-1' })
    assert.deepEqual([first.isReplay, replay.isReplay, replay.id], [false, true, first.id])
    assert.notEqual(replay.requestId, first.requestId)
    const again = billhook.createInvoice({ ...draft, name: 'Coffee' }, { idempotencyKey: 'order-1' })
    await failsWith('idempotency_key_reused', again)
  })

  test('tell when a new invoice expires, in a replay too', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const expiring = { walletIds: [wallet], name: 'Tea', amount: '1', expiresInSeconds: 60 }
    const options = { idempotencyKey: 'expiring' }
    const [first, replay] = [
      await billhook.createInvoice(expiring, options),
      await billhook.createInvoice(expiring, options),
    ]
    const { expires_at, created_at } = await billhook.getInvoice(first.id)
    assert.equal(expires_at, created_at + 60_000)
    assert.deepEqual([first.expiresAt, replay.expiresAt, replay.isReplay], [expires_at, expires_at, true])
    const lasting = await billhook.createInvoice({ walletIds: [wallet], name: 'Tea', amount: '2' })
    assert.equal(lasting.expiresAt, null)
  })

  test('claim no wallet of a network that the service does not have, and say what it has', async () => {
    const billhook = new Billhook({ url: fixture.url })
    for (const [network, told] of [
      ['sep', /^this service has no network "sep"; did you mean "SEP"\? It has (SEP, TRX-NILE|TRX-NILE, SEP)\.$/],
      ['ETH', /^this service has no network "ETH"\. It has (SEP, TRX-NILE|TRX-NILE, SEP)\.$/],
    ] as const) {
      await assert.rejects(
        billhook.claimWallet(network),
        (error) => error instanceof TypeError && told.test(error.message),
      )
    }
    assert.match((await billhook.claimWallet('SEP')).address, /^0x/)
    assert.match((await billhook.claimWallet('TRX-NILE')).address, /^T/)
  })

  test('name the wallet at fault and why, and tell nothing about wallets of others', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const stranger = await merchantAt(fixture.url)
    const draft = { name: 'Tea', amount: '7', currency: 'USDT' } as const
    for (const other of ['nobody', stranger.wallet]) {
      const error = await failsWith(
        'wallet_not_owned',
        billhook.createInvoice({ ...draft, walletIds: [wallet, other] }),
      )
      const why = 'is not assigned to this identity, or the service has not learned of it yet'
      const message = `Every wallet must belong to this identity. Field: walletIds. Wallet ${other} ${why}.`
      assert.deepEqual([error.wallet, error.reason, error.message], [other, 'not_assigned', message])
    }
    await billhook.createInvoice({ ...draft, walletIds: [wallet] })
    const taken = await failsWith('amount_in_use', billhook.createInvoice({ ...draft, walletIds: [wallet] }))
    assert.deepEqual([taken.wallet, taken.reason], [wallet, undefined])
  })

  test('list what is supported', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const draft = { walletIds: [wallet], name: 'Tea', amount: '1', currency: 'EUR' }
    const error = await failsWith('unsupported_currency', billhook.createInvoice(draft))
    assert.deepEqual(error.supported, ['native', 'USDT', 'USDC'])
    assert.equal(error.message, 'Unsupported currency. Field: currency. Supported: native, USDT, USDC.')
  })

  test('refuse in words, with a code, a status, a field and the id of the request', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const error = await failsWith(
      'invalid_invoice',
      billhook.createInvoice({ walletIds: [wallet], name: 'Tea', amount: '-1' }),
    )
    assert.deepEqual([error.status, error.field], [400, 'amount'])
    assert.match(error.requestId ?? '', /./)
  })

  test('list every invoice once, newest first, however small the pages', async () => {
    const { billhook, wallet } = await merchantAt(fixture.url)
    const created: string[] = []
    for (const amount of ['1', '2', '3', '4', '5']) {
      created.unshift(
        (await billhook.createInvoice({ walletIds: [wallet], name: 'Tea', amount, reference: `list ${amount}` })).id,
      )
    }
    for (const pageSize of [1, 2, 5, 100]) {
      assert.deepEqual(await idsOf(billhook.listInvoices({ pageSize })), created)
      assert.deepEqual(await idsOf(billhook.listInvoicesWithoutPayment({ pageSize })), created)
    }
    assert.deepEqual(await idsOf(billhook.listInvoices({ reference: 'list 4' })), [created[1]])
    const { created_at: third } = await billhook.getInvoice(created[2] ?? '')
    const filters = { status: 'unpaid', currency: 'native', pageSize: 1 } as const
    assert.ok(!(await idsOf(billhook.listInvoices({ ...filters, createdAfter: third }))).includes(created[2] ?? ''))
    assert.ok((await idsOf(billhook.listInvoices({ ...filters, createdBefore: third + 1 }))).includes(created[2] ?? ''))
    assert.deepEqual(await idsOf(billhook.listInvoices({ ...filters, currency: 'USDT' })), [])
    assert.deepEqual(await idsOf(billhook.listInvoices({ ...filters, status: 'paid' })), [])
  })
})

describe('the client and a sandbox with a network of the operator', () => {
  let fixture: ServiceFixture
  before(async () => {
    const file = join(projectRoot, 'test/http/openapi/networks.json')
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_NETWORKS: file })
  })
  after(() => fixture.stop())

  test('pay on it, and on no other by mistake', async () => {
    const { billhook, identity } = await merchantAt(fixture.url)
    await assert.rejects(billhook.claimWallet('bnb'), /no network "bnb"; did you mean "BNB"\? It has .*\bBNB\b/)
    const { ledger } = await billhook.getInfo()
    const { id } = await billhook.claimWallet('BNB')
    await assignWallet(ledger ?? assert.fail(), identity, id, { billhook })
    assert.equal((await billhook.waitForWallet(id, { intervalMs: 50 })).network, 'BNB')
    const invoice = await billhook.createInvoice({ walletIds: [id], name: 'Tea', amount: '25', currency: 'USDT' })
    const deposit = await billhook.simulateDeposit({ invoiceId: invoice.id, kind: 'confirmed' })
    // It has 18 decimals there, and not 6.
    assert.deepEqual([deposit.amount, (await billhook.amountOf(deposit)).text], [`25${'0'.repeat(18)}`, '25 USDT'])
    assert.equal((await billhook.getInvoice(invoice.id)).payment.status, 'paid')
  })
})

describe('the client and a sandbox in strict mode', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: 'on' })
  })
  after(() => fixture.stop())

  test('register a key at once when the ledger has answered the onboarding', async () => {
    const identity = await identityFromPhrase(newPhrase())
    const { ledger } = await new Billhook({ url: fixture.url }).getInfo()
    assert.ok(ledger)
    const owner = await onboard(ledger, identity)
    const billhook = new Billhook({ url: fixture.url, owner, privateKey: testKey('at once').secretKey })
    assert.equal((await billhook.registerApiKey({ label: 'shop' }, { identity })).owner, owner)
  })
})

describe('the client and a service in strict mode', () => {
  let fixture: ServiceFixture
  let identity: Signer
  let owner: string
  let billhook: Billhook
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME })
    identity = await identityFromPhrase(newPhrase())
    owner = identityId(identity.publicKey, ONBOARDING_NAME)
    const unknown = new Billhook({ url: fixture.url, owner })
    const known = unknown.waitForIdentity({ intervalMs: 10, timeoutMs: 20_000 })
    assert.equal(await unknown.identityExists(), false)
    await fixture.push({ id: 'e', type: 'identity.onboarded', identity: owner })
    await known
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    await fixture.assign(owner, { id: 'w', address, network: 'SEP' })
    billhook = new Billhook({ url: fixture.url, owner, privateKey: testKey('shop').secretKey })
  })
  after(() => fixture.stop())

  test('need the identity to register a key', async () => {
    await failsWith('missing_auth_headers', billhook.registerApiKey({ label: 'shop' }))
    const stranger = keySigner(testKey('stranger').secretKey)
    await failsWith('not_identity_key', billhook.registerApiKey({ label: 'shop' }, { identity: stranger }))
    const record = await billhook.registerApiKey({ label: 'shop', ttlDays: 1 }, { identity })
    assert.deepEqual([record.owner, record.public_key], [owner, testKey('shop').publicKeyHex])
  })

  test('agree on the signature of every operation', async () => {
    assert.deepEqual(
      (await billhook.listWallets()).map(({ id }) => id),
      ['w'],
    )
    assert.equal((await billhook.waitForWallet('w')).network, 'SEP')
    const { id } = await billhook.createInvoice({ walletIds: ['w'], name: 'Tea', amount: '1' })
    assert.equal((await billhook.getInvoice(id)).id, id)
    assert.deepEqual(await idsOf(billhook.listInvoices()), [id])
    assert.notEqual((await billhook.voidInvoice(id)).voided_at, null)
    await failsWith('invoice_void', billhook.waitForPayment(id))
    await failsWith('invoice_void', billhook.acceptInvoice(id))

    const { secret } = await billhook.setWebhook({ callbackUrl: 'http://127.0.0.1:1/', payload: 'with-invoice' })
    assert.equal((await billhook.getWebhook()).secret, secret)
    assert.notEqual((await billhook.rotateWebhookSecret({ overlapSeconds: 0 })).secret, secret)
    assert.equal((await billhook.testWebhook()).state, 'failed')
    assert.deepEqual(await idsOf(billhook.listWebhookDeliveries()), [])
    assert.deepEqual(await typesOf(billhook.listEvents({ pageSize: 1 })), ['invoice.created', 'invoice.voided'])
    const { value: first } = await billhook.listEvents().next()
    assert.deepEqual(await typesOf(billhook.listEvents({ after: first?.id })), ['invoice.voided'])
    await failsWith('delivery_not_found', billhook.redeliverWebhook('0'.repeat(32)))
    assert.deepEqual(await billhook.deleteWebhook(), { deleted: true })

    const [key] = await billhook.listApiKeys()
    assert.equal(typeof (await billhook.revokeApiKey(key?.id ?? '')).revoked_at, 'number')
    await failsWith('api_key_revoked', billhook.listApiKeys())
  })
})

describe('the client', () => {
  test('has a method for every operation of the reference that a merchant calls', () => {
    /** Where the method has another name. The client needs no operation to act on the deposits of a sandbox one by one. */
    const names: Readonly<Record<string, string | null>> = {
      claimTronNileWallet: 'claimWallet',
      claimSepoliaWallet: 'claimWallet',
      confirmDeposit: null,
      dropDeposit: null,
    }
    const methods = Object.getOwnPropertyNames(Billhook.prototype)
    const missing = merchantOperations
      .map(({ operationId }) => (operationId in names ? names[operationId] : operationId))
      .filter((name) => name !== null && !methods.includes(name ?? ''))
    assert.ok(merchantOperations.length >= 18)
    assert.deepEqual(missing, [])
  })
})

async function idsOf(list: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of list) ids.push(id)
  return ids
}

async function typesOf(list: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of list) types.push(type)
  return types
}

async function failsWith(code: string, work: Promise<unknown>): Promise<BillhookError> {
  const error = await work.then(
    () => assert.fail(`it worked, instead of ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BillhookError, String(error))
  assert.equal(error.code, code)
  return error
}
