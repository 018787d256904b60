import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FinishedHook, type FinishedRequest, finishedHooks } from '../../src/http/router.js'

const request: FinishedRequest = {
  head: { method: 'GET', path: '/', query: '', header: () => undefined, requestId: '', remoteAddress: () => '' },
  method: 'GET',
  pattern: '/',
  status: 200,
  durationMs: 1,
}

function hook(): FinishedHook & { readonly seen: FinishedRequest[] } {
  const seen: FinishedRequest[] = []
  return { seen, now: () => 7, observe: (one) => seen.push(one) }
}

test('without anybody to tell, the router has no hook and measures nothing', () => {
  assert.deepEqual(finishedHooks([]), {})
})

test('everybody who wants to is told of a request, each once', () => {
  for (const hooks of [[hook()], [hook(), hook()], [hook(), hook(), hook()]]) {
    const { finished } = finishedHooks(hooks)
    assert.equal(finished?.now(), 7)
    finished.observe(request)
    for (const { seen } of hooks) assert.deepEqual(seen, [request])
  }
})
