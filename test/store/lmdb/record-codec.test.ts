import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Packr } from 'msgpackr'
import {
  bytes,
  CorruptRecord,
  fieldsOf,
  flag,
  integer,
  listOf,
  oneOf,
  orNull,
  recordCodec,
  storedAs,
  text,
} from '../../../src/store/lmdb/tables/record-codec.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

interface Sample {
  readonly text: string
  readonly maybe: string | null
  readonly count: number
  readonly when: number | null
  readonly flag: boolean
  readonly bytes: Uint8Array
  readonly rest: Uint8Array | null
  readonly kind: 'a' | 'b'
}

const codec = recordCodec<Sample>('samples', 2, {
  text,
  maybe: orNull(text),
  count: integer,
  when: orNull(integer),
  flag,
  bytes,
  rest: orNull(bytes),
  kind: oneOf(['a', 'b']),
})

const good: readonly unknown[] = [2, 'text', null, 7, null, true, Buffer.of(1, 2), null, 'b']
const packr = new Packr({ useRecords: false })

describe('a stored record', () => {
  test('comes back as it was written', () => {
    const samples: readonly Sample[] = [
      {
        text: '',
        maybe: '',
        count: 0,
        when: 0,
        flag: false,
        bytes: new Uint8Array(0),
        rest: new Uint8Array(0),
        kind: 'a',
      },
      {
        text: 'é😀\0"\u2028'.repeat(500),
        maybe: null,
        count: Number.MAX_SAFE_INTEGER,
        when: -1,
        flag: true,
        bytes: new Uint8Array(3000).fill(255),
        rest: null,
        kind: 'b',
      },
    ]
    for (const sample of samples) {
      const back = codec.decode(codec.encode(sample))
      assert.deepEqual(
        { ...back, bytes: [...back.bytes], rest: back.rest && [...back.rest] },
        {
          ...sample,
          bytes: [...sample.bytes],
          rest: sample.rest && [...sample.rest],
        },
      )
    }
  })

  const wrong: readonly (readonly [string, unknown])[] = [
    ['another version', [1, ...good.slice(1)]],
    ['no version', []],
    ['no list', { version: 2 }],
    ['null', null],
    ['a text that is a number', good.with(1, 7)],
    ['a text that is null', good.with(1, null)],
    ['an integer that is a text', good.with(3, '7')],
    ['an integer that is a fraction', good.with(3, 7.5)],
    ['an integer that is unsafe', good.with(3, 2 ** 53)],
    ['an integer that is NaN', good.with(3, Number.NaN)],
    ['a flag that is a number', good.with(5, 1)],
    ['bytes that are a text', good.with(6, 'ab')],
    ['bytes that are a list', good.with(6, [1, 2])],
    ['none of the set', good.with(8, 'c')],
    ['a field that is missing', good.slice(0, -1)],
    ['a field too many', [...good, 'more']],
    ['an undefined field', good.with(2, undefined)],
  ]
  for (const [what, fields] of wrong) {
    test(`with ${what} is a corrupt one`, () => {
      assert.throws(() => codec.decode(packr.pack(fields)), CorruptRecord)
    })
  }

  for (const [what, packed] of [
    ['nothing', Buffer.alloc(0)],
    ['half of itself', packr.pack(good).subarray(0, 6)],
    ['itself and more', Buffer.concat([packr.pack(good), Buffer.of(1)])],
    ['noise', Buffer.from('\xc1\xff\x00noise', 'latin1')],
  ] as const) {
    test(`of ${what} is a corrupt one`, () => {
      assert.throws(() => codec.decode(packed), CorruptRecord)
    })
  }

  test('may hold lists, groups of fields, and fields that are stored as something else', () => {
    interface Order {
      readonly lines: readonly { readonly name: string; readonly count: number }[]
      readonly total: bigint
    }
    const orders = recordCodec<Order>('orders', 1, {
      lines: listOf(fieldsOf<Order['lines'][number]>({ name: text, count: integer })),
      total: storedAs(text, String, BigInt),
    })
    const order: Order = {
      lines: [
        { name: 'a', count: 1 },
        { name: 'b', count: 2 },
      ],
      total: 2n ** 80n,
    }
    assert.deepEqual(packr.unpack(orders.encode(order)), [1, 2, 'a', 1, 'b', 2, String(2n ** 80n)])
    assert.deepEqual(orders.decode(orders.encode(order)), order)
    assert.deepEqual(orders.decode(orders.encode({ ...order, lines: [] })), { ...order, lines: [] })
    assert.throws(() => orders.decode(packr.pack([1, 2, 'a', 1, 'b', '2'])), /orders has no integer in field 5/)
  })

  test('of an earlier version is read as that version says', () => {
    const earlier = recordCodec<{ readonly flag: boolean }>('samples', 1, { flag })
    const later = recordCodec<{ readonly flag: boolean; readonly count: number }>(
      'samples',
      2,
      { flag, count: integer },
      { 1: (from) => ({ flag: flag.read(from), count: 0 }) },
    )
    assert.deepEqual(later.decode(earlier.encode({ flag: true })), { flag: true, count: 0 })
    assert.throws(() => earlier.decode(later.encode({ flag: true, count: 1 })), CorruptRecord)
  })

  test('keeps its bytes when the buffer that it was read from is used again', () => {
    const packed = Buffer.from(
      codec.encode({
        text: 't',
        maybe: null,
        count: 1,
        when: 2,
        flag: true,
        bytes: Buffer.alloc(40, 9),
        rest: Buffer.alloc(16, 8),
        kind: 'a',
      }),
    )
    const back = codec.decode(packed)
    packed.fill(0)
    assert.deepEqual([...back.bytes], new Array(40).fill(9))
    assert.deepEqual([...(back.rest ?? [])], new Array(16).fill(8))
  })

  test('is read by itself from LMDB, whatever its length and that of the record read before', async () => {
    const directory = temporaryDirectory()
    const root = openEnvironment(directory.path)
    try {
      const { events } = openTables(root)
      const sizes = [0, 1, 20, 300, 4000, 40_000, 400_000]
      const sample = (size: number): Sample => ({
        text: 'x'.repeat(size),
        maybe: null,
        count: size,
        when: null,
        flag: true,
        bytes: new Uint8Array(size).fill(7),
        rest: null,
        kind: 'a',
      })
      await root.transaction(() => {
        for (const size of sizes) events.putSync(Buffer.of(1, sizes.indexOf(size)), codec.encode(sample(size)))
      })
      const read = (size: number) => {
        const packed = events.getBinaryFast(Buffer.of(1, sizes.indexOf(size)))
        assert.ok(packed !== undefined)
        return codec.decode(packed)
      }
      for (const first of sizes) {
        for (const second of sizes) {
          const long = read(first)
          const short = read(second)
          for (const [one, size] of [
            [long, first],
            [short, second],
          ] as const) {
            assert.equal(one.count, size)
            assert.ok(one.text === 'x'.repeat(size))
            assert.ok(one.bytes.length === size && one.bytes.every((byte) => byte === 7))
          }
        }
      }
    } finally {
      await root.close()
      directory.remove()
    }
  })
})
