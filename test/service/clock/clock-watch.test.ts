import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ClockWorld } from './clock-world.js'

const PUBLIC = 'https://node.example'
const OTHER = 'https://other.example'
const LOCAL = 'http://localhost:8545'
const MINUTE = 60
const HOUR_MS = 3_600_000

/** A node that tells no time. */
const silent = (world: ClockWorld) => world.node(PUBLIC, { hasDate: false })

/** Acts every few seconds. */
function every(seconds: number, act: () => void): (second: number) => void {
  return (second) => {
    if (second % seconds === 0) act()
  }
}

describe('a right clock', () => {
  test('is known to be right by a public node, and by nobody at first', () => {
    const world = new ClockWorld()
    assert.equal(world.offsetSeconds, null)
    world.network([world.node(PUBLIC)])
    world.pass(10 * MINUTE)
    assert.deepEqual([world.complaint, world.offsetSeconds, world.lines], [null, 0, []])
  })

  const innocent: readonly (readonly [string, (world: ClockWorld) => ((second: number) => void) | undefined])[] = [
    ['a gateway that was silent for an hour', (world) => every(3600, () => world.push())],
    ['a gateway whose pushes take two seconds', (world) => every(5, () => world.push(0, 2000))],
    [
      'a push that is sent again and again',
      (world) => {
        const timestamp = world.trueMs
        return every(4, () => world.watch.pushed(timestamp))
      },
    ],
    [
      'a gateway that makes up for an outage',
      (world) => {
        let lateMs = 240_000
        return every(2, () => {
          world.push(0, lateMs)
          lateMs = Math.max(30, lateMs - 20_000)
        })
      },
    ],
    [
      'a network that makes up for a pause',
      (world) => {
        const network = world.network([silent(world)], { lateMs: 120_000 })
        return () => {
          if (network.blocks !== null) network.blocks.lateMs = Math.max(800, network.blocks.lateMs - 2000)
        }
      },
    ],
    [
      'a gateway whose clock is wrong, beside a node without blocks',
      (world) => {
        world.network([world.node(PUBLIC)]).blocks = null
        return every(5, () => world.push(-60_000))
      },
    ],
    [
      'one of two nodes without blocks whose clock is wrong',
      (world) => {
        world.network([world.node(PUBLIC), world.node(OTHER, { offMs: 60_000 })]).blocks = null
        return undefined
      },
    ],
    ['a network of slow blocks', (world) => void world.network([silent(world)], { everySeconds: 45 })],
    ['blocks that are told seven seconds late', (world) => void world.network([silent(world)], { lateMs: 7000 })],
    [
      'a chain an hour ahead at a node that tells the time',
      (world) => void world.network([world.node(PUBLIC)], { aheadMs: HOUR_MS }),
    ],
    ['a chain an hour ahead on this machine', (world) => void world.network([world.node(LOCAL)], { aheadMs: HOUR_MS })],
    ['a node whose clock is an hour ahead', (world) => void world.network([world.node(PUBLIC, { offMs: HOUR_MS })])],
    [
      'one of three nodes whose clock is wrong',
      (world) =>
        void world.network([world.node(PUBLIC), world.node(OTHER, { offMs: -60_000 }), world.node(`${PUBLIC}:1`)]),
    ],
    [
      'a gateway whose clock is wrong, beside a network',
      (world) => {
        world.network([world.node(PUBLIC)])
        return every(5, () => world.push(-60_000))
      },
    ],
    [
      'one wrong network of two',
      (world) => {
        world.network([world.node(PUBLIC, { hasDate: false })], { aheadMs: HOUR_MS })
        world.network([world.node(OTHER)])
        return undefined
      },
    ],
    [
      'a hundred invented merchants whose clocks are wrong',
      (world) => {
        world.network([world.node(PUBLIC)])
        return (second) => {
          for (let n = 0; n < 100; n += 1) world.sign(`invented ${n} ${second}`, -60_000)
        }
      },
    ],
    [
      'a hundred invented merchants and nobody else',
      (world) => (second) => {
        for (let n = 0; n < 100; n += 1) world.sign(`invented ${n} ${second}`, 60_000)
      },
    ],
  ]
  for (const [what, prepare] of innocent) {
    test(`is not suspected because of ${what}`, () => {
      const world = new ClockWorld()
      const each = prepare(world)
      world.pass(10 * MINUTE, (second) => {
        each?.(second)
        assert.equal(world.complaint, null, `after ${second} s`)
      })
    })
  }

  test('is not suspected after a sleep of the machine, in which its stopwatch stood still', () => {
    const world = new ClockWorld()
    world.network([world.node(PUBLIC)])
    world.pass(
      MINUTE,
      every(5, () => world.push()),
    )
    world.sleep(3600)
    world.pass(
      MINUTE,
      every(5, () => world.push()),
    )
    assert.deepEqual([world.complaint, world.lines], [null, []])
  })
})

