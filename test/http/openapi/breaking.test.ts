import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApiDocument } from '../../../src/http/openapi.js'
import { VERSION } from '../../../src/version.js'
import { projectRoot } from '../../support/project-root.js'
import { breaks } from './breaking.js'

/** The document of the last release; `released.json` is replaced when a version is released. */
const text = readFileSync(join(projectRoot, 'test/http/openapi/released.json'), 'utf8')

/** What only those see who have chosen the payload `events`, which the last release did not have. */
const CHOSEN: readonly RegExp[] = [
  /webhook(\/rotate)? 200 application\/json\.payload: enum was with-invoice and is with-invoice,events$/,
  /(deliveries|redeliver) 200 application\/json(\[\])?\.(invoiceId|reference|txHash|status): type was string and is string,null$/,
  /(deliveries|redeliver) 200 application\/json(\[\])?\.status: enum was pending,confirmed and is pending,confirmed,null$/,
]

/** Those that every service has. The document of no particular service leaves them open. */
const every = { networks: ['SEP', 'TRX-NILE'], currencies: ['native', 'USDT'] }

describe('the API', () => {
  test('breaks nothing that the last release promised', () => {
    const present = JSON.parse(JSON.stringify(openApiDocument({ version: VERSION, basePath: '', ...every })))
    const found = breaks(JSON.parse(text), present)
    assert.deepEqual(
      found.filter((one) => !CHOSEN.some((form) => form.test(one))),
      [],
    )
    for (const form of CHOSEN)
      assert.ok(
        found.some((one) => form.test(one)),
        `${form} is an exception to nothing`,
      )
  })

  // biome-ignore lint/suspicious/noExplicitAny: the document as data.
  const cases: readonly [what: string, change: (document: any) => void, found: RegExp | null][] = [
    ['an operation that is gone', (d) => delete d.paths['/api/info'], /GET \/api\/info is gone/],
    ['a new operation', (d) => Object.assign(d.paths, { '/api/new': d.paths['/api/info'] }), null],
    [
      'a parameter that is gone',
      (d) => d.paths['/api/users/{id}/invoices'].get.parameters.splice(1, 1),
      /query limit is gone/,
    ],
    [
      'a narrower parameter',
      (d) => Object.assign(d.paths['/api/users/{id}/invoices'].get.parameters[1].schema, { maximum: 10 }),
      /maximum was 1000/,
    ],
    [
      'a wider parameter',
      (d) => Object.assign(d.paths['/api/users/{id}/invoices'].get.parameters[1].schema, { maximum: 2000 }),
      null,
    ],
    [
      'a required parameter',
      (d) => Object.assign(d.paths['/api/users/{id}/invoices'].get.parameters[1], { required: true }),
      /query limit is required/,
    ],
    ['a field of a record that is gone', (d) => delete d.components.schemas.ApiKey.properties.label, /label is gone/],
    ['a field that may be absent now', (d) => d.components.schemas.ApiKey.required.pop(), /no longer sure/],
    [
      'a field that may be null now',
      (d) => Object.assign(d.components.schemas.ApiKey.properties.label, { type: ['string', 'null'] }),
      /type was string/,
    ],
    [
      'a new field of an answer',
      (d) => Object.assign(d.components.schemas.ApiKey.properties, { more: { type: 'string' } }),
      null,
    ],
    ['a new value in an answer', (d) => d.components.schemas.Delivery.properties.state.enum.push('lost'), /enum was/],
    ['a status that is gone', (d) => delete d.paths['/api/api-keys'].post.responses['201'], /201 is gone/],
    [
      'a header that is gone',
      (d) => delete d.paths['/api/invoices'].post.responses['201'].headers.Location,
      /Location is gone/,
    ],
    ['a field of a body that is required now', (d) => bodyOf(d).required.push('reference'), /reference is required/],
    ['a field of a body that is gone', (d) => delete bodyOf(d).properties.reference, /reference is gone/],
    ['a value of a body that is gone', (d) => bodyOf(d).properties.currency.enum.shift(), /enum was native/],
    [
      'a field of a listed record that is gone',
      (d) => delete d.components.schemas.Invoice.properties.name,
      /name is gone/,
    ],
    ['a new error code', (d) => d.components.schemas.Error.properties.code.enum.push('new_code'), null],
    ['anything of the sandbox', (d) => delete d.paths['/sandbox/deposits'], null],
  ]
  for (const [what, change, found] of cases) {
    test(`that has ${what} ${found === null ? 'breaks nothing' : 'is a break'}`, () => {
      const changed = JSON.parse(text)
      change(changed)
      const told = breaks(JSON.parse(text), changed)
      if (found === null) assert.deepEqual(told, [])
      else assert.match(told.join('\n'), found)
    })
  }
})

// biome-ignore lint/suspicious/noExplicitAny: the document as data.
function bodyOf(document: any) {
  return document.paths['/api/invoices'].post.requestBody.content['application/json'].schema
}
