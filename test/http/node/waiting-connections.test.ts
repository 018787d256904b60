import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { failure } from '../../../src/domain/failure.js'
import { failureAnswer, jsonAnswer } from '../../../src/http/json.js'
import { NodeServer } from '../../../src/http/node/server.js'
import type { Answer, Request } from '../../../src/http/server.js'
import { RawConnection, requestText } from '../../contract/raw-connection.js'
import { deferred } from '../../support/deferred.js'

const LIMIT = 3

interface Fixture {
  readonly refused: string[]
  open(): Promise<RawConnection>
  /** Undefined when the connection ends without an answer. */
  statusOf(connection: RawConnection, path?: string): Promise<number | undefined>
}

async function start(t: TestContext, handle: (request: Request) => Answer | Promise<Answer>): Promise<Fixture> {
  const refused: string[] = []
  const target = { bodyLimitBytes: 1000, handle, refuse: () => failureAnswer(failure('malformed_request')) }
  const settings = {
    host: '127.0.0.1',
    port: 0,
    connectionLimit: LIMIT,
    yieldsWaiting: true,
    unfinishedBodiesLimitBytes: 1_000_000,
    unreadAnswersLimitBytes: 1_000_000,
    requestTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    onRefusedConnection: (why: string) => refused.push(why),
  }
  const server = new NodeServer(
    () => target,
    settings,
    (error) => assert.fail(String(error)),
  )
  const { port } = await server.listen()
  t.after(() => server.close())
  return {
    refused,
    open: () => RawConnection.open(port),
    statusOf: async (connection, path = '/') => {
      connection.send(requestText('GET', path))
      return await connection.answer().then(
        ({ status }) => status,
        () => undefined,
      )
    },
  }
}

const echo = () => jsonAnswer(200, 'here')

test('beyond the limit, the connection that has waited for longest yields, and every new one is served', async (t) => {
  const { open, statusOf, refused } = await start(t, echo)
  const idle: RawConnection[] = []
  for (let n = 0; n < LIMIT; n += 1) {
    const connection = await open()
    assert.equal(await statusOf(connection), 200)
    idle.push(connection)
  }
  // The first one is used again, so that the second has waited for longest.
  assert.equal(await statusOf(idle[0] ?? assert.fail()), 200)
  assert.equal(await statusOf(await open()), 200)
  await idle[1]?.closed
  assert.deepEqual(
    idle.map(({ isClosed }) => isClosed),
    [false, true, false],
  )
  for (let n = 0; n < 10 * LIMIT; n += 1) assert.equal(await statusOf(await open()), 200)
  assert.deepEqual(refused, [])
})

test('what a client owes holds no place: no request, half a head, a body that does not come', async (t) => {
  const { open, statusOf, refused } = await start(t, echo)
  const owing = ['', 'GET / HTT', requestText('POST', '/', 'Content-Length: 10')]
  assert.equal(owing.length, LIMIT)
  for (const text of owing) (await open()).send(text)
  for (let n = 0; n < 2 * LIMIT; n += 1) assert.equal(await statusOf(await open()), 200)
  assert.deepEqual(refused, [])
})

test('a connection for which something is done keeps its place, and only where all are such a new one is refused', async (t) => {
  const goOn = deferred<void>()
  const isAtWork = deferred<void>()
  let slowOnes = 0
  async function* endless(): AsyncGenerator<string> {
    yield 'a'
    await goOn.promise
    yield 'b'
  }
  const { open, statusOf, refused } = await start(t, async ({ path }) => {
    if (path === '/stream') return { status: 200, headers: {}, body: endless() }
    if (path === '/slow') {
      slowOnes += 1
      if (slowOnes === 2) isAtWork.resolve()
      await goOn.promise
    }
    return echo()
  })
  const stream = await open()
  stream.send(requestText('GET', '/stream'))
  const slow = await open()
  const slowStatus = statusOf(slow, '/slow')
  for (let n = 0; n < 2 * LIMIT; n += 1) assert.equal(await statusOf(await open()), 200)
  const last = await open()
  const lastStatus = statusOf(last, '/slow')
  await isAtWork.promise
  await (await open()).closed
  assert.deepEqual(refused, ['limit'])
  goOn.resolve()
  assert.deepEqual([(await stream.answer()).body, await slowStatus, await lastStatus], ['ab', 200, 200])
})
