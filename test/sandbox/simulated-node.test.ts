import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { START_MS } from '../support/manual-clock.js'
import { testKey } from '../support/signing.js'
import { assignment, commit, onboarding, outcomeOf, post, SandboxFixture } from './sandbox-fixture.js'

let fixture: SandboxFixture
let count = 0

before(async () => {
  fixture = await SandboxFixture.start()
})
after(() => fixture.close())

const node = () => fixture.sandbox.ledgerNode
const place = () => fixture.sandbox.describe()

/** An identity on the ledger. */
async function onboarded() {
  count += 1
  const key = testKey(`reads ${count}`)
  const transaction = onboarding(place(), key)
  const { umid, streams } = await commit(fixture.sandbox, transaction)
  return { key, transaction, umid, identity: streams.new[0]?.id ?? '' }
}

/** The rows of a listing. */
function rows(query: string): readonly { umid: string; timestamp: string }[] {
  const { status, value } = node().umids(query)
  assert.equal(status, 200)
  const listing = value as { total_rows: number; offset: number; rows: readonly { umid: string; timestamp: string }[] }
  assert.deepEqual(Object.keys(listing), ['total_rows', 'offset', 'rows'])
  return listing.rows
}

function missing(document: string) {
  const message = `URL Request Failed : http://127.0.0.1:5259/activeledger/${document} - 404`
  return { status: 500, value: { name: 'ActiveError', message, body: '{}', stack: 'Error' } }
}

/** A stream, of whose revision only the number counts. */
async function streamOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, value } = await node().stream(id)
  assert.equal(status, 200)
  const { stream } = value as { stream: Readonly<Record<string, unknown>> }
  return { ...stream, _rev: String(stream['_rev']).replace(/-[0-9a-f]{32}$/, '') }
}

describe('the read API of the simulated node', () => {
  test('tells the stream of an identity and of a wallet, and its owner', async () => {
    const { key, identity } = await onboarded()
    assert.deepEqual(await streamOf(identity), { type: place().onboardingName, _rev: '1' })
    const { id, address } = (await fixture.store.wallets.claim('SEP', 1000)) ?? assert.fail('no wallet is left')
    const free = { type: 'billhook.sandbox.wallet', address, network: 'SEP', owner: null, _rev: '1' }
    assert.deepEqual(await streamOf(id), free)
    await commit(fixture.sandbox, assignment(place(), key, identity, id))
    assert.deepEqual(await streamOf(id), { ...free, owner: identity, _rev: '2' })
  })

  test('tells the key of an identity and its transactions with what it keeps beside the stream', async () => {
    const { key, identity, umid } = await onboarded()
    const text = `0x${key.publicKeyHex}`
    const hash = createHash('sha256').update(text).digest('hex')
    const authorities = [{ public: text, type: 'secp256k1', stake: 100, hash }]
    const { onboardingName: name } = place()
    const stream = { $stream: true, umid: text, name, authorities, txs: [umid], $constructor: true, _rev: '1' }
    assert.deepEqual(await streamOf(`${identity}:stream`), stream)
    const wallet = (await fixture.store.wallets.claim('SEP', 1000))?.id ?? ''
    const assigned = await commit(fixture.sandbox, assignment(place(), key, identity, wallet))
    assert.deepEqual(await streamOf(`${identity}:stream`), { ...stream, txs: [umid, assigned.umid], _rev: '2' })
    const { txs, umid: creation } = await streamOf(`${wallet}:stream`)
    assert.deepEqual(txs, [creation, assigned.umid])
    assert.deepEqual(await node().stream('a:stream'), missing('a:stream'))
  })

  test('tells the stream of a contract, by its version', async () => {
    const { namespace, contracts } = place()
    const { contract, compiled, ...stream } = await streamOf(contracts.assignOwner)
    assert.deepEqual(stream, { name: 'assign-owner', namespace, _rev: '1' })
    assert.deepEqual(compiled, { '0.0.1': contracts.assignOwner })
    assert.deepEqual(Object.keys(contract ?? {}), ['0.0.1'])
  })

  test('stores the signature of a stream below the hash of its key, and tells the revisions that it changed', async () => {
    const { key, identity } = await onboarded()
    const wallet = (await fixture.store.wallets.claim('SEP', 1000))?.id ?? ''
    const revisionsOf = async (id: string) =>
      [await node().stream(`${id}:stream`), await node().stream(id)]
        .map(({ value }) => (value as { stream: { _rev: string } }).stream._rev)
        .join(':')
    const $revs = { $i: { [identity]: await revisionsOf(identity) }, $o: { [wallet]: await revisionsOf(wallet) } }
    const sent = assignment(place(), key, identity, wallet)
    const { umid } = await commit(fixture.sandbox, sent)
    const hash = createHash('sha256').update(`0x${key.publicKeyHex}`).digest('hex')
    const $sigs = { [identity]: { [hash]: sent.$sigs[identity] } }
    const told = (node().transaction(umid).value as { umid: object }).umid
    assert.deepEqual(told, { ...told, $sigs, $revs })
  })

  test('answers with status 500 for what it does not have, and says so only in the text', async () => {
    assert.deepEqual(await node().stream('a b'), missing('a%20b'))
    assert.deepEqual(await node().stream('x\ud800'), missing('x%EF%BF%BD'))
    assert.deepEqual(node().transaction('abc'), missing('abc:umid'))
  })

  test('tells a committed transaction as it was sent', async () => {
    const { umid, transaction } = await onboarded()
    const { status, value } = node().transaction(umid)
    const { $tx, $sigs } = transaction
    const $datetime = new Date(fixture.clock.now()).toISOString()
    assert.deepEqual(
      [status, value],
      [200, { umid: { $umid: umid, $tx, $sigs, $revs: { $i: {}, $o: {} }, $selfsign: true, $datetime } }],
    )
  })

  test('tells nothing of a transaction that was refused or could not be saved', async () => {
    const { key, transaction } = await onboarded()
    const before = rows('from=0').length
    await node().submit(Buffer.from(JSON.stringify({ ...transaction, again: true })))
    await node().submit(Buffer.from(JSON.stringify(assignment(place(), key, 'nobody', 'nothing'))))
    assert.equal(rows('from=0').length, before)
  })
})

