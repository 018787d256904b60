import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  assignWallet,
  type Billhook,
  BillhookError,
  identityId,
  keySigner,
  type LedgerOptions,
  onboard,
} from '@billhook/client'
import { type LedgerTemper, type OnboardingOutcome, realTemper } from '../../src/sandbox/ledger-temper.js'
import { assignment, onboarding, SandboxFixture, signTx } from '../sandbox/sandbox-fixture.js'
import { type TestKey, testKey } from '../support/signing.js'
import { LedgerNetwork, type Way, witness } from './ledger-network.js'

/* The library and a ledger of the kind `real`, whose nodes do the worst of what was observed. */

let fixture: SandboxFixture
let network: LedgerNetwork
let onboardings: readonly [OnboardingOutcome, OnboardingOutcome] | null
let isLagging: boolean
let count = 0

beforeEach(async () => {
  onboardings = null
  isLagging = false
  const real = realTemper()
  const temper: LedgerTemper = {
    ...real,
    onboardings: (isSameNode) => onboardings ?? real.onboardings(isSameNode),
    lags: () => isLagging,
  }
  fixture = await SandboxFixture.start({ temper })
  count += 1
  network = new LedgerNetwork(fixture, `ledger-${count}`)
})
afterEach(() => fixture.close())

/** Two programs that know nothing of each other: they share no turns, so what they post is in flight at once. */
async function postAtOnce(transaction: unknown, node: number): Promise<void> {
  await fixture.sandbox.ledgerNodes[node]?.submit(Buffer.from(JSON.stringify(transaction)))
}

function person(name = 'somebody') {
  const key = testKey(name)
  const identity = keySigner(key.secretKey)
  return { key, identity, owner: identityId(identity.publicKey, network.settings.onboardingName) }
}

async function onboarded(name?: string) {
  const one = person(name)
  await onboard(network.settings, one.identity)
  fixture.scheduler.pass(1000)
  network.posted.length = 0
  return one
}

async function freeWallet(): Promise<string> {
  return (await fixture.store.wallets.claim('SEP', 600_000))?.id ?? assert.fail()
}

async function ownerOf(wallet: string): Promise<unknown> {
  const { value } = await fixture.sandbox.ledgerNode.stream(wallet)
  return (value as { stream: { owner: unknown } }).stream.owner
}

async function failsWith(code: string, work: Promise<unknown>, message = /./): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof BillhookError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })
}

/** A look that takes no time when there is nothing to see. */
const SHORT = { settleMs: 0 }

describe('onboarding at a real ledger', () => {
  const pairs: readonly (readonly [OnboardingOutcome, OnboardingOutcome])[] = [
    ['unsaved', 'unsaved'],
    ['unsaved', 'committed'],
    ['exists', 'unsaved'],
    ['exists', 'committed'],
    ['committed', 'unsaved'],
  ]
  for (const pair of pairs) {
    for (const node of [0, 1]) {
      test(`succeeds beside another one at node ${node}, when they end as ${pair.join(' and ')}`, async () => {
        onboardings = pair
        const { key, identity, owner } = person()
        const mine = onboard(network.settings, identity)
        // The library signs first, so the other post comes as soon as the node has got its own.
        const place = fixture.sandbox.describe()
        const { agree } = fixture.consensus
        let isFirst = true
        let theirs: Promise<void> | undefined
        fixture.consensus.agree = async () => {
          if (isFirst) {
            isFirst = false
            fixture.clock.advance(1)
            theirs = postAtOnce(onboarding(place, key), node)
          }
          await agree()
        }
        assert.equal(await mine, owner)
        assert.equal(await fixture.sandbox.ledgerNode.hasIdentity(owner), true)
        await theirs
      })
    }
  }

  test('succeeds in both calls, and posts one after the other', async () => {
    const { identity, owner } = person()
    const both = [onboard(network.settings, identity), onboard(network.settings, identity)]
    assert.deepEqual(await Promise.all(both), [owner, owner])
    assert.equal(network.posted.length, 2)
  })

  for (const way of ['request lost', 'answer lost', 'no answer'] as const) {
    test(`goes on at the same node after this: ${way}`, async () => {
      network.ways.push(way)
      const { identity, owner } = person()
      assert.equal(await onboard(network.settings, identity), owner)
      assert.deepEqual(network.posted, [0, 0])
    })
  }

  test('is unavailable when nothing could be sent, and uncertain when something may have been', async () => {
    const { identity } = person()
    network.ways.push('refused', 'refused', 'refused')
    await failsWith('ledger_unavailable', onboard(network.settings, identity))
    const lost: Way[] = ['request lost', 'no answer']
    network.ways.push(...lost, ...lost, ...lost)
    await failsWith('ledger_uncertain', onboard(network.settings, identity), /Onboard again: it does no harm/)
  })

  test('asks the service when no node says how it ended', async () => {
    const { identity, owner } = person()
    const billhook = { ...witness(fixture, owner), owner: undefined }
    network.ways.push('answer lost')
    assert.equal(await onboard(network.settings, identity, { billhook }), owner)
    assert.deepEqual(network.posted, [0])
  })
})

