import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConnectionCounts } from '../../../src/http/node/connection-counts.js'
import type { ConnectionShare } from '../../../src/http/server.js'
import { UwsConnectionShare } from '../../../src/http/uws/connection-share.js'

const PER_CLIENT = 100

const share: ConnectionShare = {
  perClient: PER_CLIENT,
  clientOf: (address) => (address === 'proxy' ? null : address),
}

describe('counted connections', () => {
  test('a client gets its share, and again what it has closed', () => {
    const counts = new ConnectionCounts({ ...share, perClient: 2 })
    assert.deepEqual(
      [counts.opened('a'), counts.opened('a'), counts.opened('a'), counts.opened('b')],
      [true, true, false, true],
    )
    counts.closed('a')
    assert.deepEqual([counts.opened('a'), counts.opened('a')], [true, false])
  })

  test('a trusted proxy has no share', () => {
    const counts = new ConnectionCounts({ ...share, perClient: 1 })
    assert.deepEqual([counts.opened('proxy'), counts.opened('proxy')], [true, true])
  })
})

/** An engine that knows how many connections there are, and a kernel that knows whose. */
class Engine {
  readonly held = new Map<string, number>()
  readonly errors: unknown[] = []
  counted = 0
  nowMs = 0
  canCount = true
  private readonly shares = new UwsConnectionShare(
    share,
    async () => {
      this.counted += 1
      return this.canCount ? new Map(this.held) : null
    },
    (error) => this.errors.push(error),
    () => this.nowMs,
  )

  get total(): number {
    return [...this.held.values()].reduce((sum, count) => sum + count, 0)
  }

  open(address: string, times = 1): number {
    let taken = 0
    for (let n = 0; n < times; n += 1) {
      this.held.set(address, (this.held.get(address) ?? 0) + 1)
      if (this.shares.opened(address, this.total)) taken += 1
      else this.close(address, 1)
    }
    return taken
  }

  close(address: string, times: number): void {
    this.held.set(address, (this.held.get(address) ?? 0) - times)
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    this.nowMs += 1_000
  }
}

describe('shares of connections where closed ones are not told apart', () => {
  test('a client that opens and never closes gets its share, at once', async () => {
    const engine = new Engine()
    assert.equal(engine.open('a', 1_000), PER_CLIENT)
    await engine.settle()
    assert.equal(engine.open('a', 1_000), 0)
    assert.equal(engine.open('b', 1_000), PER_CLIENT)
  })

  test('a client that closes what it opens is never refused for long', async () => {
    const engine = new Engine()
    engine.open('others', 60)
    let refused = 0
    for (let round = 0; round < 50; round += 1) {
      const taken = engine.open('a', 20)
      refused += 20 - taken
      engine.close('a', taken)
      await engine.settle()
    }
    assert.equal(refused, 0)
  })

  test('nobody is counted while all connections are few', () => {
    const engine = new Engine()
    for (let round = 0; round < 1_000; round += 1) {
      assert.equal(engine.open('a'), 1)
      engine.close('a', 1)
    }
    assert.equal(engine.counted, 0)
  })

  test('a trusted proxy has no share', () => {
    assert.equal(new Engine().open('proxy', 1_000), 1_000)
  })

  test('the kernel is asked once a second at most', async () => {
    const engine = new Engine()
    for (let n = 0; n < 1_000; n += 1) engine.open('a')
    assert.equal(engine.counted, 1)
    await engine.settle()
    for (let n = 0; n < 1_000; n += 1) engine.open('a')
    assert.equal(engine.counted, 2)
  })

  test('without a kernel that counts, nobody has a share', async () => {
    const engine = new Engine()
    engine.canCount = false
    engine.open('a', PER_CLIENT)
    await engine.settle()
    assert.equal(engine.open('a', 500), 500)
    assert.deepEqual(engine.errors, [])
  })
})
