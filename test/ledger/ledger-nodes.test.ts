import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { AUTHORITIES_MAX } from '../../src/ledger/identity-stream.js'
import { LedgerNodes, type LedgerSource } from '../../src/ledger/ledger-nodes.js'
import { TRANSACTION_LIMIT_BYTES } from '../../src/ledger/read-apis.js'
import { START_MS } from '../support/manual-clock.js'
import { always, MISSING, serveNode } from './node-server.js'

const UMID = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)

interface Nodes {
  readonly storeUrl?: string
  readonly storeUrls?: readonly string[]
  readonly urls?: readonly string[]
  readonly timeoutMs?: number
}

function source(context: TestContext, { storeUrl = 'http://127.0.0.1:1', ...nodes }: Nodes): LedgerSource {
  const made = new LedgerNodes({ storeUrls: [storeUrl], urls: [], timeoutMs: 5000, ...nodes })
  context.after(() => made.close())
  return made
}

const rows = (...list: readonly unknown[]) => JSON.stringify({ total_rows: list.length, offset: 0, rows: list })
const PAGE = { kind: 'rows', isFull: false, silent: [] } as const
const row = (umid: string, timestamp: unknown) => ({ umid, timestamp })

describe('the listing of a store', () => {
  test('is asked for with a time and a limit, below the path of the address', async (context) => {
    const paths: string[] = []
    const storeUrl = await serveNode(context, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      always(200, rows(row(UMID, `${START_MS}`), row(OTHER, `${START_MS}`)))(request, response)
    })
    const asked = source(context, { storeUrl: `${storeUrl}/store/` })
    assert.deepEqual(await asked.umids(START_MS, 7), {
      ...PAGE,
      rows: [
        { umid: UMID, timestampMs: START_MS },
        { umid: OTHER, timestampMs: START_MS },
      ],
    })
    // Times are compared as text by real nodes, so they have to have as many digits.
    await asked.umids(5, 1)
    assert.deepEqual(paths, [
      `GET /store/activeledgerevents/umids?from=${START_MS}&limit=7`,
      'GET /store/activeledgerevents/umids?from=0000000000005&limit=1',
    ])
  })

  test('may be empty', async (context) => {
    const storeUrl = await serveNode(context, always(200, rows()))
    assert.deepEqual(await source(context, { storeUrl }).umids(0, 1), { ...PAGE, rows: [] })
  })

  test('is read although it declares an encoding that is none', async (context) => {
    const storeUrl = await serveNode(context, always(200, rows(), { 'Content-Encoding': 'none' }))
    assert.deepEqual(await source(context, { storeUrl }).umids(0, 1), { ...PAGE, rows: [] })
  })

  const unclear: readonly [what: string, answer: RequestListener][] = [
    ['a status of 500', always(500, '{}')],
    ['what is missing', always(500, MISSING)],
    ['a status of 404', always(404, '{}')],
    ['a redirect', always(302, '', { Location: 'http://127.0.0.1:1/' })],
    ['no JSON', always(200, '<html>')],
    ['a truncated JSON text', always(200, rows(row(UMID, '1')).slice(0, -2))],
    ['nothing', always(200, '')],
    ['no rows', always(200, '{}')],
    ['rows that are no list', always(200, '{"rows":{}}')],
    ['a row that is none', always(200, rows(null))],
    ['a row without a transaction', always(200, rows({ timestamp: '1700000000000' }))],
    ['a transaction that is none', always(200, rows(row('../stream', '1700000000000')))],
    ['a row without a time', always(200, rows({ umid: UMID }))],
    ['a time that is none', always(200, rows(row(UMID, '17e11')))],
    ['a time as a number', always(200, rows(row(UMID, START_MS)))],
    ['a time before the one that was asked for', always(200, rows(row(UMID, `${START_MS - 1}`)))],
    ['times out of order', always(200, rows(row(UMID, `${START_MS + 1}`), row(OTHER, `${START_MS}`)))],
    ['more than a page', always(200, `${rows(row(UMID, `${START_MS}`))}${' '.repeat(100_000)}`)],
    ['a connection that is reset', (request) => void request.socket.destroy()],
    [
      'an answer that is cut off',
      (_, response) => void response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy()),
    ],
  ]
  for (const [what, answer] of unclear) {
    test(`is unclear when the store answers ${what}`, async (context) => {
      const storeUrl = await serveNode(context, answer)
      const listing = await source(context, { storeUrl }).umids(START_MS, 10)
      assert.equal(listing.kind, 'unclear')
    })
  }

  test('is unclear when the store never answers', async (context) => {
    const storeUrl = await serveNode(context, () => undefined)
    assert.equal((await source(context, { storeUrl, timeoutMs: 50 }).umids(0, 1)).kind, 'unclear')
  })

  test('is unclear when nobody listens there', async (context) => {
    assert.equal((await source(context, {}).umids(0, 1)).kind, 'unclear')
  })
})

