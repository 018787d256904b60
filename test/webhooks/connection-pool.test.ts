import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { Connection } from '../../src/webhooks/connection.js'
import { ConnectionPool, REST_MS, RESTING_MAX } from '../../src/webhooks/connection-pool.js'
import { openRawReceiver, openReceiver } from '../support/receiver.js'

/** Makes one request, so that the connection has a socket. */
function use(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.client.dispatch(
      { path: '/', method: 'POST', body: 'x' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

/** A pool that keeps `keptMax`, and the time that it lives in. */
function makePool(keptMax?: number) {
  const time = { ms: 0 }
  const settings = {
    guard: { isAllowed: () => true },
    resolve: () => assert.fail('nothing to resolve'),
    answerLimitBytes: 1000,
  }
  return { time, pool: new ConnectionPool(settings, () => time.ms, keptMax) }
}

/** A connection that was used once and given back. */
async function usedOnce(pool: ConnectionPool, origin: string): Promise<Connection> {
  const connection = pool.take(origin)
  await use(connection)
  pool.keep(connection)
  return connection
}

test('idle connections are kept up to a bound; the one idle for longest goes first', async () => {
  const first = await openReceiver()
  const second = await openReceiver()
  const { pool } = makePool(2)
  try {
    const a = pool.take(first.url)
    const b = pool.take(first.url)
    const c = pool.take(second.url)
    assert.notEqual(a, b)
    for (const one of [a, b, c]) {
      await use(one)
      one.isPersistent = true
    }
    for (const one of [a, b]) pool.keep(one)
    assert.ok(a.isOpen && b.isOpen)
    pool.keep(c)
    assert.ok(!a.isOpen && b.isOpen && c.isOpen)
    assert.equal(pool.take(first.url), b)
    assert.notEqual(pool.take(first.url), a)
    assert.equal(pool.take(second.url), c)
    pool.destroy()
    assert.ok(!b.isOpen && !c.isOpen)
  } finally {
    pool.destroy()
    await first.close()
    await second.close()
  }
})

test('a connection of which the receiver says nothing rests once, and is used at once from then on', async () => {
  const receiver = await openReceiver()
  const { pool, time } = makePool()
  try {
    const connection = await usedOnce(pool, receiver.url)
    time.ms += REST_MS - 1
    const other = pool.take(receiver.url)
    assert.notEqual(other, connection)
    pool.drop(other)
    time.ms += 1
    assert.equal(pool.take(receiver.url), connection)
    pool.keep(connection)
    assert.equal(pool.take(receiver.url), connection)
  } finally {
    pool.destroy()
    await receiver.close()
  }
})

test('few connections to an origin rest at once; others are closed', async () => {
  const receiver = await openReceiver()
  const { pool } = makePool()
  try {
    const connections: Connection[] = []
    while (connections.length <= RESTING_MAX) connections.push(await usedOnce(pool, receiver.url))
    assert.deepEqual(
      connections.map(({ isOpen }) => isOpen),
      connections.map((_, n) => n < RESTING_MAX),
    )
  } finally {
    pool.destroy()
    await receiver.close()
  }
})

test('a connection that closes while it rests is not used again', async () => {
  const sockets: Socket[] = []
  const receiver = await openRawReceiver((socket) => {
    sockets.push(socket)
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  })
  const { pool, time } = makePool()
  try {
    const connection = await usedOnce(pool, receiver.url)
    const closed = once(connection.client, 'disconnect')
    sockets[0]?.end()
    await closed
    time.ms += REST_MS
    assert.notEqual(pool.take(receiver.url), connection)
  } finally {
    pool.destroy()
    await receiver.close()
  }
})
