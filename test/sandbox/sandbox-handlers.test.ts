import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sandboxHandlers } from '../../src/sandbox/sandbox-handlers.js'
import { callRoute } from '../http/routes/call-route.js'
import { testKey } from '../support/signing.js'
import { commit, onboarding, SandboxFixture } from './sandbox-fixture.js'

let fixture: SandboxFixture
let handlers: ReturnType<typeof sandboxHandlers>

before(async () => {
  fixture = await SandboxFixture.start()
  handlers = sandboxHandlers(fixture.sandbox)
})
after(() => fixture.close())

function post(path: string, body: unknown = '') {
  return callRoute(handlers, 'POST', path, { body: typeof body === 'string' ? body : JSON.stringify(body) })
}

describe('the routes of the sandbox', () => {
  test('GET /sandbox says what a client needs', async () => {
    const { status, body } = await callRoute(handlers, 'GET', '/sandbox')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body as object), [
      'notice',
      'nodeUrl',
      'namespace',
      'contracts',
      'onboardingName',
      'networks',
    ])
  })

  test('the ledger answers with and without a slash, to every web page', async () => {
    for (const path of ['/sandbox/ledger', '/sandbox/ledger/']) {
      const { status, headers, body } = await post(path, onboarding(fixture.sandbox.describe(), testKey(path)))
      assert.equal(status, 200)
      assert.equal(headers['Access-Control-Allow-Origin'], '*')
      assert.equal(headers['Content-Encoding'], 'none')
      assert.equal((body as { $summary: { commit: number } }).$summary.commit, 1)
    }
  })

  test('the ledger answers what is no transaction with status 500, as a node does', async () => {
    const malformed = await post('/sandbox/ledger/', '{')
    assert.deepEqual([malformed.status, malformed.body], [500, {}])
    const empty = await post('/sandbox/ledger/', '{}')
    assert.deepEqual([empty.status, empty.body], [500, 'Invalid Transaction'])
  })

  test('the ledger is read below the same address, and a query reaches it', async () => {
    const { umid, streams } = await commit(fixture.sandbox, onboarding(fixture.sandbox.describe(), testKey('read')))
    const identity = streams.new[0]?.id
    const get = (path: string, query = '') => callRoute(handlers, 'GET', `/sandbox/ledger/${path}`, { query })
    const stream = await get(`api/stream/${identity}`)
    assert.deepEqual([stream.status, Object.keys(stream.body as object)], [200, ['stream']])
    assert.equal(stream.headers['Access-Control-Allow-Origin'], '*')
    const transaction = await get(`api/tx/${umid}`)
    assert.deepEqual([transaction.status, Object.keys(transaction.body as object)], [200, ['umid']])
    assert.equal((await get('api/stream/nobody')).status, 500)
    const listing = await get('activeledgerevents/umids', 'from=0&limit=1')
    assert.equal((listing.body as { rows: readonly unknown[] }).rows.length, 1)
    assert.equal((await get('activeledgerevents/umids')).status, 500)
  })

  test('a deposit is answered with its record, and confirmed and dropped by its hash', async () => {
    const address = (await fixture.store.wallets.claim('SEP', 1000))?.address
    const txHash = 'a hash/of its own'
    const made = await post('/sandbox/deposits', { address, amount: '1', txHash, receivedAt: 7 })
    assert.equal(made.status, 200)
    const record = {
      network: 'SEP',
      txHash,
      index: 0,
      toAddress: address,
      currency: '#native',
      amount: '1',
      kind: 'pending',
      receivedAt: 7,
      confirmedAt: null,
    }
    assert.deepEqual(made.body, record)
    const path = `/sandbox/deposits/${encodeURIComponent(txHash)}`
    const confirmed = await post(`${path}/confirm`)
    assert.deepEqual(
      [confirmed.status, confirmed.body],
      [200, [{ ...record, kind: 'confirmed', confirmedAt: fixture.clock.now() }]],
    )
    const dropped = await post(`${path}/drop`)
    assert.deepEqual([dropped.status, dropped.body], [200, [{ ...record, kind: 'dropped' }]])
  })

  const refused: readonly [what: string, path: string, body: string, status: number, error: string, code: string][] = [
    [
      'a deposit to nobody',
      '/sandbox/deposits',
      '{}',
      400,
      'The simulated deposit is not valid: either address or invoiceId is needed.',
      'invalid_sandbox_deposit',
    ],
    [
      'a deposit that is no JSON',
      '/sandbox/deposits',
      '{',
      400,
      'The request body must be a JSON object in valid UTF-8.',
      'invalid_json',
    ],
    ['confirming nothing', '/sandbox/deposits/none/confirm', '', 404, 'No such deposit.', 'deposit_not_found'],
    ['dropping nothing', '/sandbox/deposits/none/drop', '', 404, 'No such deposit.', 'deposit_not_found'],
    ['anything else', '/sandbox/deposits/none/forget', '', 404, 'Not found.', 'not_found'],
  ]
  for (const [what, path, body, status, error, code] of refused) {
    test(`${what} is ${status}`, async () => {
      const answer = await post(path, body)
      const field = status === 400 && code === 'invalid_sandbox_deposit' ? { field: 'address' } : {}
      assert.deepEqual([answer.status, answer.body], [status, { error, code, ...field }])
    })
  }

  test('do not exist without a sandbox', async () => {
    for (const path of ['/sandbox', '/sandbox/ledger', '/sandbox/ledger/', '/sandbox/deposits']) {
      assert.equal((await callRoute({}, 'POST', path, { body: '{}' })).status, 404)
    }
  })
})
