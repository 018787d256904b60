import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '../../src/webhooks/connection.js'
import { ConnectionPool } from '../../src/webhooks/connection-pool.js'
import { openReceiver } from '../support/receiver.js'

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

test('idle connections are kept up to a bound; the one idle for longest goes first', async () => {
  const first = await openReceiver()
  const second = await openReceiver()
  const pool = new ConnectionPool(
    { guard: { isAllowed: () => true }, resolve: () => assert.fail('nothing to resolve'), answerLimitBytes: 1000 },
    2,
  )
  try {
    const a = pool.take(first.url)
    const b = pool.take(first.url)
    const c = pool.take(second.url)
    assert.notEqual(a, b)
    for (const one of [a, b, c]) await use(one)
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
