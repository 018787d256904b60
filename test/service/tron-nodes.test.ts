import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { addressOfAccount } from '../../src/networks/tron/address.js'
import { token } from '../networks/tron/fixture.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { type EmulatedTronNode, type FaultyAnswer, NOT_SERVED, openTronNode } from '../support/tron-node.js'
import {
  contractCall,
  type EmulatedTransaction,
  emulatedAccount,
  tokenTransfer,
  trxTransfer,
} from '../support/tron-transactions.js'
import { paymentOf, until } from './watched-chain.js'

const BLOCK_MS = 3000
/** Blocks before the service starts. */
const BEFORE = 60
const SOLIDIFYING = 18
const OWNER = 'shop'
const CALLS_AT_ONCE = 4
const ACCOUNT = emulatedAccount(101)
const LITE = { text: 'this API is closed because this node is a lite fullnode' }

/** A chain with nodes whose newest block is of now, and a service that watches it. */
class World {
  readonly chain = new EmulatedTronChain(Date.now() - BEFORE * BLOCK_MS)

  constructor(private readonly t: TestContext) {
    this.chain.produceEmpty(BEFORE)
  }

  async node(): Promise<EmulatedTronNode> {
    const node = await openTronNode(this.chain, token)
    this.t.after(() => node.close())
    return node
  }

  async service(urls: string, more: Readonly<Record<string, string>> = {}): Promise<Shop> {
    const fixture = await ServiceFixture.start({
      BILLHOOK_TRX_NILE_URLS: urls,
      BILLHOOK_TRX_NILE_TOKEN: addressOfAccount(token.account),
      BILLHOOK_TRX_NILE_GENESIS: this.chain.blocks[0]?.hash ?? '',
      BILLHOOK_TRX_NILE_POLL_MS: '100',
      ...more,
    })
    this.t.after(() => fixture.stop())
    return new Shop(fixture)
  }

  /** Produces a block of now at the earliest, since what is dated before an invoice does not pay it, and solidifies it. */
  pay(...transactions: readonly EmulatedTransaction[]): void {
    const { chain } = this
    chain.produceAt(Math.max(Date.now(), chain.newestMs + BLOCK_MS), ...transactions)
    for (let i = 0; i < SOLIDIFYING; i += 1) chain.produceAt(chain.newestMs + BLOCK_MS)
  }
}

class Shop {
  constructor(private readonly fixture: ServiceFixture) {}

  /** What `/readyz` says of the network. */
  async words(): Promise<string> {
    const { json } = await this.fixture.get('/readyz')
    const sentences: readonly string[] = json.degraded ?? []
    return sentences.filter((sentence) => sentence.includes('TRX-NILE')).join(' ')
  }

  async says(expected: RegExp): Promise<void> {
    await until(async () => expected.test(await this.words()))
  }

  /** Waits until nothing is said of the network any more. */
  async isWell(): Promise<void> {
    await this.says(/^$/)
  }

  async invoice(currency: 'native' | 'USDT', amount: string): Promise<string> {
    const wallet = { id: 'wallet-1', address: addressOfAccount(ACCOUNT), network: 'TRX-NILE' }
    await this.fixture.push(
      { id: 'created', type: 'wallet.created', wallet },
      { id: 'assigned', type: 'wallet.assigned', wallet: { id: wallet.id }, owner: OWNER },
    )
    const invoice = { owner: OWNER, walletIds: [wallet.id], name: 'Tea', amount, currency, reference: currency }
    const { status, json, text } = await this.fixture.post('/api/invoices', invoice)
    assert.equal(status, 201, text)
    return json.id
  }

  payment(invoice: string): Promise<Readonly<Record<string, string>>> {
    return paymentOf(this.fixture.url, invoice)
  }

  async isPaid(invoice: string): Promise<void> {
    await until(async () => (await this.payment(invoice))['status'] === 'paid')
  }
}

/** Pays in the coin and in the token, and waits for both. */
async function assertPaid(world: World, shop: Shop): Promise<void> {
  const coins = await shop.invoice('native', '5')
  const tokens = await shop.invoice('USDT', '7')
  world.pay(trxTransfer(ACCOUNT, 5_000_000n), tokenTransfer(token.account, ACCOUNT, 7_000_000n))
  await shop.isPaid(coins)
  await shop.isPaid(tokens)
}

function paths({ requests }: EmulatedTronNode): ReadonlySet<string | undefined> {
  return new Set(requests.map(({ path }) => path.split('/')[1]))
}

const NO_CALLS: FaultyAnswer = {
  json: {
    result: { code: 'OTHER_ERROR', message: Buffer.from('this node does not support constant').toString('hex') },
  },
}

