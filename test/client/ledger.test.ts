import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { assignWallet, BillhookError, identityId, keySigner, type LedgerSettings, onboard } from 'billhook/client'
import { noble } from '../../src/crypto/noble.js'
import { testKey } from '../support/signing.js'
import { FakeService, type Scripted } from './fake-service.js'

const key = testKey('identity')
const identity = keySigner(key.secretKey)
const NAME = 'a name'
const ID = identityId(identity.publicKey, NAME)
const WALLET = 'b'.repeat(64)

const COMMITTED = { total: 3, vote: 3, commit: 3 }
const ONBOARDED = answer({ $umid: 'u', $summary: COMMITTED, $streams: { new: [{ id: ID, name: NAME }], updated: [] } })
const ASSIGNED = answer({ $umid: 'u', $summary: COMMITTED, $streams: { new: [], updated: [{ id: WALLET, name: '' }] } })

function answer(body: unknown): Scripted {
  return { status: 200, body }
}

/** As nodes answer after the checks of signatures. */
function failed(error: string, commit = 0): Scripted {
  return answer({ $umid: 'u', $summary: { total: 3, vote: 0, commit, errors: [`${error} - Error 455055c1-0000`] } })
}

/** As nodes answer before them. */
const BUSY = answer({
  $umid: '',
  $summary: { total: 1, vote: 0, commit: 0, errors: ['Busy Locks'] },
  $streams: { new: [], updated: [] },
})

function ledger(script: readonly Scripted[], nodes = ['http://one.example', 'http://two.example/node/']) {
  const service = new FakeService(script)
  const contracts = { onboard: 'c1', assignOwner: 'c2' }
  const settings: LedgerSettings = { nodes, namespace: 'ns', contracts, onboardingName: NAME, fetch: service.fetch }
  return { service, settings }
}

async function failsWith(code: string, work: Promise<unknown>, message = /./): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof BillhookError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })
}

/** Asserts that a body is exactly `before`, a signature of `tx`, and `after`. */
function assertSigned(body: string | undefined, before: string, tx: string, after: string): void {
  assert.ok(body !== undefined)
  assert.ok(body.startsWith(before) && body.endsWith(after), body)
  const signature = Buffer.from(body.slice(before.length, -after.length), 'base64')
  assert.ok(noble.verify(signature, createHash('sha256').update(tx).digest(), key.publicKey), body)
}

describe('onboard', () => {
  test('posts exactly the documented bytes, signed as the node will write them', async () => {
    const { service, settings } = ledger([ONBOARDED])
    assert.equal(await onboard(settings, identity), ID)
    const [asked] = service.asked
    assert.deepEqual([asked?.method, asked?.url], ['POST', 'http://one.example/'])
    const tx = `{"$contract":"c1","$namespace":"ns","$i":{"otk":{"publicKey":"0x${key.publicKeyHex}","type":"secp256k1"}}}`
    assertSigned(asked?.body, '{"$selfsign":true,"$sigs":{"otk":"', tx, `"},"$tx":${tx}}`)
  })

  test('takes an identity that exists for a success', async () => {
    const { settings } = ledger([failed('Deterministic Stream Name Exists')])
    assert.equal(await onboard(settings, identity), ID)
  })

  test('believes only what is committed, without errors, and the expected stream', async () => {
    const wrong: readonly [Scripted, RegExp][] = [
      [failed('Self signed signature not matching'), /: Self signed signature not matching - Error/],
      [failed('Failed to save', 2), /Failed to save/],
      [answer({ $summary: { commit: 0 }, $streams: { new: [{ id: ID }] } }), /not committed/],
      [answer({ $summary: {}, $streams: { new: [{ id: ID }] } }), /not committed/],
      [answer({ $summary: COMMITTED, $streams: { new: [{ id: WALLET }] } }), /another stream/],
      [answer({ $summary: COMMITTED }), /another stream/],
      [answer({ $summary: { ...COMMITTED, errors: ['one node'] }, $streams: { new: [{ id: ID }] } }), /: one node$/],
    ]
    for (const [scripted, message] of wrong) {
      await failsWith('ledger_rejected', onboard(ledger([scripted]).settings, identity), message)
    }
  })
})

describe('assignWallet', () => {
  test('posts exactly the documented bytes, signed as the node will write them', async () => {
    const { service, settings } = ledger([ASSIGNED])
    await assignWallet(settings, identity, WALLET)
    const owner = `{"owner":{"$stream":"${ID}","personal":true}}`
    const tx = `{"$contract":"c2","$namespace":"ns","$i":${owner},"$o":{"wallet":{"$stream":"${WALLET}"}}}`
    assertSigned(service.asked[0]?.body, `{"$sigs":{"${ID}":"`, tx, `"},"$tx":${tx}}`)
  })

  test('is rejected with the reason of the node', async () => {
    const { settings } = ledger([failed('Vote Failure - "taken"')])
    await failsWith('ledger_rejected', assignWallet(settings, identity, WALLET), /Vote Failure - "taken"/)
  })

  test('comes again while a node is busy with the identity', async () => {
    const { service, settings } = ledger([BUSY, ASSIGNED])
    await assignWallet(settings, identity, WALLET)
    assert.equal(service.asked.length, 2)
  })
})

describe('nodes', () => {
  const silent: readonly Scripted[] = [
    new TypeError('fetch failed'),
    { status: 502, body: '<html>' },
    { status: 500, body: {} },
    { status: 200, body: '"Invalid Transaction"' },
  ]

  test('are tried in turn until one answers as a node', async () => {
    for (const trouble of silent) {
      const { service, settings } = ledger([trouble, ASSIGNED])
      await assignWallet(settings, identity, WALLET)
      assert.deepEqual(
        service.asked.map(({ url }) => url),
        ['http://one.example/', 'http://two.example/node/'],
      )
      assert.equal(service.asked[0]?.body, service.asked[1]?.body)
    }
  })

  test('are unavailable when none answers', async () => {
    const { settings } = ledger(silent.slice(0, 2))
    await failsWith('ledger_unavailable', onboard(settings, identity), /of 2/)
    await failsWith('ledger_unavailable', onboard(ledger([], []).settings, identity))
  })

  test('that refuse are not passed over', async () => {
    const { service, settings } = ledger([failed('Stream(s) not found')])
    await failsWith('ledger_rejected', assignWallet(settings, identity, WALLET))
    assert.equal(service.asked.length, 1)
  })
})
