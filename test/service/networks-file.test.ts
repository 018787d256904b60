import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { until, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const BNB = {
  id: 'BNB',
  kind: 'evm',
  name: 'BNB Smart Chain',
  claim: 'bnb/bnb',
  chainId: 56,
  symbol: 'BNB',
  token: { symbol: 'USDT', contract: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
  explorer: 'https://scan.example/tx/{txHash}',
}
const TRX = {
  id: 'TRX',
  kind: 'tron',
  name: 'TRON',
  claim: 'tron/trx',
  genesis: 'ab'.repeat(32),
  symbol: 'TRX',
  token: { symbol: 'USDT', contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
}
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = `0x${'a1'.repeat(32)}`

/** A file of networks in a directory that ends with the test. */
function fileOf(t: TestContext, ...networks: readonly object[]): string {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const path = join(place.path, 'networks.json')
  writeFileSync(path, JSON.stringify({ networks }))
  return path
}

async function start(t: TestContext, environment: Readonly<Record<string, string>>): Promise<ServiceFixture> {
  const fixture = await ServiceFixture.start(environment)
  t.after(() => fixture.stop())
  return fixture
}

/** A wallet of alice on BNB, claimed as a merchant claims it, and an invoice on it. */
async function openInvoice(fixture: ServiceFixture): Promise<string> {
  const wallet = { id: 'b1', address: ADDRESS, network: 'BNB' }
  const results = await fixture.push({ id: 'e1', type: 'wallet.created', wallet })
  assert.deepEqual(results, [{ id: 'e1', status: 'applied' }])
  const claimed = await fixture.get('/api/wallets/claim/bnb/bnb')
  assert.deepEqual([claimed.status, claimed.json], [200, { id: 'b1', address: ADDRESS }])
  await fixture.push({ id: 'e2', type: 'wallet.assigned', wallet: { id: 'b1' }, owner: 'alice' })
  const invoice = { owner: 'alice', walletIds: ['b1'], name: 'Tea', amount: '2.5', currency: 'USDT' }
  const created = await fixture.post('/api/invoices', invoice)
  assert.equal(created.status, 201, created.text)
  return created.json.id
}

function depositOf(amount: string) {
  const deposit = { network: 'BNB', txHash: HASH, toAddress: ADDRESS, currency: 'Tether', amount }
  return { id: `deposit ${amount}`, type: 'deposit.confirmed', deposit: { ...deposit, receivedAt: Date.now() + 1000 } }
}

describe('a service with networks of a file', () => {
  test('takes an order on one of them, from the claim to the payment in 18 decimals', async (t) => {
    const fixture = await start(t, { BILLHOOK_NETWORKS: fileOf(t, BNB, TRX) })
    const { json: info } = await fixture.get('/api/info')
    assert.deepEqual(
      info.networks.map(({ id, claim, decimals }: Record<string, unknown>) => [id, claim, decimals]),
      [
        ['SEP', 'sep/eth', 6],
        ['TRX-NILE', 'niles/trx', 6],
        ['BNB', 'bnb/bnb', 18],
        ['TRX', 'tron/trx', 6],
      ],
    )
    const id = await openInvoice(fixture)
    assert.match((await fixture.get(`/pay/${id}`)).text, /<bdi>BNB Smart Chain<\/bdi>/)
    await fixture.push(depositOf('2500000000000000000'))
    const { payment } = (await fixture.get(`/api/invoices/${id}`)).json
    assert.deepEqual([payment.status, payment.received, payment.overpaid], ['paid', '2.5', '0'])
    assert.ok((await fixture.get(`/pay/${id}`)).text.includes(`https://scan.example/tx/${HASH}`))
    const [wallet] = (await fixture.get('/api/users/alice/wallets')).json
    assert.equal(wallet.network, 'BNB')
  })

  test('claims at the paths of the catalogue only', async (t) => {
    const fixture = await start(t, { BILLHOOK_NETWORKS: fileOf(t, BNB) })
    const statuses: Record<string, number> = {}
    for (const path of ['sep/eth', 'niles/trx', 'bnb/bnb', 'tron/trx', 'sep/trx', 'BNB/bnb']) {
      const { status, json } = await fixture.get(`/api/wallets/claim/${path}`)
      statuses[`${path} ${json.code}`] = status
    }
    assert.deepEqual(statuses, {
      'sep/eth no_wallet_available': 503,
      'niles/trx no_wallet_available': 503,
      'bnb/bnb no_wallet_available': 503,
      'tron/trx not_found': 404,
      'sep/trx not_found': 404,
      'BNB/bnb not_found': 404,
    })
    assert.equal((await fixture.call('HEAD', '/api/wallets/claim/tron/trx')).status, 404)
    assert.equal((await fixture.call('HEAD', '/api/wallets/claim/bnb/bnb')).status, 200)
  })

  test('rejects addresses of another kind, the contract of the token, and networks that it does not have', async (t) => {
    const fixture = await start(t, { BILLHOOK_NETWORKS: fileOf(t, BNB, TRX) })
    const errors: (string | undefined)[] = []
    for (const [address, network] of [
      [TRX.token.contract, 'BNB'],
      [BNB.token.contract.toLowerCase(), 'BNB'],
      [ADDRESS, 'TRX'],
      [ADDRESS, 'POLYGON'],
    ]) {
      const wallet = { id: 'w', address, network }
      const [result] = await fixture.push({ id: `${address} ${network}`, type: 'wallet.created', wallet })
      errors.push(result?.error)
    }
    assert.match(errors[0] ?? '', /^an address on BNB is 0x and 40 hex digits/)
    assert.equal(errors[1], 'the address is the contract of a token')
    assert.match(errors[2] ?? '', /^an address on TRX is a base58check address/)
    assert.equal(errors[3], 'wallet.network must be one of SEP, TRX-NILE, BNB, TRX')
  })

  test('refuses a native amount on wallets of two coins where coins are not mixed', async (t) => {
    for (const [mixed, status] of [
      ['on', 201],
      ['off', 400],
    ] as const) {
      const fixture = await start(t, { BILLHOOK_NETWORKS: fileOf(t, BNB), BILLHOOK_MIXED_NATIVE: mixed })
      await openInvoice(fixture)
      const wallet = { id: 's1', address: '0x1111111111111111111111111111111111111111', network: 'SEP' }
      await fixture.push({ id: 'e3', type: 'wallet.assigned', wallet, owner: 'alice' })
      const native = { owner: 'alice', walletIds: ['b1', 's1'], name: 'Tea', amount: '1' }
      const reply = await fixture.post('/api/invoices', native)
      assert.equal(reply.status, status, reply.text)
      if (status === 400) {
        const error = 'A native amount needs wallets of one coin.'
        assert.deepEqual(reply.json, { error, code: 'mixed_native_coins', field: 'walletIds' })
      }
    }
  })

  test('reads the records of one that has left the file, and takes no other ones', async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const data = { BILLHOOK_DATA: place.path, BILLHOOK_STORE: 'lmdb' }
    const before = await ServiceFixture.start({ ...data, BILLHOOK_NETWORKS: fileOf(t, BNB) })
    const id = await openInvoice(before)
    await before.push(depositOf('1500000000000000000'))
    await before.service.stop()
    const after = await start(t, data)
    const { payment } = (await after.get(`/api/invoices/${id}`)).json
    assert.deepEqual([payment.status, payment.received, payment.remaining], ['unpaid', '1.5', '1'])
    assert.match((await after.get(`/pay/${id}`)).text, /<bdi>BNB Smart Chain<\/bdi>/)
    assert.equal((await after.get('/api/users/alice/wallets')).json[0].network, 'BNB')
    assert.equal((await after.get('/api/wallets/claim/bnb/bnb')).status, 404)
    assert.deepEqual(
      (await after.get('/api/info')).json.networks.map((one: { id: string }) => one.id),
      ['SEP', 'TRX-NILE'],
    )
    const [rejected] = await after.push(depositOf('1'))
    assert.equal(rejected?.error, 'deposit.network must be one of SEP, TRX-NILE')
  })

  test('is refused when a used one has other decimals now, with one line', async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const data = { BILLHOOK_DATA: place.path, BILLHOOK_STORE: 'lmdb' }
    const before = await ServiceFixture.start({ ...data, BILLHOOK_NETWORKS: fileOf(t, BNB) })
    await openInvoice(before)
    await before.push(depositOf('1'))
    await before.service.stop()
    const changed = fileOf(t, { ...BNB, token: { ...BNB.token, decimals: 6 } })
    const environment = { BILLHOOK_NETWORKS: changed, BILLHOOK_LOG: 'silent' }
    const { code, stderr } = await startChild(MAIN, ['serve', '--port', '0', '--data', place.path], environment).ended
    const line = 'BNB has the token USDT with 6 decimals, and the data has deposits of it with 18'
    assert.deepEqual([code, stderr], [1, `billhook: ${line}\n`])
  })

  test('is refused for what is wrong in the file, all of it at once', async (t) => {
    const file = fileOf(t, { ...BNB, chainId: 'x' }, { ...TRX, id: 'SEP', urls: ['https://u:secret@a/#'] })
    const environment = { BILLHOOK_NETWORKS: file, BILLHOOK_RATE_LIMIT: 'x' }
    const { code, stdout, stderr } = await startChild(MAIN, ['serve', '--port', '0'], environment).ended
    assert.deepEqual([code, stdout], [2, ''])
    const [first, ...lines] = stderr.trimEnd().split('\n')
    assert.match(first ?? '', /^BILLHOOK_RATE_LIMIT must be /)
    assert.deepEqual(lines, [
      'BILLHOOK_NETWORKS: $.networks[0].chainId must be an integer from 1 to 9007199254740991, not "x".',
      'BILLHOOK_NETWORKS: $.networks[1].urls[0] must be an absolute http or https URL without fragment.',
      'BILLHOOK_NETWORKS: $.networks[1].id "SEP" is that of a built-in network.',
    ])
  })
})

describe('a sandbox with networks of a file', () => {
  test('simulates them too', async (t) => {
    const fixture = await start(t, { BILLHOOK_SANDBOX: 'on', BILLHOOK_NETWORKS: fileOf(t, BNB, TRX) })
    assert.deepEqual((await fixture.get('/sandbox')).json.networks, ['SEP', 'TRX-NILE', 'BNB', 'TRX'])
    for (const { claim, id, kind } of [BNB, TRX]) {
      const { json: wallet } = await fixture.get(`/api/wallets/claim/${claim}`)
      assert.match(wallet.address, kind === 'evm' ? /^0x/ : /^T/)
      const body = { address: wallet.address, amount: '1.25', currency: 'USDT', kind: 'confirmed' }
      const { status, json: deposit } = await fixture.post('/sandbox/deposits', body)
      assert.deepEqual([status, deposit.network], [200, id])
      assert.equal(deposit.amount, id === 'BNB' ? '1250000000000000000' : '1250000')
    }
    const unknown = await fixture.post('/sandbox/deposits', { address: ADDRESS, amount: '1', network: 'POLYGON' })
    assert.equal(unknown.json.field, 'network')
  })

  test('is refused when they have nodes', async (t) => {
    const environment = { BILLHOOK_NETWORKS: fileOf(t, { ...BNB, urls: ['http://127.0.0.1:1'] }) }
    const { code, stderr } = await startChild(MAIN, ['serve', '--sandbox', '--port', '0'], environment).ended
    assert.equal(code, 2)
    const why = 'which the sandbox simulates: leave "urls" out or switch the sandbox off.'
    assert.equal(stderr, `BILLHOOK_NETWORKS names nodes of the real network BNB, ${why}\n`)
  })
})

describe('networks that are watched beside each other', { skip: anvilAbsence, timeout: 120_000 }, () => {
  test('go on when the node of another one is wrong at the start', async (t) => {
    const world = await WatchedChain.start(t)
    const token = { symbol: 'USDT', contract: world.token, decimals: 6 }
    const entry = { ...BNB, token, urls: [world.proxy.url], pollMs: 100, confirmations: 1 }
    // The node's chain is that of SEP.
    const environment = world.environment({ BILLHOOK_NETWORKS: fileOf(t, entry) })
    const fixture = await start(t, environment)
    const ready = async () => (await fixture.get('/readyz')).json
    await until(async () => (await ready()).degraded?.length === 1)
    assert.match((await ready()).degraded[0], /^BNB cannot be watched/)
    const invoice = await world.openInvoice(fixture.url, '5')
    await world.pay(5n)
    await world.chain.mine(3)
    await until(async () => (await fixture.get(`/api/invoices/${invoice}`)).json.payment.status === 'paid')
  })

  test('are behind after the time of the settings, or after the time for which an entry lets its network be quiet', async (t) => {
    const world = await WatchedChain.start(t)
    const token = { symbol: 'USDT', contract: world.token, decimals: 6 }
    // Of the chain that SEP is, too, which makes no block by itself.
    const entry = { ...BNB, chainId: 11_155_111, token, urls: [world.proxy.url], pollMs: 100, confirmations: 1 }
    const more = { BILLHOOK_NETWORKS: fileOf(t, { ...entry, quietSeconds: 3600 }), BILLHOOK_WATCH_LAG_SECONDS: '1' }
    const fixture = await start(t, world.environment(more))
    const ready = async () => ((await fixture.get('/readyz')).json.degraded ?? []).join()
    await until(async () => /^SEP was last read \d+ s behind\.$/.test(await ready()))
  })
})
