import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Environment } from '../../../src/config.js'
import { createLog, type Log } from '../../../src/log.js'
import { parseExposition, type Sample } from '../../support/exposition.js'
import { alertRules } from '../../support/prometheus-rules.js'
import { durationMs, evaluate, type Scrape } from '../../support/promql-evaluator.js'
import { ServiceFixture } from '../../support/service-fixture.js'

/** A collector asks so often. */
const INTERVAL_MS = 15_000
const LOOK_PAUSE_MS = 50

/** A service whose clock a test sets forward, and what a collector scrapes of it. */
export class Watched {
  readonly scrapes: Scrape[] = []

  private constructor(
    readonly fixture: ServiceFixture,
    private readonly instance: string,
    private readonly clock: { aheadMs: number; wrongMs: number },
  ) {}

  static async start(
    t: TestContext,
    environment: Environment = {},
    instance = 'a',
    log: Log = createLog('silent'),
  ): Promise<Watched> {
    const clock = { aheadMs: 0, wrongMs: 0 }
    const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0', ...environment }, log, {
      now: () => Date.now() + clock.aheadMs + clock.wrongMs,
      elapsed: () => performance.now() + clock.aheadMs,
    })
    const watched = new Watched(fixture, instance, clock)
    t.after(() => watched.stop())
    return watched
  }

  private isStopped = false

  async stop(): Promise<void> {
    if (!this.isStopped) await this.fixture.stop()
    this.isStopped = true
  }

  get nowMs(): number {
    return Date.now() + this.clock.aheadMs
  }

  /** Lets the service's time pass at once. */
  pass(ms: number): void {
    this.clock.aheadMs += ms
  }

  /** Sets the service's clock. */
  setClock(wrongMs: number): void {
    this.clock.wrongMs = wrongMs
  }

  /**
   * Looks until what is exposed has come to be so, and scrapes that. `passMs` goes by with each look. Looks are no scrapes: there are
   * many of them, and every alert is evaluated on all scrapes.
   */
  async scrapeUntil(isThere: (samples: readonly Sample[]) => boolean, passMs = 0): Promise<Scrape> {
    for (let samples = await this.read(); samples === null || !isThere(samples); samples = await this.read()) {
      await setTimeout(LOOK_PAUSE_MS)
      this.pass(passMs)
    }
    this.pass(1)
    return await this.scrape()
  }

  /** What a collector gets now. */
  async scrape(): Promise<Scrape> {
    const scrape = scrapeOf(await this.read(), this.nowMs, this.instance)
    this.scrapes.push(scrape)
    return scrape
  }

  private read(): Promise<readonly Sample[] | null> {
    const url = /^metrics on (\S+)$/m.exec(this.fixture.service.banner.join('\n'))?.[1]
    return samplesAt(url ?? assert.fail('it has no metrics'))
  }

  /** The alerts that fire when things stay for a while as they were scraped last. */
  firing(): readonly string[] {
    return firing(this.scrapes)
  }
}

/** What metrics say now; null when nobody answers. */
export async function samplesAt(url: string): Promise<readonly Sample[] | null> {
  const answer = await fetch(url).catch(() => null)
  return answer === null ? null : parseExposition(await answer.text()).samples
}

/** What a collector makes of it. */
export function scrapeOf(samples: readonly Sample[] | null, atMs: number, instance: string): Scrape {
  const labels = { job: 'billhook', instance }
  const up: Sample = { name: 'up', labels: {}, value: samples === null ? 0 : 1 }
  return {
    atMs,
    samples: [up, ...(samples ?? [])].map((sample) => ({ ...sample, labels: { ...sample.labels, ...labels } })),
  }
}

/**
 * The alerts whose expressions hold for as long as each waits, in the time that was scraped, and then while things stay as they were
 * scraped last: only the time goes on.
 */
export function firing(scrapes: readonly Scrape[]): readonly string[] {
  const first = scrapes[0] ?? assert.fail('nothing was scraped')
  return alertRules()
    .filter(({ expression, lasting }) => {
      const last = scrapes.at(-1) ?? first
      const lastingMs = lasting === null ? 0 : durationMs(lasting)
      const later: Scrape[] = []
      for (let atMs = last.atMs + INTERVAL_MS; atMs <= last.atMs + lastingMs; atMs += INTERVAL_MS) {
        later.push({ ...last, atMs })
      }
      const all = [...scrapes, ...later]
      let sinceMs: number | null = null
      for (const { atMs } of all) {
        if (evaluate(expression, all, atMs).length === 0) sinceMs = null
        else sinceMs ??= atMs
        if (sinceMs !== null && atMs - sinceMs >= lastingMs) return true
      }
      return false
    })
    .map(({ name }) => name)
}
