import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type LedgerTemper, QUIET, realTemper } from '../../src/sandbox/ledger-temper.js'
import type { SimulatedNode } from '../../src/sandbox/simulated-node.js'
import { type TestKey, testKey } from '../support/signing.js'
import { assignment, assignTx, type ClientTransaction, onboarding, SandboxFixture, signTx } from './sandbox-fixture.js'

/** Three nodes that do what the test wants where real ones may do either. */
class ScriptedTemper implements LedgerTemper {
  readonly nodes = 3
  readonly isSilent = true
  readonly mergesRepeats = true
  readonly lingerMs = 20
  next: Partial<Pick<LedgerTemper, 'onboardings' | 'rivals' | 'lags'>> = {}

  onboardings(isSameNode: boolean) {
    return this.next.onboardings?.(isSameNode) ?? QUIET.onboardings(isSameNode)
  }
  rivals() {
    return this.next.rivals?.() ?? 'refused'
  }
  lags() {
    return this.next.lags?.() ?? false
  }
}

interface Answer {
  readonly $umid: string
  readonly $summary: {
    readonly total: number
    readonly vote: number
    readonly commit: number
    readonly errors?: readonly string[]
  }
  readonly $streams?: {
    readonly new: readonly { readonly id: string }[]
    readonly updated: readonly { readonly id: string }[]
  }
}

const temper = new ScriptedTemper()
let fixture: SandboxFixture
let count = 0

before(async () => {
  fixture = await SandboxFixture.start({ temper })
})
after(() => fixture.close())
beforeEach(() => {
  temper.next = {}
  settle()
})

const place = () => fixture.sandbox.describe()
const nodeAt = (index: number): SimulatedNode => fixture.sandbox.ledgerNodes[index] ?? assert.fail()

/** Every node is done with the last transaction, and a millisecond passes. */
function settle(): void {
  fixture.clock.advance(1)
  fixture.scheduler.pass(temper.lingerMs)
}

async function post(transaction: unknown, node = 0): Promise<Answer> {
  const { status, value } = await nodeAt(node).submit(Buffer.from(JSON.stringify(transaction)))
  assert.equal(status, 200)
  return value as Answer
}

/** What is counted, and how the errors begin. */
function brief({ $summary }: Answer): readonly [counts: string, ...errors: string[]] {
  const { total, vote, commit, errors = [] } = $summary
  return [[total, vote, commit].join('/'), ...errors.map((error) => error.replace(/ - Error .*/, ''))]
}

async function onboarded(): Promise<{ readonly key: TestKey; readonly identity: string; readonly umid: string }> {
  count += 1
  const key = testKey(`real ${count}`)
  const { $streams, $umid } = await post(onboarding(place(), key))
  settle()
  return { key, identity: $streams?.new[0]?.id ?? assert.fail(), umid: $umid }
}

async function freeWallet(): Promise<string> {
  return (await fixture.store.wallets.claim('SEP', 600_000))?.id ?? assert.fail()
}

async function ownerOf(wallet: string, node = 0): Promise<unknown> {
  const { value } = await nodeAt(node).stream(wallet)
  return (value as { stream: { owner: unknown } }).stream.owner
}

async function metaOf(identity: string, node = 0) {
  const { value } = await nodeAt(node).stream(`${identity}:stream`)
  const { stream } = value as {
    stream: { umid: string; txs: readonly string[]; authorities: readonly { public: string }[] }
  }
  return { ...stream, keys: stream.authorities.map((authority) => authority.public) }
}

function replacement(key: TestKey, identity: string, newKey: TestKey): ClientTransaction {
  const { namespace, contracts } = place()
  const owner = { $stream: identity, newKey: `0x${newKey.publicKeyHex}` }
  const $tx = { $contract: contracts.replaceKey, $namespace: namespace, $i: { owner } }
  return { $sigs: { [identity]: signTx(key, $tx) }, $tx }
}

/** Whether there is no answer, however often the nodes get their turn. */
async function isSilent(answer: Promise<unknown>): Promise<boolean> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  answer.then(end, end)
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  return !isOver
}