describe('a wrong clock is seen within a minute', () => {
  type Prepare = (world: ClockWorld) => ((second: number) => void) | undefined
  const WITNESSES: Readonly<Record<string, Prepare>> = {
    'a public node': (world) => void world.network([world.node(PUBLIC)]),
    'a node that tells no time': (world) => void world.network([world.node(PUBLIC, { hasDate: false })]),
    'slow blocks of a node that tells no time': (world) =>
      void world.network([world.node(PUBLIC, { hasDate: false })], { everySeconds: 12 }),
    'the gateway': (world) => every(7, () => world.push()),
  }
  const cases: readonly (readonly [string, number, keyof typeof WITNESSES])[] = [
    ['3 s fast', 3000, 'a public node'],
    ['3 s fast', 3000, 'the gateway'],
    ['3 s slow', -3000, 'a public node'],
    ['3 s slow', -3000, 'the gateway'],
    ['60 s fast', 60_000, 'a public node'],
    ['60 s fast', 60_000, 'a node that tells no time'],
    ['60 s fast', 60_000, 'slow blocks of a node that tells no time'],
    ['60 s fast', 60_000, 'the gateway'],
    ['60 s slow', -60_000, 'a public node'],
    ['60 s slow', -60_000, 'a node that tells no time'],
    ['60 s slow', -60_000, 'slow blocks of a node that tells no time'],
    ['60 s slow', -60_000, 'the gateway'],
    ['240 s fast', 240_000, 'the gateway'],
    ['240 s slow', -240_000, 'the gateway'],
  ]
  for (const [what, offMs, by] of cases) {
    const prepare = WITNESSES[by] ?? assert.fail()
    test(`${what} from the start on, by ${by}`, () => {
      const world = new ClockWorld()
      world.offMs = offMs
      world.pass(MINUTE, prepare(world))
      assert.match(world.complaint ?? '', /^The clock of this machine is [0-9.]+ s (fast|slow), by /)
      assert.ok(Math.abs((world.offsetSeconds ?? 0) - offMs / 1000) < 8, String(world.offsetSeconds))
    })

    test(`${what} after it was set, by ${by}, and right again`, () => {
      const world = new ClockWorld()
      const each = prepare(world)
      world.pass(3 * MINUTE, each)
      assert.equal(world.complaint, null)
      world.offMs = offMs
      world.pass(27, each)
      assert.match(world.complaint ?? '', new RegExp(offMs > 0 ? 'fast' : 'slow'))
      world.pass(3 * MINUTE, each)
      world.offMs = 0
      world.pass(27, each)
      assert.equal(world.complaint, null)
      assert.equal(world.lines.length, 2, String(world.lines))
      assert.match(world.lines[0] ?? '', /^the clock of this machine is .* docs\/operating\/clock\.md$/)
      assert.equal(world.lines[1], 'the clock of this machine is right again')
    })
  }

  test('that is set while the witnesses are silent', () => {
    const world = new ClockWorld()
    world.pass(
      MINUTE,
      every(7, () => world.push()),
    )
    world.pass(5 * MINUTE)
    world.offMs = -HOUR_MS
    world.pass(27)
    assert.match(world.complaint ?? '', /^The clock of this machine is 3600(\.\d)? s slow, by the gateway\.$/)
  })

  test('by the blocks of a node on the same machine, which has the same clock', () => {
    const world = new ClockWorld()
    world.offMs = 60_000
    world.network([world.node(LOCAL, { offMs: 60_000 })])
    world.pass(MINUTE)
    assert.match(world.complaint ?? '', /fast, by NET-1\.$/)
  })

  test('by merchants, where the gateway has the same wrong clock', () => {
    const world = new ClockWorld()
    world.offMs = 60_000
    world.network([world.node(PUBLIC)])
    const each = every(7, () => {
      world.push(60_000)
      for (const owner of ['a', 'b', 'c', 'd']) world.sign(owner)
    })
    world.pass(MINUTE, each)
    assert.deepEqual([world.complaint, world.offsetSeconds], [null, null], 'four are too few')
    world.pass(MINUTE, (second) => {
      each(second)
      world.sign('e', -200_000)
    })
    assert.match(world.complaint ?? '', /fast, by NET-1\.$/, 'the one in the middle counts')
  })

  test('one witness against one is told to the log', () => {
    const world = new ClockWorld()
    world.network([world.node(PUBLIC)])
    const each = every(7, () => world.push(-60_000))
    world.pass(3 * MINUTE, each)
    assert.deepEqual([world.complaint, world.offsetSeconds], [null, null])
    assert.deepEqual(world.lines, ['as many say that the clock of this machine is wrong as say otherwise'])
  })

  test('is forgotten with its witnesses', () => {
    const world = new ClockWorld()
    world.offMs = 60_000
    world.pass(
      MINUTE,
      every(7, () => world.push()),
    )
    assert.ok(world.complaint)
    world.pass(16 * MINUTE)
    assert.deepEqual([world.complaint, world.offsetSeconds], [null, null])
    assert.equal(world.lines.at(-1), 'whether the clock of this machine is right is not known any more')
  })

  test('a moment is not enough', () => {
    const world = new ClockWorld()
    const network = world.network([world.node(PUBLIC)])
    world.pass(MINUTE)
    world.offMs = 60_000
    world.pass(20)
    world.offMs = 0
    world.pass(MINUTE)
    assert.deepEqual([network.network, world.lines], ['NET-1', []])
  })
})
