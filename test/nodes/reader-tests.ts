import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedTransfer } from '../../src/domain/block.js'
import { type NetworkReader, NodeUnavailable } from '../../src/networks/network-reader.js'
import {
  byRanges,
  ether,
  ethereumReader,
  evmToken,
  oneByOne,
  tether,
  transfersOf,
  watching,
} from '../networks/ethereum/fixture.js'
import { addressNumber, creationOf, type EthereumChain } from '../support/ethereum-chain.js'
import { FaultyProxy } from '../support/faulty-proxy.js'
import type { Implementation } from './implementations.js'
import type { SigningNode } from './signing-node.js'
import type { Site } from './site.js'

const WHOLE = 'eth_getBlockReceipts'
const ETHER = 10n ** 18n
const [ours, alsoOurs, theirs] = [addressNumber(1), addressNumber(2), addressNumber(3)]
const [named, unnamed] = watching([ours, alsoOurs])
/** Too little for a transfer of the token, and enough to be mined. */
const LITTLE_GAS = 30_000n
/** So many that a doctor who looks for a block with a transaction finds none. */
const MANY_EMPTY = 85
/** As many blocks are replaced. */
const REPLACED = 5

/** What the reader tells of a node of this implementation, which is there before the first test. */
export function testReader(implementation: Implementation, siteOf: () => Site): void {
  describe('the Ethereum reader', () => {
    let site: Site
    let chain: EthereumChain<SigningNode>
    let token: string
    let other: string
    /** Of 18 decimals. */
    let fine: string
    let reader: NetworkReader

    before(async () => {
      site = siteOf()
      chain = site.chain
      token = await chain.deployToken()
      other = await chain.deployToken()
      fine = await chain.deployToken(18, 10n ** 30n)
    })
    beforeEach(() => {
      reader = ethereumReader([chain.node.url], { token, others: [evmToken('USDC', fine, 18)] })
    })
    afterEach(async () => {
      await reader.close()
    })

    const sendToken = (to: string, amount: bigint, more = {}) =>
      chain.sendCall(token, 'transfer(address,uint256)', [to, amount], more)

    /** What is done on the chain, and the transfers to us that the next block then has, in any order. */
    const cases: readonly [name: string, act: () => Promise<readonly ObservedTransfer[]>][] = [
      ['an empty block', async () => []],
      ...([0, 1, 2] as const).map((type): (typeof cases)[number] => [
        `ether and tokens of transactions of type ${type}`,
        async () => [
          ether(await chain.send({ to: ours, value: 15n * 10n ** 17n, type }), ours, '1.5'),
          ether(await chain.send({ to: alsoOurs, value: 1n, type }), alsoOurs, '0.000000000000000001'),
          tether(await sendToken(ours, 7n, { type }), 1, ours, 7n),
        ],
      ]),
      [
        'ether with data',
        async () => [ether(await chain.send({ to: ours, value: ETHER, data: '0xa9059cbb' }), ours, '1')],
      ],
      [
        'several transfers of several transactions, so that logs have places in the block and in their transaction',
        async () => {
          const many = await chain.sendCall(token, 'transferToMany(address[],uint256)', [[theirs, ours, ours], 3n])
          await chain.sendCall(other, 'transferToMany(address[],uint256)', [[ours, alsoOurs], 3n])
          const both = await chain.sendCall(token, 'transferBoth(address,uint256,address,uint256)', [
            ours,
            1n,
            alsoOurs,
            2n,
          ])
          return [
            tether(many, 2, ours, 3n),
            tether(many, 3, ours, 3n),
            tether(both, 1, ours, 1n),
            tether(both, 2, alsoOurs, 2n),
          ]
        },
      ],
      [
        'tokens that a contract sends while it is created',
        async () => {
          const data = creationOf('spender', [BigInt(token), BigInt(ours), 9n])
          return [tether(await chain.send({ data }), 2, ours, 9n)]
        },
      ],
      [
        'tokens that a contract sends',
        async () => {
          const spender = await chain.deploy('spender', [BigInt(token), BigInt(theirs), 5n])
          const hash = await chain.sendCall(spender, 'spend(address,address,uint256)', [token, alsoOurs, 4n])
          return [tether(hash, 1, alsoOurs, 4n)]
        },
      ],
      [
        'two tokens of 6 and of 18 decimals in one block, beside a third one that is none of them',
        async () => {
          const sent = (of: string, amount: bigint) => chain.sendCall(of, 'transfer(address,uint256)', [ours, amount])
          const first = tether(await sent(token, 7_000_000n), 1, ours, 7_000_000n)
          await sent(other, 7_000_000n)
          const amount = 7n * 10n ** 18n + 1n
          return [first, { ...tether(await sent(fine, amount), 1, ours, amount), currency: 'USDC' }]
        },
      ],
      [
        'nothing of failed transactions, of those without enough gas, of 0, of another contract and of misleading logs',
        async () => {
          await chain.sendCall(token, 'transferAndFail(address,uint256)', [ours, 5n])
          await sendToken(ours, 5n, { value: ETHER })
          await sendToken(ours, 5n, { gas: LITTLE_GAS })
          await chain.send({ to: ours })
          await sendToken(ours, 0n)
          await chain.sendCall(other, 'transfer(address,uint256)', [ours, 5n])
          await chain.sendCall(token, 'misleadingLogs(address,uint256)', [ours, 5n])
          await chain.send({ data: '0x00', value: ETHER })
          return [tether(await sendToken(alsoOurs, 6n), 1, alsoOurs, 6n)]
        },
      ],
    ]

    for (const [name, act] of cases) {
      test(`sees ${name}`, async () => {
        const expected = await act()
        await chain.mine()
        const height = await chain.height()
        const block = await headerAt(height)
        const timeMs = Number(block.timestamp) * 1000
        const placed = [...expected].sort(
          (a, b) => block.transactions.indexOf(a.txHash) - block.transactions.indexOf(b.txHash) || a.index - b.index,
        )
        assert.ok(placed.every(({ txHash }) => block.transactions.includes(txHash)))
        for (const watched of [named, unnamed]) {
          const observed = await reader.block(height, watched)
          assert.deepEqual(observed, {
            height,
            hash: block.hash,
            parentHash: block.parentHash,
            timeMs,
            timeEndMs: timeMs + 999,
            transfers: placed,
          })
          assert.deepEqual(await reader.blocks(height, height, watched), [observed])
        }
      })
    }

    test('sees the same from the first block on, by ranges and one by one, with and without batches', async () => {
      const height = await chain.height()
      const others = [evmToken('USDC', fine, 18)]
      const unbatched = ethereumReader([chain.node.url], { token, others, batchMax: 1, rangeMax: 7 })
      try {
        const expected = await oneByOne(reader, 0, height, named)
        assert.ok(transfersOf(expected).length > cases.length)
        for (const each of [reader, unbatched]) {
          for (const watched of [named, unnamed]) assert.deepEqual(await byRanges(each, 0, height, watched), expected)
        }
      } finally {
        await unbatched.close()
      }
    })

    test('batches its calls, and asks once for what the node does not offer', async () => {
      const proxy = await FaultyProxy.start(chain.node.url)
      const counted = ethereumReader([proxy.url], { token })
      try {
        const height = await chain.height()
        await byRanges(counted, 0, height, unnamed)
        const refusals = (await isOffered(WHOLE, '0x1')) ? null : proxy.calls.get(WHOLE)
        await byRanges(counted, 0, height, unnamed)
        if (refusals !== null) assert.equal(proxy.calls.get(WHOLE), refusals)
        const calls = [...proxy.calls.values()].reduce((sum, count) => sum + count, 0)
        assert.ok(proxy.requests < calls / 2, `${proxy.requests} requests of ${calls} calls`)
      } finally {
        await counted.close()
        await proxy.close()
      }
    })

    test('reads ether that contracts send from traces, or says that there are none', async () => {
      const payer = await chain.deploy('payer')
      const hash = await chain.sendCall(payer, 'pay(address)', [ours], { value: ETHER })
      await chain.mine()
      const height = await chain.height()
      const tracing = ethereumReader([chain.node.url], { token, traces: true })
      try {
        if (implementation.hasTraces) {
          const paid = transfersOf([(await tracing.block(height, named)) ?? assert.fail()])
          assert.deepEqual(
            paid.map(({ txHash, toAddress, currency, amount }) => [txHash, toAddress, currency, amount]),
            [[hash, ours, '#native', '1']],
          )
        } else {
          await assert.rejects(tracing.block(height, named), (error) => {
            assert.ok(error instanceof NodeUnavailable)
            assert.equal(error.problem?.reason, 'no_traces', error.message)
            return true
          })
        }
      } finally {
        await tracing.close()
      }
    })

    test('says that a contract is no token', async () => {
      const payer = await chain.deploy('payer')
      const misled = ethereumReader([chain.node.url], { token: payer })
      try {
        await assert.rejects(misled.verify(), (error) => {
          assert.ok(error instanceof Error)
          assert.equal(error.name, 'WrongNode', error.message)
          assert.match(error.message, /is no token/)
          return true
        })
      } finally {
        await misled.close()
      }
    })

    test('tells the new chain after a reorganisation: dropped, included later, sent anew', async () => {
      const fork = await chain.height()
      const dropped = await sendToken(ours, 11n)
      const from = chain.account(1)
      const moved = await chain.send({ to: alsoOurs, value: ETHER, from })
      await chain.mine(REPLACED)
      const before = await byRanges(reader, fork, await chain.height(), named)
      assert.equal(transfersOf(before).length, 2)
      await chain.node.replace(REPLACED, [[moved, REPLACED - 1]])
      const again = await sendToken(ours, 13n)
      await chain.mine()
      const height = await chain.height()
      const after = await byRanges(reader, fork, height, named)
      assert.deepEqual(await oneByOne(reader, fork, height, unnamed), after)
      assert.deepEqual(after[0], before[0])
      assert.notEqual(after[1]?.hash, before[1]?.hash)
      assert.ok(after.every(({ parentHash }, i) => i === 0 || parentHash === after[i - 1]?.hash))
      assert.deepEqual(transfersOf(after), [ether(moved, alsoOurs, '1'), tether(again, 1, ours, 13n)])
      assert.notEqual(again, dropped)
    })

    test('reads on from a node that was started again', { skip: !implementation.isDurable }, async () => {
      const height = await chain.height()
      const before = await byRanges(reader, 0, height, named)
      await site.restart()
      chain = site.chain
      assert.equal(await chain.height(), height)
      const hash = await sendToken(ours, 14n)
      await chain.mine()
      const after = await byRanges(reader, 0, height + 1, named)
      assert.deepEqual(after.slice(0, -1), before)
      assert.deepEqual(after.at(-1)?.transfers, [tether(hash, 1, ours, 14n)])
    })

    test('is told by the doctor as it is, with a payment in the newest block and without one', async () => {
      await sendToken(ours, 5n)
      await chain.mine()
      const tracing = ethereumReader([chain.node.url], { token, traces: true })
      const tracesAs = async () => {
        const facts = (await tracing.examine()).flatMap((each) => each.facts)
        const failed = facts.filter(({ verdict, text }) => verdict === 'failed' && !text.startsWith('refuses traces'))
        assert.deepEqual(failed, [])
        return facts.find(({ text }) => /trace/.test(text))?.verdict
      }
      try {
        assert.equal(await tracesAs(), implementation.hasTraces ? 'ok' : 'failed')
        await chain.mine(MANY_EMPTY)
        // None of them proves it by a block without transactions.
        assert.equal(await tracesAs(), 'warning')
      } finally {
        await tracing.close()
      }
    })

    async function headerAt(height: number) {
      const block = await chain.node.call('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
      return block as { hash: string; parentHash: string; timestamp: string; transactions: readonly string[] }
    }

    function isOffered(method: string, ...params: readonly unknown[]): Promise<boolean> {
      return chain.node.call(method, ...params).then(
        () => true,
        () => false,
      )
    }
  })
}
