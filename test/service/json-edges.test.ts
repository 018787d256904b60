import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'

/*
 * The kinds of case that JSONTestSuite has, made here: what must be taken as JSON (y), what must not (n), and what RFC 8259
 * leaves to the parser (i), for which the table says what this service does. Each is a body of `POST /api/invoices`.
 */

type Bytes = string | Uint8Array

/** As the value of a member: `{"x": …}`. */
const values: Readonly<Record<'y' | 'n', Readonly<Record<string, readonly Bytes[]>>>> = {
  y: {
    numbers: [
      '0',
      '-0',
      '1',
      '-1',
      '10',
      '0.5',
      '-0.5',
      '1e1',
      '1E1',
      '1e+1',
      '1e-1',
      '0e1',
      '0e+1',
      '1.5e10',
      '123.456e78',
      ' 4 ',
      '0.000000000000000001',
    ],
    'numbers beyond what is exact (i)': [
      '1e999',
      '-1e999',
      '1e-999',
      '9007199254740993',
      '100000000000000000000',
      '1'.repeat(1000),
      `0.${'1'.repeat(1000)}`,
      '123123e100000',
    ],
    strings: [
      '""',
      '"a"',
      '"\u00e4"',
      '"\\""',
      '"\\\\"',
      '"\\/"',
      '"\\b\\f\\n\\r\\t"',
      '"\\u0000"',
      '"\\u00e4"',
      '"\\ud83d\\ude00"',
      '"\\uDBFF\\uDFFF"',
      '"\u007f"',
      '"\u2028\u2029"',
      '"\ufeff"',
      '"\uffff"',
      '"\u{10ffff}"',
      '"a/*b*/c"',
      '"\\u0022"',
      '"\\\\u0000"',
      '"😀"',
    ],
    'strings with lone surrogates (i)': [
      '"\\ud800"',
      '"\\udc00"',
      '"\\ud800\\ud800"',
      '"\\udc00\\ud800"',
      '"\\ud800a"',
      '"\\ud83d\\u0041"',
    ],
    structures: [
      '[]',
      '{}',
      '[[]]',
      '{"a":{}}',
      '[null]',
      '[true,false]',
      '[1,\n2\t,\r3]',
      '{"a":1,"a":2}',
      '{"":0}',
      '{"\\u0000":0}',
      '{"__proto__":1}',
      'null',
      'true',
      'false',
      '[[[[[[[[[[]]]]]]]]]]',
    ],
    'structures nested as deeply as a body allows (i)': [
      '['.repeat(32_000) + ']'.repeat(32_000),
      `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
    ],
  },
  n: {
    numbers: [
      '+1',
      '01',
      '-01',
      '00',
      '1.',
      '.5',
      '-.5',
      '-',
      '1e',
      '1e+',
      '1E-',
      '1.e1',
      '1..5',
      '0x1',
      '0b1',
      '1_000',
      '1,5',
      'NaN',
      'Infinity',
      '-Infinity',
      '-NaN',
      '1 2',
      '1a',
      '--1',
      '+-1',
      '1+2',
      '1e1.5',
      '\uff11',
      '0.3e',
      '1eE2',
      '2.e+3',
      '-2.',
      '- 1',
      '1L',
    ],
    strings: [
      "'a'",
      '"',
      '"a',
      'a',
      '"\\"',
      '"\\x41"',
      '"\\a"',
      '"\\u"',
      '"\\u12"',
      '"\\u12G4"',
      '"\\U0041"',
      '"\\uD83D\\u"',
      '"\\ud800\\"',
      '"\n"',
      '"\t"',
      '"\u0000"',
      '"\u001f"',
      '"a"b',
      '\\u0022a\\u0022',
      '\u201ca\u201d',
      '`a`',
      '"\\ "',
      '"\\\u00e4"',
      '"\\\n"',
    ],
    structures: [
      '[',
      ']',
      '[1',
      '[1,',
      '[1,]',
      '[,1]',
      '[,]',
      '[1,,2]',
      '[1 2]',
      '["a":1]',
      '[}',
      '{]',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"a":1,}',
      '{,"a":1}',
      '{"a":1,,"b":2}',
      '{"a" 1}',
      '{"a"::1}',
      '{a:1}',
      "{'a':1}",
      '{1:1}',
      '{null:1}',
      '{"a":1 "b":2}',
      '{"a",1}',
      '{[]:1}',
      '[1]]',
      '{"a":/*c*/1}',
      '// c\n1',
      '1 # c',
      'undefined',
      'True',
      'nul',
      'nulll',
      'TRUE',
      'tru',
      '',
      '<null>',
      '*',
      '[\u000b1]',
      '[\u000c1]',
      '[\u00a01]',
      '[\u20601]',
      '[\u30001]',
      '[\ufeff1]',
      '(1)',
      'new Date()',
      '-{}',
      '['.repeat(30_000),
      '{"a":'.repeat(9_000),
    ],
    'bytes that are not UTF-8': [
      Buffer.of(0x22, 0xff, 0x22),
      Buffer.of(0x22, 0x80, 0x22),
      Buffer.of(0x22, 0xc3, 0x22),
      Buffer.of(0x22, 0xc0, 0xaf, 0x22),
      Buffer.of(0x22, 0xe0, 0x80, 0x80, 0x22),
      Buffer.of(0x22, 0xed, 0xa0, 0x80, 0x22),
      Buffer.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22),
      Buffer.of(0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22),
      Buffer.of(0x22, 0xe2, 0x82, 0x22),
      Buffer.of(0xff),
      Buffer.from('"\u00e4"', 'latin1'),
    ],
  },
}

/** As the whole body. */
const bodies: Readonly<Record<'y' | 'n', Readonly<Record<string, readonly Bytes[]>>>> = {
  y: {
    'an object with space around it': ['{}', ' {}', '{} ', '\t\r\n {}\n\r\t ', '{"a":1}\n'],
  },
  n: {
    'no object': ['', ' ', '[]', 'null', 'true', '0', '""', '"{}"', '[{}]'],
    'an object and more': [
      '{}{}',
      '{}x',
      '{}]',
      '{} null',
      '{},',
      ';{}',
      '{}\u0000',
      '\u0000{}',
      '{}\u00a0',
      '\u00a0{}',
      '{}//',
      '{}#',
      ")]}',\n{}",
    ],
    'a byte order mark (i)': ['\ufeff{}', Buffer.of(0xef, 0xbb, 0xbf), Buffer.from('\ufeff{"a":1}', 'utf8')],
    'UTF-16 (i)': [
      Buffer.from('{}', 'utf16le'),
      Buffer.from('\ufeff{}', 'utf16le'),
      Buffer.from('{"a":"\u00e4"}', 'utf16le').swap16(),
    ],
  },
}

function asMember(value: Bytes): Buffer {
  return Buffer.concat([Buffer.from('{"x": '), Buffer.from(value), Buffer.from('}')])
}

for (const http of HTTP_ENGINES) {
  describe(`bodies that are JSON or nearly so, over ${http}`, () => {
    let fixture: ServiceFixture
    before(async () => {
      fixture = await ServiceFixture.start({ BILLHOOK_HTTP: http })
    })
    after(() => fixture.stop())

    async function codeFor(body: Buffer): Promise<unknown> {
      const response = await fetch(`${fixture.url}/api/invoices`, { method: 'POST', body: new Uint8Array(body) })
      assert.equal(response.status, 400)
      const { code }: { code: unknown } = JSON.parse(await response.text())
      return code
    }

    function testAll(
      title: string,
      table: Readonly<Record<'y' | 'n', Readonly<Record<string, readonly Bytes[]>>>>,
      wrap: (value: Bytes) => Buffer,
    ): void {
      for (const verdict of ['y', 'n'] as const) {
        for (const [category, cases] of Object.entries(table[verdict])) {
          test(`${title}, ${category}: ${verdict === 'y' ? 'read, and refused for its fields only' : 'refused as no JSON'}`, async () => {
            // The fields of an invoice are all missing, which is known only when the body has been read.
            const expected = verdict === 'y' ? 'invalid_invoice' : 'invalid_json'
            for (const one of cases) {
              const body = wrap(one)
              assert.equal(await codeFor(body), expected, JSON.stringify(body.toString('latin1').slice(0, 60)))
            }
          })
        }
      }
    }

    testAll('a member', values, asMember)
    testAll('a body', bodies, (value) => Buffer.from(value))

    test('fields that are right are read from among members that only try to disturb', async () => {
      await fixture.assign('shop', { id: 'w', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' })
      const disturbing = [...Object.values(values.y).flat()].filter((value) => value.length < 5_000)
      for (const [n, value] of disturbing.entries()) {
        const fields = Buffer.from(`"owner":"shop","walletIds":["w"],"name":"Order","amount":"${n + 1}",`)
        const names = Buffer.from(`"__proto__":{"amount":"0"},"constructor":null,"x":`)
        const body = Buffer.concat([Buffer.from('{'), fields, names, Buffer.from(value), Buffer.from('}')])
        const response = await fetch(`${fixture.url}/api/invoices`, { method: 'POST', body: new Uint8Array(body) })
        const answer = await response.text()
        assert.equal(response.status, 201, answer)
      }
    })
  })
}
