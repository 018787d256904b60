import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { PAUSE_MAX_MS } from '../../../src/networks/node/endpoint.js'
import { anvilAbsence } from '../../support/anvil.js'
import { addressNumber, EthereumChain } from '../../support/ethereum-chain.js'
import { FaultyProxy } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { byRanges, certain, ethereumReader, oneByOne, tether, transfersOf, watching } from './fixture.js'

const DEPTH_MAX = 20
const [ours, alsoOurs, theirs] = [addressNumber(1), addressNumber(2), addressNumber(3)]
const [named, unnamed] = watching([ours, alsoOurs])

describe('the Ethereum reader through reorganisations', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let token: string
  let reader: NetworkReader

  before(async () => {
    chain = await EthereumChain.start()
    token = await chain.deployToken()
    await chain.mine(DEPTH_MAX)
    reader = ethereumReader([chain.node.url], { token })
  })

  after(async () => {
    await reader?.close()
    await chain?.stop()
  })

  const pay = (to: string, amount: bigint) => chain.sendCall(token, 'transfer(address,uint256)', [to, amount])

  /** Replaces the last `depth` blocks; each pair is a signed transaction and which of the new blocks includes it. */
  async function reorganise(depth: number, included: readonly (readonly [string, number])[] = []): Promise<void> {
    const raw = included.map(async ([hash, place]) => [
      await chain.node.call('eth_getRawTransactionByHash', hash),
      place,
    ])
    await chain.node.call('anvil_reorg', depth, await Promise.all(raw))
  }

  /** The last blocks, the same in every way to read them. */
  async function lastBlocks(depth: number) {
    const to = await chain.height()
    const from = to - depth + 1
    const blocks = await oneByOne(reader, from, to, named)
    assert.deepEqual(await oneByOne(reader, from, to, unnamed), blocks)
    for (const watched of [named, unnamed]) assert.deepEqual(await byRanges(reader, from, to, watched), blocks)
    return blocks
  }

  for (const depth of [1, 2, 5, 12, DEPTH_MAX]) {
    test(`tells the new chain after ${depth} blocks were replaced: dropped, sent anew, included later`, async () => {
      await chain.mine()
      const [dropped, moved] = [await pay(ours, 1n), await pay(alsoOurs, 2n)]
      await chain.mine(depth)
      const before = await lastBlocks(depth + 1)
      assert.deepEqual(transfersOf(before), [tether(dropped, 1, ours, 1n), tether(moved, 1, alsoOurs, 2n)])

      await reorganise(depth)
      const empty = await lastBlocks(depth + 1)
      assert.deepEqual(transfersOf(empty), [])
      assert.deepEqual(empty[0], before[0], 'the common ancestor')
      for (let i = 1; i <= depth; i += 1) {
        assert.notEqual(empty[i]?.hash, before[i]?.hash)
        assert.equal(empty[i]?.parentHash, empty[i - 1]?.hash)
      }

      // The account's next transaction takes the place of the dropped ones, so these have other receivers now.
      const replaced = await pay(alsoOurs, 1n)
      await chain.mine()
      assert.notEqual(replaced, dropped)
      assert.deepEqual(transfersOf(await lastBlocks(1)), [tether(replaced, 1, alsoOurs, 1n)])

      await chain.mine(depth)
      await reorganise(depth + 1, [[replaced, depth]])
      const after = await lastBlocks(depth + 1)
      assert.deepEqual(after.at(-1)?.transfers, [tether(replaced, 1, alsoOurs, 1n)])
      assert.deepEqual(transfersOf(after.slice(0, -1)), [])
    })
  }

  test('a transfer keeps its index when its transaction is included at another place', async () => {
    const from = chain.account(3)
    await chain.sendCall(token, 'mint(address,uint256)', [from, 100n])
    await chain.mine()
    const both = 'transferBoth(address,uint256,address,uint256)'
    const moved = await chain.sendCall(token, both, [theirs, 3n, ours, 4n], { from })
    await chain.mine()
    const expected = [tether(moved, 2, ours, 4n)]
    assert.deepEqual(transfersOf(await lastBlocks(1)), expected)
    const receipt = async () =>
      (await chain.node.call('eth_getTransactionReceipt', moved)) as { logs: [{ logIndex: string }] }
    assert.equal(Number((await receipt()).logs[0].logIndex), 0)

    // Another transaction with a log of its own comes before it this time.
    const mint = await chain.sendCall(token, 'mint(address,uint256)', [theirs, 1n], { from: chain.account(4) })
    await chain.mine()
    await reorganise(2, [
      [mint, 1],
      [moved, 1],
    ])
    assert.equal(Number((await receipt()).logs[0].logIndex), 1)
    assert.deepEqual(transfersOf(await lastBlocks(2)), expected)
  })

  const methods = ['eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getBlockReceipts']
  for (const method of methods) {
    test(`a reorganisation behind ${method} makes no mixture of two chains`, async () => {
      const proxy = await FaultyProxy.start(chain.node.url)
      const clock = new ManualClock()
      const through = ethereumReader([proxy.url], { token, clock })
      try {
        await through.verify()
        for (const watched of [named, unnamed]) {
          for (const read of [
            (height: number) => through.block(height, watched),
            (height: number) => through.blocks(height, height, watched).then(([block]) => block),
          ]) {
            const kept = await pay(ours, 5n)
            await chain.send({ to: alsoOurs, value: 10n ** 18n })
            await chain.mine()
            const height = await chain.height()
            const old = await reader.block(height, watched)
            assert.equal(old?.transfers.length, 2)
            let reorganisations = 0
            proxy.fault = {
              alter: async (call, end) => {
                if (call.method === method && reorganisations === 0) {
                  reorganisations += 1
                  await reorganise(1, [[kept, 0]])
                }
                // Without all receipts of a block together, they are asked for one by one.
                const isUnknown = call.method === 'eth_getBlockReceipts' && method === 'eth_getTransactionReceipt'
                return isUnknown ? { error: { code: -32601, message: 'no such method' } } : end
              },
            }
            const answer = await certain(read(height))
            assert.equal(reorganisations, 1)
            const now = await reader.block(height, watched)
            assert.deepEqual(now?.transfers, [tether(kept, 1, ours, 5n)])
            if (answer !== null) assert.ok([old, now].some((block) => isDeepStrictEqual(block, answer.value)))
            proxy.fault = {}
            clock.advance(PAUSE_MAX_MS)
            assert.deepEqual(await read(height), now)
          }
        }
      } finally {
        await through.close()
        await proxy.close()
      }
    })
  }
})