describe('the store of the simulated node', () => {
  test('lists committed transactions in order of time, from a time on, so many', async () => {
    fixture.clock.set(START_MS + 1000)
    const first = await onboarded()
    const second = await onboarded()
    fixture.clock.advance(1)
    const third = await onboarded()
    const at = (one: { umid: string }, ms: number) => ({ umid: one.umid, timestamp: String(START_MS + ms) })
    const together = [at(first, 1000), at(second, 1000)].sort((a, b) => (a.umid < b.umid ? -1 : 1))
    const all = [...together, at(third, 1001)]
    assert.deepEqual(rows(`from=${START_MS + 1000}&limit=10`), all)
    assert.deepEqual(rows(`from=${START_MS + 1000}`), all)
    assert.deepEqual(rows(`limit=2&from=${START_MS + 1000}`), all.slice(0, 2))
    assert.deepEqual(rows(`from=${START_MS + 1001}&limit=x`), all.slice(2))
    assert.deepEqual(rows(`from=${START_MS + 1002}`), [])
  })

  test('lists a transaction where it arrived when it is committed after others that arrived later', async () => {
    fixture.clock.set(START_MS + 5000)
    const agreements: (() => void)[] = []
    const { agree } = fixture.consensus
    fixture.consensus.agree = () => new Promise((resolve) => agreements.push(resolve))
    const slow = onboarded()
    await setImmediate()
    fixture.consensus.agree = agree
    fixture.clock.advance(7)
    const quick = await onboarded()
    const listed = () =>
      rows(`from=${START_MS + 5000}`).map(({ umid, timestamp }) => [umid, Number(timestamp) - START_MS])
    assert.deepEqual(listed(), [[quick.umid, 5007]])
    for (const go of agreements) go()
    const { umid } = await slow
    assert.deepEqual(listed(), [
      [umid, 5000],
      [quick.umid, 5007],
    ])
  })

  test('lists a transaction that was not saved, also after a restart, and nothing more of it can be read', async () => {
    const key = testKey('twice at once')
    const twice = onboarding(place(), key)
    const answers = await Promise.all([post(fixture.sandbox, twice), post(fixture.sandbox, twice)])
    assert.deepEqual(answers.map(outcomeOf).sort(), ['Failed to save', 'committed'])
    const unsaved = answers.find((answer) => outcomeOf(answer) !== 'committed')?.$umid ?? ''
    for (const how of ['now', 'after a crash'] as const) {
      if (how !== 'now') await fixture.restart(how)
      assert.ok(rows('from=0').some(({ umid }) => umid === unsaved))
      assert.deepEqual(node().transaction(unsaved), missing(`${unsaved}:umid`))
    }
  })

  test('fails without a time, and compares times as texts', () => {
    for (const query of ['', 'limit=1']) assert.deepEqual(node().umids(query), { status: 500, value: {} })
    for (const query of ['from=abc', 'from=2']) assert.deepEqual(rows(query), [])
  })

  test('has the same after a restart, clean or not', async () => {
    const { umid } = await onboarded()
    const listed = rows('from=0')
    const told = node().transaction(umid)
    for (const how of ['after a crash', 'cleanly'] as const) {
      await fixture.restart(how)
      assert.deepEqual(rows('from=0'), listed)
      assert.deepEqual(node().transaction(umid), told)
    }
  })
})
