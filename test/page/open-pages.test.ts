import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import {
  BEAT_MS,
  CONFIRMING_EVERY_MS,
  CONFIRMING_PAGES_MAX,
  OPEN_PAGES_PER_CLIENT_MAX,
  OpenPages,
  type OpenPagesOptions,
  type PageState,
  TOLD_AT_ONCE,
  type Waiting,
} from '../../src/page/open-pages.js'
import { invoiceOfPage, type PageName, payPage } from '../../src/page/page-name.js'

/** More turns of the event loop than reading a few invoices takes. */
const TURNS = 10

async function settle(): Promise<void> {
  for (let i = 0; i < TURNS; i += 1) await turn()
}

/** The state of a page that waits for nothing but deposits. */
function stateOf(version: string | undefined): PageState | undefined {
  return version === undefined ? undefined : { version, isConfirming: false }
}

/** What a page was told, as far as its stream has been read. */
class Reader {
  readonly told: string[] = []
  isDone = false
  private readonly iterator: AsyncIterator<string>

  constructor(stream: AsyncIterable<string> | null) {
    assert.ok(stream !== null, 'there was no room')
    this.iterator = stream[Symbol.asyncIterator]()
  }

  /** Reads until the stream ends. */
  async run(): Promise<void> {
    for (let next = await this.iterator.next(); next.done !== true; next = await this.iterator.next()) {
      this.told.push(next.value)
    }
    this.isDone = true
  }

  async leave(): Promise<void> {
    await this.iterator.return?.()
  }

  get versions(): readonly (string | undefined)[] {
    return this.told.flatMap((event) => /^event: changed\ndata: (.*)$/m.exec(event)?.[1] ?? [])
  }
}

