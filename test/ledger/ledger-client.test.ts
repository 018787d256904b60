import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { createLedgerClient, type LedgerClient } from '../../src/ledger/ledger-client.js'
import { always, MISSING, serveNode } from './node-server.js'

function client(context: TestContext, urls: readonly string[], timeoutMs = 5000): LedgerClient {
  const made = createLedgerClient({ urls, timeoutMs, answerLimitBytes: 1000 })
  context.after(() => made.close())
  return made
}

const present = always(200, '{"stream":{"$stream":true}}')

describe('the ledger client', () => {
  test('finds an identity whose stream is there', async (context) => {
    assert.equal(await client(context, [await serveNode(context, present)]).hasIdentity('i1'), true)
  })

  test('does not find one whose stream the node misses', async (context) => {
    assert.equal(await client(context, [await serveNode(context, always(500, MISSING))]).hasIdentity('i1'), false)
  })

  test('reads an answer that declares an encoding that is none', async (context) => {
    const url = await serveNode(context, always(200, '{"stream":{}}', { 'Content-Encoding': 'none' }))
    assert.equal(await client(context, [url]).hasIdentity('i1'), true)
  })

  test('asks for the id percent-encoded, below the path of the address', async (context) => {
    const paths: string[] = []
    const url = await serveNode(context, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      present(request, response)
    })
    const asked = client(context, [`${url}/core/`])
    for (const id of ['i1', 'a/../b?c#d', 'ü 😀', 'x\ud800']) assert.equal(await asked.hasIdentity(id), true)
    assert.deepEqual(paths, [
      'GET /core/api/stream/i1',
      'GET /core/api/stream/a%2F..%2Fb%3Fc%23d',
      'GET /core/api/stream/%C3%BC%20%F0%9F%98%80',
      'GET /core/api/stream/x%EF%BF%BD',
    ])
  })

  test('asks nobody for an id that no path can name', async (context) => {
    const url = await serveNode(context, () => assert.fail('the node was asked'))
    for (const id of ['', '.', '..']) assert.equal(await client(context, [url]).hasIdentity(id), false)
  })

  const unclear: readonly [what: string, answer: RequestListener][] = [
    ['another error of the node', always(500, '{"name":"ActiveError","message":"URL Request Failed : x - 503"}')],
    ['a missing stream under another name', always(500, '{"name":"Error","message":"x - 404"}')],
    ['a 404 in the middle of the text', always(500, '{"name":"ActiveError","message":"x - 404 times"}')],
    ['an error without text', always(500, '{"name":"ActiveError"}')],
    ['a missing stream with another status', always(502, MISSING)],
    ['status 404', always(404, '{}')],
    ['a redirect', always(302, '', { Location: 'http://127.0.0.1:1/' })],
    ['success without a stream', always(200, '{}')],
    ['success with a null stream', always(200, '{"stream":null}')],
    ['success with a list', always(200, '[]')],
    ['success with a text', always(200, '"stream"')],
    ['success with what is no JSON', always(200, '<html>')],
    ['success with nothing', always(200, '')],
    ['an answer that is too long', always(200, `{"stream":{"x":"${'x'.repeat(2000)}"}}`)],
    [
      'an answer that is cut off',
      (_, response) => void response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy()),
    ],
    ['a connection that is reset', (request) => void request.socket.destroy()],
  ]
  for (const [what, answer] of unclear) {
    test(`passes over ${what}`, async (context) => {
      const urls = [await serveNode(context, answer), await serveNode(context, always(500, MISSING))]
      assert.equal(await client(context, urls.slice(0, 1)).hasIdentity('i1'), 'unreachable')
      assert.equal(await client(context, urls).hasIdentity('i1'), false)
    })
  }

  test('gives a node that never answers its time and asks the next', async (context) => {
    const urls = [await serveNode(context, () => undefined), await serveNode(context, present)]
    assert.equal(await client(context, urls.slice(0, 1), 50).hasIdentity('i1'), 'unreachable')
    assert.equal(await client(context, urls, 3000).hasIdentity('i1'), true)
  })

  test('cuts off a node that drips its answer', async (context) => {
    const url = await serveNode(context, (_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    assert.equal(await client(context, [url], 100).hasIdentity('i1'), 'unreachable')
  })

  test('finds nothing certain at an address where nobody listens, or at none', async (context) => {
    const url = await serveNode(context, present)
    assert.equal(await client(context, ['http://127.0.0.1:1', url]).hasIdentity('i1'), true)
    assert.equal(await client(context, ['http://127.0.0.1:1']).hasIdentity('i1'), 'unreachable')
    assert.equal(await client(context, []).hasIdentity('i1'), 'unreachable')
  })

  test('takes the first certain answer', async (context) => {
    const urls = [
      await serveNode(context, present),
      await serveNode(context, () => assert.fail('the second node was asked')),
    ]
    assert.equal(await client(context, urls).hasIdentity('i1'), true)
  })
})
