import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { OperatorError } from '../../src/operator-error.js'
import { JOURNAL_FILE } from '../../src/sandbox/sandbox-directory.js'
import { UNASSIGNED_WALLETS } from '../../src/sandbox/simulated-networks.js'
import { testKey } from '../support/signing.js'
import { assignment, commit, fail, onboarding, PUBLIC_URL, post, SandboxFixture } from './sandbox-fixture.js'

const key = testKey('sandbox')

async function start(context: TestContext): Promise<SandboxFixture> {
  const fixture = await SandboxFixture.start()
  context.after(() => fixture.close())
  return fixture
}

/** Onboards, claims and assigns, without letting any time pass. */
async function own(fixture: SandboxFixture): Promise<{ identity: string; wallet: string }> {
  const place = fixture.sandbox.describe()
  const { streams } = await commit(fixture.sandbox, onboarding(place, key))
  const identity = streams.new[0]?.id ?? ''
  const wallet = (await fixture.store.wallets.claim('TRX-NILE', 1000))?.id ?? ''
  await commit(fixture.sandbox, assignment(place, key, identity, wallet))
  return { identity, wallet }
}

describe('the sandbox', () => {
  test('describes itself', async (context) => {
    const { sandbox } = await start(context)
    const { notice, contracts, ...rest } = sandbox.describe()
    assert.match(notice, /simulated/)
    assert.match(contracts.onboard, /^[0-9a-f]{64}$/)
    assert.match(contracts.assignOwner, /^[0-9a-f]{64}$/)
    assert.notEqual(contracts.onboard, contracts.assignOwner)
    assert.deepEqual(rest, {
      nodeUrl: `${PUBLIC_URL}/sandbox/ledger`,
      namespace: 'sandbox',
      onboardingName: 'billhook.sandbox.onboarding',
      networks: ['SEP', 'TRX-NILE'],
    })
  })

  test('tells of an onboarding, to those who ask its ledger, before the service is told', async (context) => {
    const { sandbox, store } = await start(context)
    const { streams } = await commit(sandbox, onboarding(sandbox.describe(), key))
    const identity = streams.new[0]?.id ?? ''
    assert.equal(store.identities.isKnown(identity), false)
    assert.equal(await sandbox.ledgerNode.hasIdentity(identity), true)
    assert.equal(await sandbox.ledgerNode.hasIdentity('f'.repeat(64)), false)
  })

  for (const how of ['cleanly', 'after a crash'] as const) {
    test(`restarted ${how} before the service has heard, it tells what the ledger committed`, async (context) => {
      const fixture = await start(context)
      const { identity, wallet } = await own(fixture)
      assert.equal(fixture.store.identities.isKnown(identity), false)
      await fixture.restart(how)
      assert.equal(fixture.store.identities.isKnown(identity), true)
      assert.equal(fixture.store.wallets.find(wallet)?.owner, identity)
    })

    test(`restarted ${how}, its ledger knows identities, their keys and owners`, async (context) => {
      const fixture = await start(context)
      const { identity, wallet } = await own(fixture)
      await fixture.restart(how)
      const place = fixture.sandbox.describe()
      await fail(fixture.sandbox, onboarding(place, key), 'Deterministic Stream Name Exists', 1)
      await fail(
        fixture.sandbox,
        assignment(place, key, identity, wallet),
        'Vote Failure - "the wallet is assigned already"',
      )
      const next = (await fixture.store.wallets.claim('SEP', 1000))?.id ?? ''
      await fail(fixture.sandbox, assignment(place, testKey('another'), identity, next), 'Input Signature Incorrect')
      await commit(fixture.sandbox, assignment(place, key, identity, next))
    })
  }

  test('tells an assignment again after a restart without undoing a later one', async (context) => {
    const fixture = await start(context)
    const { wallet } = await own(fixture)
    await fixture.restart('cleanly')
    const fact = { type: 'wallet.assigned', id: wallet, address: null, network: null, owner: 'another' } as const
    await fixture.intake.apply([{ eventId: null, fact }])
    await fixture.restart('after a crash')
    assert.equal(fixture.store.wallets.find(wallet)?.owner, 'another')
  })

  test('closing confirms what waits for its confirmation', async (context) => {
    const fixture = await start(context)
    const address = (await fixture.store.wallets.claim('SEP', 1000))?.address
    const seen = await fixture.sandbox.networks.deposit({ address, amount: '1' })
    assert.ok(seen.ok)
    await fixture.restart('cleanly')
    assert.equal(fixture.store.deposits.find('SEP', seen.value.txHash, 0)?.kind, 'confirmed')
  })

  test('fills up the wallets that belong to nobody when it starts, and only then', async (context) => {
    const fixture = await start(context)
    const { wallet } = await own(fixture)
    const counts = () => (['SEP', 'TRX-NILE'] as const).map((network) => fixture.store.wallets.countUnassigned(network))
    assert.deepEqual(counts(), [UNASSIGNED_WALLETS, UNASSIGNED_WALLETS])
    for (const how of ['after a crash', 'cleanly'] as const) {
      await fixture.restart(how)
      assert.deepEqual(counts(), [UNASSIGNED_WALLETS, UNASSIGNED_WALLETS])
    }
    assert.notEqual(fixture.store.wallets.find(wallet)?.owner, null)
  })

  test('commits nothing that its journal does not take', async (context) => {
    const fixture = await start(context)
    const place = fixture.sandbox.describe()
    await fixture.sandbox.close()
    const { $summary, $streams } = await post(fixture.sandbox, onboarding(place, key))
    assert.match($summary.errors?.join() ?? '', /^Failed to save - Error /)
    assert.deepEqual({ ...$summary, errors: [] }, { total: 1, vote: 1, commit: 1, errors: [] })
    assert.equal($streams?.new.length, 1)
    await fixture.restart('cleanly')
    await commit(fixture.sandbox, onboarding(place, key))
  })

  test('goes on from a journal of an earlier version', async (context) => {
    const fixture = await start(context)
    const { identity, wallet } = await own(fixture)
    const path = join(fixture.place.path, JOURNAL_FILE)
    const earlier = readFileSync(path, 'utf8')
      .replaceAll(`"publicKey":"0x${key.publicKeyHex}"`, `"publicKey":"${key.publicKeyHex}"`)
      .replaceAll(',"isSigned":true', '')
      .replace(/,"\$revs":\{[^{]*\{[^}]*\},[^{]*\{[^}]*\}\}/g, '')
    assert.doesNotMatch(earlier, /isSigned|\$revs/)
    await fixture.sandbox.close()
    writeFileSync(path, earlier)
    await fixture.restart('after a crash')
    assert.equal(fixture.store.wallets.find(wallet)?.owner, identity)
    const { value } = await fixture.sandbox.ledgerNode.stream(`${identity}:stream`)
    const { stream } = value as { stream: { authorities: readonly { public: string }[] } }
    assert.equal(stream.authorities[0]?.public, `0x${key.publicKeyHex}`)
    const another = (await fixture.store.wallets.claim('SEP', 1000))?.id ?? ''
    await commit(fixture.sandbox, assignment(fixture.sandbox.describe(), key, identity, another))
  })

  test('does not start on a damaged journal, and leaves it alone', async (context) => {
    const fixture = await start(context)
    await own(fixture)
    const path = join(fixture.place.path, JOURNAL_FILE)
    assert.ok(existsSync(path))
    const sound = readFileSync(path)
    writeFileSync(path, Buffer.concat([Buffer.from('x'), sound]))
    await assert.rejects(fixture.restart('cleanly'), OperatorError)
    assert.equal(readFileSync(path)[0], 0x78)
  })
})