describe('open pages', () => {
  const opened: OpenPages[] = []
  after(() => {
    for (const pages of opened) pages.close()
  })

  function openPages(more: Partial<OpenPagesOptions> = {}) {
    const versions = new Map([
      ['a', 'a1'],
      ['b', 'b1'],
    ])
    const reads: string[] = []
    const pages = new OpenPages({
      stateOf: async (page) => {
        const id = invoiceOfPage(page)
        reads.push(id)
        return stateOf(versions.get(id))
      },
      onError: (error) => assert.fail(String(error)),
      ...more,
    })
    opened.push(pages)
    const open = (waiting: Partial<Waiting> = {}) =>
      pages.open({ page: 'pay/a', walletIds: ['w1', 'w2'], invoiceIds: ['a'], seen: 'a1', client: null, ...waiting })
    const read = (waiting: Partial<Waiting> = {}) => {
      const reader = new Reader(open(waiting))
      void reader.run()
      return reader
    }
    return { pages, open, read, versions, reads }
  }

  test('say at once that they listen, and nothing else to a page that is up to date', async () => {
    const { read } = openPages()
    const reader = read()
    await settle()
    assert.deepEqual(reader.told, ['retry: 2000\n\n'])
  })

  test('tell a page what it has missed', async () => {
    const { read } = openPages()
    const readers = [read({ seen: 'a0' }), read({ seen: null })]
    await settle()
    for (const reader of readers) assert.deepEqual(reader.told.slice(1), ['id: a1\nevent: changed\ndata: a1\n\n'])
  })

  test('are told of a change on any of their wallets, once for each version', async () => {
    const { pages, read, versions } = openPages()
    const [first, other] = [read(), read({ page: 'pay/b', walletIds: ['w3'], seen: 'b1' })]
    await settle()
    versions.set('a', 'a2')
    pages.changed(new Set(['w2', 'w1', 'unknown']))
    await settle()
    pages.changed(new Set(['w1']))
    await settle()
    assert.deepEqual(first.versions, ['a2'])
    assert.deepEqual(other.versions, [])
  })

  test('cost one reading of an invoice for a change, however many show it', async () => {
    const { pages, read, versions, reads } = openPages()
    const readers = Array.from({ length: 100 }, () => read())
    await settle()
    reads.length = 0
    versions.set('a', 'a2')
    pages.changed(['w1'])
    pages.changed(['w2'])
    await settle()
    assert.deepEqual(reads, ['a'])
    for (const reader of readers) assert.deepEqual(reader.versions, ['a2'])
  })

  test('are told of a change of one invoice alone, and no other one is read', async () => {
    const { pages, read, versions, reads } = openPages()
    const [first, other] = [read(), read({ page: 'pay/b', invoiceIds: ['b'], seen: 'b1' })]
    await settle()
    reads.length = 0
    versions.set('a', 'a2')
    pages.ownChanged(['a', 'unknown'])
    await settle()
    assert.deepEqual(reads, ['a'])
    assert.deepEqual([first.versions, other.versions], [['a2'], []])
  })

  test('of an order are told of a change of any of its invoices or wallets', async () => {
    const versions = new Map<PageName, string>([['order/a', 'o1']])
    const { pages, read } = openPages({ stateOf: async (page) => stateOf(versions.get(page)) })
    const reader = read({ page: 'order/a', walletIds: ['w1', 'w9'], invoiceIds: ['a', 'b'], seen: 'o1' })
    await settle()
    for (const [version, change] of [
      ['o2', () => pages.ownChanged(['b'])],
      ['o3', () => pages.ownChanged(['a'])],
      ['o4', () => pages.changed(['w9'])],
    ] as const) {
      versions.set('order/a', version)
      change()
      await settle()
    }
    assert.deepEqual(reader.versions, ['o2', 'o3', 'o4'])
    await reader.leave()
    versions.set('order/a', 'o5')
    pages.ownChanged(['a', 'b'])
    pages.changed(['w1', 'w9'])
    await settle()
    assert.deepEqual(reader.versions, ['o2', 'o3', 'o4'])
  })

  test('let other work have its turn between many invoices, and miss none', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `invoice ${i}`)
    const { pages, open } = openPages({ stateOf: async (page) => stateOf(`${invoiceOfPage(page)}, new`) })
    const readers = ids.map((id) => new Reader(open({ page: payPage(id), walletIds: ['w1'], seen: `${id}, new` })))
    await settle()
    for (const reader of readers) void reader.run()
    let turns = 0
    pages.changed(['w1'])
    const counting = (async () => {
      while (turns < TURNS) {
        await turn()
        turns += 1
      }
    })()
    await counting
    assert.equal(pages.size, 200)
  })

  test('tell few pages of one invoice at once, and in the end all', async () => {
    const { pages, read, versions } = openPages()
    const readers = Array.from({ length: 5 * TOLD_AT_ONCE }, () => read())
    await settle()
    versions.set('a', 'a2')
    pages.changed(new Set(['w1']))
    const told = () => readers.filter((reader) => reader.versions.length > 0).length
    const steps: number[] = []
    for (let before = 0; before < readers.length; before = told()) {
      await turn()
      steps.push(told() - before)
      assert.ok(steps.length < 100, `${steps}`)
    }
    assert.ok(Math.max(...steps) <= TOLD_AT_ONCE, `${steps}`)
  })

  test('give few pages a sign of life at once, and in the end all', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { read } = openPages()
    const readers = Array.from({ length: 5 * TOLD_AT_ONCE }, () => read())
    await settle()
    t.mock.timers.tick(BEAT_MS)
    const alive = () => readers.filter(({ told }) => told.length > 1).length
    const steps: number[] = []
    for (let before = 0; before < readers.length; before = alive()) {
      await turn()
      steps.push(alive() - before)
      assert.ok(steps.length < 100, `${steps}`)
    }
    assert.ok(Math.max(...steps) <= 2 * TOLD_AT_ONCE, `${steps}`)
  })

  test('note all invoices on wallets that changed, however many they are', async () => {
    const reads: string[] = []
    const { pages, read } = openPages({
      stateOf: async (page) => {
        reads.push(invoiceOfPage(page))
        return stateOf('1')
      },
    })
    const wallets = Array.from({ length: 50 }, (_, n) => `w${n}`)
    const ids = Array.from({ length: 300 }, (_, n) => `${n}`)
    for (const id of ids) read({ page: payPage(id), walletIds: wallets, seen: '1' })
    for (let before = -1; reads.length > before; before = reads.length, await settle());
    reads.length = 0
    pages.changed(new Set(wallets))
    for (let before = -1; reads.length > before; before = reads.length, await settle());
    assert.deepEqual(new Set(reads), new Set(ids))
  })

  test('keep only the latest version for a client that does not read', async () => {
    const { pages, open, versions } = openPages()
    const stream = open()
    await settle()
    for (const version of ['a2', 'a3', 'a4']) {
      versions.set('a', version)
      pages.changed(['w1'])
      await settle()
    }
    const reader = new Reader(stream)
    void reader.run()
    await settle()
    assert.deepEqual(reader.versions, ['a4'])
  })

  test('are bounded, and make room when they are left', async () => {
    const { pages, open, read } = openPages({ pageLimit: 2 })
    const [first] = [read(), read({ page: 'pay/b', walletIds: ['w3'] })]
    assert.equal(open(), null)
    await first?.leave()
    assert.equal(pages.size, 1)
    assert.notEqual(open(), null)
  })

  test('are bounded for each client, but for those without a limit', () => {
    const { pages, open } = openPages()
    for (let i = 0; i < OPEN_PAGES_PER_CLIENT_MAX; i += 1) assert.notEqual(open({ client: '192.0.2.1' }), null)
    assert.equal(open({ client: '192.0.2.1' }), null)
    assert.notEqual(open({ client: '192.0.2.2' }), null)
    for (let i = 0; i <= OPEN_PAGES_PER_CLIENT_MAX; i += 1) assert.notEqual(open(), null)
    assert.equal(pages.size, 2 * OPEN_PAGES_PER_CLIENT_MAX + 2)
  })

  test('count a page once when it is left twice', async () => {
    const { pages, read } = openPages()
    const [first] = [read({ client: 'c' }), read({ client: 'c' })]
    await first?.leave()
    await first?.leave()
    assert.equal(pages.size, 1)
  })

  test('end together, and then there is no room', async () => {
    const { pages, open, read } = openPages()
    const readers = [read(), read({ page: 'pay/b', walletIds: ['w3'] })]
    pages.close()
    await settle()
    assert.ok(readers.every(({ isDone }) => isDone))
    assert.equal(pages.size, 0)
    assert.equal(open(), null)
  })

  test('look again and again at what blocks confirm, for as long as they do', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    let state: PageState = { version: 'a1', isConfirming: true }
    const { read, reads } = openPages({
      stateOf: async (id) => {
        reads.push(id)
        return state
      },
    })
    const [first, second] = [read(), read()]
    await settle()
    for (const version of ['a1', 'a2', 'a2', 'a3']) {
      state = { version, isConfirming: version !== 'a3' }
      t.mock.timers.tick(CONFIRMING_EVERY_MS)
      await settle()
    }
    for (const reader of [first, second]) assert.deepEqual(reader.versions, ['a2', 'a3'])
    reads.length = 0
    t.mock.timers.tick(5 * CONFIRMING_EVERY_MS)
    await settle()
    assert.deepEqual(reads, [])
  })

  test('look at a bounded number of pages at a time, in turn, and at none that is left', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const looked = new Map<string, number>()
    const { pages, open, read } = openPages({
      stateOf: async (id) => {
        looked.set(id, (looked.get(id) ?? 0) + 1)
        return { version: id, isConfirming: true }
      },
    })
    const crowd = 2
    for (let i = 0; i < CONFIRMING_PAGES_MAX / crowd; i += 1) {
      for (const half of ['x', 'y', 'z']) for (let n = 0; n < crowd; n += 1) open({ page: payPage(`${half}${i}`) })
    }
    const left = read({ page: 'pay/left' })
    for (let i = 0; i < TURNS; i += 1) await settle()
    await left.leave()
    looked.clear()
    for (let second = 1; second <= 3; second += 1) {
      t.mock.timers.tick(CONFIRMING_EVERY_MS)
      await settle()
      assert.deepEqual([looked.size, new Set(looked.values())], [second * (CONFIRMING_PAGES_MAX / crowd), new Set([1])])
    }
    assert.equal(looked.has('pay/left'), false)
    pages.close()
  })

  test('go on after an invoice could not be read', async () => {
    const errors: unknown[] = []
    let fails = true
    const { pages, read } = openPages({
      stateOf: async () => (fails ? assert.fail('the disk is gone') : stateOf('a2')),
      onError: (error) => errors.push(error),
    })
    const reader = read()
    await settle()
    fails = false
    pages.changed(['w1'])
    await settle()
    assert.equal(errors.length, 1)
    assert.deepEqual(reader.versions, ['a2'])
  })
})
