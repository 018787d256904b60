import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Slice, Turns } from '../../src/base/turns.js'
import type { ListQuery } from '../../src/http/list-query.js'
import { LISTS_UNDER_WAY_MAX, Lists, type PagedList } from '../../src/http/lists.js'
import type { Answer, Request } from '../../src/http/server.js'
import type { Page, PageOf } from '../../src/store/reading.js'
import { headFrom } from './head-from.js'

interface Item {
  readonly id: string
  readonly text: string
}

/** Lists whose turns the test gives, and what was charged. */
function world() {
  const tasks: (() => void)[] = []
  const charged: string[] = []
  const turns = new Turns({
    width: 1,
    now: () => 0,
    afterOthers: (task) => tasks.push(task),
    after: (_, task) => tasks.push(task),
  })
  const lists = new Lists({
    turns,
    clientOf: (head) => ({ key: head.remoteAddress(), isLoopback: false }),
    charge: (head) => charged.push(head.remoteAddress()),
  })
  const next = () => {
    for (const task of tasks.splice(0)) task()
  }
  return { charged, lists, turns, next }
}

const request = (address = '192.0.2.1'): Request => ({ ...headFrom(address), body: Buffer.alloc(0), aborted: false })

/** A list of `length` items, newest first, whose ids are their places. Each costs as many look-ups as said. */
function listOf(length: number, { owner = 'alice', lookups = 0, characters = 0 } = {}) {
  const asked: number[] = []
  const text = 'x'.repeat(characters)
  const from = (after: string | null) => (after === null ? 0 : Number(after) + 1)
  const list: PagedList<Item> = {
    owner,
    path: '/list',
    query: '&include=payment',
    read: ({ after, limit, slice }: Page): PageOf<Item> => {
      asked.push(limit)
      const items: Item[] = []
      for (let at = from(after); at < Math.min(length, from(after) + limit); at += 1) {
        items.push({ id: String(at), text })
        slice?.touch(lookups)
        if (slice?.isOver === true) break
      }
      const last = items.at(-1)
      return { items, next: last === undefined || Number(last.id) === length - 1 ? null : last.id }
    },
    nextOf: ({ after, limit }) => (from(after) + limit >= length ? null : String(from(after) + limit - 1)),
  }
  return { asked, list }
}

async function idsIn({ body }: Answer): Promise<number[]> {
  let text = ''
  if (typeof body === 'string') text = body
  else for await (const chunk of body as AsyncIterable<string>) text += chunk
  return JSON.parse(text).map(({ id }: Item) => Number(id))
}

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)
const page = (limit: number | null, cursor: string | null = null): ListQuery => ({ limit, cursor })

describe('a list', () => {
  for (const [length, query, ids, next] of [
    [0, page(null), [], null],
    [7, page(null), upTo(7), null],
    [5000, page(null), upTo(5000), null],
    [7, page(3), upTo(3), '2'],
    [7, page(7), upTo(7), null],
    [7, page(3, '5'), [6], null],
    [5000, page(1000), upTo(1000), '999'],
    [5000, page(1000, '3999'), upTo(1000, 4000), null],
    [5000, page(1000, '3998'), upTo(1000, 3999), '4998'],
  ] as const) {
    test(`of ${length} records, ${JSON.stringify(query)}: the records, and a link only where more follow`, async () => {
      const { lists } = world()
      const answer = await lists.answerPage(request(), listOf(length).list, query)
      const link = next === null ? undefined : `</list?limit=${query.limit}&cursor=${next}&include=payment>; rel="next"`
      assert.equal(answer.headers['Link'], link)
      assert.deepEqual(await idsIn(answer), [...ids])
    })
  }

  test('reads fewer records at once where they are long', async () => {
    const { lists } = world()
    const { asked, list } = listOf(200, { characters: 10_000 })
    assert.deepEqual(await idsIn(await lists.answer(request(), list)), upTo(200))
    assert.ok(Math.max(...asked.slice(1)) <= 7, `${asked}`)
  })

  test('gives others their turn when its look-ups are used up', async () => {
    const { lists, turns, next } = world()
    const { list } = listOf(10, { lookups: 100 })
    const ids = lists.answer(request(), list).then(idsIn)
    const seen: string[] = []
    // Four records of 100 look-ups use up a turn; the other one's piece comes before the fifth.
    await new Promise(setImmediate)
    void Promise.resolve(turns.run('bob', () => seen.push('bob')))
    assert.deepEqual(seen, [])
    for (let turn = 0; turn < 5; turn += 1) {
      next()
      await new Promise(setImmediate)
    }
    assert.deepEqual(seen, ['bob'])
    assert.deepEqual(await ids, upTo(10))
  })

  test(`is refused beyond ${LISTS_UNDER_WAY_MAX} under way for an owner or for a client, until one ends`, async () => {
    const { lists } = world()
    const open = (owner: string, address: string) => lists.answer(request(address), listOf(5000, { owner }).list)
    const underWay: Answer[] = []
    for (let n = 0; n < LISTS_UNDER_WAY_MAX; n += 1) underWay.push(await open('alice', `192.0.2.${n}`))
    assert.equal((await open('alice', '192.0.2.200')).status, 503)
    assert.equal((await open('bob', '192.0.2.200')).status, 200)
    for (let n = 1; n < LISTS_UNDER_WAY_MAX; n += 1) await open(`owner ${n}`, '192.0.2.200')
    assert.equal((await open('carol', '192.0.2.200')).status, 503)
    assert.equal((await open('carol', '192.0.2.201')).status, 200)
    // One is read to its end, and the client of another leaves before it has begun.
    const [first, second] = underWay
    assert.ok(first !== undefined && second !== undefined)
    await idsIn(first)
    assert.equal((await open('alice', '192.0.2.202')).status, 200)
    assert.equal((await open('alice', '192.0.2.203')).status, 503)
    await (second.body as AsyncIterable<string>)[Symbol.asyncIterator]().return?.()
    assert.equal((await open('alice', '192.0.2.203')).status, 200)
  })

  test('is charged when it has ended, whether it was streamed, short, refused by the store or left', async () => {
    const { charged, lists } = world()
    await lists.answer(request('short'), listOf(1).list)
    assert.deepEqual(charged, ['short'])
    const streamed = await lists.answer(request('streamed'), listOf(5000).list)
    assert.deepEqual(charged, ['short'])
    await idsIn(streamed)
    const failing = { ...listOf(1).list, read: () => Promise.reject(new Error('no')) }
    await assert.rejects(lists.answer(request('failing'), failing), /no/)
    assert.deepEqual(charged, ['short', 'streamed', 'failing'])
  })

  test('tells a failure in the middle to who reads it', async () => {
    const { lists } = world()
    const { list } = listOf(5000)
    let reads = 0
    const read = (asked: Page) => {
      reads += 1
      if (reads === 3) throw new Error('the disk')
      return list.read(asked)
    }
    const answer = await lists.answer(request(), { ...list, read })
    await assert.rejects(idsIn(answer), /the disk/)
  })
})

test('a piece is told of its slice', async () => {
  const { lists } = world()
  const slices: (Slice | undefined)[] = []
  const { list } = listOf(1)
  const read = (asked: Page) => {
    slices.push(asked.slice)
    return list.read(asked)
  }
  await lists.answer(request(), { ...list, read })
  assert.equal(slices.length, 1)
  assert.equal(slices[0]?.isOver, false)
})