describe('assigning at a real ledger', () => {
  test('is committed when one node lags', async () => {
    isLagging = true
    const { identity, owner } = await onboarded()
    const wallet = await freeWallet()
    await assignWallet(network.settings, identity, wallet)
    assert.equal(await ownerOf(wallet), owner)
    assert.equal(network.posted.length, 1)
  })

  test('of two wallets at once succeeds in both calls, without a silent node', async () => {
    const { identity, owner } = await onboarded()
    const wallets = [await freeWallet(), await freeWallet(), await freeWallet()]
    await Promise.all(wallets.map((wallet) => assignWallet(network.settings, identity, wallet)))
    for (const wallet of wallets) assert.equal(await ownerOf(wallet), owner)
    assert.deepEqual(network.posted, [0, 0, 0])
  })

  test('beside one of another program gets its answer by posting again', async () => {
    const { key, identity, owner } = await onboarded()
    const [one, other] = [await freeWallet(), await freeWallet()]
    // The other program's transaction is in progress at the node while ours arrives.
    let isDone = () => {}
    const { agree } = fixture.consensus
    fixture.consensus.agree = () => new Promise((resolve) => (isDone = resolve))
    const theirs = postAtOnce(assignment(fixture.sandbox.describe(), key, owner, other), 0)
    const ours = assignWallet(network.settings, identity, one, { billhook: witness(fixture, owner) })
    while (network.posted.length === 0) await new Promise(setImmediate)
    fixture.consensus.agree = agree
    isDone()
    await theirs
    fixture.scheduler.pass(1000)
    await ours
    assert.equal(await ownerOf(one), owner)
    assert.deepEqual(network.posted, [0, 0])
  })

  for (const way of ['answer lost', 'no answer', 'request lost'] as const) {
    test(`succeeds after this, if the service can be asked: ${way}`, async () => {
      const { identity, owner } = await onboarded()
      const wallet = await freeWallet()
      network.ways.push(way)
      await assignWallet(network.settings, identity, wallet, { billhook: witness(fixture, owner) })
      assert.equal(await ownerOf(wallet), owner)
      assert.deepEqual(network.posted, way === 'answer lost' ? [0] : [0, 0])
    })
  }

  test('stays open after a lost answer and "assigned already", if nobody can be asked', async () => {
    const { identity } = await onboarded()
    network.ways.push('answer lost')
    await failsWith(
      'ledger_uncertain',
      assignWallet(network.settings, identity, await freeWallet()),
      /gave no answer; then Vote Failure - "the wallet is assigned already".*waitForWallet\(\)/,
    )
  })

  test('waits until the service has learned of it', async () => {
    const { identity, owner } = await onboarded()
    const wallet = await freeWallet()
    const { listWallets, ...rest } = witness(fixture, owner)
    let looks = 0
    const late: LedgerOptions['billhook'] = {
      ...rest,
      listWallets: async () => {
        looks += 1
        if (looks === 1) throw new BillhookError('away', 'unreachable')
        return looks < 4 ? [] : listWallets()
      },
    }
    network.ways.push('answer lost')
    await assignWallet(network.settings, identity, wallet, { billhook: late, settleMs: 60_000 })
    assert.equal(looks, 4)
  })

  test("of a wallet that is the identity's already is a success", async () => {
    const { identity, owner } = await onboarded()
    const wallet = await freeWallet()
    const options = { billhook: witness(fixture, owner) }
    await assignWallet(network.settings, identity, wallet, options)
    fixture.scheduler.pass(1000)
    await assignWallet(network.settings, identity, wallet, options)
  })

  test('of a wallet of another identity stays rejected', async () => {
    const [one, other] = [await onboarded('one'), await onboarded('other')]
    const wallet = await freeWallet()
    await assignWallet(network.settings, one.identity, wallet)
    fixture.scheduler.pass(1000)
    for (const billhook of [undefined, witness(fixture, other.owner)]) {
      const options = { ...SHORT, ...(billhook === undefined ? {} : { billhook }) }
      await failsWith(
        'ledger_rejected',
        assignWallet(network.settings, other.identity, wallet, options),
        /assigned already/,
      )
    }
  })

  test('rejects at once what the contract has never seen', async () => {
    const { owner } = await onboarded()
    const never: Pick<Billhook, 'identityExists' | 'listWallets' | 'owner'> = {
      owner,
      identityExists: () => assert.fail('asked'),
      listWallets: () => assert.fail('asked'),
    }
    const work = assignWallet(network.settings, keySigner(testKey('a thief').secretKey), await freeWallet(), {
      billhook: never,
    })
    await failsWith('ledger_rejected', work, /Input Signature Incorrect/)
  })

  test('is signed by the key that replaced the one of the onboarding', async () => {
    const { key, owner } = await onboarded()
    const next = testKey('the next key')
    await replaceKey(key, next, owner)
    const wallet = await freeWallet()
    await assignWallet(network.settings, keySigner(next.secretKey), wallet, { billhook: witness(fixture, owner) })
    assert.equal(await ownerOf(wallet), owner)
  })

  test('ends with the reason of its signal', async () => {
    const { identity } = await onboarded()
    const wallet = await freeWallet()
    // The last post of all, after which the outcome would be open.
    network.ways.push('request lost', 'no answer')
    const settings = { ...network.settings, nodes: network.settings.nodes.slice(0, 1), timeoutMs: 60_000 }
    const stop = new AbortController()
    const work = assignWallet(settings, identity, wallet, { signal: stop.signal })
    while (network.posted.length < 2) await new Promise(setImmediate)
    const reason = new Error('enough')
    stop.abort(reason)
    await assert.rejects(work, reason)
  })

  test('ends with it, too, while another transaction of the identity is in progress, and is not posted later', async () => {
    const { identity } = await onboarded()
    const [first, second] = [await freeWallet(), await freeWallet()]
    network.ways.push('no answer')
    const settings = { ...network.settings, nodes: network.settings.nodes.slice(0, 1), timeoutMs: 60_000 }
    const [stopFirst, stopSecond] = [new AbortController(), new AbortController()]
    const [hanging, waiting] = [
      assignWallet(settings, identity, first, { signal: stopFirst.signal }),
      assignWallet(settings, identity, second, { signal: stopSecond.signal }),
    ]
    while (network.posted.length < 1) await new Promise(setImmediate)
    const reason = new Error('enough')
    stopSecond.abort(reason)
    await assert.rejects(waiting, reason)
    stopFirst.abort(reason)
    await assert.rejects(hanging, reason)
    await new Promise(setImmediate)
    assert.equal(network.posted.length, 1)
  })

  test('of one wallet by two identities at once succeeds for one, and the other one is told that it has not got it', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      const people = [await onboarded(`${name} one`), await onboarded(`${name} other`)]
      const wallet = await freeWallet()
      const nodes = network.settings.nodes
      const ends = await Promise.allSettled(
        people.map(({ identity, owner }, i) => {
          const settings = { ...network.settings, nodes: [...nodes.slice(i), ...nodes.slice(0, i)] }
          return assignWallet(settings, identity, wallet, { ...SHORT, billhook: witness(fixture, owner) })
        }),
      )
      const owner = await ownerOf(wallet)
      for (const [i, end] of ends.entries()) {
        const code = end.status === 'rejected' && end.reason instanceof BillhookError ? end.reason.code : end.status
        const isTheirs = people[i]?.owner === owner
        assert.ok(isTheirs ? code === 'fulfilled' : ['ledger_rejected', 'ledger_uncertain'].includes(code), code)
      }
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
      fixture.scheduler.pass(1000)
    }
  })
})

describe('nodes of a real ledger', () => {
  test('that answered last are asked first the next time, so that no other one is still busy', async () => {
    network.ways.push('refused')
    const { identity, owner } = person()
    await onboard(network.settings, identity)
    assert.deepEqual(network.posted, [0, 1])
    // The third node would be silent now.
    const wallets = [await freeWallet(), await freeWallet()]
    for (const wallet of wallets) await assignWallet({ ...network.settings }, identity, wallet)
    assert.deepEqual(network.posted, [0, 1, 1, 1])
    for (const wallet of wallets) assert.equal(await ownerOf(wallet), owner)
  })
})

async function replaceKey(key: TestKey, next: TestKey, identity: string): Promise<void> {
  const { namespace, contracts } = fixture.sandbox.describe()
  const $tx = {
    $contract: contracts.replaceKey,
    $namespace: namespace,
    $i: { owner: { $stream: identity, newKey: `0x${next.publicKeyHex}` } },
  }
  await postAtOnce({ $sigs: { [identity]: signTx(key, $tx) }, $tx }, 0)
  fixture.scheduler.pass(1000)
}
