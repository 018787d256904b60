import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { JsonScanner, SCALAR_BYTES_MAX } from '../../../src/networks/node/json-scanner.js'
import {
  either,
  fields,
  items,
  lazily,
  list,
  type Scalar,
  type Shape,
  scalar,
} from '../../../src/networks/node/json-shape.js'
import { MalformedJson } from '../../../src/networks/node/json-tokens.js'

/** Reads a text in pieces that end at these places. */
function read<T>(text: string | Buffer, shape: Shape<T>, cuts: readonly number[] = []): T {
  const bytes = Buffer.from(text)
  const scanner = new JsonScanner(shape)
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(Math.max(cut, from), bytes.length)
    scanner.push(bytes.subarray(from, to))
    from = to
  }
  scanner.push(bytes.subarray(from))
  return scanner.end()
}

type Kept = Scalar | undefined | readonly Kept[] | { readonly a?: Kept; readonly 'é"'?: Kept }

/** Scalars, lists, and the two fields of objects, at every level. */
const kept: Shape<Kept> = lazily(() => everyLevel)
const everyLevel: Shape<Kept> = either(scalar, either(fields({ a: kept, 'é"': kept }), list(kept, 1e6)))

const INTEGER = /^-?\d+$/

/** What `kept` keeps, by the parser of the language. */
function project(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(project)
  if (typeof value === 'number' && INTEGER.test(String(value)) && !Number.isSafeInteger(value))
    return BigInt(String(value))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => name === 'a' || name === 'é"')
  return Object.fromEntries(entries.map(([name, each]) => [name, project(each)]))
}

const name = fc.oneof(fc.constantFrom('a', 'é"', 'b', ''), fc.string({ unit: 'binary' }))
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\\\\', '"', '{', ']', ',', 'x'), maxLength: 40 }),
)
const leaf = fc.oneof(
  text,
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}))

describe('a scanner of JSON', () => {
  test('reads what the parser of the language reads, in whatever pieces it comes', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 12 })
    const spaces = fc.constantFrom(undefined, 1, '\t', '\n ')
    fc.assert(
      fc.property(value, cuts, spaces, (each, places, space) => {
        const json = JSON.stringify(each, null, space)
        assert.deepEqual(read(json, kept, places), project(JSON.parse(json)))
      }),
      { numRuns: 2000 },
    )
  })

  test('reads byte by byte, with a mark of the byte order in front', () => {
    const json = '\ufeff { "b": [1, {"a": "\\""}], "a": [true, "\\u00e9\\\\", -1.5e3], "\\u00e9\\"": null } '
    const everywhere = Array.from({ length: Buffer.byteLength(json) }, (_, i) => i)
    assert.deepEqual(read(json, kept, everywhere), { a: [true, 'é\\', -1500], 'é"': null })
  })

  test('keeps integers exact', () => {
    const numbers = ['9007199254740991', '9007199254740993', '-9223372036854775808', '1e3', '0.5', '123456789012345']
    assert.deepEqual(read(`[${numbers.join()}]`, list(scalar, 6)), [
      9007199254740991,
      9007199254740993n,
      -9223372036854775808n,
      1000,
      0.5,
      123456789012345,
    ])
  })

  test('takes the last of several fields of one name', () => {
    assert.deepEqual(read('{"a":1,"a":[2],"a":3}', fields({ a: scalar })), { a: 3 })
  })

  test('gives nothing for values of another type, and null for null', () => {
    const shape = fields({ a: scalar, b: list(scalar, 2), c: fields({}) })
    assert.deepEqual(read('{"a":{},"b":{"x":[1]},"c":"text"}', shape), { a: undefined, b: undefined, c: undefined })
    assert.deepEqual(read('{"a":null,"b":null,"c":null}', shape), { a: null, b: null, c: null })
    assert.deepEqual(read('{"b":[1,2,3]}', shape), { b: undefined })
    assert.equal(read('[]', shape), undefined)
    assert.equal(read(' null', shape), null)
    assert.deepEqual(read('{"__proto__":1,"constructor":2}', fields({ a: scalar })), {})
  })

  test('hands on items one by one, before the list ends', () => {
    const taken: unknown[] = []
    const shape = items(scalar, () => ({ take: (item, i) => taken.push([item, i]), end: () => 'end' }))
    const scanner = new JsonScanner(shape)
    scanner.push(Buffer.from('[1,"2",'))
    assert.deepEqual(taken, [
      [1, 0],
      ['2', 1],
    ])
    scanner.push(Buffer.from('{}]'))
    assert.equal(scanner.end(), 'end')
    assert.deepEqual(taken[2], [undefined, 2])
  })

  test('skips texts and names that are too long to keep', () => {
    const long = 'x'.repeat(SCALAR_BYTES_MAX + 1)
    const cuts = Array.from({ length: 40 }, (_, i) => i * 16_384 + 7)
    assert.deepEqual(read(`{"${long}":1,"a":"${long}","b":2}`, fields({ a: scalar, b: scalar }), cuts), {
      a: undefined,
      b: 2,
    })
    assert.deepEqual(read(`{"a":${'1'.repeat(SCALAR_BYTES_MAX + 1)},"b":2}`, fields({ a: scalar, b: scalar }), cuts), {
      a: undefined,
      b: 2,
    })
  })

  test('skips values nested too deeply for a parser that calls itself', () => {
    const deep = 1_000_000
    assert.deepEqual(read(`{"b":${'['.repeat(deep)}${']'.repeat(deep)},"a":1}`, fields({ a: scalar })), { a: 1 })
  })

  const malformed = [
    '',
    ' ',
    '{',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '[1 2]',
    '[1}',
    '{"a":1]',
    '1 2',
    '"a',
    '"\\x"',
    '01',
    '1.',
    '+1',
    'nul',
    'NaN',
    '<html>',
    'this API is closed',
    '{"b":[1,2',
    '{"b":"x',
  ]
  for (const json of malformed) {
    test(`refuses ${json === '' ? 'nothing' : json}`, () => {
      assert.throws(() => read(json, kept), MalformedJson)
    })
  }
})
