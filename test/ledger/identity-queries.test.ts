import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { LedgerNodes } from '../../src/ledger/ledger-nodes.js'
import { STREAM_LIMIT_BYTES } from '../../src/ledger/read-apis.js'
import { always, MISSING, serveNode } from './node-server.js'

function client(context: TestContext, urls: readonly string[], timeoutMs = 5000): LedgerNodes {
  const made = new LedgerNodes({ storeUrls: [], urls, timeoutMs })
  context.after(() => made.close())
  return made
}

const ID = 'ab'.repeat(32)

const present = always(200, '{"stream":{"$stream":true}}')

describe('the ledger client', () => {
  test('finds an identity whose stream is there', async (context) => {
    assert.equal(await client(context, [await serveNode(context, present)]).hasIdentity(ID), true)
  })

  test('does not find one whose stream the node misses', async (context) => {
    assert.equal(await client(context, [await serveNode(context, always(500, MISSING))]).hasIdentity(ID), false)
  })

  test('reads an answer that declares an encoding that is none', async (context) => {
    const url = await serveNode(context, always(200, '{"stream":{}}', { 'Content-Encoding': 'none' }))
    assert.equal(await client(context, [url]).hasIdentity(ID), true)
  })

  test('asks for the id below the path of the address', async (context) => {
    const paths: string[] = []
    const url = await serveNode(context, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      present(request, response)
    })
    assert.equal(await client(context, [`${url}/core/`]).hasIdentity(ID), true)
    assert.deepEqual(paths, [`GET /core/api/stream/${ID}`])
  })

  const commands = ['', '.', '..', '_all_docs', '_compact', 'a/../b', `x${ID}`, `${ID}:stream`, ID.toUpperCase()]
  test('asks nobody for what is not 64 lower-case hex digits', async (context) => {
    const url = await serveNode(context, () => assert.fail('the node was asked'))
    for (const id of commands) await assert.rejects(client(context, [url]).hasIdentity(id), /only identities/)
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
    ['an answer that is too long', always(200, `{"stream":{"x":"${'x'.repeat(STREAM_LIMIT_BYTES)}"}}`)],
    [
      'an answer that is cut off',
      (_, response) => void response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy()),
    ],
    ['a connection that is reset', (request) => void request.socket.destroy()],
  ]
  for (const [what, answer] of unclear) {
    test(`passes over ${what}`, async (context) => {
      const urls = [await serveNode(context, answer), await serveNode(context, always(500, MISSING))]
      assert.equal(await client(context, urls.slice(0, 1)).hasIdentity(ID), 'unreachable')
      assert.equal(await client(context, urls).hasIdentity(ID), false)
    })
  }

  test('gives a node that never answers its time and asks the next', async (context) => {
    const urls = [await serveNode(context, () => undefined), await serveNode(context, present)]
    assert.equal(await client(context, urls.slice(0, 1), 50).hasIdentity(ID), 'unreachable')
    assert.equal(await client(context, urls, 3000).hasIdentity(ID), true)
  })

  test('cuts off a node that drips its answer', async (context) => {
    const url = await serveNode(context, (_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    assert.equal(await client(context, [url], 100).hasIdentity(ID), 'unreachable')
  })

  test('finds nothing certain at an address where nobody listens, or at none', async (context) => {
    const url = await serveNode(context, present)
    assert.equal(await client(context, ['http://127.0.0.1:1', url]).hasIdentity(ID), true)
    assert.equal(await client(context, ['http://127.0.0.1:1']).hasIdentity(ID), 'unreachable')
    assert.equal(await client(context, []).hasIdentity(ID), 'unreachable')
  })

  test('takes a yes from any node, whatever the others say and whether they say anything', async (context) => {
    const [yes, no, never] = await Promise.all([
      serveNode(context, present),
      serveNode(context, always(500, MISSING)),
      serveNode(context, () => undefined),
    ])
    for (const urls of [
      [no, yes],
      [yes, no],
      [never, no, yes],
    ]) {
      assert.equal(await client(context, urls, 60_000).hasIdentity(ID), true)
    }
  })

  test('takes a no when every node that answers says so', async (context) => {
    const no = await serveNode(context, always(500, MISSING))
    assert.equal(await client(context, [no, no]).hasIdentity(ID), false)
    assert.equal(await client(context, ['http://127.0.0.1:1', no]).hasIdentity(ID), false)
  })
})