describe('the listings of several stores', () => {
  const UMIDS = Array.from({ length: 6 }, (_, i) => i.toString(16).padStart(64, '0'))
  const listing = (...times: readonly [umid: number, timestampMs: number][]) =>
    always(200, rows(...times.map(([umid, ms]) => row(UMIDS[umid] ?? '', String(START_MS + ms)))))
  const merged = (...times: readonly [umid: number, timestampMs: number][]) =>
    times.map(([umid, ms]) => ({ umid: UMIDS[umid], timestampMs: START_MS + ms }))

  test('are one, in order of time, each transaction once', async (context) => {
    const stores = [listing([0, 1], [1, 2], [3, 9]), listing([2, 0], [1, 2], [4, 5])]
    const storeUrls = await Promise.all(stores.map((answer) => serveNode(context, answer)))
    const page = await source(context, { storeUrls }).umids(START_MS, 10)
    assert.deepEqual(page, { ...PAGE, rows: merged([2, 0], [0, 1], [1, 2], [4, 5], [3, 9]) })
  })

  test('end where the first full page ends: nobody knows what comes behind it', async (context) => {
    const stores = [listing([0, 1], [1, 2], [2, 2]), listing([3, 1], [4, 7]), listing([5, 3])]
    const storeUrls = await Promise.all(stores.map((answer) => serveNode(context, answer)))
    const page = await source(context, { storeUrls }).umids(START_MS, 3)
    assert.deepEqual(page, { ...PAGE, isFull: true, rows: merged([0, 1], [3, 1], [1, 2], [2, 2]) })
  })

  test('do without a store that does not answer, and say which', async (context) => {
    const broken = await serveNode(context, always(500, '{}'))
    const storeUrls = [broken, await serveNode(context, listing([0, 1]))]
    const page = await source(context, { storeUrls }).umids(START_MS, 3)
    assert.deepEqual(page, { ...PAGE, rows: merged([0, 1]), silent: [{ node: broken, why: 'status 500' }] })
    assert.equal((await source(context, { storeUrls: [broken, broken] }).umids(START_MS, 3)).kind, 'unclear')
  })
})

describe('the stream of an identity', () => {
  const KEY = `02${'ab'.repeat(32)}`
  const OTHER = `03${'cd'.repeat(32)}`
  const NAME = 'shop.onboarding'
  const IDENTITY = createHash('sha256').update(`0x${KEY}${NAME}`).digest('hex')
  const meta = (fields: object) =>
    always(200, JSON.stringify({ stream: { umid: `0x${KEY}`, name: NAME, txs: [UMID], ...fields } }))
  const found = (authorities: readonly string[], fields: object = {}) => ({
    kind: 'found',
    value: { authorities, onboarding: KEY, txs: [UMID], ...fields },
  })

  test('has its authorities, those of a type that is not known left out, and the key of its onboarding', async (context) => {
    const paths: (string | undefined)[] = []
    const url = await serveNode(context, (request, response) => {
      paths.push(request.url)
      const authorities = [
        { public: `0x${OTHER.toUpperCase()}`, type: 'secp256k1' },
        null,
        { public: 7 },
        { public: 'rsa' },
      ]
      meta({ authorities })(request, response)
    })
    assert.deepEqual(await source(context, { urls: [url] }).streamOf(IDENTITY), found([OTHER]))
    assert.deepEqual(paths, [`/api/stream/${IDENTITY}:stream`])
  })

  test('has no onboarding of a text that the id is not made of: somebody else may have made the stream', async (context) => {
    const other = await serveNode(context, meta({ umid: `0x${OTHER}`, authorities: [{ public: `0x${OTHER}` }] }))
    const stream = await source(context, { urls: [other] }).streamOf(IDENTITY)
    assert.deepEqual(stream, found([OTHER], { onboarding: null }))
  })

  test('may have a single authority, as nodes kept it once, and no transactions', async (context) => {
    const old = await serveNode(context, meta({ public: `0x${OTHER}`, txs: undefined }))
    assert.deepEqual(await source(context, { urls: [old] }).streamOf(IDENTITY), found([OTHER], { txs: null }))
  })

  test('is missing when every node says so, unclear when one of them fails, and undecided when it tells no authorities or too many', async (context) => {
    const [missing, failing, empty] = [
      await serveNode(context, always(500, MISSING)),
      await serveNode(context, always(500, '{}')),
      await serveNode(context, always(200, '{"stream":{}}')),
    ]
    assert.deepEqual(await source(context, { urls: [missing, missing] }).streamOf(IDENTITY), { kind: 'missing' })
    assert.equal((await source(context, { urls: [missing, failing] }).streamOf(IDENTITY)).kind, 'unclear')
    const crowd = Array.from({ length: AUTHORITIES_MAX + 1 }, () => ({ public: `0x${OTHER}` }))
    for (const url of [empty, await serveNode(context, meta({ authorities: crowd }))]) {
      assert.equal((await source(context, { urls: [missing, url] }).streamOf(IDENTITY)).kind, 'undecided')
    }
    const most = meta({ authorities: crowd.slice(1) })
    assert.deepEqual(
      await source(context, { urls: [await serveNode(context, most)] }).streamOf(IDENTITY),
      found([OTHER]),
    )
    assert.equal((await source(context, { urls: [] }).streamOf(IDENTITY)).kind, 'unclear')
  })

  test('is never asked for under another text: a node would pass it on to its store', async (context) => {
    await assert.rejects(source(context, { urls: [] }).streamOf('_all_docs'), /only identities/)
  })
})

