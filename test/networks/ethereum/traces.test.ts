import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { ObservedTransfer } from '../../../src/domain/block.js'
import { TRACE_INDEX_BASE } from '../../../src/networks/ethereum/traces.js'
import { type NetworkReader, NodeUnavailable } from '../../../src/networks/network-reader.js'
import { anvilAbsence } from '../../support/anvil.js'
import { addressNumber, callData, EthereumChain } from '../../support/ethereum-chain.js'
import { type Fault, FaultyProxy, type ProxiedEnd } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { HastyScheduler } from '../hasty-scheduler.js'
import { ANSWER_LIMIT_BYTES, certain, ether, ethereumReader, tether, watching } from './fixture.js'

const ETHER = 10n ** 18n
const METHOD = 'debug_traceBlockByHash'
const METHODS: readonly string[] = [METHOD, 'debug_traceTransaction']
const [ours, alsoOurs, theirs] = [addressNumber(1), addressNumber(2), addressNumber(3)]

/** Ether that the contract sent as the n-th of its transaction, counted from 0. */
function internal(txHash: string, n: number, toAddress: string, amount: string): ObservedTransfer {
  return { ...ether(txHash, toAddress, amount), index: TRACE_INDEX_BASE + n }
}

describe('ether that contracts send', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let proxy: FaultyProxy
  let token: string
  let payer: string
  let unborn: string
  let reader: NetworkReader

  before(async () => {
    chain = await EthereumChain.start()
    token = await chain.deployToken()
    payer = await chain.deploy('payer')
    const data = callData('addressOfNew(uint256)', [7n])
    unborn = `0x${String(await chain.node.call('eth_call', { to: payer, data }, 'latest')).slice(-40)}`
    proxy = await FaultyProxy.start(chain.node.url)
    reader = ethereumReader([proxy.url], { token, traces: true })
  })
  after(async () => {
    await reader?.close()
    await proxy?.close()
    await chain?.stop()
  })
  beforeEach(() => {
    proxy.fault = {}
  })

  const call = (signature: string, args: readonly (string | bigint | readonly string[])[], value = ETHER) =>
    chain.sendCall(payer, signature, args, { value })

  const cases: readonly [name: string, act: () => Promise<readonly ObservedTransfer[]>][] = [
    ['a payment', async () => [internal(await call('pay(address)', [ours]), 0, ours, '1')]],
    [
      'several of one transaction, each with its own index, whoever gets the others',
      async () => {
        const hash = await call('payEach(address[])', [[theirs, ours, alsoOurs, ours]], 4n * ETHER)
        return [internal(hash, 1, ours, '1'), internal(hash, 2, alsoOurs, '1'), internal(hash, 3, ours, '1')]
      },
    ],
    [
      'what is paid after a call that failed, but not what that call paid',
      async () => [internal(await call('payInstead(address,address)', [ours, alsoOurs]), 1, alsoOurs, '1')],
    ],
    ['nothing of a transaction that fails', async () => [await call('payAndFail(address)', [ours])].slice(1) as []],
    ['a payment by delegated code', async () => [internal(await call('payByDelegate(address)', [ours]), 0, ours, '1')]],
    [
      'nothing where the code of an address is called',
      async () => [await call('callCode(address)', [ours])].slice(1) as [],
    ],
    [
      'a payment from within a hundred calls',
      async () => [internal(await call('payDeep(address,uint256)', [ours, 100n]), 0, ours, '1')],
    ],
    [
      'what a contract gets when it is created',
      async () => [internal(await call('payNew(uint256)', [7n]), 0, unborn, '1')],
    ],
    ['what a contract that ends leaves', async () => [internal(await call('payByEnd(address)', [ours]), 1, ours, '1')]],
    [
      'nothing of no value, and nothing to others',
      async () => {
        await call('pay(address)', [ours], 0n)
        await call('pay(address)', [theirs])
        return []
      },
    ],
    [
      'all kinds of transfers of a block in its order',
      async () => {
        const first = await call('pay(address)', [ours])
        const second = await chain.sendCall(token, 'transfer(address,uint256)', [ours, 5n])
        const third = await chain.send({ to: ours, value: ETHER })
        const both = await chain.sendCall(token, 'forward(address,uint256)', [ours, 6n], { value: 2n * ETHER })
        return [
          internal(first, 0, ours, '1'),
          tether(second, 1, ours, 5n),
          ether(third, ours, '1'),
          tether(both, 1, ours, 6n),
          internal(both, 0, ours, '2'),
        ]
      },
    ],
  ]
  for (const [name, act] of cases) {
    test(`are seen: ${name}`, async () => {
      const expected = await act()
      await chain.mine()
      const height = await chain.height()
      for (const watched of watching([ours, alsoOurs, unborn])) {
        assert.deepEqual((await reader.block(height, watched))?.transfers, expected)
        assert.deepEqual((await reader.blocks(height, height, watched))[0]?.transfers, expected)
      }
    })
  }

  test('leave no block out: every transaction is traced, and the sums are the balances', async () => {
    const [watched] = watching([ours])
    let seen = 0n
    for (let height = 0; height <= (await chain.height()); height += 1) {
      for (const { currency, amount } of (await reader.block(height, watched))?.transfers ?? []) {
        if (currency === '#native') seen += BigInt(Math.round(Number(amount))) * ETHER
      }
    }
    assert.equal(seen, BigInt(String(await chain.node.call('eth_getBalance', ours, 'latest'))))
  })

  test('a contract that a transaction itself creates gets its value as index 0', async () => {
    const nonce = BigInt(String(await chain.node.call('eth_getTransactionCount', chain.account(5), 'latest')))
    assert.equal(nonce, 0n)
    const hash = await chain.send({ from: chain.account(5), data: '0x00', value: ETHER })
    await chain.mine()
    const { contractAddress } = (await chain.node.call('eth_getTransactionReceipt', hash)) as {
      contractAddress: string
    }
    const block = await reader.block(await chain.height(), watching([contractAddress])[0])
    assert.deepEqual(block?.transfers, [ether(hash, contractAddress, '1')])
  })

  const refusals: readonly [name: string, end: ProxiedEnd][] = [
    ['does not have the method', { error: { code: -32601, message: 'the method does not exist/is not available' } }],
    ['does not allow it', { error: { code: -32000, message: `${METHOD} is not whitelisted` } }],
    ['has not the state', { error: { code: -32000, message: 'required historical state unavailable (reexec=128)' } }],
  ]
  for (const [name, end] of refusals) {
    test(`a node that ${name} has a problem, and tells nothing without traces`, async () => {
      await call('pay(address)', [ours])
      await chain.mine()
      proxy.fault = { alter: ({ method }, own) => (METHODS.includes(method) ? end : own) }
      const refused = ethereumReader([proxy.url], { token, traces: true })
      try {
        await assert.rejects(refused.block(await chain.height(), watching([ours])[0]), (error) => {
          assert.ok(error instanceof NodeUnavailable)
          assert.equal(error.problem?.reason, 'no_traces', error.message)
          return true
        })
        assert.equal(refused.endpoints()[0]?.problem?.reason, 'no_traces')
      } finally {
        await refused.close()
      }
    })
  }

  test('are seen where the traces of a block are longer than an answer may be: by transaction', async () => {
    const tooLong: ProxiedEnd = { result: 'x'.repeat(ANSWER_LIMIT_BYTES) }
    const from = (await chain.height()) + 1
    const expected: (readonly ObservedTransfer[])[] = []
    for (let n = 0; n < 3; n += 1) {
      const hashes = [await call('pay(address)', [ours]), await call('payInstead(address,address)', [ours, alsoOurs])]
      const native = await chain.send({ to: ours, value: ETHER })
      const [first = '', second = ''] = hashes
      expected.push([internal(first, 0, ours, '1'), internal(second, 1, alsoOurs, '1'), ether(native, ours, '1')])
      await chain.mine()
    }
    const { hash: long } = (await chain.block(from + 1)) ?? assert.fail('no block')
    proxy.fault = { alter: ({ method, params }, end) => (method === METHOD && params[0] === long ? tooLong : end) }
    const [watched] = watching([ours, alsoOurs])
    assert.deepEqual((await reader.block(from + 1, watched))?.transfers, expected[1])
    const blocks = await reader.blocks(from, from + 2, watched)
    assert.deepEqual(
      blocks.map(({ transfers }) => transfers),
      expected,
    )
  })

  test('are not told of a block that another one replaces while its transactions are traced', async () => {
    await call('pay(address)', [ours])
    await chain.mine()
    const height = await chain.height()
    let isTraced = false
    proxy.fault = {
      alter: async ({ method, params }, end, forward) => {
        if (method === METHOD) return { error: { code: -32000, message: 'the response is too large' } }
        isTraced ||= method === 'debug_traceTransaction'
        const isOfHeight = method === 'eth_getBlockByNumber' && Number(params[0]) === height
        return isTraced && isOfHeight ? { result: await forward(method, ['0x1', false]) } : end
      },
    }
    const fresh = ethereumReader([proxy.url], { token, traces: true })
    try {
      assert.equal(await certain(fresh.block(height, watching([ours])[0])), null)
      assert.ok(isTraced)
    } finally {
      await fresh.close()
    }
  })

  const broken: readonly [name: string, change: (traces: Record<string, unknown>[]) => unknown][] = [
    ['none', () => []],
    ['null', () => null],
    ['one too few', (traces) => traces.slice(1)],
    ['another order', (traces) => traces.toReversed()],
    ['one that failed', (traces) => traces.map(({ txHash }) => ({ txHash, error: 'execution timeout' }))],
    ['no types', (traces) => traces.map((each) => ({ ...each, result: { ...(each['result'] as object), type: 1 } }))],
    ['calls of no form', (traces) => traces.map((each) => ({ ...each, result: { type: 'CALL', calls: [1] } }))],
  ]
  for (const [name, change] of broken) {
    test(`are never taken for none because of broken traces: ${name}`, async () => {
      const hashes = [await call('pay(address)', [ours]), await call('pay(address)', [alsoOurs])]
      await chain.mine()
      proxy.fault = {
        alter: ({ method }, end) => {
          if (method === 'debug_traceTransaction') return { error: { code: -32000, message: 'execution timeout' } }
          return method === METHOD && 'result' in end
            ? { result: change(end.result as Record<string, unknown>[]) }
            : end
        },
      }
      const fresh = ethereumReader([proxy.url], { token, traces: true })
      try {
        const block = await fresh.block(await chain.height(), watching([ours])[0])
        assert.deepEqual([block?.transfers, block?.untold?.txHashes], [[], hashes])
      } finally {
        await fresh.close()
      }
    })
  }

  const TIMEOUT: ProxiedEnd = { error: { code: -32000, message: 'execution timeout' } }
  const COSTLY: ProxiedEnd = { error: { code: -32005, message: 'daily request count exceeded, request rate limited' } }
  /** How nodes do not finish the trace of a transaction: what they answer about its block, and about itself. */
  const unfinished: readonly [
    how: string,
    ofBlock: ProxiedEnd | 'whole' | 'without',
    ofBad: ProxiedEnd | 'no answer',
  ][] = [
    ['with an error about the block', TIMEOUT, TIMEOUT],
    ['with an error in the place of its trace', 'without', TIMEOUT],
    ['with a trace that cannot be read', TIMEOUT, { result: { type: 'CALL', calls: [1] } }],
    ['with null', TIMEOUT, { result: null }],
    ['by closing the connection', TIMEOUT, 'no answer'],
    ['by refusing it for the rate at every pace', TIMEOUT, COSTLY],
  ]
  const unfinishedBy = (bad: string, ofBlock: (typeof unfinished)[0][1], ofBad: (typeof unfinished)[0][2]): Fault => ({
    alter: ({ method, params }, end) => {
      if (method === 'debug_traceTransaction' && params[0] === bad && ofBad !== 'no answer') return ofBad
      if (method !== METHOD || ofBlock === 'whole') return end
      if (ofBlock !== 'without') return ofBlock
      const traces = ('result' in end ? end.result : []) as readonly { readonly txHash: string }[]
      return { result: traces.map((one) => (one.txHash === bad ? { txHash: bad, error: 'execution timeout' } : one)) }
    },
    answer: (response, _, calls) => {
      const isCut = ofBad === 'no answer' && calls.some(({ params }) => params[0] === bad)
      if (isCut) response.destroy()
      return isCut
    },
  })

  /** A block with a payment that a node will not trace, among others. */
  async function blockWithBad() {
    const bad = await call('pay(address)', [ours])
    const token1 = await chain.sendCall(token, 'transfer(address,uint256)', [ours, 5n])
    const good = await call('payInstead(address,address)', [ours, alsoOurs])
    const native = await chain.send({ to: ours, value: ETHER })
    await chain.mine()
    const others = [tether(token1, 1, ours, 5n), internal(good, 1, alsoOurs, '1'), ether(native, ours, '1')]
    return { bad, others, height: await chain.height() }
  }

  for (const [how, ofBlock, ofBad] of unfinished) {
    test(`are untold of the one transaction that a node does not trace, ${how}, and of no other`, async () => {
      const { bad, others, height } = await blockWithBad()
      proxy.fault = unfinishedBy(bad, ofBlock, ofBad)
      const [watched] = watching([ours, alsoOurs])
      const clock = new ManualClock(Date.now())
      // Longer than any pause.
      const timeoutMs = 600_000
      const waiting = { clock, scheduler: new HastyScheduler(clock, timeoutMs), timeoutMs, patienceMs: 300_000 }
      const fresh = ethereumReader([proxy.url], { token, traces: true, ...waiting })
      try {
        for (const read of [
          () => fresh.block(height, watched),
          async () => (await fresh.blocks(height, height, watched))[0],
          async () => (await fresh.fresh(height, height, watched))[0],
        ]) {
          const block = await read()
          assert.deepEqual([block?.transfers, block?.untold?.txHashes], [others, [bad]])
        }
        assert.equal(fresh.endpoints()[0]?.problem, null)
      } finally {
        await fresh.close()
      }
    })
  }

  test('are told by the next node where the first one does not trace a transaction', async () => {
    const { bad, others, height } = await blockWithBad()
    proxy.fault = unfinishedBy(bad, TIMEOUT, TIMEOUT)
    const both = ethereumReader([proxy.url, chain.node.url], { token, traces: true })
    const [watched] = watching([ours, alsoOurs])
    try {
      const expected = [internal(bad, 0, ours, '1'), ...others]
      for (const block of [
        await both.block(height, watched),
        (await both.blocks(height, height, watched))[0],
        (await both.fresh(height, height, watched))[0],
        await both.again(height, watched),
      ]) {
        assert.deepEqual([block?.transfers, block?.untold], [expected, undefined])
      }
    } finally {
      await both.close()
    }
  })

  test('of a transaction that a node refuses in words are untold where it still traces an earlier one', async () => {
    const { height: before } = await blockWithBad()
    const bad = await call('pay(address)', [ours])
    await chain.mine()
    const refusal: ProxiedEnd = { error: { code: -32000, message: 'transaction type not supported' } }
    const [watched] = watching([ours])
    for (const [isFirstRead, expected] of [
      [true, [bad]],
      [false, null],
    ] as const) {
      const fresh = ethereumReader([proxy.url], { token, traces: true })
      try {
        proxy.fault = {}
        if (isFirstRead) await fresh.block(before, watched)
        const { hash } = (await chain.block(before + 1)) ?? assert.fail('no block')
        proxy.fault = { alter: ({ params }, end) => (params[0] === bad || params[0] === hash ? refusal : end) }
        const read = await certain(fresh.block(before + 1, watched))
        assert.deepEqual(read === null ? null : read.value?.untold?.txHashes, expected)
      } finally {
        await fresh.close()
      }
    }
  })
})

describe('tokens that keep a fee', { skip: anvilAbsence }, () => {
  for (const [way, name, told] of [
    [0n, 'tell the fee and the rest', 90n],
    [1n, 'tell the rest alone', 90n],
    // Nobody can know better without asking for balances, whose changes have other causes too (documented).
    [2n, 'tell more than arrives: then what they tell counts', 100n],
  ] as const) {
    test(name, async () => {
      const chain = await EthereumChain.start()
      const token = await chain.deploy('fee-token', [way])
      const reader = ethereumReader([chain.node.url], { token })
      try {
        const hash = await chain.sendCall(token, 'transfer(address,uint256)', [ours, 100n])
        await chain.mine()
        const block = await reader.block(await chain.height(), watching([ours])[0])
        assert.deepEqual(block?.transfers, [tether(hash, way === 0n ? 2 : 1, ours, told)])
        const data = `0x70a08231${ours.slice(2).padStart(64, '0')}`
        assert.equal(BigInt(String(await chain.node.call('eth_call', { to: token, data }, 'latest'))), 90n)
      } finally {
        await reader.close()
        await chain.stop()
      }
    })
  }
})
