import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createLog } from '../../../src/log.js'
import { NodeUnavailable, WrongNode } from '../../../src/networks/network-reader.js'
import type { HttpJson } from '../../../src/networks/node/http-json.js'
import { scalar } from '../../../src/networks/node/json-shape.js'
import { NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { HastyScheduler } from '../hasty-scheduler.js'

/** Longer than anybody waits for a turn. */
const TIMEOUT_MS = 600_000
const SUSPENDED = '{"Success":false,"Error":"The key exceeds the frequency limit(15), … suspended for 30s"}'
const nobody = { has: () => false, few: () => [] }

describe('the reader of nodes that limit the rate', () => {
  let clock: ManualClock
  let nodes: Receiver[]
  /** How many of the next requests each node refuses. */
  let refusing: number[]
  /** What was asked of each node and answered, in order. */
  let answered: string[][]
  let lines: Record<string, unknown>[]
  let reader: NodesReader
  let wrong: string | null
  let isStalled: boolean

  beforeEach(async () => {
    clock = new ManualClock()
    refusing = [0, 0]
    answered = [[], []]
    lines = []
    wrong = null
    isStalled = false
    nodes = await Promise.all(
      refusing.map((_, i) =>
        openReceiver(({ path }, response) => {
          const left = refusing[i] ?? 0
          refusing[i] = left - 1
          if (left > 0) response.writeHead(403, { 'content-type': 'application/json' }).end(SUSPENDED)
          else {
            answered[i]?.push(path)
            response.end(String(i + 1))
          }
        }),
      ),
    )
  })

  afterEach(async () => {
    await reader.close()
    for (const node of nodes) await node.close()
  })

  function open(count: number, options: { readonly patienceMs?: number } = {}): void {
    const call = (http: HttpJson, path: string) => http.pacer.call(() => http.post(path, '', scalar))
    reader = new NodesReader({
      network: 'SEP',
      addresses: nodes.slice(0, count).map(({ url }) => ({ url })),
      timeoutMs: TIMEOUT_MS,
      answerLimitBytes: 1000,
      clock,
      scheduler: new HastyScheduler(clock, TIMEOUT_MS),
      random: () => 0.5,
      log: createLog('info', { write: (line) => lines.push(JSON.parse(line)) }),
      nodeOf: (http) => {
        const ask = async () => [await call(http, '/a'), await call(http, '/b'), await call(http, '/c')] as never
        return {
          check: async () => {
            await call(http, '/check-1')
            await call(http, '/check-2')
            if (http.name === wrong) throw new WrongNode('another chain')
          },
          head: async () => {
            await call(http, '/head')
            return { latest: 5, confirmed: 3, timeMs: isStalled ? 0 : clock.now() }
          },
          examine: async () => {
            await call(http, '/examine')
            return [{ verdict: 'ok', text: 'is well' }]
          },
          timeOf: ask,
          block: ask,
          fresh: ask,
          blocks: ask,
          hashes: async () => [],
        }
      },
      headAgeMaxMs: 60_000,
      ...options,
    })
  }

  const fresh = () => reader.fresh(0, 0, nobody)

  test('goes on with the call that the only node refused, and checks nothing anew', async () => {
    open(1)
    await fresh()
    assert.deepEqual(answered[0], ['/check-1', '/check-2', '/a', '/b', '/c'])
    answered[0] = []
    const from = clock.now()
    const asking = fresh()
    await nodes[0]?.received(6)
    refusing[0] = 2
    await asking
    assert.deepEqual(answered[0], ['/a', '/b', '/c'])
    assert.ok(clock.now() - from >= 60_000, 'both suspensions are waited for')
    const [health] = reader.endpoints()
    assert.deepEqual([health?.failures, health?.limited, health?.isUsed], [0, 2, true])
    await fresh()
    assert.deepEqual(answered[0], ['/a', '/b', '/c', '/a', '/b', '/c'])
  })

  test('gets through its check at the pace that the node allows', async () => {
    open(1)
    refusing[0] = 1
    let refusals = 0
    await reader.verify(() => {
      refusals += 1
    })
    assert.equal(refusals, 1)
    assert.deepEqual(answered[0], ['/check-1', '/check-2'])
    await reader.head()
    assert.deepEqual(answered[0], ['/check-1', '/check-2', '/head'])
  })

  test('goes to another node at once, and stays there while the first one is slow', async () => {
    open(2)
    await fresh()
    refusing[0] = 1
    const from = clock.now()
    assert.deepEqual(await fresh(), [2, 2, 2])
    assert.deepEqual(await fresh(), [2, 2, 2])
    assert.equal(clock.now(), from, 'nothing is waited for')
    assert.equal(nodes[0]?.requests.length, 6)
    assert.equal(reader.problem(), null)
    assert.equal(reader.callsPerSecond(), Number.POSITIVE_INFINITY)
    clock.advance(40_000)
    assert.deepEqual(await fresh(), [2, 2, 2])
    assert.equal(nodes[0]?.requests.length, 6, 'its pause is over, and it is still slow')
    // Now there is no other.
    refusing[1] = 1
    await fresh()
    assert.equal(reader.problem()?.reason, 'limited')
  })

  test('checks nothing anew at a node that was left for another one', async () => {
    open(2)
    await fresh()
    refusing[0] = 1
    await fresh()
    clock.advance(3_600_000)
    assert.deepEqual(await fresh(), [1, 1, 1])
    assert.equal(answered[0]?.filter((path) => path === '/check-1').length, 1)
  })

  test('says that the network is limited, how much, and that it is over by itself', async () => {
    open(1)
    await reader.head()
    assert.equal(reader.problem(), null)
    refusing[0] = 1
    await reader.head()
    assert.deepEqual(reader.problem(), { reason: 'limited', message: 'the nodes of SEP allow 0.5 calls a second' })
    assert.equal(reader.callsPerSecond(), 0.5)
    assert.equal(reader.endpoints()[0]?.callsPerSecond, 0.5)
    assert.deepEqual(
      lines.map(({ msg, level, callsPerSecond, endpoint }) => ({ msg, level, callsPerSecond, endpoint })),
      [
        {
          msg: 'a node limits the rate of calls; they are made more slowly',
          level: 'warn',
          callsPerSecond: 0.5,
          endpoint: nodes[0]?.url,
        },
      ],
    )
    assert.match(String(lines[0]?.['failure']), /suspended for 30s/)
    clock.advance(3_600_000)
    assert.equal(reader.problem(), null)
    assert.equal(reader.callsPerSecond(), Number.POSITIVE_INFINITY)
  })

  test('a network that stands is called stalled, whatever the pace', async () => {
    open(1)
    refusing[0] = 1
    isStalled = true
    await reader.head()
    assert.equal(reader.problem()?.reason, 'stalled')
  })

  test('ends its waiting when it is closed, and does not wait any more', async () => {
    open(1)
    refusing[0] = Number.POSITIVE_INFINITY
    const asking = assert.rejects(fresh(), NodeUnavailable)
    await nodes[0]?.received(1)
    await reader.close()
    await asking
    await assert.rejects(fresh(), NodeUnavailable)
    assert.equal(nodes[0]?.requests.length, 1)
    assert.ok(!lines.some((line) => line['msg'] === 'a node failed'))
  })

  test('a check during which a doubt arises is made once more', async () => {
    open(1)
    const asking = fresh()
    reader.distrust()
    await asking
    await fresh()
    assert.equal(answered[0]?.filter((path) => path === '/check-1').length, 2)
  })

  test('finds a node of another network out, however slow it is', async () => {
    open(1)
    wrong = nodes[0]?.url ?? null
    refusing[0] = 3
    await assert.rejects(reader.verify(), WrongNode)
  })

  test('an examination says that it was slowed down', async () => {
    open(1)
    refusing[0] = 1
    const [node] = await reader.examine()
    assert.deepEqual(
      node?.facts.map(({ verdict }) => verdict),
      ['ok', 'warning'],
    )
    assert.match(node?.facts[1]?.text ?? '', /limits the rate.*0\.5 calls a second/)
  })
})
