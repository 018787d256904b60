import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ObservedTransfer } from '../../../src/domain/block.js'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { anvilAbsence } from '../../support/anvil.js'
import { addressNumber, EthereumChain } from '../../support/ethereum-chain.js'
import { FaultyProxy } from '../../support/faulty-proxy.js'
import { heightsOf } from '../../support/heights.js'
import { byRanges, CONFIRMATIONS, ether, ethereumReader, oneByOne, tether, watching } from './fixture.js'

const ETHER = 10n ** 18n
const WHOLE = 'eth_getBlockReceipts'
const SINGLE = 'eth_getTransactionReceipt'

/** Ours, and one that is not. */
const [ours, alsoOurs, theirs] = [addressNumber(1), addressNumber(2), addressNumber(3)]

describe('the Ethereum reader on a real node', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let token: string
  let other: string
  let reader: NetworkReader

  before(async () => {
    chain = await EthereumChain.start()
    token = await chain.deployToken()
    other = await chain.deployToken()
    reader = ethereumReader([chain.node.url], { token: token.toUpperCase().replace('0X', '0x') })
  })

  after(async () => {
    await reader?.close()
    await chain?.stop()
  })

  /** What is done on the chain, and the transfers to us that the next block then has. */
  const cases: readonly [name: string, act: () => Promise<readonly ObservedTransfer[]>][] = [
    ['an empty block', async () => []],
    ['ether', async () => [ether(await chain.send({ to: ours, value: 15n * 10n ** 17n }), ours, '1.5')]],
    [
      'ether to the last digit',
      async () => [
        ether(await chain.send({ to: ours, value: 1n }), ours, '0.000000000000000001'),
        ether(await chain.send({ to: ours, value: 987n * ETHER + 1n }), ours, '987.000000000000000001'),
      ],
    ],
    [
      'no ether at all, and no tokens',
      async () => {
        await chain.send({ to: ours })
        await chain.sendCall(token, 'transfer(address,uint256)', [ours, 0n])
        return []
      },
    ],
    [
      'transfers to others',
      async () => {
        await chain.send({ to: theirs, value: 5n })
        await chain.sendCall(token, 'transfer(address,uint256)', [theirs, 5n])
        return []
      },
    ],
    [
      'a token transfer',
      async () => [tether(await chain.sendCall(token, 'transfer(address,uint256)', [ours, 7n]), 1, ours, 7n)],
    ],
    [
      'a mint of more than a double can tell',
      async () => {
        const amount = 2n ** 200n + 1n
        return [tether(await chain.sendCall(token, 'mint(address,uint256)', [ours, amount]), 1, ours, amount)]
      },
    ],
    [
      'a transfer by somebody who was allowed to',
      async () => {
        await chain.sendCall(token, 'approve(address,uint256)', [chain.account(1), 9n])
        const args = [chain.account(0), ours, 9n]
        const from = chain.account(1)
        return [
          tether(await chain.sendCall(token, 'transferFrom(address,address,uint256)', args, { from }), 1, ours, 9n),
        ]
      },
    ],
    [
      'two token transfers of one transaction',
      async () => {
        const args = [ours, 1n, alsoOurs, 2n]
        const hash = await chain.sendCall(token, 'transferBoth(address,uint256,address,uint256)', args)
        return [tether(hash, 1, ours, 1n), tether(hash, 2, alsoOurs, 2n)]
      },
    ],
    [
      'two equal token transfers of one transaction to one address, behind one to others',
      async () => {
        const hash = await chain.sendCall(token, 'transferToMany(address[],uint256)', [[theirs, ours, ours], 3n])
        return [tether(hash, 2, ours, 3n), tether(hash, 3, ours, 3n)]
      },
    ],
    [
      'ether and tokens of one transaction',
      async () => {
        // The contract is one of the watched addresses: it gets the ether, and passes it on unseen.
        const hash = await chain.sendCall(token, 'forward(address,uint256)', [theirs, 0n], { value: ETHER })
        const both = await chain.sendCall(token, 'forward(address,uint256)', [ours, 4n], { value: 2n * ETHER })
        return [ether(hash, token, '1'), ether(both, token, '2'), tether(both, 1, ours, 4n)]
      },
    ],
    [
      'tokens that a failed transaction takes back',
      async () => {
        await chain.sendCall(token, 'transferAndFail(address,uint256)', [ours, 5n])
        return []
      },
    ],
    [
      'ether that a failed transaction takes back',
      async () => {
        await chain.sendCall(token, 'transfer(address,uint256)', [ours, 5n], { value: ETHER })
        return []
      },
    ],
    [
      'a token of another contract beside the right one',
      async () => {
        await chain.sendCall(other, 'transfer(address,uint256)', [ours, 5n])
        return [tether(await chain.sendCall(token, 'transfer(address,uint256)', [ours, 6n]), 1, ours, 6n)]
      },
    ],
    [
      'logs that look like transfers',
      async () => {
        await chain.sendCall(token, 'misleadingLogs(address,uint256)', [ours, 5n])
        return []
      },
    ],
    [
      'the creation of a contract',
      async () => {
        await chain.send({ data: '0x00', value: ETHER })
        return []
      },
    ],
    [
      'a full block of both currencies, in the order of the block',
      async () => {
        const transfers: ObservedTransfer[] = []
        for (let n = 1n; n <= 20n; n += 1n) {
          transfers.push(ether(await chain.send({ to: alsoOurs, value: n * ETHER }), alsoOurs, n.toString()))
          const many = [theirs, ours, alsoOurs]
          const hash = await chain.sendCall(token, 'transferToMany(address[],uint256)', [many, n])
          transfers.push(tether(hash, 2, ours, n), tether(hash, 3, alsoOurs, n))
        }
        return transfers
      },
    ],
  ]
  const upperCase = ours.toUpperCase().replace('0X', '0x')

  for (const [name, act] of cases) {
    test(`sees ${name}`, async () => {
      const expected = await act()
      await chain.mine()
      const height = await chain.height()
      const block = await chain.block(height)
      for (const watched of watching([upperCase, alsoOurs, token])) {
        const observed = await reader.block(height, watched)
        assert.deepEqual(observed, {
          height,
          hash: block?.hash,
          parentHash: block?.parentHash,
          timeMs: Number(block?.timestamp) * 1000,
          timeEndMs: Number(block?.timestamp) * 1000 + 999,
          transfers: expected,
        })
        assert.deepEqual(await reader.blocks(height, height, watched), [observed])
      }
      assert.deepEqual((await reader.block(height, watching([])[0]))?.transfers, [])
      assert.deepEqual((await reader.block(height, watching([])[1]))?.transfers, [])
    })
  }

  test('does not see ether that a contract sends, for nobody does without traces (documented)', async () => {
    const balance = async () => BigInt(String(await chain.node.call('eth_getBalance', ours, 'latest')))
    const balanceBefore = await balance()
    await chain.sendCall(other, 'forward(address,uint256)', [ours, 0n], { value: ETHER })
    await chain.mine()
    assert.equal((await balance()) - balanceBefore, ETHER)
    const block = await reader.block(await chain.height(), watching([ours])[0])
    assert.deepEqual(block?.transfers, [])
  })

  test('asks for receipts only where the filter of the header allows that they matter', async () => {
    const proxy = await FaultyProxy.start(chain.node.url)
    const counted = ethereumReader([proxy.url], { token })
    const [named, unnamed] = watching([ours])
    const bystander = () => chain.sendCall(other, 'transfer(address,uint256)', [theirs, 5n])
    const blocks: readonly [name: string, act: () => Promise<unknown>, named: string[], unnamed: string[]][] = [
      ['nothing', async () => {}, [], []],
      ['another token', bystander, [], []],
      ['ether', () => bystander().then(() => chain.send({ to: ours, value: 1n })), [SINGLE], [SINGLE]],
      ['ether, and no logs at all', () => chain.send({ to: ours, value: 1n }), [WHOLE], [WHOLE]],
      ['tokens to others', () => chain.sendCall(token, 'transfer(address,uint256)', [theirs, 5n]), [], [WHOLE]],
      ['tokens to us', () => chain.sendCall(token, 'transfer(address,uint256)', [ours, 5n]), [WHOLE], [WHOLE]],
    ]
    try {
      await counted.head()
      for (const [name, act, whenNamed, whenUnnamed] of blocks) {
        await act()
        await chain.mine()
        for (const [watched, expected] of [[named, whenNamed] as const, [unnamed, whenUnnamed] as const]) {
          proxy.calls.clear()
          await counted.block(await chain.height(), watched)
          assert.deepEqual(
            [...proxy.calls],
            ['eth_getBlockByNumber', ...expected].map((method) => [method, 1]),
            name,
          )
        }
      }
    } finally {
      await counted.close()
      await proxy.close()
    }
  })

  for (const [code, times] of [
    [-32601, 1],
    [-32000, 4],
  ] as const) {
    test(`asks ${times === 1 ? 'only once' : 'again'} for all receipts of a block after error ${code}`, async () => {
      const proxy = await FaultyProxy.start(chain.node.url)
      const refused = ethereumReader([proxy.url], { token })
      proxy.fault = {
        alter: ({ method }, end) => (method === WHOLE ? { error: { code, message: 'no' } } : end),
      }
      try {
        for (const amount of [1n, 2n]) {
          const hash = await chain.sendCall(token, 'transfer(address,uint256)', [ours, amount])
          await chain.mine()
          const block = await refused.block(await chain.height(), watching([ours])[0])
          assert.deepEqual(block?.transfers, [tether(hash, 1, ours, amount)])
        }
        assert.equal(proxy.calls.get(WHOLE), times)
      } finally {
        await refused.close()
        await proxy.close()
      }
    })
  }

  test('sees the same by ranges, block by block, with and without batches, named and unnamed', async () => {
    await chain.mine(100)
    const height = await chain.height()
    const unbatched = ethereumReader([chain.node.url], { token, batchMax: 1, rangeMax: 7 })
    try {
      const [named, unnamed] = watching([ours, alsoOurs, token])
      const expected = await oneByOne(reader, 0, height, named)
      assert.ok(expected.length > cases.length && expected.some(({ transfers }) => transfers.length > 50))
      assert.deepEqual(await oneByOne(reader, 0, height, unnamed), expected)
      for (const each of [reader, unbatched]) {
        for (const watched of [named, unnamed]) assert.deepEqual(await byRanges(each, 0, height, watched), expected)
      }
    } finally {
      await unbatched.close()
    }
  })

  test('finds a transfer among more addresses than a node is asked for by name', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => addressNumber(1000 + i))
    const last = many.at(-1) ?? ''
    const hash = await chain.sendCall(token, 'transfer(address,uint256)', [last, 6n])
    await chain.mine()
    const block = await reader.block(await chain.height(), watching(many)[0])
    assert.deepEqual(block?.transfers, [tether(hash, 1, last, 6n)])
  })

  test('a block that is not there yet is null, and a range ends before it', async () => {
    const height = await chain.height()
    const [watched] = watching([ours])
    assert.equal(await reader.block(height + 1, watched), null)
    assert.equal((await reader.blocks(height, height + 1, watched)).length, 1)
    await assert.rejects(reader.blocks(height + 1, height + 2, watched), { name: 'NodeUnavailable' })
  })

  test('with N confirmations the block with N-1 above it is confirmed', async () => {
    const latest = await chain.height()
    assert.ok(latest > CONFIRMATIONS)
    for (const [confirmation, confirmed] of [
      [1, latest],
      [CONFIRMATIONS, latest - CONFIRMATIONS + 1],
      [latest + 1, 0],
      [latest + 2, -1],
      [latest + 1000, -1],
    ] as const) {
      const each = ethereumReader([chain.node.url], { token, confirmation })
      assert.deepEqual(heightsOf(await each.head()), { latest, confirmed })
      await each.close()
    }
  })
})

describe('the Ethereum reader with the finality of the chain', { skip: anvilAbsence }, () => {
  test('takes finalized blocks for confirmed', async () => {
    const chain = await EthereumChain.start(['--slots-in-an-epoch', '4'])
    const token = await chain.deployToken()
    const reader = ethereumReader([chain.node.url], { token, confirmation: 'finalized' })
    try {
      await chain.mine(20)
      const finalized = (await chain.node.call('eth_getBlockByNumber', 'finalized', false)) as { number: string }
      const confirmed = Number(finalized.number)
      assert.ok(confirmed > 0)
      assert.deepEqual(heightsOf(await reader.head()), { latest: 22, confirmed })
    } finally {
      await reader.close()
      await chain.stop()
    }
  })
})
