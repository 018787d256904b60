import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { noble } from '../../src/crypto/noble.js'
import type { KeyHistory } from '../../src/domain/key-history.js'
import type { FollowedContract } from '../../src/ledger/followed-contracts.js'
import { LedgerNodes, TAIL_EXPLAINED_MAX } from '../../src/ledger/ledger-nodes.js'
import { LookUpBudget, PastAuthorities } from '../../src/ledger/past-authorities.js'
import { projectRoot } from '../support/project-root.js'
import { always, MISSING, serveNode } from './node-server.js'

/* What real nodes told of an identity whose key was replaced, with the real signatures: see the file for its source. */

interface Committed {
  readonly what: string
  readonly umid: string
  readonly sent: Readonly<Record<string, unknown>>
}

const recorded: {
  readonly identity: string
  readonly afterRotation: Readonly<Record<string, unknown>> & { readonly txs: readonly string[] }
  readonly committed: readonly Committed[]
} = JSON.parse(readFileSync(join(projectRoot, 'test/ledger/recorded-rotation.json'), 'utf8'))

const ASSIGN: FollowedContract = {
  role: 'assign',
  namespace: 'shop',
  contract: 'ca684aa3ba31863603594b6d1e40e7586eb1541b3a9d0e093562fc635acaa57f',
}

/** A node that has committed the recorded transactions: the first two before the rotation ended, the others behind it. */
async function judgesOf(context: TestContext) {
  const { identity, afterRotation, committed } = recorded
  const later = committed.map(({ umid }) => umid).filter((umid) => !afterRotation.txs.includes(umid))
  const url = await serveNode(context, (request, response) => {
    const path = request.url ?? ''
    const one = committed.find(({ umid }) => path === `/api/tx/${umid}`)
    const isStream = path === `/api/stream/${identity}:stream`
    const stream = { ...afterRotation, txs: [...afterRotation.txs, ...later] }
    if (!isStream && one === undefined) return void response.writeHead(500).end(MISSING)
    const body = isStream ? { stream } : { umid: { ...one?.sent, $umid: one?.umid } }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const source = new LedgerNodes({ storeUrls: [], urls: [url], timeoutMs: 5000, engine: noble })
  context.after(() => source.close())
  const saved: KeyHistory[] = []
  const authorities = new PastAuthorities({
    source,
    ledger: { keyHistory: () => saved.at(-1), saveKeyHistory: async (_, history) => void saved.push(history) },
    contracts: [ASSIGN],
    engine: noble,
    isStopped: () => false,
  })
  const judge = async (what: string) => {
    const one = committed.find((other) => other.what === what)
    assert.ok(one !== undefined, what)
    const { umid, sent } = one
    return (await authorities.judge(identity, { umid, committed: sent }, new LookUpBudget())).kind
  }
  return { judge, saved }
}

/** A node that knows the first of the recorded transactions, so many, and then others that nobody has. */
async function nodeUrl(context: TestContext, txs: readonly string[], authority: unknown, lies: readonly string[] = []) {
  const { identity, afterRotation, committed } = recorded
  return serveNode(context, (request, response) => {
    const path = request.url ?? ''
    const one = committed.find(({ umid }) => path === `/api/tx/${umid}` && txs.includes(umid))
    const lie = lies.find((umid) => path === `/api/tx/${umid}`)
    if (lie !== undefined) return void response.end(JSON.stringify({ umid: { $umid: lie, $tx: {}, $sigs: {} } }))
    const isStream = path === `/api/stream/${identity}:stream`
    if (!isStream && one === undefined) return void response.writeHead(500).end(MISSING)
    const stream = { ...afterRotation, txs, authorities: [{ public: authority }] }
    const body = isStream ? { stream } : { umid: { ...one?.sent, $umid: one?.umid } }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
}

describe('of two nodes', () => {
  const { identity, afterRotation } = recorded
  const [onboarding, assignment] = afterRotation.txs as [string, string]
  const before = [onboarding, assignment]
  const FIRST = afterRotation['umid']
  const [{ public: SECOND }] = afterRotation['authorities'] as [{ readonly public: string }]

  const agreed = async (context: TestContext, urls: readonly string[]) => {
    const source = new LedgerNodes({ storeUrls: [], urls, timeoutMs: 5000, engine: noble })
    context.after(() => source.close())
    const found = await source.streamOf(identity)
    return found.kind === 'found' ? `0x${found.value.authorities.join()}` : found.kind
  }

  test('the one that has the replacement is believed, and not the one that lags behind', async (context) => {
    const urls = [await nodeUrl(context, before, FIRST), await nodeUrl(context, afterRotation.txs, SECOND)]
    assert.equal(await agreed(context, urls), SECOND)
    assert.equal(await agreed(context, urls.toReversed()), SECOND)
  })

  test('the one that has the replacement is believed although the other tells another content of it', async (context) => {
    const lagging = await nodeUrl(context, before, FIRST, afterRotation.txs.slice(2))
    const urls = [lagging, await nodeUrl(context, afterRotation.txs, SECOND)]
    assert.equal(await agreed(context, urls), SECOND)
    assert.equal(await agreed(context, urls.toReversed()), SECOND)
  })

  test('the one that makes up a key is not, however long the history that it tells', async (context) => {
    const made = Array.from({ length: 5 }, (_, i) => i.toString(16).padStart(64, '0'))
    const urls = [await nodeUrl(context, before, FIRST), await nodeUrl(context, [...before, ...made], SECOND)]
    assert.equal(await agreed(context, urls), FIRST)
  })

  test('neither is believed when too much lies between them to be looked up: one may lag behind', async (context) => {
    const filling = Array<string>(TAIL_EXPLAINED_MAX).fill(assignment)
    const long = [onboarding, ...filling, ...afterRotation.txs.slice(1)]
    const urls = [await nodeUrl(context, [onboarding], FIRST), await nodeUrl(context, long, SECOND)]
    assert.equal(await agreed(context, urls), 'undecided')
  })

  test('neither is believed while a transaction between them cannot be read', async (context) => {
    const failing = await serveNode(context, always(500, '{}'))
    const unread = [...before, '0'.repeat(64), ...afterRotation.txs.slice(2)]
    const urls = [await nodeUrl(context, before, FIRST), await nodeUrl(context, unread, SECOND)]
    assert.equal(await agreed(context, [...urls, failing]), 'undecided')
  })
})

describe('a recorded identity whose key was replaced', () => {
  test('speaks by the new key from the replacement on, and by the old one no more', async (context) => {
    const { judge, saved } = await judgesOf(context)
    assert.equal(await judge('assignment by the new key'), 'counts')
    assert.equal(await judge('assignment by the replaced key under a bogus hash'), 'rejected')
    assert.equal(await judge('hasAuthorityStake, $sigs {id: {<right hash>: bad}}'), 'rejected')
    assert.ok(saved.length > 0)
  })
})
