import assert from 'node:assert/strict'
import { after, test as always, before } from 'node:test'
import fc from 'fast-check'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { Session } from '../../../../src/store/postgres/connection/session.js'
import { compile, Fragment, sql, type Value } from '../../../../src/store/postgres/connection/sql.js'
import type { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

let session: Session
if (server !== null) {
  before(async () => {
    const address = parseDatabaseAddress(present().url())
    assert.ok(address !== undefined)
    session = await Session.open(address)
  })
  after(() => session.close())
}

/** The value of an expression, as it comes back. */
async function read(expression: Fragment): Promise<unknown> {
  const { rows } = await session.run<{ value: unknown }>(sql`SELECT ${expression} AS value`)
  assert.equal(rows.length, 1)
  return rows[0]?.value
}

/** What UTF-8 makes of a text: a surrogate without its other half becomes U+FFFD. */
function inUtf8(text: string): string {
  return Buffer.from(text).toString()
}

/** Texts of what is escaped on the way, what looks like it, and what an array gives a meaning to. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u0000', '\u0001', '0', '1', '\\', '"', "'", ',', '{', '}', ' ', 'NULL', '\\u0000', '\n'),
      fc.constantFrom('é', '😀', '\ufffd', '\uffff', '\ud83d', '\ude00'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

test('a text comes back as it went, alone, in an array, and within JSON', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.option(text), { maxLength: 4 }), async (one, several) => {
      const [alone, array, json] = await Promise.all([
        read(sql`${one}::text`),
        read(sql`${several}::text[]`),
        read(sql`json_build_object('one', ${one}::text, 'several', ${several}::text[])`),
      ])
      const expected = several.map((item) => (item === null ? null : inUtf8(item)))
      assert.equal(alone, inUtf8(one))
      assert.deepEqual(array, expected)
      assert.deepEqual(json, { one: inUtf8(one), several: expected })
    }),
  )
})

test('every short text of NUL, U+0001 and the digits that stand for them comes back as it went', async () => {
  const alphabet = ['\u0000', '\u0001', '0', '1']
  let texts = ['']
  for (let length = 1; length <= 5; length += 1) {
    texts = texts.flatMap((start) => alphabet.map((character) => start + character))
    assert.deepEqual(await read(sql`${texts}::text[]`), texts)
    const rows = await session.run(sql`SELECT value FROM unnest(${texts}::text[]) WITH ORDINALITY AS t (value, place)
      ORDER BY place`)
    assert.deepEqual(
      rows.rows.map(({ value }) => value),
      texts,
    )
  }
})

test('two texts are the same for the database when they are the same here', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (one, other) => {
      assert.equal(await read(sql`${one}::text = ${other}::text`), inUtf8(one) === inUtf8(other))
    }),
  )
})

const NINES_96 = 10n ** 96n - 1n

/** A value, how it is written, and what comes back. */
const VALUES: readonly (readonly [name: string, expression: Fragment, value: unknown])[] = [
  ['a lone high surrogate', sql`${'a\ud83d'}::text`, 'a\ufffd'],
  ['a lone low surrogate', sql`${'\ude00a'}::text`, '\ufffda'],
  ['lone surrogates side by side in an array', sql`${['\ud83d', '\ude00']}::text[]`, ['\ufffd', '\ufffd']],
  ['a numeric of 96 digits', sql`${NINES_96}::numeric`, NINES_96],
  ['a negative numeric of 96 digits', sql`${-NINES_96}::numeric`, -NINES_96],
  ['a sum of numerics', sql`${NINES_96}::numeric + ${1}::numeric`, 10n ** 96n],
  ['numerics in an array', sql`(${[NINES_96, 0n, -1n]}::numeric[])[1]`, NINES_96],
  ['zero', sql`${0n}::numeric`, 0n],
  ['the greatest safe integer', sql`${Number.MAX_SAFE_INTEGER}::bigint`, Number.MAX_SAFE_INTEGER],
  ['the least safe integer', sql`${Number.MIN_SAFE_INTEGER}::bigint`, Number.MIN_SAFE_INTEGER],
  ['a count', sql`(SELECT count(*) FROM generate_series(1, 3))`, 3],
  ['a bigint that was given as one', sql`${2n ** 53n - 1n}::bigint`, Number.MAX_SAFE_INTEGER],
  ['a greater one, read as a numeric', sql`${2n ** 63n - 1n}::bigint::numeric`, 2n ** 63n - 1n],
  ['a smallint', sql`${7}::smallint`, 7],
  ['a boolean', sql`${false}::boolean`, false],
  ['booleans', sql`${[true, false, null]}::boolean[]`, [true, false, null]],
  ['a null text', sql`${null}::text`, null],
  ['a null bigint', sql`${null}::bigint`, null],
  ['a null numeric', sql`${null}::numeric`, null],
  ['a null uuid', sql`${null}::uuid`, null],
  ['a null array', sql`${null}::text[]`, null],
  ['a null JSON', sql`${null}::json`, null],
  ['a UUID', sql`${'018bcfe568000123456789abcdefABCD'}::uuid`, '018bcfe568000123456789abcdefabcd'],
  ['an empty text', sql`${''}::text`, ''],
  ['an empty array of texts', sql`${[]}::text[]`, []],
  ['an empty array of UUIDs', sql`cardinality(${[]}::uuid[])`, 0],
  ['nulls in an array of texts', sql`${[null, 'NULL', null, '']}::text[]`, [null, 'NULL', null, '']],
  ['nulls in an array of numbers', sql`array_to_string(${[1, null, 3]}::bigint[], ',', '-')`, '1,-,3'],
  ['bytes', sql`${Buffer.from('00015c2700ff', 'hex')}::bytea`, Buffer.from('00015c2700ff', 'hex')],
  ['no bytes', sql`${Buffer.alloc(0)}::bytea`, Buffer.alloc(0)],
  ['a part of a larger buffer', sql`${new Uint8Array([1, 2, 3, 4]).subarray(1, 3)}::bytea`, Buffer.from([2, 3])],
  [
    'arrays of bytes',
    sql`${[Buffer.from([0, 1]), new Uint8Array([9, 8, 7]).subarray(1), Buffer.alloc(0)]}::bytea[]`,
    [Buffer.from([0, 1]), Buffer.from([8, 7]), Buffer.alloc(0)],
  ],
  ['an empty array of bytes', sql`${[]}::bytea[]`, []],
]

for (const [name, expression, value] of VALUES) {
  test(`${name} comes back as expected`, async () => {
    assert.deepEqual(await read(expression), value)
  })
}

const INT8 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const hex = fc.stringMatching(/^[0-9a-f]{32}$/)

/** Arrays of a type, and how the server writes an element as text. */
const ARRAYS: readonly (readonly [type: string, element: fc.Arbitrary<unknown>, text: (element: never) => string])[] = [
  ['bigint', fc.oneof(fc.bigInt(INT8), fc.maxSafeInteger(), fc.integer()), String],
  ['smallint', fc.integer({ min: -32_768, max: 32_767 }), String],
  ['boolean', fc.boolean(), String],
  ['uuid', hex, (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
  ['bytea', fc.uint8Array({ maxLength: 40 }), (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`],
  ['numeric', fc.bigInt({ min: -NINES_96, max: NINES_96 }), String],
]

for (const [type, element, textOf] of ARRAYS) {
  test(`the server reads every ${type}[] as it was given`, async () => {
    const cast = new Fragment([`::${type}[]::text[]`], [])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(element), { maxLength: 20 }), async (items) => {
        const expected = items.map((item) => (item === null ? null : textOf(item as never)))
        const array = new Fragment(['', ...cast.strings], [items as readonly Value[]])
        assert.deepEqual(await read(array), expected)
      }),
    )
  })
}

test('an array of texts of any length comes back as it went, also behind a large one', async () => {
  const texts = ['a', 'é', '\u0000', '😀'].flatMap((one) => [62, 63, 64, 65, 400].map((n) => one.repeat(n)))
  for (const items of [texts, [...texts, 'é'.repeat(300_000), null, ...texts], texts]) {
    assert.deepEqual(await read(sql`${items}::text[]`), items)
  }
})

/** An array with an element that is not of its type, and the code of the server's refusal. */
const REFUSED: readonly (readonly [array: Fragment, code: string])[] = [
  [sql`${[1, 1.5]}::bigint[]`, '22P02'],
  [sql`${[1n, 2n ** 63n]}::bigint[]`, '22003'],
  [sql`${[Number.NaN]}::bigint[]`, '22P02'],
  [sql`${['one']}::bigint[]`, '22P02'],
  [sql`${[32_768]}::smallint[]`, '22003'],
  [sql`${['yes', 'maybe']}::boolean[]`, '22P02'],
  [sql`${['018bcfe5680001234567', null]}::uuid[]`, '22P02'],
  [sql`${['0123456789abcdef0123456789abcdeg']}::uuid[]`, '22P02'],
]

for (const [array, code] of REFUSED) {
  test(`an array with an element that is not of its type is refused: ${compile(array).values.map(toText)}`, async () => {
    await assert.rejects(read(array), { code })
    assert.equal(await read(sql`1`), 1)
  })
}

function toText(value: Value): string {
  return Array.isArray(value) ? value.map(String).join(', ') : String(value)
}

for (const text of ['9007199254740992', '-9007199254740992', '9223372036854775807']) {
  test(`the bigint ${text} is refused, since a number would lose it, and the session goes on`, async () => {
    const refusal = { message: `the database answered ${text}, which is no safe integer` }
    await assert.rejects(read(sql`${BigInt(text)}::bigint`), refusal)
    assert.equal(await read(sql`1`), 1)
  })
}

test('statements that are sent at once are answered in order, whether others fail', async () => {
  const asked = Array.from({ length: 50 }, (_, i) =>
    i % 7 === 3 ? read(sql`1 / ${0}::bigint`) : read(sql`${i}::bigint`),
  )
  for (const [i, answer] of (await Promise.allSettled(asked)).entries()) {
    if (i % 7 === 3) assert.equal(answer.status === 'rejected' && answer.reason.code, '22012')
    else assert.equal(answer.status === 'fulfilled' && answer.value, i)
  }
})