describe('a service with a TRON node', { timeout: 60_000 }, () => {
  test('that serves each side at a port of its own is paid through both', async (t) => {
    const world = new World(t)
    const [full, solidity] = [await world.node(), await world.node()]
    full.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
    solidity.spoil(/^\/wallet\//, () => NOT_SERVED)
    const shop = await world.service(`${full.url}|${solidity.url}`)
    await shop.isWell()
    await assertPaid(world, shop)
    assert.deepEqual([paths(full), paths(solidity)], [new Set(['wallet']), new Set(['walletsolidity'])])
  })

  test('that serves its full port alone is paid, and makes no constant calls', async (t) => {
    const world = new World(t)
    const node = await world.node()
    node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
    node.spoil(/triggerconstantcontract/, () => NO_CALLS)
    const shop = await world.service(node.url)
    await shop.isWell()
    await assertPaid(world, shop)
  })

  test('that serves its solidity port alone says which address is missing', async (t) => {
    const world = new World(t)
    const node = await world.node()
    node.spoil(/^\/wallet\//, () => NOT_SERVED)
    const shop = await world.service(node.url)
    await shop.says(/^TRX-NILE has not been read yet \(.*name the address of its full port as well\)\.$/)
  })

  for (const [name, answer] of [
    ['makes constant calls', null],
    ['makes none', NO_CALLS],
  ] as const) {
    test(`that ${name} does not start where the token is an account`, async (t) => {
      const world = new World(t)
      const node = await world.node()
      if (answer !== null) node.spoil(/triggerconstantcontract/, () => answer)
      const start = world.service(node.url, { BILLHOOK_TRX_NILE_TOKEN: addressOfAccount(emulatedAccount(7)) })
      await assert.rejects(start, /TRX-NILE cannot be watched: .*(no contract is at its address|contract is not exist)/)
    })
  }

  test('that suspends its client is left alone for that time, and pays afterwards', async (t) => {
    const world = new World(t)
    const node = await world.node()
    const shop = await world.service(node.url)
    await shop.isWell()
    const words = 'The key exceeds the frequency limit(15), and the query server is suspended for 2s'
    let refusals = 0
    let allowedFromMs: number | null = null
    node.spoil(/./, (answer) => {
      allowedFromMs ??= Date.now() + 2000
      if (Date.now() >= allowedFromMs) return { json: answer }
      refusals += 1
      return { json: { Success: false, Error: words }, status: 403 }
    })
    await assertPaid(world, shop)
    // What was under way at that moment.
    assert.ok(refusals <= CALLS_AT_ONCE, `${refusals} refusals`)
  })

  test('that is a lite one says which setting opens its blocks, and is read as soon as it is set', async (t) => {
    const world = new World(t)
    const node = await world.node()
    let isLite = true
    node.spoil(/getblockby|gettransaction/, (answer) => (isLite ? LITE : { json: answer }))
    const shop = await world.service(node.url)
    await shop.says(/^TRX-NILE cannot be watched: .*set node\.openHistoryQueryWhenLiteFN = true/)
    isLite = false
    await shop.isWell()
    await assertPaid(world, shop)
  })

  for (const [name, isAlone] of [
    ['at an interface of its own', false],
    ['as its full side tells', true],
  ] as const) {
    test(`whose solidified blocks stand, ${name}, says so soon, and confirms when they go on`, async (t) => {
      const world = new World(t)
      const { chain } = world
      const node = await world.node()
      if (isAlone) node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
      const shop = await world.service(node.url)
      await shop.isWell()
      const invoice = await shop.invoice('native', '5')
      node.view = { blocks: chain.blocks, solidified: chain.solidified }
      world.pay(trxTransfer(ACCOUNT, 5_000_000n))
      await until(async () => (await shop.payment(invoice))['pending'] === '5')
      await shop.says(/^TRX-NILE confirms too little or nothing: too many blocks wait for their confirmation/)
      node.view = chain
      await shop.isPaid(invoice)
      await shop.isWell()
    })
  }

  test('that has lost the infos of one block since before the start goes on without it', async (t) => {
    const world = new World(t)
    const { chain } = world
    const node = await world.node()
    const lost = chain.produce(contractCall(emulatedAccount(5), [], []))
    chain.produce(contractCall(emulatedAccount(5), [], []))
    chain.produceEmpty(SOLIDIFYING)
    // Not all at once later: a chain that leaps between two questions of one look seems to stand.
    node.view = { blocks: chain.blocks, solidified: lost.height - 1 }
    node.spoil(/gettransactioninfobyblocknum$/, (answer, { body }) => ({
      json: body['num'] === lost.height ? [] : answer,
    }))
    node.spoil(/gettransactioninfobyid$/, (answer, { body }) => ({
      json: body['value'] === lost.transactions[0]?.id ? {} : answer,
    }))
    const shop = await world.service(node.url, { BILLHOOK_SKIP_AFTER: '1' })
    await shop.isWell()
    node.view = chain
    await shop.says(/^TRX-NILE goes on without 1 block that no node can give/)
    await assertPaid(world, shop)
  })
})
