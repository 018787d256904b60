import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AllHandlers,
  type Endpoint,
  endpoints,
  type Handler,
  handlers,
  together,
} from '../../src/http/endpoints.js'
import { jsonAnswer } from '../../src/http/json.js'
import { callRoute } from './routes/call-route.js'

const entries = Object.entries(endpoints)

describe('the table of endpoints', () => {
  test('keeps everything of an identity to its owner', () => {
    const ofUsers = entries.filter(([tag]) => tag.includes(' /api/users/'))
    assert.ok(ofUsers.length > 0)
    for (const [tag, endpoint] of ofUsers) {
      assert.match(tag, / \/api\/users\/:id\//)
      assert.deepEqual([endpoint.access, endpoint.access === 'owner' && endpoint.owner], ['owner', 'path'], tag)
    }
  })

  test('has an owner in the path, and an invoice, only where the path has an id', () => {
    for (const [tag, endpoint] of entries) {
      if (endpoint.access === 'owner' && endpoint.owner !== 'body') assert.match(tag, /\/:id(\/|$)/)
    }
  })

  test('leaves uncounted only paths without parameters, which are compared as sent', () => {
    // Nothing is counted on `admin.sock` and on the operator's own listener.
    const counted = entries.filter(([, { access }]) => access !== 'admin' && access !== 'console')
    for (const [tag, { counts }] of counted) if (counts === 'nothing') assert.doesNotMatch(tag, /:/)
  })
})

describe('handlers', () => {
  test('read parameters as their pattern names them, and only declared query parameters reach them', async () => {
    const seen: string[] = []
    const both = handlers({
      'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver': (_request, { id, deliveryId }) => {
        seen.push(id, deliveryId)
        return jsonAnswer(200, {})
      },
      'GET /api/users/:id/webhook/deliveries': () => jsonAnswer(200, {}),
    })
    await callRoute(both, 'POST', '/api/users/a%2Fb/webhook/deliveries/1/redeliver')
    assert.deepEqual(seen, ['a/b', '1'])
    for (const [query, unknown] of [
      ['', null],
      ['&', null],
      ['limit=1', null],
      ['limit', null],
      ['cursor=a&limit=2', null],
      ['%6cimit=1', null],
      ['limti=1', 'limti'],
      ['Limit=1', 'Limit'],
      ['limit=1&x=2&y=3', 'x'],
      ['limit%20=1', 'limit '],
      ['=1', ''],
      ['__proto__=1', '__proto__'],
    ] as const) {
      const { status, body } = await callRoute(both, 'GET', '/api/users/a/webhook/deliveries', { query })
      assert.equal(status, unknown === null ? 200 : 400, query)
      if (unknown !== null) assert.equal((body as { field: string }).field, unknown)
    }
  })

  test('of one endpoint cannot be given twice', () => {
    const answer = () => jsonAnswer(200, {})
    const [page, more] = [handlers({ 'GET /pay/:id': answer }), handlers({ 'GET /healthz': answer })]
    assert.deepEqual(together(page, more), { ...page, ...more })
    assert.throws(() => together(page, more, handlers({ 'GET /pay/:id': answer })), /GET \/pay\/:id/)
  })

  test('do not compile against the table', () => {
    const answer = () => jsonAnswer(200, {})
    // @ts-expect-error: an endpoint says who may call it
    const withoutAccess: Endpoint = { counts: 'nothing' }
    // @ts-expect-error: an owner is named somewhere
    const withoutOwner: Endpoint = { access: 'owner' }
    // @ts-expect-error: the pattern has no such parameter
    const otherParameter: Handler<'GET /pay/:id'> = (_request, { name }) => jsonAnswer(200, name)
    // @ts-expect-error: no such endpoint is declared
    const undeclared = handlers({ 'GET /api/secrets': answer })
    // @ts-expect-error: an endpoint is left without a handler
    const tooFew: AllHandlers = { 'GET /healthz': answer }
    // @ts-expect-error: the handlers of an endpoint may be absent
    const perhaps: AllHandlers = together(tooFew, tooFew.length === 0 ? {} : handlers({ 'GET /pay/:id': answer }))
    assert.equal([withoutAccess, withoutOwner, otherParameter, undeclared, tooFew, perhaps].length, 6)
  })
})
