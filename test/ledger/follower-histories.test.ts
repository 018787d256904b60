import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMPARISON_PAUSE_MS, SHORT_POLL_MS } from '../../src/ledger/follower.js'
import { Random } from '../simulation/random.js'
import { ManualClock } from '../support/manual-clock.js'
import {
  assignTx,
  FollowerFixture,
  idOf,
  OVERLAP_MS,
  ScriptedLedger,
  ScriptedService,
  signatureOf,
} from './follower-fixture.js'

const SEEDS = 40
const STEPS = 80
const STORES = 3
const WALLETS = 12
const OWNERS = ['alice', 'bob', 'carol']
/** Longer than any pause after failures, and than what is read of the overlap most of the time. */
const LONG_MS = 120_000
/** How much later than others a transaction is listed, in an ordinary history. */
const LATE_MS = 60_000

const OTHER = { $tx: { $contract: 'another', $namespace: 'elsewhere', $i: {} } }

/** How far a history goes from what nodes usually do. */
interface Manner {
  /** Transactions are listed up to so late. */
  readonly lateMs: number
  /** Stores may be silent for longer than the overlap, and transactions listed by one of them only. */
  readonly isWild: boolean
}

/**
 * A ledger of several nodes on which strangers may commit what they want, and a service in whose world anything may fail at
 * any time. The ledger's own truth is what honest owners committed, by its dates.
 */
class History {
  readonly ledger = new ScriptedLedger(STORES)
  readonly service = new ScriptedService()
  readonly clock = new ManualClock()
  /** The honest assignments: by wallet, by date. */
  private readonly truth = new Map<string, Map<number, string>>()
  private follower = this.follow()
  /** How long the follower rests. */
  private pauseMs = 0

  constructor(
    private readonly random: Random,
    private readonly manner: Manner,
  ) {}

  async run(): Promise<void> {
    this.pauseMs = await this.follower.start()
    for (let step = 0; step < STEPS; step += 1) await this.step()
    this.recover()
    // What is set aside is asked for within ten minutes.
    for (let i = 0; i < 8; i += 1) await this.pass(LONG_MS)
  }

  /** A comparison with the whole ledger, from its beginning to its end. */
  async compare(): Promise<void> {
    await this.pass(COMPARISON_PAUSE_MS)
    for (let i = 0; this.service.memory?.progress.comparingMs !== null; i += 1) {
      assert.ok(i < 1000, 'the comparison does not end')
      await this.pass(1000)
    }
    await this.pass(SHORT_POLL_MS)
  }

  get state() {
    return this.follower.follower.state()
  }

  stop(): Promise<void> {
    return this.follower.follower.stop()
  }

  /** The owner of every wallet as the ledger has it. */
  owners(): ReadonlyMap<string, string> {
    const last = [...this.truth].map(([wallet, dated]): [string, string] => {
      return [wallet, dated.get(Math.max(...dated.keys())) ?? '']
    })
    return new Map(last.sort())
  }

  /** Lets so much time pass, and at least until the follower looks again. */
  private async pass(ms: number): Promise<void> {
    this.pauseMs = await this.follower.pass(Math.max(ms, this.pauseMs))
  }

  private async step(): Promise<void> {
    const { random, ledger, service } = this
    const choices = { commit: 12, burst: 1, attack: 3, unsaved: 2, look: 10, hide: 2, break: 1, listing: 1 }
    switch (random.weighted({ ...choices, silence: 1, intake: 1, disk: 1, restart: 2, recover: 4 })) {
      case 'commit':
        this.commit()
        return
      case 'burst':
        for (let i = random.between(2, 100); i > 0; i -= 1) this.commit()
        return
      case 'attack':
        this.attack()
        return
      case 'unsaved':
        ledger.list(this.arrival(), this.newUmid())
        return
      case 'look':
        await this.pass(random.chance(0.6) ? LONG_MS : random.between(1, 5000))
        return
      case 'hide':
        for (const { umid } of ledger.rows) if (random.chance(0.02)) ledger.hidden.add(umid)
        return
      case 'break':
        for (const { umid } of ledger.rows) if (random.chance(0.02)) ledger.broken.add(umid)
        return
      case 'listing':
        ledger.failure = 'refused'
        return
      case 'silence': {
        const node = ledger.nodes[random.between(0, STORES - 1)]
        if (node !== undefined) node.failure = 'refused'
        if (this.manner.isWild) await this.pass(2 * OVERLAP_MS)
        return
      }
      case 'intake':
        service.applyFailure = new Error('full')
        return
      case 'disk':
        service.saveFailure = new Error('full')
        return
      case 'restart':
        await this.follower.follower.stop()
        this.follower = this.follow()
        this.pauseMs = await this.follower.start()
        return
      case 'recover':
        this.recover()
    }
  }

