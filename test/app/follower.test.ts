import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError, type BillhookEvent } from '@billhook/client'
import { EMPTY_TALLY } from '../../packages/app/src/events/day-totals.js'
import { follow, pauseMs } from '../../packages/app/src/events/follower.js'

function event(id: string, at = 0): BillhookEvent {
  return { id, type: 'invoice.created', at, invoiceId: `invoice of ${id}` } as BillhookEvent
}

type Look = readonly BillhookEvent[] | Error

interface Followed {
  readonly news: string[]
  readonly asked: (string | undefined)[]
  readonly kept: string[]
  readonly counted: string[]
  readonly connection: boolean[]
  readonly pauses: number[]
  gaps: number
}

/** Follows through these looks, of which each is one answer, then ends. `news` may fail. */
async function followed(
  looks: readonly Look[],
  cursor: string | null = null,
  deal: (event: BillhookEvent) => void = () => undefined,
): Promise<Followed> {
  const end = new AbortController()
  const left = [...looks]
  const seen: Followed = { news: [], asked: [], kept: [], counted: [], connection: [], pauses: [], gaps: 0 }
  await follow({
    async *list(after) {
      seen.asked.push(after)
      const look = left.shift()
      if (look instanceof Error) throw look
      yield* look ?? []
    },
    place: {
      read: async () => (cursor === null ? null : { cursor, tally: EMPTY_TALLY }),
      write: async (kept) => void seen.kept.push(kept.cursor),
    },
    // How many events were counted, so that none counts twice.
    count: (tally, one) => ({ ...tally, confirmed: [...tally.confirmed, one.id] }),
    onTally: ({ confirmed }) => void seen.counted.push(confirmed.join('')),
    onNews: async (events) => {
      for (const one of events) {
        deal(one)
        seen.news.push(one.id)
      }
    },
    onGap: async () => {
      seen.gaps += 1
    },
    onConnection: (isLost) => seen.connection.push(isLost),
    isVisible: () => true,
    pause: async (ms) => {
      seen.pauses.push(ms)
      if (left.length === 0) end.abort()
    },
    ended: end.signal,
  })
  return seen
}

describe('following events', () => {
  test('goes on behind the cursor that was kept, and keeps the next one', async () => {
    const { asked, news, kept, gaps } = await followed([[event('2'), event('3')], [], [event('4')]], '1')
    assert.deepEqual(
      [asked, news, kept],
      [
        ['1', '3', '3'],
        ['2', '3', '4'],
        ['3', '4'],
      ],
    )
    assert.equal(gaps, 0)
  })

  test('reads a long log through, reads the lists anew, and reports its end and what comes later', async () => {
    const log = Array.from('abcdefghijklmnopqrstuvw', (id) => event(id))
    const { news, kept, gaps } = await followed([log, [event('x')]])
    assert.deepEqual([news.join(''), kept, gaps], ['defghijklmnopqrstuvwx', ['w', 'x'], 1])
  })

  test('asks no clock what is news: that of the device may be hours wrong', async () => {
    const years = 5e10
    const { news, gaps } = await followed([[], [event('1', -years)], [event('2', years)]], '0')
    assert.deepEqual([news, gaps], [['1', '2'], 0])
  })

  test('tells that the connection is lost, waits longer, and goes on where it was', async () => {
    const away = new BillhookError('no answer', 'unreachable')
    const { asked, connection, pauses, news } = await followed([[event('1')], away, away, [event('2')]])
    assert.deepEqual(asked, [undefined, '1', '1', '1'])
    assert.deepEqual(connection, [true, true, false])
    assert.deepEqual(pauses, [2000, 4000, 8000, 2000])
    assert.deepEqual(news, ['1', '2'])
  })

  test('takes no event as dealt with that was not', async () => {
    let failures = 1
    const { asked, news, kept, counted } = await followed([[event('1')], [event('1')]], '0', () => {
      if (failures-- > 0) throw new BillhookError('no answer', 'unreachable')
    })
    assert.deepEqual([asked, news, kept], [['0', '0'], ['1'], ['1']])
    assert.deepEqual(counted, ['', '1'])
  })

  test('reads everything anew where events behind the cursor are gone', async () => {
    const gone = new BillhookError('removed', 'events_removed', { status: 410 })
    const { asked, gaps, news, counted } = await followed([gone, [event('8'), event('9')]], '1')
    assert.deepEqual(counted, ['', '89'])
    assert.deepEqual([asked, gaps, news], [['1', undefined], 1, ['8', '9']])
  })

  test('is slower in a hidden tab, and bounded after failures', () => {
    assert.deepEqual([pauseMs(0, true), pauseMs(0, false), pauseMs(1, false)], [2000, 15_000, 15_000])
    assert.equal(pauseMs(1000, true), 30_000)
  })
})
