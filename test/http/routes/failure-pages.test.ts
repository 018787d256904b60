import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failure } from '../../../src/domain/failure.js'
import { failureAnswer, jsonAnswer } from '../../../src/http/json.js'
import { createRouter } from '../../../src/http/router.js'
import { failurePages } from '../../../src/http/routes/failure-pages.js'
import type { Answer, RequestHead } from '../../../src/http/server.js'
import { PLAIN_PAGES, SHOP } from '../../page/frame.js'
import { headFrom } from '../head-from.js'

function present(path: string, answer: Answer, pages = PLAIN_PAGES): Answer {
  return failurePages(pages)(answer, { ...headFrom('192.0.2.1'), path })
}

describe('a failure under /pay or /order', () => {
  const limited = failureAnswer(failure('rate_limited'), { 'Retry-After': '42', 'X-Request-Id': 'a-1' })

  test('is a page with the status, the headers and the discipline of pages', () => {
    const { status, headers, body } = present('/pay/x', limited)
    assert.equal(status, 429)
    assert.equal(headers['Content-Type'], 'text/html; charset=utf-8')
    const nonce = /<style nonce="([^"]+)">/.exec(String(body))?.[1]
    assert.ok(headers['Content-Security-Policy']?.startsWith(`default-src 'none'; style-src 'nonce-${nonce}';`))
    assert.equal(headers['Retry-After'], '42')
    assert.equal(headers['X-Request-Id'], 'a-1')
    assert.ok(
      typeof body === 'string' && body.includes('<noscript><meta http-equiv="refresh" content="42"></noscript>'),
    )
  })

  test('is a page whatever the failure', () => {
    for (const code of ['not_found', 'method_not_allowed', 'overloaded', 'shutting_down', 'internal'] as const) {
      const answer = failureAnswer(failure(code))
      for (const path of ['/pay', '/pay/', '/pay/x', '/pay/x/y', '/order', '/order/x', '/order/x/y']) {
        const { status, headers } = present(path, answer)
        assert.equal(status, answer.status)
        assert.equal(headers['Content-Type'], 'text/html; charset=utf-8', `${code} ${path}`)
      }
    }
  })

  test('is a page also when a guard, the router, a handler or the adapter refuses', async () => {
    const handle = async () => failureAnswer(failure('invoice_not_found'))
    const guard = ({ query }: RequestHead) => (query === 'guard' ? failure('cross_site') : null)
    const resolve = createRouter(
      [{ method: 'GET', pattern: '/pay/:id', endpoint: { access: 'open' }, guards: [guard], handle }],
      { onError: () => assert.fail(), present: failurePages(PLAIN_PAGES) },
    )
    const head = { ...headFrom('192.0.2.1'), method: 'GET', path: '/pay/x' }
    const request = (more: Partial<RequestHead>) => ({ ...head, ...more, body: Buffer.alloc(0), aborted: false })
    const answers = [
      await resolve(head).handle(request({})),
      resolve(head).refuse('body_too_large'),
      await resolve({ ...head, method: 'POST' }).handle(request({ method: 'POST' })),
      await resolve({ ...head, query: 'guard' }).handle(request({ query: 'guard' })),
    ]
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['Content-Type']]),
      [404, 413, 405, 403].map((status) => [status, 'text/html; charset=utf-8']),
    )
  })

  test('shows the logo only where its relative address leads to it, and else the name', () => {
    for (const [path, isThere] of [
      ['/pay/x', true],
      ['/pay/', true],
      ['/pay', false],
      ['/pay/x/', false],
      ['/pay/x/qr/y.svg', false],
      ['/order/x', true],
      ['/order', false],
      ['/order/x/events', false],
    ] as const) {
      const { body } = present(path, limited, { ...PLAIN_PAGES, brand: SHOP })
      const src = path.startsWith('/order') ? '../pay/shop/logo/abc.svg' : 'shop/logo/abc.svg'
      assert.equal(String(body).includes(`<img src="${src}" alt="Tea House">`), isThere, path)
      if (isThere) assert.equal(new URL(src, `http://pay.test${path}`).pathname, '/pay/shop/logo/abc.svg')
      assert.equal(String(body).includes('<bdi>Tea House</bdi></p>'), !isThere, path)
    }
  })

  test('says of what there is none', () => {
    const missing = failureAnswer(failure('not_found'))
    assert.ok(String(present('/pay/x', missing).body).includes('<h1>Invoice not found</h1>'))
    assert.ok(String(present('/order/x', missing).body).includes('<h1>Order not found</h1>'))
  })

  test('elsewhere stays JSON, and a success stays what it is', () => {
    for (const path of ['/api/pay/x', '/payments', '/', '/PAY/x', '/orders', '/api/orders/x'])
      assert.equal(present(path, limited), limited)
    const fine = jsonAnswer(200, {})
    assert.equal(present('/pay/x', fine), fine)
  })
})
