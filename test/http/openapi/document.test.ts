import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiFailures, operatorFailures } from '../../../src/domain/failure.js'
import { endpoints } from '../../../src/http/endpoints.js'
import { failureStatus } from '../../../src/http/failure-status.js'
import { openApiDocument } from '../../../src/http/openapi.js'

const document = openApiDocument({ version: '1.2.3', basePath: '/shop' })
const text = JSON.stringify(document)

/** What a client downloads, at most. */
const DOCUMENT_LIMIT_BYTES = 250_000

/** Endpoints that the document leaves out, with the listener that alone has them, the program that uses it, or the spelling that it has instead. */
const LEFT_OUT = /^(GET \/metrics|GET \/app(\/:file)?|\w+ \/admin\/.*|\w+ \/console.*|POST \/sandbox\/ledger\/)$/

describe('the OpenAPI document', () => {
  test('has an operation for every endpoint that clients can reach, and no other', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
    assert.deepEqual(
      operations.sort(),
      Object.keys(endpoints)
        .filter((tag) => !LEFT_OUT.test(tag))
        .sort(),
    )
  })

  test('has every error code with its status, in the table of errors and in the answers of operations', () => {
    for (const code of apiFailures) {
      assert.ok(document.info.description.includes(`| ${failureStatus[code]} | \`${code}\` | `), code)
      // Only another method than that of an operation gets it.
      if (code !== 'method_not_allowed') assert.ok(text.includes(`"#/components/examples/${code}"`), code)
    }
  })

  test('has no error code that only operators are answered', () => {
    for (const code of operatorFailures) assert.ok(!text.includes(code), code)
  })

  test('names the path of the public URL and the version', () => {
    assert.equal(document.servers[0]?.url, '/shop')
    assert.equal(document.info.version, '1.2.3')
    assert.equal(openApiDocument({ version: '1.2.3', basePath: '' }).servers[0]?.url, '/')
  })

  test(`is smaller than ${DOCUMENT_LIMIT_BYTES} bytes`, () => {
    assert.ok(Buffer.byteLength(text) < DOCUMENT_LIMIT_BYTES, String(Buffer.byteLength(text)))
  })
})
