import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../../src/log.js'
import { NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { TronNode } from '../../../src/networks/tron/node.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { mostHeld } from '../../support/live-memory.js'
import { ManualClock } from '../../support/manual-clock.js'
import { emulatedAccount, TRANSFER_TOPIC } from '../../support/tron-transactions.js'
import { ALICE, STRANGER, TOKEN, tronToken, watched } from './fixture.js'

const MIB = 2 ** 20
const MEMORY_MAX_MIB = 32
/** As many empty authorities as fit a transaction of 500 KB, and transactions of a block. */
const AUTHS = 240_000
const PADDED = 3
/** Logs of one transaction: with the rest of the answer, more than 200 MB. */
const LOGS = 600_000
const LOGS_AT_ONCE = 1000
const HEIGHT = 40
const TIME_MS = 1_777_445_121_000
const ID = (n: number) => n.toString(16).padStart(16, '0').padEnd(64, 'a')
const TX = (n: number) => n.toString(16).padStart(64, 'b')
const word = (hex: string) => hex.padStart(64, '0')

function head(height: number, root: string) {
  const raw = { number: height, txTrieRoot: root, parentHash: ID(height - 1), timestamp: TIME_MS + 3000 * height }
  return `"blockID":"${ID(height)}","block_header":{"raw_data":${JSON.stringify(raw)}}`
}

function* block(): Generator<string> {
  const contract = [{ type: 'TriggerSmartContract', parameter: { value: { owner_address: `41${STRANGER}` } } }]
  const ret = [{ contractRet: 'SUCCESS' }]
  yield `{${head(HEIGHT, 'c'.repeat(64))},"transactions":[`
  for (let i = 0; i < PADDED; i += 1) {
    yield `{"txID":"${TX(i)}","ret":${JSON.stringify(ret)},"raw_data":{"auths":[{}`
    yield ',{}'.repeat(AUTHS - 1)
    yield `],"contract":${JSON.stringify(contract)}}}${i + 1 < PADDED ? ',' : ''}`
  }
  yield ']}'
}

function* infos(): Generator<string> {
  const strange = { address: TOKEN, topics: [TRANSFER_TOPIC, word(STRANGER), word(STRANGER)], data: word('1') }
  const ours = { ...strange, topics: [TRANSFER_TOPIC, word(STRANGER), word(ALICE)], data: word('7') }
  const other = JSON.stringify({ ...strange, address: emulatedAccount(4) })
  yield '[{"log":['
  for (let i = 0; i < LOGS; i += LOGS_AT_ONCE) {
    yield `${other},`.repeat(LOGS_AT_ONCE - 1)
    yield `${JSON.stringify(strange)},`
  }
  yield `${JSON.stringify(ours)}],"id":"${TX(0)}","receipt":{"result":"SUCCESS"}}`
  for (let i = 1; i < PADDED; i += 1) yield `,{"id":"${TX(i)}","receipt":{"result":"SUCCESS"}}`
  yield ']'
}

/** Answers as far as the reader follows, so that the test itself holds nothing of them. */
function answerOf(path: string): Iterable<string> {
  switch (path.split('/').at(-1)) {
    case 'getnowblock':
      return [`{${head(HEIGHT, '0'.repeat(64))}}`]
    case 'getblockbynum':
      return block()
    case 'gettransactioninfobyblocknum':
      return infos()
    case 'triggerconstantcontract':
      return [JSON.stringify({ result: { result: true }, constant_result: [word('6')] })]
    default:
      return ['{}']
  }
}

describe('long answers of a TRON node', () => {
  const server = createServer((request, response) => {
    request.resume()
    const pieces = answerOf(request.url ?? '')[Symbol.iterator]()
    const more = () => {
      for (let next = pieces.next(); ; next = pieces.next()) {
        if (next.done === true) return response.end()
        if (!response.write(next.value)) return response.once('drain', more)
      }
    }
    more()
  })
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  after(() => server.close())

  test('a block of padded transactions and 200 MB of logs take little memory, and what is ours is found', async (t) => {
    const clock = new ManualClock(TIME_MS + 3000 * HEIGHT)
    const options = { tokens: [tronToken('USDT', TOKEN)], genesisId: ID(HEIGHT), clock, warn: () => {} }
    const reader = new NodesReader({
      network: 'TRX-NILE',
      addresses: [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }],
      nodeOf: (http) => new TronNode(http, options),
      headAgeMaxMs: 60_000,
      timeoutMs: 60_000,
      answerLimitBytes: 1024 * MIB,
      clock,
      scheduler: wakefulScheduler,
      random: () => 0,
      log: createLog('silent'),
    })
    t.after(() => reader.close())
    await reader.head()
    const { bytes, result: observed } = await mostHeld(() => reader.block(HEIGHT, watched))
    assert.deepEqual(
      observed?.transfers.map(({ txHash, index, amount }) => [txHash, index, amount]),
      [[TX(0), LOGS + 1, '7']],
    )
    assert.ok(bytes < MEMORY_MAX_MIB * MIB, `${Math.round(bytes / MIB)} MiB`)
  })
})