describe('two transactions at once on a real ledger', () => {
  test('of one identity at one node: the second has no answer until another comes', async () => {
    const { key, identity } = await onboarded()
    const [one, other] = [await freeWallet(), await freeWallet()]
    const first = post(assignment(place(), key, identity, one))
    const second = post(assignment(place(), key, identity, other))
    assert.deepEqual(brief(await first), ['2/2/2'])
    settle()
    assert.equal(await isSilent(second), true)
    assert.equal(await ownerOf(other), null)
    await onboarded()
    assert.deepEqual(brief(await second), ['2/2/2'])
    assert.equal(await ownerOf(other), identity)
  })

  test('of one identity at two nodes: the second is refused, by one node because it is busy', async () => {
    const { key, identity } = await onboarded()
    const [one, other] = [await freeWallet(), await freeWallet()]
    const first = post(assignment(place(), key, identity, one), 1)
    const second = post(assignment(place(), key, identity, other), 0)
    assert.deepEqual(brief(await first), ['2/2/2'])
    assert.deepEqual(brief(await second), [
      '3/1/0',
      'Input Stream Position Incorrect',
      'Busy Locks',
      'Failed Network Voting Round - Non Broadcast',
    ])
  })

  test('of one identity at two nodes: or both succeed in turn', async () => {
    temper.next = { rivals: () => 'in turn' }
    const { key, identity } = await onboarded()
    const wallets = [await freeWallet(), await freeWallet()]
    const answers = wallets.map((wallet, node) => post(assignment(place(), key, identity, wallet), node))
    for (const answer of await Promise.all(answers)) assert.deepEqual(brief(answer), ['2/2/2'])
  })

  test('of one wallet at two nodes: one owner, and the other is refused', async () => {
    const [one, other] = [await onboarded(), await onboarded()]
    const wallet = await freeWallet()
    const first = post(assignment(place(), one.key, one.identity, wallet), 1)
    const second = post(assignment(place(), other.key, other.identity, wallet), 0)
    assert.deepEqual(brief(await first), ['2/2/2'])
    const position = 'Output Stream Position Incorrect'
    assert.deepEqual(brief(await second), ['3/1/0', position, position, 'Failed Network Voting Round - Non Broadcast'])
    assert.equal(await ownerOf(wallet), one.identity)
  })

  test('after a commit, the node that was not needed for it gives no answer for a while', async () => {
    const { key, identity } = await onboarded()
    const [one, other] = [await freeWallet(), await freeWallet()]
    await post(assignment(place(), key, identity, one))
    const next = post(assignment(place(), key, identity, other), 2)
    assert.equal(await isSilent(next), true)
    settle()
    assert.equal(await isSilent(next), true)
    await post(onboarding(place(), testKey('wakes the third node')), 2)
    assert.deepEqual(brief(await next), ['2/2/2'])
  })

  test('the same body in the same millisecond is one transaction', async () => {
    const transaction = onboarding(place(), testKey('twice in a millisecond'))
    const [whole, repeated] = await Promise.all([post(transaction), post(transaction)])
    assert.deepEqual([brief(whole), brief(repeated)], [['2/2/2'], ['1/0/0']])
    assert.equal(repeated.$umid, whole.$umid)
    const later = await post(transaction)
    assert.deepEqual(brief(later), ['2/2/0', 'Deterministic Stream Name Exists', 'Deterministic Stream Name Exists'])
    assert.notEqual(later.$umid, whole.$umid)
  })

  test('onboardings of one key: both may fail, with the id, and the identity exists', async () => {
    const outcomes = [
      [
        ['unsaved', 'unsaved'],
        ['2/2/2', 'Failed to save'],
        ['2/2/2', 'Failed to save'],
      ],
      [
        ['exists', 'unsaved'],
        ['2/2/1', 'Deterministic Stream Name Exists'],
        ['2/2/2', 'Failed to save'],
      ],
    ] as const
    for (const [pair, ...expected] of outcomes) {
      temper.next = { onboardings: () => pair }
      const key = testKey(`both fail ${pair.join()}`)
      const answers = await Promise.all([post(onboarding(place(), key), 0), post(onboarding(place(), key), 1)])
      assert.deepEqual(answers.map(brief), expected)
      const identity = answers[0]?.$streams?.new[0]?.id ?? ''
      for (const { $streams } of answers) assert.equal($streams?.new[0]?.id, identity)
      for (const node of [0, 1, 2]) assert.equal(await nodeAt(node).hasIdentity(identity), true)
      // One node has the transaction, for good; the others list it and do not find it.
      const [umid = ''] = (await metaOf(identity)).txs
      assert.deepEqual(
        [0, 1, 2].map((node) => nodeAt(node).transaction(umid).status),
        [500, 200, 500],
      )
      assert.ok(JSON.stringify(nodeAt(0).umids('from=0').value).includes(umid))
    }
  })

  test('transactions that wait are answered before the service stops', async () => {
    const own = new ScriptedTemper()
    const other = await SandboxFixture.start({ temper: own })
    const node = other.sandbox.ledgerNode
    const submit = async (transaction: unknown) =>
      (await node.submit(Buffer.from(JSON.stringify(transaction)))).value as Answer
    const key = testKey('waits for the end')
    const { $streams } = await submit(onboarding(other.sandbox.describe(), key))
    const identity = $streams?.new[0]?.id ?? ''
    const wallets = [await other.store.wallets.claim('SEP', 1000), await other.store.wallets.claim('SEP', 1000)]
    const [first, second] = wallets.map((wallet) =>
      submit(assignment(other.sandbox.describe(), key, identity, wallet?.id ?? '')),
    )
    await first
    other.sandbox.answerWaiting()
    assert.deepEqual(brief((await second) ?? assert.fail()), ['1/0/0', 'Busy Locks'])
    await other.close()
  })
})

