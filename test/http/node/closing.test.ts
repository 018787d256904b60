import assert from 'node:assert/strict'
import { connect, Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { failure } from '../../../src/domain/failure.js'
import { failureAnswer } from '../../../src/http/json.js'
import { CLOSED_AT_ONCE, Closings } from '../../../src/http/node/closing.js'
import { NodeServer } from '../../../src/http/node/server.js'
import type { Answer } from '../../../src/http/server.js'
import { requestText } from '../../contract/raw-connection.js'
import { deferred } from '../../support/deferred.js'

/** Several turns' worth. */
const STREAMS = 6 * CLOSED_AT_ONCE

/** The test's look at a turn may be before or behind the server's, and a client sees what two of them did. */
const SEEN_IN_ONE_TURN_MAX = 3 * CLOSED_AT_ONCE

/** Counts what happens between two looks at a turn of the event loop, until all have happened. */
class Turns {
  private readonly counts = [0]
  private readonly all = deferred<void>()
  private left = STREAMS
  private isOver = false

  constructor(t: TestContext) {
    t.after(() => {
      this.isOver = true
    })
    const next = () => {
      this.counts.push(0)
      if (!this.isOver) setImmediate(next)
    }
    setImmediate(next)
  }

  count(): void {
    this.counts[this.counts.length - 1] = (this.counts.at(-1) ?? 0) + 1
    this.left -= 1
    if (this.left === 0) this.all.resolve()
  }

  /** The most that happened in one. */
  async most(): Promise<number> {
    await this.all.promise
    return Math.max(...this.counts)
  }
}

/** A stream that never ends by itself. */
function streamAnswer(onGone: () => void): Answer {
  let isBegun = false
  const iterator: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => {
      if (isBegun) return new Promise(() => undefined)
      isBegun = true
      return Promise.resolve({ done: false, value: 'begun' })
    },
    return: async () => {
      onGone()
      return { done: true, value: undefined }
    },
  }
  return { status: 200, headers: {}, body: iterator }
}

async function streamsOn(port: number): Promise<readonly Socket[]> {
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => undefined)
      socket.on('data', (data) => data.includes('begun') && resolve(socket))
      socket.write(requestText('GET', '/'))
    })
  return await Promise.all(Array.from({ length: STREAMS }, open))
}

/** The port of a server whose answers are streams. */
async function startStreams(t: TestContext, onGone: () => void): Promise<number> {
  const target = {
    bodyLimitBytes: 1000,
    handle: () => streamAnswer(onGone),
    refuse: () => failureAnswer(failure('malformed_request')),
  }
  const settings = {
    host: '127.0.0.1',
    port: 0,
    connectionLimit: STREAMS,
    unfinishedBodiesLimitBytes: 1_000_000,
    unreadAnswersLimitBytes: 1_000_000,
    requestTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
  }
  const server = new NodeServer(
    () => target,
    settings,
    (error) => assert.fail(String(error)),
  )
  const { port } = await server.listen()
  t.after(() => server.close())
  return port
}

describe('connections of node:http that close together', { timeout: 60_000 }, () => {
  const ways = {
    ended: (socket: Socket) => socket.destroy(),
    'half closed': (socket: Socket) => socket.end(),
    reset: (socket: Socket) => socket.resetAndDestroy(),
  }
  for (const [way, close] of Object.entries(ways)) {
    test(`${way}, their streams are left a few in a turn`, async (t) => {
      const left = new Turns(t)
      const port = await startStreams(t, () => left.count())
      for (const socket of await streamsOn(port)) close(socket)
      const most = await left.most()
      assert.ok(most <= SEEN_IN_ONE_TURN_MAX, `${most} in one turn`)
    })
  }

  test('are ended a few in a turn', async (t) => {
    const ended = new Turns(t)
    const port = await startStreams(t, () => undefined)
    for (const socket of await streamsOn(port)) {
      socket.on('end', () => ended.count())
      socket.end()
    }
    const most = await ended.most()
    assert.ok(most <= SEEN_IN_ONE_TURN_MAX, `${most} in one turn`)
  })

  test('are not ended when they have been closed meanwhile: their parser is another connection’s', async () => {
    const closings = new Closings()
    const heard: string[] = []
    const sockets = Array.from({ length: CLOSED_AT_ONCE + 1 }, (_, n) => {
      const socket = new Socket()
      socket.on('end', () => heard.push(`end ${n}`))
      socket.on('close', () => heard.push(`close ${n}`))
      closings.delay(socket)
      return socket
    })
    for (const socket of sockets) socket.emit('end')
    sockets.at(-1)?.destroy()
    while (!heard.includes(`close ${CLOSED_AT_ONCE}`)) await new Promise((resolve) => setImmediate(resolve))
    const all = sockets.slice(0, -1).map((_, n) => `end ${n}`)
    assert.deepEqual(heard, [...all, `close ${CLOSED_AT_ONCE}`])
  })
})
