import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../simulation/random.js'
import { START_MS } from '../support/manual-clock.js'
import { assignTx, FollowerFixture, ScriptedLedger, ScriptedService } from './follower-fixture.js'

const SEEDS = 100
const STEPS = 60
/** Longer than any pause. */
const LONG_MS = 120_000

const OTHER = { $tx: { $contract: 'another', $namespace: 'shop', $i: {} } }

/** A world in which anything may fail at any time, and the transactions that were committed in it. */
class History {
  readonly ledger = new ScriptedLedger()
  readonly service = new ScriptedService()
  /** The transactions of followed contracts that were committed. */
  readonly facts: string[] = []
  private follower = new FollowerFixture(this.ledger, this.service)
  private nowMs = START_MS
  private committed = 0

  constructor(private readonly random: Random) {}

  async run(): Promise<void> {
    await this.follower.start()
    for (let step = 0; step < STEPS; step += 1) await this.step()
    this.recover()
    await this.follower.pass(LONG_MS)
    await this.follower.pass(LONG_MS)
    await this.follower.follower.stop()
  }

  private async step(): Promise<void> {
    const { random, ledger, service } = this
    switch (
      random.weighted({
        commit: 10,
        burst: 2,
        look: 10,
        hide: 2,
        listing: 1,
        intake: 1,
        disk: 1,
        restart: 2,
        recover: 4,
      })
    ) {
      case 'commit':
        this.commit()
        return
      case 'burst':
        for (let i = random.between(2, 900); i > 0; i -= 1) this.commitNow()
        return
      case 'look':
        await this.follower.pass(LONG_MS)
        return
      case 'hide':
        for (const { umid } of ledger.rows) if (random.chance(0.01)) ledger.hidden.add(umid)
        return
      case 'listing':
        ledger.failure = 'refused'
        return
      case 'intake':
        service.applyFailure = new Error('full')
        return
      case 'disk':
        service.saveFailure = new Error('full')
        return
      case 'restart':
        await this.follower.follower.stop()
        this.follower = new FollowerFixture(ledger, service)
        await this.follower.start()
        return
      case 'recover':
        this.recover()
    }
  }

  private recover(): void {
    this.ledger.hidden.clear()
    this.ledger.failure = null
    this.service.applyFailure = null
    this.service.saveFailure = null
  }

  /** Mostly at a new time; rows of the present millisecond may come after some of it was read. */
  private commit(): void {
    if (this.random.chance(0.6)) this.nowMs += this.random.between(1, 1000)
    this.commitNow()
  }

  private commitNow(): void {
    this.committed += 1
    const umid = Buffer.alloc(32)
    this.random.fill(umid)
    const isOurs = this.random.chance(0.8)
    const transaction = isOurs ? assignTx(`w${this.committed}`, 'alice') : OTHER
    this.ledger.commit(this.nowMs, transaction, umid.toString('hex'))
    if (isOurs) this.facts.push(umid.toString('hex'))
  }
}

test(`${SEEDS} random histories of a failing ledger, service and process end with every fact applied once, in order`, async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const history = new History(new Random(seed))
    await history.run()
    const { ledger, service } = history
    const applied = service.applied.map(({ eventId }) => eventId?.replace('ledger:', ''))
    assert.equal(new Set(applied).size, applied.length, `seed ${seed}: a fact was applied twice`)
    const timeOf = new Map(ledger.rows.map(({ umid, timestampMs }) => [umid, timestampMs]))
    const times = applied.map((umid) => timeOf.get(umid ?? '') ?? 0)
    assert.deepEqual(
      [...times].sort((a, b) => a - b),
      times,
      `seed ${seed}: facts were applied out of order`,
    )
    assert.deepEqual([...applied].sort(), history.facts.sort(), `seed ${seed}: facts are missing`)
  }
})
