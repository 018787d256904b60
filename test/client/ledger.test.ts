import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { assignWallet, BillhookError, identityId, keySigner, type LedgerSettings, onboard } from '@billhook/client'
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

let ledgers = 0

/** The library stays at the node that answered last, so each test has nodes of its own. */
function ledger(script: readonly Scripted[], nodes = ['one', 'two']) {
  ledgers += 1
  const service = new FakeService(script)
  const contracts = { onboard: 'c1', assignOwner: 'c2' }
  const urls = nodes.map((node) => `http://${node}.ledger-${ledgers}.example/node/`)
  const settings: LedgerSettings = {
    nodes: urls,
    namespace: 'ns',
    contracts,
    onboardingName: NAME,
    fetch: service.fetch,
  }
  const posted = () => service.asked.map(({ url }) => /http:\/\/(\w+)\..*\/node\/$/.exec(url)?.[1])
  return { service, settings, posted }
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
    const { service, settings, posted } = ledger([ONBOARDED])
    assert.equal(await onboard(settings, identity), ID)
    const [asked] = service.asked
    assert.deepEqual([asked?.method, ...posted()], ['POST', 'one'])
    const tx = `{"$contract":"c1","$namespace":"ns","$i":{"otk":{"publicKey":"0x${key.publicKeyHex}","type":"secp256k1"}}}`
    assertSigned(asked?.body, '{"$selfsign":true,"$sigs":{"otk":"', tx, `"},"$tx":${tx}}`)
  })

  test('takes an identity that exists for a success', async () => {
    const { settings } = ledger([failed('Deterministic Stream Name Exists')])
    assert.equal(await onboard(settings, identity), ID)
  })

  test('is committed whatever single nodes complain of', async () => {
    const summary = { ...COMMITTED, errors: ['Stream(s) not found - Error Default Error Id'] }
    const { settings } = ledger([answer({ $summary: summary, $streams: { new: [{ id: ID }] } })])
    assert.equal(await onboard(settings, identity), ID)
  })

  test('is rejected for a refusal, and for another stream than the expected one', async () => {
    const wrong: readonly [Scripted, RegExp][] = [
      [failed('Self signed signature not matching'), /: Self signed signature not matching - Error/],
      [answer({ $summary: COMMITTED, $streams: { new: [{ id: WALLET }] } }), /another stream/],
    ]
    for (const [scripted, message] of wrong) {
      const { service, settings } = ledger([scripted])
      await failsWith('ledger_rejected', onboard(settings, identity), message)
      assert.equal(service.asked.length, 1)
    }
  })

  test('is posted once more to the same node when the answer decides nothing', async () => {
    const undecided: readonly Scripted[] = [
      failed('Failed to save', 2),
      answer({ $summary: { commit: 0 }, $streams: { new: [{ id: ID }] } }),
      answer({ $summary: {}, $streams: { new: [{ id: ID }] } }),
      answer({ $summary: COMMITTED }),
    ]
    for (const scripted of undecided) {
      const { settings, posted } = ledger([scripted, failed('Deterministic Stream Name Exists')])
      assert.equal(await onboard(settings, identity), ID)
      assert.deepEqual(posted(), ['one', 'one'])
    }
  })

  test('stays open when no answer decides anything', async () => {
    const { settings, posted } = ledger(Array<Scripted>(4).fill(failed('Failed to save', 2)), ['one'])
    await failsWith('ledger_uncertain', onboard(settings, identity), /Failed to save.*Onboard again/)
    assert.equal(posted().length, 4)
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
  const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
  const silent: readonly Scripted[] = [
    new TypeError('fetch failed'),
    { status: 502, body: '<html>' },
    { status: 500, body: {} },
    { status: 200, body: '"Invalid Transaction"' },
  ]

  test('that cannot be reached are passed over', async () => {
    const { settings, posted } = ledger([refused, ASSIGNED])
    await assignWallet(settings, identity, WALLET)
    assert.deepEqual(posted(), ['one', 'two'])
  })

  test('that may have got the transaction are asked once more, before the next one', async () => {
    for (const trouble of silent) {
      const { service, settings, posted } = ledger([trouble, trouble, ASSIGNED])
      await assignWallet(settings, identity, WALLET)
      assert.deepEqual(posted(), ['one', 'one', 'two'])
      assert.equal(new Set(service.asked.map(({ body }) => body)).size, 1)
    }
  })

  test('are unavailable when none got the transaction', async () => {
    await failsWith('ledger_unavailable', onboard(ledger([refused, refused]).settings, identity), /of 2/)
    await failsWith('ledger_unavailable', onboard(ledger([], []).settings, identity))
  })

  test('leave the outcome open when one may have got it', async () => {
    for (const trouble of silent) {
      const { settings } = ledger([refused, trouble, trouble])
      await failsWith('ledger_uncertain', assignWallet(settings, identity, WALLET), /waitForWallet\(\) tells/)
    }
  })

  test('that refuse are not passed over', async () => {
    const { service, settings } = ledger([failed('Stream(s) not found')])
    await failsWith('ledger_rejected', assignWallet(settings, identity, WALLET))
    assert.equal(service.asked.length, 1)
  })

  test('that refuse after a lost answer do not say how the first post ended', async () => {
    for (const refusal of ['Vote Failure - "the wallet is assigned already"', 'Input Signature Incorrect']) {
      const { settings } = ledger([silent[0] ?? refused, failed(refusal)])
      await failsWith('ledger_uncertain', assignWallet(settings, identity, WALLET))
    }
  })

  test('that stay busy reject', async () => {
    const { service, settings } = ledger(Array<Scripted>(6).fill(BUSY))
    await failsWith('ledger_rejected', assignWallet(settings, identity, WALLET), /Busy Locks/)
    assert.equal(service.asked.length, 6)
  })
})
