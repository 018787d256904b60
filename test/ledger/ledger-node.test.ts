import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { noble } from '../../src/crypto/noble.js'
import type { Network } from '../../src/domain/network.js'
import type { FollowedContracts } from '../../src/ledger/followed-contracts.js'
import { LedgerNodes } from '../../src/ledger/ledger-nodes.js'
import type { LmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { assignment, type ClientTransaction, onboarding, SandboxFixture } from '../sandbox/sandbox-fixture.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { type TestKey, testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { FAULTS, type Fault, type FaultyNode, serveFaulty } from './faulty-node.js'
import { FollowerFixture, type FollowingService } from './follower-fixture.js'

/** Longer than any pause. */
const LONG_MS = 120_000
/** For answers that never come. */
const TIMEOUT_MS = 1500

const faults = Object.keys(FAULTS) as Fault[]

/** A ledger node on HTTP, and beside it a service that knows nothing of the sandbox but what it reads there. */
class World {
  follower: FollowerFixture
  private readonly place = temporaryDirectory()
  private keys = 0

  private constructor(
    readonly ledger: SandboxFixture,
    readonly node: FaultyNode,
    public store: LmdbStore,
  ) {
    this.follower = this.follow()
  }

  static async start(context: TestContext): Promise<World> {
    const ledger = await SandboxFixture.start()
    const node = await serveFaulty(context, ledger)
    const place = temporaryDirectory()
    const world = new World(ledger, node, await openStoreAt(place.path))
    context.after(async () => {
      await world.follower.follower.stop()
      await world.store.close()
      await ledger.close()
      place.remove()
      world.place.remove()
    })
    return world
  }

  /** Another run of the service on the same data. */
  async restart(): Promise<void> {
    await this.follower.follower.stop()
    this.follower = this.follow()
    await this.follower.start()
  }

  /** Posts a transaction to the node as a client does. */
  async post(transaction: ClientTransaction) {
    const response = await fetch(`${this.node.url}/`, { method: 'POST', body: JSON.stringify(transaction) })
    return (await response.json()) as {
      readonly $umid: string
      readonly $summary: { readonly commit: number; readonly errors?: readonly string[] }
      readonly $streams?: { readonly new: readonly { readonly id: string }[] }
    }
  }

  /** An identity on the ledger. */
  async onboard(): Promise<{ readonly key: TestKey; readonly identity: string; readonly umid: string }> {
    this.keys += 1
    const key = testKey(`follower ${this.keys}`)
    const { $streams, $umid } = await this.post(onboarding(this.ledger.sandbox.describe(), key))
    return { key, identity: $streams?.new[0]?.id ?? assert.fail('nobody was onboarded'), umid: $umid }
  }

  /** A wallet of the ledger that the service knows as well, as by a gateway. */
  async wallet(network: Network = 'SEP'): Promise<string> {
    const wallet = await this.ledger.store.wallets.claim(network, 600_000)
    assert.ok(wallet !== null)
    const { id, address } = wallet
    await this.store.ledger.applyFacts([{ eventId: null, fact: { type: 'wallet.created', id, address, network } }])
    return id
  }

  /** Assigns a wallet on the ledger and answers the transaction's id. */
  async assign(key: TestKey, identity: string, wallet: string): Promise<string> {
    const { $umid, $summary } = await this.post(assignment(this.ledger.sandbox.describe(), key, identity, wallet))
    assert.deepEqual($summary.errors ?? [], [])
    return $umid
  }

  private follow(): FollowerFixture {
    const { namespace, contracts, onboardingName } = this.ledger.sandbox.describe()
    const followed: FollowedContracts = {
      contracts: [
        { role: 'onboard', namespace, contract: contracts.onboard },
        { role: 'assign', namespace, contract: contracts.assignOwner },
      ],
      onboardingName,
    }
    const { url } = this.node
    const source = new LedgerNodes({ storeUrls: [url], urls: [url], timeoutMs: TIMEOUT_MS })
    const intake = new Intake(this.store.ledger, new WalletDirectory(this.store), () => undefined)
    const service: FollowingService = {
      apply: (events) => intake.apply(events),
      ledger: this.store.ledger,
      pool: { networks: this.store.networks.present, wallets: this.store.wallets },
    }
    return new FollowerFixture(source, service, { followed, engine: noble })
  }
}

describe('a service that follows a ledger node', () => {
  test('learns of an identity and of its wallet, with address and network', async (context) => {
    const world = await World.start(context)
    const { key, identity } = await world.onboard()
    const wallet = await world.wallet('TRX-NILE')
    world.ledger.clock.advance(1)
    const umid = await world.assign(key, identity, wallet)
    await world.follower.start()
    assert.equal(world.store.identities.isKnown(identity), true)
    const [owned] = world.store.wallets.page(identity, { after: null, limit: 10 }).items
    assert.deepEqual([owned?.id, owned?.network], [wallet, 'TRX-NILE'])
    const state = world.follower.follower.state()
    assert.deepEqual([state.lastUmid, state.failure, state.lagMs], [umid, null, 0])
  })

  test('takes what a gateway has pushed under the same ids for a repetition, and so the gateway', async (context) => {
    const world = await World.start(context)
    const { key, identity, umid } = await world.onboard()
    const push = (eventId: string, owner: string, id: string) =>
      world.store.ledger.applyFacts([
        { eventId, fact: { type: 'wallet.assigned', id, address: null, network: null, owner } },
      ])
    const wallet = await world.wallet()
    const assigned = await world.assign(key, identity, wallet)
    await push(`ledger:${assigned}`, identity, wallet)
    // Assigned to somebody else since, as the gateway knows already: the older transaction must not undo that.
    await push('later', 'bob', wallet)
    await world.follower.start()
    assert.equal(world.store.wallets.find(wallet)?.owner, 'bob')
    assert.deepEqual(world.follower.follower.state().facts, { applied: 0, duplicate: 2, rejected: 0 })
    const fact = { type: 'identity.onboarded', identity } as const
    const [fate] = await world.store.ledger.applyFacts([{ eventId: `ledger:${umid}`, fact }])
    assert.deepEqual(fate, { status: 'fulfilled', value: { status: 'duplicate' } })
  })

  test('loses and repeats nothing, whatever a node answers instead of the truth', async (context) => {
    const world = await World.start(context)
    await world.follower.start()
    for (const [round, fault] of faults.entries()) {
      const before = await world.onboard()
      world.node.fault = fault
      await world.follower.pass(LONG_MS)
      assert.notEqual(world.follower.follower.state().failure, null, fault)
      assert.equal(world.store.identities.isKnown(before.identity), false, fault)
      world.node.fault = null
      const after = await world.onboard()
      await world.follower.pass(LONG_MS)
      for (const { identity } of [before, after]) assert.equal(world.store.identities.isKnown(identity), true, fault)
      const { facts, failure, failures } = world.follower.follower.state()
      assert.deepEqual(
        [facts.applied, facts.duplicate, failure, failures],
        [2 * (round + 1), 0, null, round + 1],
        fault,
      )
    }
  })

  for (const fault of ['down', 'truncated', 'too late'] as const) {
    test(`goes as far as it can when the node answers in the middle with: ${fault}`, async (context) => {
      const world = await World.start(context)
      const people: { readonly identity: string }[] = []
      for (let i = 0; i < 20; i += 1) people.push(await world.onboard())
      const known = () => people.filter(({ identity }) => world.store.identities.isKnown(identity)).length
      world.node.fault = fault
      world.node.faultAfter = 10
      await world.follower.start()
      const [told, { failure }] = [known(), world.follower.follower.state()]
      assert.ok(told < people.length)
      assert.notEqual(failure, null)
      world.node.fault = null
      await world.restart()
      assert.equal(known(), people.length)
      assert.deepEqual(world.follower.follower.state().facts, {
        applied: people.length - told,
        duplicate: 0,
        rejected: 0,
      })
    })
  }

  test('is not held up by a transaction that the node answered for, listed and did not save', async (context) => {
    const world = await World.start(context)
    const twice = onboarding(world.ledger.sandbox.describe(), testKey('twice'))
    // The nodes agree on the first one when they have the second one, too.
    let arrived = 0
    let both = (): void => undefined
    const haveBoth = new Promise<void>((resolve) => {
      both = resolve
    })
    world.ledger.consensus.agree = () => {
      arrived += 1
      if (arrived === 2) both()
      return haveBoth
    }
    const answers = await Promise.all([world.post(twice), world.post(twice)])
    const errors = answers.map(({ $summary }) => $summary.errors?.[0]?.slice(0, 'Failed to save'.length) ?? 'committed')
    assert.deepEqual(errors.sort(), ['Failed to save', 'committed'])
    assert.deepEqual(
      answers.map(({ $summary }) => $summary.commit),
      [1, 1],
    )
    const { identity } = await world.onboard()
    await world.follower.start()
    assert.equal(world.store.identities.isKnown(identity), true)
    const { transactions, failure } = world.follower.follower.state()
    assert.deepEqual([transactions, failure], [2, null])
    await world.restart()
    for (let i = 0; i < 10; i += 1) await world.follower.pass(LONG_MS)
    assert.equal(world.follower.follower.state().setAside.missing, 1)
    assert.equal(world.store.ledger.memory()?.setAside.length, 1)
  })

  test('goes on where it was when it and the node are started again', async (context) => {
    const world = await World.start(context)
    const first = await world.onboard()
    await world.follower.start()
    await world.ledger.restart('after a crash')
    // In the same millisecond: the clock of the ledger stands still.
    const second = await world.onboard()
    world.node.requests.length = 0
    await world.restart()
    assert.deepEqual(
      world.node.requests.filter((request) => request.includes('/api/tx/')),
      [`GET /sandbox/ledger/api/tx/${second.umid}`],
    )
    for (const { identity } of [first, second]) assert.equal(world.store.identities.isKnown(identity), true)
  })

  test('withdraws a wallet that a transaction took which the store does not list, and leaves the others', async (context) => {
    const world = await World.start(context)
    const { key, identity } = await world.onboard()
    const [taken, other] = [await world.wallet(), await world.wallet()]
    const umid = await world.assign(key, identity, taken)
    world.node.unlisted.add(umid)
    world.node.isUnsigned = true
    await world.follower.start()
    await world.follower.pass(LONG_MS)
    await world.follower.pass(LONG_MS)
    const { items } = world.store.wallets.withdrawn({ after: null, limit: 10 })
    assert.deepEqual(
      items.map(({ id, withdrawal }) => [id, withdrawal.umid]),
      [[taken, umid]],
    )
    assert.equal(world.store.wallets.find(other)?.owner, null)
    assert.ok(world.node.requests.some((request) => request.endsWith(`/api/stream/${other}:stream`)))
  })

  test('never sends anything but questions', async (context) => {
    const world = await World.start(context)
    world.node.requests.length = 0
    await world.follower.start()
    assert.ok(world.node.requests.length > 0)
    assert.deepEqual(
      world.node.requests.filter((request) => !request.startsWith('GET ')),
      [],
    )
  })
})

describe('whether an identity exists, asked of a ledger node', () => {
  test('is true for what was onboarded, false for what was not, and never false because of a fault', async (context) => {
    const world = await World.start(context)
    const { identity } = await world.onboard()
    const { url } = world.node
    const client = new LedgerNodes({ storeUrls: [], urls: [url], timeoutMs: TIMEOUT_MS })
    context.after(() => client.close())
    assert.equal(await client.hasIdentity(identity), true)
    assert.equal(await client.hasIdentity('f'.repeat(64)), false)
    for (const fault of faults) {
      world.node.fault = fault
      for (const id of [identity, 'f'.repeat(64)]) assert.equal(await client.hasIdentity(id), 'unreachable', fault)
    }
  })
})
