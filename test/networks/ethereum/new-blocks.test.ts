import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { ObservedBlock, WatchedAddresses } from '../../../src/domain/block.js'
import type { Confirmation } from '../../../src/networks/ethereum/head-reader.js'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { ether, ethereumReader, tether, transfersOf, watching } from './fixture.js'
import {
  bloomOf,
  hashNumber,
  ScriptedNode,
  type ScriptedTransaction,
  STRANGER,
  TOKEN,
  tokenTo,
} from './scripted-node.js'

const ETHER = 10n ** 18n
const CONFIRMATIONS = 3
/** So long that the tag is asked for with each poll. */
const POLL_MS = 7000
const [ours, later] = [addressNumber(1), addressNumber(2)]
const [named] = watching([ours])
const [andLater] = watching([ours, later])
const BLOCK = 'eth_getBlockByNumber'
const RECEIPTS = 'eth_getBlockReceipts'

/** Somebody's logs, so that the header of a block has a filter. */
const foreign: ScriptedTransaction = { logs: [{ address: STRANGER, topics: [hashNumber(1)] }] }
const coins = (to: string): ScriptedTransaction => ({ to, value: ETHER })

describe('a block that was read when it was new', () => {
  let node: ScriptedNode
  let clock: ManualClock
  let reader: NetworkReader
  let tip: number
  let confirmed: number

  beforeEach(async () => {
    node = await ScriptedNode.start()
    await open(CONFIRMATIONS)
  })
  afterEach(async () => {
    await reader.close()
    await node.close()
  })

  async function open(confirmation: Confirmation): Promise<void> {
    await reader?.close()
    clock = new ManualClock(1_700_000_000_000)
    reader = ethereumReader([node.url], { token: TOKEN, clock, confirmation })
    ;[tip, confirmed] = [-1, -1]
  }

  /** Reads the head, what is confirmed, and what is new, in this order; returns the confirmed blocks. */
  async function poll(watched: WatchedAddresses = named): Promise<readonly ObservedBlock[]> {
    const head = await reader.head()
    const blocks: ObservedBlock[] = []
    const end = Math.min(head.confirmed, tip)
    while (confirmed < end) {
      const next = await reader.blocks(confirmed + 1, end, watched)
      blocks.push(...next)
      confirmed += next.length
    }
    while (tip < head.latest) tip += (await reader.fresh(tip + 1, head.latest, watched)).length
    clock.advance(POLL_MS)
    return blocks
  }

  /** Polls with one new block each time, until so many have come. */
  async function grow(count: number, watched: WatchedAddresses = named): Promise<readonly ObservedBlock[]> {
    const blocks: ObservedBlock[] = []
    for (let n = 0; n < count; n += 1) {
      node.add([foreign])
      blocks.push(...(await poll(watched)))
    }
    return blocks
  }

  /** Replaces the newest blocks by others of the same heights. */
  function replace(depth: number, contents: readonly (readonly ScriptedTransaction[])[] = []): void {
    const height = node.height - depth + 1
    node.blocks.splice(height)
    for (let n = 0; n < depth; n += 1) {
      const [hash, parentHash] = [
        hashNumber(7, height + n),
        n === 0 ? hashNumber(1, height - 1) : hashNumber(7, height + n - 1),
      ]
      node.add(contents[n] ?? [], { hash, parentHash })
    }
  }

  const asked = (method: string) => node.calls.get(method) ?? 0

  for (const confirmation of [CONFIRMATIONS, 'finalized'] as const) {
    describe(`and is confirmed by ${confirmation}`, () => {
      beforeEach(() => open(confirmation))

      test('is not asked for again, and is told the same', async () => {
        await grow(4)
        node.calls.clear()
        const told = await grow(6)
        assert.equal(told.length, 6)
        // The newest block with its transactions, and the tag.
        assert.equal(asked(BLOCK), confirmation === 'finalized' ? 12 : 6)
        const again = ethereumReader([node.url], { token: TOKEN, clock, confirmation })
        assert.deepEqual(told, await again.blocks(told[0]?.height ?? 0, told.at(-1)?.height ?? 0, named))
        await again.close()
      })

      test('is asked for again where another one has taken its place', async () => {
        await grow(4)
        node.add([foreign])
        const { height } = node
        await poll()
        replace(1, [[coins(ours)]])
        node.add([foreign], { parentHash: hashNumber(7, height) })
        // The watcher goes back to the ancestor.
        tip = height - 1
        const told = await grow(3)
        const block = told.find((one) => one.height === height)
        assert.equal(block?.hash, hashNumber(7, height))
        assert.deepEqual(block?.transfers, [ether(hashNumber(2, height, 0), ours, '1')])
      })

      test('is asked for again where it was replaced, and nothing new has been read yet', async () => {
        await grow(6)
        const { height } = node
        replace(2, [[coins(ours)]])
        node.add([foreign], { parentHash: hashNumber(7, height) })
        node.add([foreign])
        const told = await poll()
        const block = told.find((one) => one.height === height - 1)
        assert.equal(block?.hash, hashNumber(7, height - 1))
        assert.deepEqual(block?.transfers, [ether(hashNumber(2, height - 1, 0), ours, '1')])
      })

      test('is asked for again once the nodes are not trusted any more', async () => {
        await grow(6)
        reader.distrust()
        node.calls.clear()
        await grow(1)
        // The newest block and the confirmed one; and the tag.
        assert.equal(asked(BLOCK), confirmation === 'finalized' ? 3 : 2)
      })
    })
  }

  test('several at once prove each other', async () => {
    await grow(4)
    node.calls.clear()
    for (let n = 0; n < 6; n += 1) {
      node.add([foreign])
      await grow(1)
    }
    assert.equal(confirmed, node.height - CONFIRMATIONS + 1)
    assert.equal(asked(BLOCK), 12)
  })

  test('is not asked for when it is confirmed once more', async () => {
    await grow(4)
    node.add([foreign])
    const head = await reader.head()
    node.calls.clear()
    const [first, second] = [confirmed + 1, head.confirmed]
    const told = await reader.blocks(first, second, named)
    assert.equal(told.length, 1)
    assert.deepEqual(await reader.blocks(first, second, named), told)
    assert.equal(asked(BLOCK), 0)
  })

  test('is asked for where another node says that it is confirmed', async () => {
    await grow(6)
    node.calls.clear()
    assert.equal((await reader.blocks(tip - 2, tip, named)).length, 1)
    assert.equal(asked(BLOCK), 0)
    assert.equal((await reader.blocks(tip - 1, tip, named)).length, 2)
    assert.equal(asked(BLOCK), 2)
  })

  test('is asked for itself where that is less than what lies between it and the newest', async () => {
    await grow(6)
    for (let n = 0; n < 4; n += 1) node.add([foreign])
    await reader.head()
    node.calls.clear()
    assert.equal((await reader.blocks(confirmed + 1, confirmed + 2, named)).length, 2)
    assert.equal(asked(BLOCK), 2)
  })

  test('is asked for again where the ones between it and the newest cannot be read', async () => {
    await grow(6)
    const first = confirmed + 1
    node.add([coins(ours)])
    const between = node.height
    let refusals = 0
    node.quirk = ({ method, params }, own) => {
      if (method !== BLOCK || Number(params[0]) !== between || refusals >= 2) return own
      refusals += 1
      return { error: { code: -32000, message: 'busy' } }
    }
    const told = await grow(1)
    assert.equal(refusals, 2)
    assert.deepEqual(
      told.map(({ height }) => height),
      [first, first + 1],
    )
    const [paid] = await grow(2).then((blocks) => blocks.filter(({ height }) => height === between))
    assert.deepEqual(paid?.transfers, [ether(hashNumber(2, between, 0), ours, '1')])
  })

  describe('before a wallet became known', () => {
    const kinds: readonly [name: string, transaction: ScriptedTransaction][] = [
      ['coins', coins(later)],
      ['the token', tokenTo(later, 5n)],
    ]
    for (const [name, transaction] of kinds) {
      test(`brings what was paid to it in ${name}, and is not asked for where nothing was`, async () => {
        await grow(4)
        node.add([foreign, coins(STRANGER), transaction, coins(ours)])
        const { height } = node
        await poll()
        node.calls.clear()
        const told = await grow(4, andLater)
        const hash = hashNumber(2, height, 2)
        const expected = name === 'coins' ? ether(hash, later, '1') : tether(hash, 1, later, 5n)
        assert.deepEqual(transfersOf(told), [expected, ether(hashNumber(2, height, 3), ours, '1')])
        assert.ok(asked(BLOCK) <= 5)
      })
    }
  })

  test('brings a log that was left out at first', async () => {
    await grow(4)
    const { logs = [], ...pays } = tokenTo(ours, 5n)
    node.add([foreign, { ...pays, logs: [...logs, ...logs] }])
    const { height } = node
    let isNew = true
    node.quirk = ({ method }, own) => {
      if (!isNew || method !== RECEIPTS || !('result' in own)) return own
      const receipts = own.result as { logs: unknown[] }[]
      return { result: receipts.map((one) => ({ ...one, logs: one.logs.slice(0, 1) })) }
    }
    await poll()
    isNew = false
    const hash = hashNumber(2, height, 1)
    assert.deepEqual(transfersOf(await grow(3)), [tether(hash, 1, ours, 5n), tether(hash, 2, ours, 5n)])
  })

  test('is asked for again where what is read with it does not fit', async () => {
    await grow(4)
    node.add([foreign, tokenTo(later, 5n)])
    const { height } = node
    node.quirk = (_call, own) => {
      if (!('result' in own)) return own
      const told = own.result as { number?: string; transactions?: { hash: string }[] } | null
      if (Number(told?.number) !== height || typeof told?.transactions?.[0] !== 'object') return own
      return {
        result: { ...told, transactions: told.transactions.map((one, i) => ({ ...one, hash: hashNumber(8, i) })) },
      }
    }
    await poll()
    // Logs would tell of it whatever the transactions are.
    node.quirk = ({ method }, own) => (method === 'eth_getLogs' ? { result: null } : own)
    assert.deepEqual(transfersOf(await grow(3, andLater)), [tether(hashNumber(2, height, 1), 1, later, 5n)])
    assert.equal(reader.endpoints()[0]?.failures, 0)
  })

  test('and read early, is asked for again where it does not fit when it is taken as a new one', async () => {
    await grow(6)
    node.add([foreign, tokenTo(ours, 5n)])
    const { height } = node
    let told = 0
    node.quirk = ({ method, params }, own) => {
      if (method === 'eth_getLogs') return { result: null }
      if (method !== BLOCK || Number(params[0]) !== height || told > 0 || !('result' in own)) return own
      told += 1
      const { transactions, ...header } = own.result as { transactions: object[] }
      return { result: { ...header, transactions: transactions.map((one, i) => ({ ...one, hash: hashNumber(8, i) })) } }
    }
    await grow(1)
    assert.equal(told, 1)
    assert.deepEqual(transfersOf(await grow(3)), [tether(hashNumber(2, height, 1), 1, ours, 5n)])
    assert.equal(reader.endpoints()[0]?.failures, 0)
  })

  const unproven: readonly [name: string, transactions: readonly ScriptedTransaction[], told: object][] = [
    ['whose header had no filter yet', [tokenTo(ours, 5n)], { logsBloom: bloomOf([]) }],
    [
      'whose header had no root and no transactions',
      [coins(ours)],
      { transactions: [], transactionsRoot: hashNumber(0) },
    ],
    ['that was without gas and transactions', [coins(ours)], { transactions: [], gasUsed: '0x0' }],
  ]
  for (const [name, transactions, told] of unproven) {
    test(`${name} is asked for again`, async () => {
      await grow(4)
      node.add(transactions)
      const { height } = node
      node.quirk = ({ method }, own) => {
        if (!('result' in own)) return own
        if (method === RECEIPTS) return { result: [] }
        const { result } = own as { result: { number?: string } | null }
        if (method === 'eth_getTransactionReceipt') return { result: { ...result, logs: [] } }
        return Number(result?.number) === height ? { result: { ...result, ...told } } : own
      }
      await poll()
      node.quirk = (_call, own) => own
      const [found] = transfersOf(await grow(3))
      assert.equal(found?.txHash, hashNumber(2, height, 0))
    })
  }
})
