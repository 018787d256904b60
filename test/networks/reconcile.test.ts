import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failedAgain } from '../../src/domain/aside.js'
import { NodeUnavailable } from '../../src/networks/network-reader.js'
import { addressOf } from '../support/fixtures.js'
import { again, BLOCKS, type Books, CONFIRMATIONS, HEIGHT, TX, withBooks } from './books.js'
import { NO_FAULTS } from './simulated-reader.js'

/** The deposit of the block was received at an offset from the block's time. */
function at(books: Books, offsetMs: number): Promise<void> {
  return again(books, 'confirmed', { receivedAt: books.timeOf(HEIGHT) + offsetMs })
}

describe('a reconciliation', () => {
  test(
    'of books that are right finds nothing, and says what it went through',
    withBooks(async (books) => {
      const result = { blocks: 16, transfers: 16, differences: 0, repaired: 0, recovered: 0, next: 21 }
      assert.deepEqual(await books.reconcile({ intake: books.intake }), result)
      assert.deepEqual(books.told, [])
      assert.deepEqual(books.steps.at(-1), result)
    }),
  )

  test(
    'settles blocks that were set aside and can be read now, only where it repairs',
    withBooks(async (books, t) => {
      const { network } = books.reader
      await books.report('dropped', { txHash: TX })
      const { transfers: _, ...block } = books.chain.present[HEIGHT] ?? assert.fail()
      const aside = failedAgain(undefined, { network, height: HEIGHT, reason: 'unreadable' }, 1)
      await books.intake.observe({ type: 'set_aside', network, block, aside })
      const other = { ...block, height: HEIGHT + 1, hash: 'other', parentHash: block.hash }
      await books.intake.observe({ type: 'set_aside', network, block: other, aside })
      const heights = async () => (await t.store.aside.blocks(network)).map(({ height }) => height)
      assert.equal((await books.reconcile()).recovered, 0)
      assert.deepEqual(await heights(), [HEIGHT, HEIGHT + 1])
      const { repaired, recovered } = await books.reconcile({ intake: books.intake })
      assert.deepEqual([repaired, recovered], [1, 1])
      // The chain has another block there.
      assert.deepEqual(await heights(), [HEIGHT + 1])
      assert.equal((await t.store.deposits.find(network, TX, 0))?.kind, 'confirmed')
      assert.equal((await books.reconcile({ intake: books.intake })).differences, 0)
    }),
  )

  test(
    'tells of a transaction of which nothing is known, leaves its deposits alone, and settles its block where it repairs',
    withBooks(async (books, t) => {
      const { network } = books.reader
      const { transfers: _, ...block } = books.chain.present[HEIGHT] ?? assert.fail()
      const aside = failedAgain(undefined, { network, height: HEIGHT, reason: 'not traced' }, 1)
      await books.intake.observe({ type: 'set_aside', network, block, aside })
      books.reader.untold.set(HEIGHT, TX)
      const heights = async () => (await t.store.aside.blocks(network)).map(({ height }) => height)
      const kindBefore = (await t.store.deposits.find(network, TX, 0))?.kind
      await books.reconcile()
      assert.deepEqual([books.words(), await heights()], [[`untold ${TX} in ${HEIGHT}`], [HEIGHT]])
      const { repaired, recovered, differences } = await books.reconcile({ intake: books.intake })
      assert.deepEqual([differences, repaired, recovered, await heights()], [1, 0, 1, []])
      assert.equal((await t.store.deposits.find(network, TX, 0))?.kind, kindBefore)
      assert.notEqual(kindBefore, undefined)
    }),
  )

  const faults: readonly (readonly [string, (books: Books) => Promise<void>, readonly string[], boolean?])[] = [
    ['one that is not confirmed', (b) => again(b, 'pending', {}), [`other ${TX} in ${HEIGHT} by kind`]],
    ['one that was dropped', (b) => b.report('dropped', { txHash: TX }), [`other ${TX} in ${HEIGHT} by kind`]],
    ['another amount', (b) => again(b, 'confirmed', { amount: '6' }), [`other ${TX} in ${HEIGHT} by amount`]],
    [
      'another currency',
      (b) => again(b, 'confirmed', { currency: 'Tether', amount: '5000000' }),
      [`other ${TX} in ${HEIGHT} by currency`],
    ],
    [
      'another time',
      (b) => again(b, 'pending', { receivedAt: b.timeOf(HEIGHT) + 1000 }),
      [`other ${TX} in ${HEIGHT} by receivedAt,kind`],
    ],
    ['a time before it', (b) => at(b, -1), [`other ${TX} in ${HEIGHT} by receivedAt`]],
    ['the beginning of its second', (b) => at(b, 0), []],
    ['a moment of its second', (b) => at(b, 250), []],
    ['the end of its second', (b) => at(b, 999), []],
    [
      'another address',
      (b) => again(b, 'confirmed', { toAddress: addressOf('wallet-2') }),
      [`other ${TX} in ${HEIGHT} by toAddress`],
    ],
    [
      'the same written otherwise',
      (b) => again(b, 'confirmed', { amount: '5.00', toAddress: addressOf('wallet-1').toUpperCase(), currency: null }),
      [],
    ],
    [
      'one that is not on the chain',
      (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(HEIGHT) }),
      [`not_on_chain x in ${HEIGHT}`],
    ],
    [
      'one of the end of a second that is not on the chain',
      (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(HEIGHT) + 999 }),
      [`not_on_chain x in ${HEIGHT}`],
    ],
    [
      'one of another observer behind that second',
      (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(HEIGHT) + 1000 }),
      ['unplaced x'],
      true,
    ],
    [
      'one that is not on the chain and was dropped',
      async (b) => {
        await b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(HEIGHT) })
        await b.report('dropped', { txHash: 'x' })
      },
      [],
    ],
    [
      'one of another observer',
      (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(HEIGHT) + 1 }),
      ['unplaced x'],
      true,
    ],
    [
      'one to somebody else',
      (b) => b.report('confirmed', { txHash: 'x', toAddress: addressOf('stranger'), receivedAt: b.timeOf(HEIGHT) }),
      [],
    ],
    ['one before the range', (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(4) }), []],
    ['one behind the range', (b) => b.report('confirmed', { txHash: 'x', receivedAt: b.timeOf(21) }), []],
  ]
  for (const [what, spoil, expected, isLeft = false] of faults) {
    test(
      `with ${what} tells it, and puts it right only when asked`,
      withBooks(async (books, t) => {
        await spoil(books)
        const list = async () => (await t.store.deposits.page('SEP', { after: null, limit: 1000 })).items
        const before = await list()
        await books.reconcile()
        assert.deepEqual(books.words(), expected)
        assert.deepEqual(await list(), before)

        const { repaired, differences } = await books.reconcile({ intake: books.intake })
        assert.deepEqual([differences, repaired], [expected.length, isLeft ? 0 : expected.length])
        books.told.length = 0
        await books.reconcile()
        assert.deepEqual(books.words(), isLeft ? expected : [])
        if (expected.length > 0 && !isLeft) {
          const deposit = await t.store.deposits.find('SEP', TX, 0)
          assert.deepEqual(
            [deposit?.kind, deposit?.amount, deposit?.toAddress],
            ['confirmed', '5', addressOf('wallet-1')],
          )
          const isTimeKept = !expected.some((one) => one.includes('receivedAt'))
          assert.equal(deposit?.receivedAt, books.timeOf(HEIGHT) + (isTimeKept ? 0 : 999))
        }
      }),
    )
  }

  test(
    'finds what the store has nothing of',
    withBooks(async (books, t) => {
      const missing = { txHash: 'new', index: 3, toAddress: addressOf('wallet-2'), currency: 'Tether', amount: '7' }
      for (let n = 0; n < 10; n += 1) books.chain.mine(n === 0 ? [missing] : [])
      await books.reconcile({ from: 1, to: BLOCKS + 1, intake: books.intake })
      assert.deepEqual(books.words(), [`missing new in ${BLOCKS + 1}`])
      assert.equal((await t.store.deposits.find('SEP', 'new', 3))?.kind, 'confirmed')
    }),
  )

  test(
    'takes no deposit of the block behind for one of its last, though a hasty node gave both one time',
    withBooks(async (books, t) => {
      const timeMs = books.timeOf(BLOCKS) + 1000
      const shared = ['a', 'b', 'c'].map((txHash) => {
        const transfer = { txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '5' }
        books.chain.mine([transfer], timeMs)
        return transfer
      })
      for (let n = 0; n < CONFIRMATIONS; n += 1) books.chain.mine([])
      for (const transfer of shared) await books.report('confirmed', { ...transfer, receivedAt: timeMs })
      const told: (readonly string[])[] = []
      for (const height of [1, 2, 3].map((n) => BLOCKS + n)) {
        books.told.length = 0
        await books.reconcile({ from: height, to: height, intake: books.intake })
        told.push(books.words())
      }
      assert.deepEqual(told, [[], [], []])
      for (const { txHash } of shared) assert.equal((await t.store.deposits.find('SEP', txHash, 0))?.kind, 'confirmed')
    }),
  )

  test(
    'of a network with several blocks in a second finds nothing, wherever a window ends',
    withBooks(async (books) => {
      const first = BLOCKS + 1
      const secondMs = books.timeOf(BLOCKS) + 1000
      for (let n = 0; n < 20; n += 1) {
        const transfer = {
          txHash: `fast-${n}`,
          index: 0,
          toAddress: addressOf('wallet-1'),
          currency: '#native',
          amount: '5',
        }
        const { timeMs } = books.chain.mine([transfer], secondMs + Math.floor(n / 5) * 1000)
        await books.report('confirmed', { ...transfer, receivedAt: timeMs + (n % 3 === 0 ? 999 : 100 + n) })
      }
      for (let n = 0; n < CONFIRMATIONS; n += 1) books.chain.mine([], secondMs + 4000)
      for (let from = first; from < first + 10; from += 1) {
        await books.reconcile({ from, to: from + 9, intake: books.intake, windowBlocks: 3 })
        assert.deepEqual(books.words(), [], `from ${from - first}`)
      }
    }),
  )

  test(
    'does nothing about a deposit in a second of blocks that are not all known',
    withBooks(async (books) => {
      const timeMs = books.timeOf(BLOCKS) + 1000
      for (let n = 0; n < 150; n += 1) books.chain.mine([], timeMs)
      await books.report('confirmed', { txHash: 'x', receivedAt: timeMs + 999 })
      for (const edge of [BLOCKS + 1, BLOCKS + 120]) {
        books.told.length = 0
        await books.reconcile({ from: edge, to: edge, intake: books.intake })
        assert.deepEqual(books.words(), ['unplaced x'])
      }
    }),
  )

  test(
    'leaves what came in a token that the catalogue has lost: it is on no chain for who does not ask for it',
    withBooks(async (books) => {
      const lost = { txHash: 'x', currency: 'USDC', amount: '7', receivedAt: books.timeOf(HEIGHT) }
      await books.report('confirmed', lost)
      const decimals = { SEP: { native: 18, USDT: 6, USDC: 6 } }
      await books.reconcile({ decimals, isRead: (currency) => currency !== 'USDC', intake: books.intake })
      await books.reconcile({ decimals })
      assert.deepEqual(books.words(), ['unplaced x', `not_on_chain x in ${HEIGHT}`])
    }),
  )

  test(
    'sees what lies between two windows',
    withBooks(async (books) => {
      const between = books.timeOf(11) + 1
      await books.report('confirmed', { txHash: 'x', receivedAt: between })
      await books.reconcile()
      assert.deepEqual(books.words(), ['unplaced x'], 'the first window ends with block 11')
    }),
  )

  test(
    'can be ended and gone on with, and then has seen everything',
    withBooks(async (books) => {
      await again(books, 'pending', {})
      await books.report('confirmed', { txHash: 'x', receivedAt: books.timeOf(18) })
      books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      let from = 5
      let attempts = 0
      while (from <= 20) {
        const until = books.reader.asked.blocks + 9
        const { next } = await books.reconcile({
          from,
          intake: books.intake,
          isStopping: () => books.reader.asked.blocks >= until,
        })
        from = next
        attempts += 1
        assert.ok(attempts < 10)
      }
      assert.ok(attempts > 1)
      assert.deepEqual(books.words(), [`other ${TX} in ${HEIGHT} by kind`, 'not_on_chain x in 18'])
    }),
  )

  test(
    'of blocks that are not confirmed is refused, and one without nodes fails where it says',
    withBooks(async (books) => {
      await assert.rejects(
        books.reconcile({ to: BLOCKS }),
        /block 30 is not confirmed yet; the last confirmed one is 26/,
      )
      let answers = 9
      const reader = new Proxy(books.reader, {
        get: (target, name) => {
          if (name === 'blocks' && answers-- <= 0) return () => Promise.reject(new NodeUnavailable('gone'))
          const member: unknown = Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
      books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      await assert.rejects(books.reconcile({ reader }), NodeUnavailable)
      assert.equal(books.steps.at(-1)?.next, 12)
    }),
  )
})
