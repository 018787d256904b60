import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, test } from 'node:test'
import type { FollowedContract } from '../../src/ledger/followed-contracts.js'
import { type ConfiguredLedger, checkLedger } from '../../src/ledger/ledger-check.js'
import { always, MISSING, NO_DATABASE, serveNode } from './node-server.js'

const ID = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)
const DEAD = 'http://127.0.0.1:1'
const ROWS = JSON.stringify({ rows: [{ umid: ID, timestamp: '1795651779016' }] })

const contract = (fields: Partial<FollowedContract> = {}): FollowedContract => {
  return { role: 'assign', namespace: 'shop', contract: ID, ...fields }
}

/** A read API that has these streams. */
function core(streams: Readonly<Record<string, unknown>> = {}): RequestListener {
  return (request, response) => {
    const [, id] = /^\/api\/stream\/(\w+)$/.exec(request.url ?? '') ?? []
    if (id === undefined) return void response.writeHead(404).end('<html>Cannot GET</html>')
    const stream = streams[id]
    if (stream === undefined) response.writeHead(500).end(MISSING)
    else response.writeHead(200).end(JSON.stringify({ stream }))
  }
}

/** A store that lists something. */
const store = (rows = ROWS): RequestListener => {
  return (request, response) => {
    if (request.url?.startsWith('/activeledgerevents/umids?from=') !== true)
      return void response.writeHead(404).end('{}')
    response.writeHead(200).end(rows)
  }
}

const CONTRACT = { name: 'assign', namespace: 'shop', contract: { '0.0.1': 'YQ==', '0.0.2': 'Yg==' } }

async function check(fields: Partial<ConfiguredLedger>): Promise<readonly string[]> {
  const findings = await checkLedger({ urls: [], storeUrls: [], timeoutMs: 2000, followed: [], told: [], ...fields })
  return findings.map(({ verdict, text, advice }) => `${verdict}: ${text}${advice === null ? '' : ` ${advice}`}`)
}

describe('the configured ledger', () => {
  test('is well when each node is what it is taken for', async (context) => {
    const [api, stored] = [await serveNode(context, core()), await serveNode(context, store())]
    assert.deepEqual(await check({ urls: [api], storeUrls: [stored] }), [
      `ok: The read API ${api} answers.`,
      `ok: The store ${stored} answers.`,
    ])
  })

  test('is told to have its nodes exchanged', async (context) => {
    const [api, stored] = [await serveNode(context, core()), await serveNode(context, store())]
    const advice = 'Exchange the two settings BILLHOOK_LEDGER_URL and BILLHOOK_LEDGER_STORE_URL.'
    assert.deepEqual(await check({ urls: [stored], storeUrls: [api] }), [
      `failed: ${stored} is a store, not a read API. ${advice}`,
      `failed: ${api} is a read API, not a store. ${advice}`,
    ])
  })

  test('has every node asked, whichever answers', async (context) => {
    const [api, stored] = [await serveNode(context, core()), await serveNode(context, store())]
    const broken = await serveNode(context, always(500, NO_DATABASE))
    const found = await check({ urls: [api, broken, DEAD], storeUrls: [stored, DEAD] })
    const verdicts = found.map((finding) => finding.split(':')[0])
    assert.deepEqual(verdicts, ['ok', 'failed', 'failed', 'ok', 'failed'])
    assert.match(found[1] ?? '', /does not answer as a read API: status 500/)
    assert.match(found[2] ?? '', /does not answer as a read API: .*ECONNREFUSED/)
    assert.match(found[4] ?? '', /does not answer as a store/)
  })

  test('has a store that lists nothing told', async (context) => {
    const empty = await serveNode(context, store('{"rows":[]}'))
    assert.deepEqual(await check({ storeUrls: [empty] }), [
      `warning: The store ${empty} answers, and lists no transaction.`,
    ])
  })
})

describe('a configured contract', () => {
  const rows: readonly (readonly [what: string, contract: FollowedContract, stream: unknown, expected: RegExp])[] = [
    ['exists', contract(), CONTRACT, /^ok: assign=shop\/(ab)+ is the contract "assign", with versions 0.0.1, 0.0.2\.$/],
    ['does not exist', contract(), undefined, /^failed: .* does not exist: no read API that answers has its stream\./],
    ['is of another case of the namespace', contract({ namespace: 'Shop' }), CONTRACT, /^failed: .* "shop"\. The case/],
    ['is of another namespace', contract({ namespace: 'store' }), CONTRACT, /^failed: .* "shop"\. Transactions of/],
    ['is no contract', contract(), { type: 'shop.wallet' }, /^failed: .* is a stream of the ledger and not a contract/],
    ['is no stream', contract(), 'x', /^failed: .* not a contract/],
    ['has no version', contract(), { ...CONTRACT, contract: {} }, /^failed: .* has no version that nodes could run/],
    ['is a name', contract({ contract: 'assign' }), CONTRACT, /^failed: .* not the id of a contract, but a name/],
    ['is in upper case', contract({ contract: ID.toUpperCase() }), CONTRACT, /^failed: .* upper-case letters/],
    ['has a long name', contract(), { ...CONTRACT, name: 'x'.repeat(500) }, /^ok: .* "x{60}", with/],
  ]
  for (const [what, one, stream, expected] of rows) {
    test(`that ${what}`, async (context) => {
      const api = await serveNode(context, core(stream === undefined ? {} : { [ID]: stream }))
      for (const fields of [{ followed: [one] }, { told: [one] }]) {
        const [, ...found] = await check({ urls: [api], ...fields })
        assert.equal(found.length, 1, found.join('\n'))
        assert.match(found[0] ?? '', expected)
      }
    })
  }

  test('is asked for at every read API, and one that lacks it is named', async (context) => {
    const [whole, empty] = [await serveNode(context, core({ [ID]: CONTRACT })), await serveNode(context, core())]
    const found = await check({ urls: [empty, whole, DEAD], followed: [contract()] })
    assert.match(found[3] ?? '', /^ok: assign=shop/)
    assert.match(found[4] ?? '', /^failed: .* does not have .*, which other read APIs have\./)
    assert.ok(found[4]?.includes(empty))
    assert.equal(found.length, 5)
  })

  test('is not said to be missing when no read API answers', async () => {
    const found = await check({ urls: [DEAD], followed: [contract()] })
    assert.match(found[1] ?? '', /^warning: .* could not be proved: no read API answers\.$/)
  })

  test('may be a label beside the id, which is a warning', async (context) => {
    const api = await serveNode(context, core({ [ID]: CONTRACT }))
    const found = await check({ urls: [api], followed: [contract(), contract({ contract: 'assign' })] })
    assert.deepEqual(
      found.map((finding) => finding.split(':')[0]),
      ['ok', 'ok', 'warning'],
    )
  })

  test('is told when clients use it and nobody follows it', async (context) => {
    const api = await serveNode(context, core({ [ID]: CONTRACT, [OTHER]: CONTRACT }))
    const stored = await serveNode(context, store())
    const found = await check({
      urls: [api],
      storeUrls: [stored],
      followed: [contract({ contract: OTHER })],
      told: [contract()],
    })
    assert.match(found.at(-1) ?? '', /^warning: Clients are told to use assign=shop\/(ab)+, which is not followed\./)
  })
})