  private recover(): void {
    this.ledger.hidden.clear()
    this.ledger.broken.clear()
    this.ledger.failure = null
    this.service.applyFailure = null
    this.service.saveFailure = null
  }

  /** When a transaction arrived that is listed now: some take their time, and the clock of an entry node may be fast. */
  private arrival(): number {
    const { random, clock, manner } = this
    if (random.chance(0.5)) return clock.now()
    return clock.now() + (random.chance(0.1) ? random.between(0, 5000) : -random.between(0, manner.lateMs))
  }

  /** Which stores list it: a node that missed it never does. */
  private listedBy(): readonly number[] {
    const all = [...this.ledger.nodes.keys()]
    const some = all.filter(() => this.random.chance(0.7))
    const answering = some.some((place) => this.ledger.nodes[place]?.failure === null)
    return this.manner.isWild ? (some.length > 0 ? some : all) : answering ? some : all
  }

  private commit(): void {
    const { random, ledger } = this
    if (random.chance(0.2)) {
      ledger.commit(this.arrival(), OTHER, this.newUmid(), this.listedBy())
      return
    }
    const wallet = `w${random.between(1, WALLETS)}`
    const owner = OWNERS[random.between(0, OWNERS.length - 1)] ?? ''
    const dated = this.truth.get(wallet) ?? new Map<number, string>()
    let atMs = this.arrival()
    // A contract does not assign a wallet twice in one millisecond.
    while (dated.has(atMs)) atMs -= 1
    dated.set(atMs, owner)
    this.truth.set(wallet, dated)
    const { $tx } = assignTx(wallet, owner)
    // Clients may spell an id in any way that a node understands.
    const $stream = random.chance(0.1) ? `prefix${idOf(wallet)}:` : idOf(wallet)
    const transaction = signed(owner, { ...$tx, $o: { wallet: { $stream } } })
    ledger.commit(atMs, transaction, this.newUmid(), this.listedBy())
  }

  /** What a stranger may have committed: by a contract of their own, or in the name of somebody who did not sign. */
  private attack(): void {
    const { random, ledger } = this
    const wallet = `w${random.between(1, WALLETS)}`
    const honest = assignTx(wallet, 'alice')
    const stolen = assignTx(wallet, 'mallory')
    const transactions = [
      signed('mallory', { ...stolen.$tx, $contract: 'c2@/../../evil/c9@0.0.1' }),
      signed('mallory', { ...stolen.$tx, $contract: 'c2@/../c3' }),
      { ...honest, $sigs: { [idOf('alice')]: {} } },
      { ...honest, $sigs: { [idOf('alice')]: { x: 'AAAA' } } },
      assignTx(wallet, 'alice', 'mallory'),
      signed('mallory', { ...stolen.$tx, $o: { wallet: { $stream: `phantom ${wallet}` } } }),
    ]
    const transaction = transactions[random.between(0, transactions.length - 1)] ?? stolen
    ledger.commit(this.arrival(), transaction, this.newUmid(), this.listedBy())
  }

  private newUmid(): string {
    const umid = Buffer.alloc(32)
    this.random.fill(umid)
    return umid.toString('hex')
  }

  private follow(): FollowerFixture {
    return new FollowerFixture(this.ledger, this.service, { clock: this.clock })
  }
}

/** A transaction of somebody, signed. */
function signed(who: string, $tx: Readonly<Record<string, unknown>>) {
  return { $sigs: { [idOf(who)]: signatureOf(who, $tx) }, $tx }
}

async function play(manner: Manner, judge: (history: History, seed: number) => Promise<void>): Promise<void> {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const history = new History(new Random(seed), manner)
    try {
      await history.run()
      await judge(history, seed)
    } finally {
      await history.stop()
    }
  }
}

/** Whether what the service knows is what honest owners committed. */
function judgeOwners(history: History, seed: number): void {
  const known = new Map([...history.service.owners()].sort())
  assert.deepEqual(known, history.owners(), `seed ${seed}: another owner than on the ledger`)
}

function judgeOnce(history: History, seed: number): void {
  const applied = history.service.applied.map(({ eventId }) => eventId)
  assert.equal(new Set(applied).size, applied.length, `seed ${seed}: a fact was applied twice`)
}

test(`${SEEDS} random histories of a failing ledger, service and process end with the owners that the ledger has`, () =>
  play({ lateMs: LATE_MS, isWild: false }, async (history, seed) => {
    judgeOwners(history, seed)
    judgeOnce(history, seed)
    assert.equal(history.state.failure, null, `seed ${seed}`)
    await history.compare()
    assert.equal(history.state.missed, 0, `seed ${seed}: something had been missed`)
  }))

test(`${SEEDS} wilder ones do after a comparison with the whole ledger`, () =>
  play({ lateMs: 3 * OVERLAP_MS, isWild: true }, async (history, seed) => {
    await history.compare()
    judgeOwners(history, seed)
    judgeOnce(history, seed)
  }))
