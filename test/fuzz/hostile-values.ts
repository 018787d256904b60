import fc from 'fast-check'

/**
 * A JSON object as its entries, in order: names may repeat, and `__proto__` is a name like any other, which a JavaScript
 * object would not let through.
 */
export type Entries = readonly (readonly [name: string, value: unknown])[]

/** JSON that `JSON.stringify` cannot write; the text stands for it until the body is written. */
const LITERALS: Readonly<Record<string, string>> = {
  '@infinite': '1e999',
  '@minus infinite': '-1e999',
  '@minus zero': '-0',
  '@tiny': '5e-324',
  '@beyond safe': '9007199254740993',
  '@long number': '9'.repeat(5000),
  '@long fraction': `0.${'1'.repeat(5000)}`,
  '@deep arrays': `${'['.repeat(25_000)}${']'.repeat(25_000)}`,
  '@deep objects': `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`,
}
const LITERAL_PLACES = new RegExp(
  Object.keys(LITERALS)
    .map((name) => `"${name}"`)
    .join('|'),
  'g',
)

/** The text of the object. */
export function writeEntries(entries: Entries): string {
  const members = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value ?? null)}`)
  return `{${members.join(',')}}`.replace(LITERAL_PLACES, (place) => LITERALS[place.slice(1, -1)] ?? place)
}

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'toJSON',
  'then',
  'length',
] as const

const NASTY_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ufeff',
  '\ufffe\uffff',
  '\ud800',
  '\udc00x',
  'a\udbff',
  '\u202eabc',
  '\u2066\u2066',
  '\u200b\u200d\ufe0f',
  'e\u0301'.repeat(300),
  '👩‍👩‍👧‍👦',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '𝕏'.repeat(130),
  '\u{10ffff}',
  '\u2028\u2029',
  '\u0085',
  '\r\nX-Injected: 1',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '{{7*7}}',
  "'; DROP TABLE invoices;--",
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '$where',
  '\\',
  'NaN',
  'Infinity',
  '1e5',
  '-1',
  '+1',
  '0x10',
  '١٢٣',
  '１２３',
  '1,5',
  '.',
  '1.',
  '.5',
  '00.10',
  '9'.repeat(61),
  `0.${'0'.repeat(17)}1`,
  `0.${'0'.repeat(18)}1`,
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(5000),
  'x,y',
  'native',
  'USDT',
  'Tether',
  '#native',
  'SEP',
  'javascript:alert(1)',
  'http://',
  'http://[::1',
  'https://a b',
  'file:///etc/passwd',
  '//127.0.0.1',
  'http:\\\\x',
  ...PROTOTYPE_NAMES,
] as const

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 90 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
      .map((units) => String.fromCharCode(...units)),
  },
)

const hostileNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    1,
    -1,
    0.5,
    1e-7,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 53),
    1e21,
    1e308,
    1.5,
    281474976710655,
    281474976710656,
    8.64e15,
  ),
)

const plainHostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(
    null,
    true,
    false,
    [],
    {},
    [null],
    [[]],
    ['invoices:create'],
    { length: 1 },
    { toString: 1 },
    ...Object.keys(LITERALS),
  ),
)

/** A value of any type, wherever a field of some other type is expected. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: plainHostile },
  { weight: 1, arbitrary: fc.array(plainHostile, { maxLength: 60 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, plainHostile, { maxKeys: 4, noNullPrototype: true }) },
)

/** Fields as their arbitraries of valid values: most are kept, some are hostile, missing, repeated or not foreseen. */
export function hostileEntries(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Entries> {
  const known = Object.entries(fields).map(([name, valid]) => {
    const entry = (value: unknown): Entries => [[name, value]]
    return fc.oneof(
      { weight: 14, arbitrary: valid.map(entry) },
      { weight: 2, arbitrary: hostileValue.map(entry) },
      { weight: 1, arbitrary: fc.constant<Entries>([]) },
    )
  })
  const extra = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Entries>([]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.oneof(fc.constantFrom(...PROTOTYPE_NAMES), hostileText), hostileValue)
        .map((entry): Entries => [entry]),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.keys(fields), '__proto__'), hostileValue)
        .map((entry): Entries => [entry]),
    },
  )
  return fc.tuple(fc.tuple(...known), extra, fc.boolean()).map(([entries, more, isFirst]) => {
    const flat = entries.flat()
    return isFirst ? [...more, ...flat] : [...flat, ...more]
  })
}

/** Text as a part of a path; a lone surrogate has no percent-encoding. */
export function inPath(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** What a header can hold of a text; the rest is what the raw fuzzer is for. */
export function inHeader(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 1000)
}

/** An object that keeps what can be kept: the first of repeated names, and `__proto__` as a name. */
export function asObject(entries: Entries): unknown {
  return Object.fromEntries(entries)
}
