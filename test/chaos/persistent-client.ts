import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.js'
import { type Answered, ask } from './http-client.js'
import type { LeapingService } from './leaping-service.js'
import { Stuck } from './shop-client.js'

const TRIES = 400
const PAUSE_MS = 25
/** The service is killed within so long after it was asked. */
const KILLED_WITHIN_MS = 8

/** Asks once; null where no answer came. */
type Attempt = () => Promise<Answered | null>

/** Speaks with a service that is killed at times while it is asked, until it answers. */
export class PersistentClient {
  kills = 0

  constructor(
    private readonly service: LeapingService,
    private readonly random: Random,
    /** Of a request during which the service is killed. */
    private readonly killed: number,
  ) {}

  get(path: string): Promise<Answered> {
    return this.persist(() => ask('GET', `${this.service.url}${path}`))
  }

  /** A request that changes something, and is the same when it is repeated. */
  async change(attempt: Attempt): Promise<Answered> {
    const [answer] = await this.changeAtOnce([attempt])
    return answer ?? assert.fail()
  }

  /** The same for several requests at once. */
  async changeAtOnce(attempts: readonly Attempt[]): Promise<readonly Answered[]> {
    if (this.random.chance(this.killed)) {
      const asked = attempts.map((attempt) => attempt())
      await sleep(this.random.below(KILLED_WITHIN_MS))
      this.kills += 1
      await this.service.end('SIGKILL')
      await this.service.start()
      await Promise.all(asked)
    }
    return Promise.all(attempts.map((attempt) => this.persist(attempt)))
  }

  /** Asks again as long as the service is down, or cannot answer. */
  private async persist(attempt: Attempt): Promise<Answered> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = this.service.isRunning ? await attempt() : null
      if (answer !== null && (answer.status !== 503 || answer.json?.code === 'rate_unavailable')) return answer
      await sleep(PAUSE_MS)
    }
    throw new Stuck('the service does not come back')
  }
}
