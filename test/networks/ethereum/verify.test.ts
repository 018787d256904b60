import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { anvilAbsence } from '../../support/anvil.js'
import { EthereumChain } from '../../support/ethereum-chain.js'
import { type Fault, FaultyProxy, type ProxiedEnd } from '../../support/faulty-proxy.js'
import { CHAIN_ID, ethereumReader, type ReaderVariant } from './fixture.js'

const DECIMALS_CALL = '0x313ce567'
const SYMBOL_CALL = '0x95d89b41'
const NOBODY = '0x00000000000000000000000000000000000000aa'

/** Answers one function of the token. */
function token(data: string, end: ProxiedEnd): Fault {
  return {
    methods: ['eth_call'],
    alter: (call, answer) => ((call.params[0] as { data: string }).data === data ? end : answer),
  }
}

/** How nodes word that a contract refused a call. */
const REVERTS = [
  { code: 3, message: 'Transaction reverted without a reason string' },
  { code: 3, message: 'execution failed' },
  { code: -32000, message: 'VM Exception while processing transaction: revert' },
  { code: -32015, message: 'VM execution error: Reverted 0x' },
  { code: -32000, message: 'invalid opcode: INVALID' },
]

describe('what the Ethereum reader verifies', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let address: string
  let proxy: FaultyProxy
  let reader: NetworkReader | null

  before(async () => {
    chain = await EthereumChain.start()
    address = await chain.deployToken()
  })
  after(async () => {
    await chain?.stop()
  })
  beforeEach(async () => {
    reader = null
    proxy = await FaultyProxy.start(chain.node.url)
  })
  afterEach(async () => {
    await reader?.close()
    await proxy.close()
  })

  function verify(variant: Partial<ReaderVariant>, urls = [proxy.url]): Promise<void> {
    reader = ethereumReader(urls, { token: address, ...variant })
    return reader.verify()
  }

  const cases: readonly [name: string, Partial<ReaderVariant>, Fault, expected: RegExp | null][] = [
    ['chain and token as configured', {}, {}, null],
    [
      'another chain',
      { chainId: 1 },
      {},
      /^WrongNode: http:\/\/127\.0\.0\.1:\d+: the chain id is 11155111, configured/,
    ],
    ['a chain id that is none', {}, { methods: ['eth_chainId'], alter: () => ({ result: 7 }) }, /^NodeUnavailable/],
    ['no contract', { token: NOBODY }, {}, /^WrongNode: .*no contract is at the token's address/],
    ['other decimals', { decimals: 18 }, {}, /^WrongNode: .*has 6 decimals, configured are 18/],
    ['no decimals', {}, token(DECIMALS_CALL, { result: '0x' }), /^WrongNode: .*has no decimals/],
    [
      'a contract that is no token',
      {},
      token(DECIMALS_CALL, { error: { code: 3, message: 'execution reverted' } }),
      /^WrongNode: .*is no token: error 3: execution reverted/,
    ],
    [
      'a node that cannot execute',
      {},
      token(DECIMALS_CALL, { error: { code: -32000, message: 'header not found' } }),
      /^NodeUnavailable: SEP: .*header not found/,
    ],
    ['no symbol', {}, token(SYMBOL_CALL, { result: '0x' }), null],
    ['a symbol that is refused', {}, token(SYMBOL_CALL, { error: { code: 3, message: 'execution reverted' } }), null],
    ...REVERTS.map((error): [string, Partial<ReaderVariant>, Fault, RegExp] => [
      `a contract that is no token, by error ${error.code}: ${error.message}`,
      {},
      token(DECIMALS_CALL, { error }),
      /^WrongNode: .*is no token/,
    ]),
    [
      'no code asked for where the decimals are right',
      {},
      { methods: ['eth_getCode'], answer: (response) => !!response.destroy() },
      null,
    ],
    ['a node that is down', {}, { answer: (response) => !!response.destroy() }, /^NodeUnavailable: SEP: http/],
  ]
  for (const [name, variant, fault, expected] of cases) {
    test(`${expected === null ? 'accepts' : 'refuses'} ${name}`, async () => {
      proxy.fault = fault
      const answer = verify(variant)
      if (expected === null) await answer
      else await assert.rejects(answer, (error) => expected.test(String(error)) || assert.fail(String(error)))
    })
  }

  test('one wrong endpoint is enough to refuse, one that is down is not', async () => {
    proxy.fault = { methods: ['eth_chainId'], alter: () => ({ result: '0x1' }) }
    await assert.rejects(verify({}, [chain.node.url, proxy.url]), /WrongNode: .*chain id is 1, configured is 11155111/)
    proxy.fault = { answer: (response) => !!response.destroy() }
    await reader?.close()
    await verify({}, [proxy.url, chain.node.url])
    assert.deepEqual(
      reader?.endpoints().map(({ isUsed }) => isUsed),
      [false, true],
    )
  })

  test('an endpoint of another chain is never used, even when nobody verified it', async () => {
    const other = ethereumReader([chain.node.url], { token: address, chainId: CHAIN_ID + 1 })
    await assert.rejects(other.head(), { name: 'NodeUnavailable' })
    await other.close()
  })
})