describe('a transaction', () => {
  const found = always(200, JSON.stringify({ umid: { $umid: UMID, $tx: { a: 1 } } }))
  const transaction = { kind: 'found', value: { $umid: UMID, $tx: { a: 1 } } }

  test('is looked up by its id', async (context) => {
    const paths: string[] = []
    const url = await serveNode(context, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      found(request, response)
    })
    assert.deepEqual(await source(context, { urls: [`${url}/`] }).transaction(UMID), transaction)
    assert.deepEqual(paths, [`GET /api/tx/${UMID}`])
  })

  const passedOver: readonly [what: string, kind: string, answer: RequestListener][] = [
    ['that does not have it', 'missing', always(500, MISSING)],
    ['that fails', 'unclear', always(500, '{}')],
    ['that answers with another one', 'unclear', always(200, JSON.stringify({ umid: { $umid: OTHER, $tx: {} } }))],
    ['that answers with null', 'unclear', always(200, '{"umid":null}')],
    ['that answers with garbage', 'unclear', always(200, '{"umid":{"$umid"')],
    ['that is gone', 'unclear', (request) => void request.socket.destroy()],
    ['whose failure is long', 'unclear', always(500, 'x'.repeat(TRANSACTION_LIMIT_BYTES + 1))],
  ]
  for (const [what, kind, answer] of passedOver) {
    test(`is looked up elsewhere behind a node ${what}`, async (context) => {
      const urls = [await serveNode(context, answer), await serveNode(context, found)]
      assert.equal((await source(context, { urls: urls.slice(0, 1) }).transaction(UMID)).kind, kind)
      assert.deepEqual(await source(context, { urls }).transaction(UMID), transaction)
    })
  }

  test('is missing only when every node says so', async (context) => {
    const [missing, failing] = [
      await serveNode(context, always(500, MISSING)),
      await serveNode(context, always(500, '{}')),
    ]
    for (const urls of [
      [missing, failing],
      [failing, missing],
    ]) {
      assert.equal((await source(context, { urls }).transaction(UMID)).kind, 'unclear')
    }
    assert.equal((await source(context, { urls: [missing, missing] }).transaction(UMID)).kind, 'missing')
  })

  test('is too long when a node says so, whatever the next one says', async (context) => {
    const urls = [
      await serveNode(context, always(200, `{"umid":"${'x'.repeat(TRANSACTION_LIMIT_BYTES)}"}`)),
      await serveNode(context, always(500, '{}')),
    ]
    assert.equal((await source(context, { urls }).transaction(UMID)).kind, 'too-long')
  })

  test('is given up when the source is closed', async (context) => {
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const urls = [await serveNode(context, () => arrive())]
    const closing = source(context, { urls })
    const lookedUp = closing.transaction(UMID)
    await arrived
    await closing.close()
    assert.equal((await lookedUp).kind, 'unclear')
  })
})
