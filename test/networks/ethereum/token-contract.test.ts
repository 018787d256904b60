import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { PAUSE_MAX_MS } from '../../../src/networks/node/endpoint.js'
import { TRIED_AGAIN_FIRST_MS } from '../../../src/networks/node/shortcomings.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { certain, ethereumReader, type ReaderVariant, tether, watching } from './fixture.js'
import { type ScriptedEnd, ScriptedNode, TOKEN, tokenTo } from './scripted-node.js'

const ours = addressNumber(1)
const [named] = watching([ours])
const CALL = 'eth_call'
const CODE = 'eth_getCode'
const BUSY: ScriptedEnd = { error: { code: -32_000, message: 'execution aborted' } }

/** How nodes say that they make no calls of contracts for their clients. */
const CLOSED: readonly ScriptedEnd[] = [
  { error: { code: -32_601, message: 'the method eth_call does not exist/is not available' } },
  { error: { code: -32_004, message: 'no' } },
  { error: { code: -32_000, message: 'method eth_call is disabled' } },
  { http: 403, body: '{"error":"this method is not allowed"}' },
  { http: 405 },
]

describe('a node that makes no calls of contracts', () => {
  let node: ScriptedNode
  let clock: ManualClock
  let reader: NetworkReader
  let warnings: string[]
  /** What the node answers to these methods. */
  let answers: Partial<Record<string, ScriptedEnd>>

  beforeEach(async () => {
    node = await ScriptedNode.start()
    node.quirk = ({ method }, own) => answers[method] ?? own
    node.add([tokenTo(ours, 5n)])
    answers = {}
    warnings = []
    clock = new ManualClock(1_700_000_012_000)
    open()
  })
  afterEach(async () => {
    await reader.close()
    await node.close()
  })

  function open(variant: Partial<ReaderVariant> = {}): void {
    const warn = (_endpoint: string, text: string) => warnings.push(text)
    reader = ethereumReader([node.url], { token: TOKEN, clock, warn, confirmation: 1, ...variant })
  }

  const asked = (method: string) => node.calls.get(method) ?? 0
  const deposits = async () => (await reader.block(1, named))?.transfers

  for (const closed of CLOSED) {
    test(`is read, with a warning, where it says ${JSON.stringify(closed)}`, async () => {
      answers[CALL] = closed
      await reader.verify()
      assert.deepEqual(
        (await deposits())?.map(({ amount }) => amount),
        ['5'],
      )
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /^the decimals of the token are believed as configured: eth_call: [^;]+$/)
      const [found] = await reader.examine()
      const fact = found?.facts[0]
      assert.equal(fact?.verdict, 'warning')
      assert.match(fact?.text ?? '', /6 decimals is believed as configured, not read: eth_call: /)
      assert.match(fact?.advice ?? '', /Compare the decimals/)
    })
  }

  test('is wrong where no contract is at the address of the token', async () => {
    answers = { [CALL]: CLOSED[0], [CODE]: { result: '0x' } }
    await assert.rejects(reader.verify(), /WrongNode: .*no contract is at the token's address/)
  })

  test('is believed that the token is a contract where it does not tell that either', async () => {
    for (const code of [CLOSED[0], BUSY, { result: null }]) {
      answers = { [CALL]: CLOSED[0], [CODE]: code }
      open()
      await reader.verify()
      assert.match(warnings.at(-1) ?? '', /; that it is a contract is believed, too: eth_getCode: /)
      await reader.close()
    }
  })

  test('is asked again later, and then the decimals count', async () => {
    answers[CALL] = CLOSED[0]
    open({ decimals: 18 })
    await reader.verify()
    const calls = asked(CALL)
    clock.advance(TRIED_AGAIN_FIRST_MS - 1)
    await reader.head()
    await reader.verify()
    assert.equal(asked(CALL), calls)
    clock.advance(1)
    await reader.head()
    assert.equal(asked(CALL), calls + 1)
    clock.advance(TRIED_AGAIN_FIRST_MS)
    await reader.head()
    assert.equal(asked(CALL), calls + 1, 'after twice as long')
    answers = {}
    clock.advance(TRIED_AGAIN_FIRST_MS)
    await assert.rejects(reader.head(), /has 6 decimals, configured are 18/)
    assert.equal(reader.endpoints()[0]?.problem?.reason, 'wrong_node')
    assert.equal(warnings.length, 1)
  })

  test('is not disturbed by what else goes wrong when it is asked again', async () => {
    answers[CALL] = CLOSED[0]
    await reader.verify()
    for (const failure of [BUSY, { http: 500 }, { result: 7 }, CLOSED[1]]) {
      answers[CALL] = failure
      clock.advance(2 * 60 * TRIED_AGAIN_FIRST_MS)
      await reader.head()
    }
    assert.equal(reader.endpoints()[0]?.failures, 0)
  })

  test('is believed when calls fail again and again where it shows the contract, and not at once', async () => {
    answers[CALL] = BUSY
    const isRead: boolean[] = []
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      isRead.push((await certain(reader.head())) !== null)
      clock.advance(5 * PAUSE_MAX_MS)
    }
    assert.deepEqual(isRead, [false, false, true])
    assert.match(warnings[0] ?? '', /believed as configured: eth_call: error -32000: execution aborted$/)
  })

  test('is not believed when all that it tells of the contract fails', async () => {
    answers = { [CALL]: BUSY, [CODE]: BUSY }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      assert.equal(await certain(reader.head()), null)
      clock.advance(5 * PAUSE_MAX_MS)
    }
  })

  test('that makes them has no warning', async () => {
    await reader.verify()
    assert.deepEqual(warnings, [])
    assert.deepEqual(await deposits(), [tether(String(node.blocks[1]?.receipts[0]?.transactionHash), 1, ours, 5n)])
    assert.equal(asked(CODE), 0)
  })
})
