import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { framingOf } from '../../../src/http/uws/framing.js'

describe('the framing of a request on uWebSockets.js', () => {
  const cases: readonly (readonly [what: string, headers: readonly string[], framing: ReturnType<typeof framingOf>])[] =
    [
      ['no body', ['host', 'x'], undefined],
      ['a length', ['host', 'x', 'content-length', '12'], 12],
      ['no bytes', ['host', 'x', 'content-length', '0'], 0],
      ['two hosts', ['host', 'x', 'host', 'x'], 'malformed_request'],
      ['two lengths', ['content-length', '1', 'content-length', '2'], 'malformed_request'],
      ['the same length twice', ['content-length', '1', 'content-length', '1'], 'malformed_request'],
      ['an empty length', ['content-length', ''], 'malformed_request'],
      ['an empty length before another', ['content-length', '', 'content-length', '1'], 'malformed_request'],
      ['a list of lengths', ['content-length', '1, 1'], 'malformed_request'],
      ['a sign', ['content-length', '+1'], 'malformed_request'],
      ['hexadecimal', ['content-length', '0x1'], 'malformed_request'],
      ['a length that cannot be counted', ['content-length', '9'.repeat(16)], 'malformed_request'],
      ['chunked', ['transfer-encoding', 'chunked'], 'length_required'],
      ['an empty encoding', ['transfer-encoding', ''], 'length_required'],
      ['an encoding behind a length', ['content-length', '1', 'transfer-encoding', 'gzip'], 'length_required'],
    ]
  for (const [what, headers, framing] of cases) {
    test(what, () => assert.equal(framingOf(headers), framing))
  }
})
