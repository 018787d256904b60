import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failure } from '../../src/domain/failure.js'
import { failureAnswer, jsonAnswer } from '../../src/http/failure-response.js'
import { withFailurePages } from '../../src/http/pages.js'
import type { Answer, Request, Resolve } from '../../src/http/server.js'
import { STYLE_SOURCE } from '../../src/page/style.js'
import { headFrom } from './head-from.js'

function answeredBy(answer: Answer | Promise<Answer>): Resolve {
  return () => ({
    bodyLimitBytes: 7,
    handle: () => answer,
    refuse: (code) => failureAnswer(failure(code), { Connection: 'close' }),
  })
}

function requestOf(path: string): Request {
  return { ...headFrom('192.0.2.1'), method: 'GET', path, body: Buffer.alloc(0), aborted: false }
}

async function ask(path: string, answer: Answer | Promise<Answer>): Promise<Answer> {
  const request = requestOf(path)
  return await withFailurePages(answeredBy(answer), false)(request).handle(request)
}

describe('a failure under /pay', () => {
  const limited = failureAnswer(failure('rate_limited'), { 'Retry-After': '42', 'X-Request-Id': 'a-1' })

  test('is a page with the status, the headers and the discipline of pages', async () => {
    const { status, headers, body } = await ask('/pay/x', limited)
    assert.equal(status, 429)
    assert.equal(headers['Content-Type'], 'text/html; charset=utf-8')
    assert.ok(headers['Content-Security-Policy']?.startsWith(`default-src 'none'; style-src ${STYLE_SOURCE};`))
    assert.equal(headers['Retry-After'], '42')
    assert.equal(headers['X-Request-Id'], 'a-1')
    assert.ok(typeof body === 'string' && body.includes('<meta http-equiv="refresh" content="42">'))
  })

  test('is a page whatever the failure, answered at once or later', async () => {
    for (const code of ['not_found', 'method_not_allowed', 'overloaded', 'shutting_down', 'internal'] as const) {
      const answer = failureAnswer(failure(code))
      for (const path of ['/pay', '/pay/', '/pay/x', '/pay/x/y']) {
        for (const given of [answer, Promise.resolve(answer)]) {
          const { status, headers } = await ask(path, given)
          assert.equal(status, answer.status)
          assert.equal(headers['Content-Type'], 'text/html; charset=utf-8', `${code} ${path}`)
        }
      }
    }
  })

  test('is a page when the adapter refuses the request', () => {
    const target = withFailurePages(answeredBy(limited), false)(requestOf('/pay/x'))
    assert.equal(target.bodyLimitBytes, 7)
    const { status, headers } = target.refuse('body_too_large')
    assert.equal(status, 413)
    assert.equal(headers['Content-Type'], 'text/html; charset=utf-8')
    assert.equal(headers.Connection, 'close')
  })

  test('elsewhere stays JSON, and a success stays what it is', async () => {
    for (const path of ['/api/pay/x', '/payments', '/', '/PAY/x']) assert.equal(await ask(path, limited), limited)
    const fine = jsonAnswer(200, {})
    assert.equal(await ask('/pay/x', fine), fine)
  })
})