describe('nodes of a real ledger', () => {
  test('commit without one that lags, whose error is in the answer', async () => {
    const { key, identity } = await onboarded()
    const wallet = await freeWallet()
    temper.next = { lags: () => true }
    const answer = await post(assignment(place(), key, identity, wallet))
    assert.deepEqual(brief(answer), ['3/2/2', 'Stream(s) not found'])
    assert.equal(answer.$summary.errors?.[0], 'Stream(s) not found - Error Default Error Id')
    assert.deepEqual(
      [await ownerOf(wallet, 0), await ownerOf(wallet, 1), await ownerOf(wallet, 2)],
      [identity, null, identity],
    )
    assert.equal(nodeAt(1).transaction(answer.$umid).status, 500)
    // It catches up, and its listing never has the transaction.
    temper.next = {}
    await onboarded()
    assert.equal(await ownerOf(wallet, 1), identity)
    assert.equal(JSON.stringify(nodeAt(1).umids('from=0').value).includes(answer.$umid), false)
  })

  test('miss what is committed while they are down, and list it never', async () => {
    const { memory } = nodeAt(2)
    memory.state = 'down'
    const { identity, umid } = await onboarded()
    memory.state = 'up'
    assert.equal(await nodeAt(2).hasIdentity(identity), false)
    memory.restore()
    assert.equal(await nodeAt(2).hasIdentity(identity), true)
    assert.equal(JSON.stringify(nodeAt(2).umids('from=0').value).includes(umid), false)
  })

  test('commit nothing when their neighbour goes down or nobody is left', async () => {
    const key = testKey('nobody answers')
    for (const [state, ...nodes] of [
      ['falling', 1],
      ['down', 1, 2],
    ] as const) {
      for (const node of nodes) nodeAt(node).memory.state = state
      assert.deepEqual(brief(await post(onboarding(place(), key))), ['1/1/0', 'Error: 3x Right Knock Error'])
      for (const node of nodes) nodeAt(node).memory.state = 'up'
    }
    assert.deepEqual(brief(await post(onboarding(place(), key))), ['2/2/2'])
  })

  test('do not check a signature that comes in an object, and the service is not told of it', async () => {
    const { identity } = await onboarded()
    fixture.scheduler.pass(200)
    await fixture.until(() => fixture.store.identities.isKnown(identity))
    for (const signature of [{}, [], { bogus: 'eA==' }]) {
      const wallet = await freeWallet()
      const $tx = assignTx(place(), identity, wallet)
      const { $umid, ...answer } = await post({ $sigs: { [identity]: signature }, $tx })
      assert.deepEqual(brief({ $umid, ...answer }), ['2/2/2'])
      const told = (nodeAt(0).transaction($umid).value as { umid: { $sigs: unknown } }).umid
      assert.deepEqual(told.$sigs, { [identity]: signature })
      settle()
      fixture.scheduler.pass(200)
      const { identity: marker } = await onboarded()
      fixture.scheduler.pass(200)
      await fixture.until(() => fixture.store.identities.isKnown(marker))
      assert.equal(await ownerOf(wallet), identity)
      assert.equal(fixture.store.wallets.find(wallet)?.owner, null)
    }
  })

  test('let a contract replace the key of an identity', async () => {
    const { key, identity, umid } = await onboarded()
    const [second, third] = [testKey('second key'), testKey('third key')]
    const replaced = await post(replacement(key, identity, second))
    assert.deepEqual(
      replaced.$streams?.updated.map(({ id }) => id),
      [identity],
    )
    settle()
    const again = await post(replacement(second, identity, third))
    settle()
    const { keys, txs, umid: onboardingKey } = await metaOf(identity)
    assert.deepEqual(keys, [`0x${third.publicKeyHex}`])
    assert.equal(onboardingKey, `0x${key.publicKeyHex}`)
    assert.deepEqual(txs, [umid, replaced.$umid, again.$umid])
    for (const [signer, outcome] of [
      [key, 'Input Signature Incorrect'],
      [second, 'Input Signature Incorrect'],
      [third, undefined],
    ] as const) {
      const answer = await post(assignment(place(), signer, identity, await freeWallet()))
      assert.equal(brief(answer)[1], outcome)
      settle()
    }
    await fixture.restart('after a crash')
    assert.deepEqual((await metaOf(identity)).keys, [`0x${third.publicKeyHex}`])
    assert.deepEqual(brief(await post(replacement(third, identity, { ...key, publicKeyHex: 'ff' }))), [
      '3/0/0',
      ...Array<string>(3).fill('Vote Failure - "newKey must be a key"'),
    ])
  })
})

describe('a real ledger left to itself', () => {
  test('takes the outcomes that were observed in turn, the same ones in every run', () => {
    const run = () => {
      const { onboardings, rivals, lags } = realTemper()
      return Array.from({ length: 9 }, () => [onboardings(true), onboardings(false), rivals(), lags()])
    }
    assert.deepEqual(run(), run())
    const seen: readonly unknown[] = run().flat(2)
    for (const outcome of ['committed', 'unsaved', 'exists', 'refused', 'in turn', true]) {
      assert.ok(seen.includes(outcome), String(outcome))
    }
  })
})
