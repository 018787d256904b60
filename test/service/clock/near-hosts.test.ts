import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NearHosts } from '../../../src/service/clock/near-hosts.js'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'node.example': ['93.184.216.34', '2606:2800:220:1::1'],
  geth: ['172.18.0.3'],
  'both.example': ['93.184.216.34', '10.0.0.5'],
  localhost: ['::1', '127.0.0.1'],
  '93.184.216.34': ['93.184.216.34'],
  '::1': ['::1'],
}

describe('a server', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['https://node.example', false],
    ['http://93.184.216.34:8545', false],
    ['http://geth:8545', true],
    ['https://both.example', true],
    ['http://localhost:8545', true],
    ['http://[::1]:8545', true],
    ['https://unknown.example', true],
  ]
  for (const [origin, isNear] of cases) {
    test(`${origin} is ${isNear ? 'perhaps on this machine' : 'elsewhere'}`, async () => {
      const near = new NearHosts(async (host) => ADDRESSES[host] ?? assert.fail())
      assert.equal(near.isNear(origin), true, 'until it is known')
      await nextTurn()
      assert.equal(near.isNear(origin), isNear)
    })
  }

  test('at a public address of this machine is on this machine', async () => {
    const near = new NearHosts(
      async () => ['93.184.216.34'],
      () => new Set(['93.184.216.34']),
    )
    assert.equal(await near.learn('https://node.example'), true)
    assert.equal(near.isNear('https://node.example'), true)
  })

  test('of which it could not be found out is asked for again', async () => {
    let isKnown = false
    const near = new NearHosts(async () => (isKnown ? ['93.184.216.34'] : assert.fail()))
    near.isNear('https://node.example')
    await nextTurn()
    isKnown = true
    assert.equal(near.isNear('https://node.example'), true)
    await nextTurn()
    assert.equal(near.isNear('https://node.example'), false)
  })
})
