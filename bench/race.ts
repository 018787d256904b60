import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from './bench.js'
import type { Contestant } from './contestants.js'
import type { Merchants } from './merchants.js'
import { writeRequestFile } from './request-file.js'

interface Runner {
  readonly contestant: Contestant
  readonly url: string
  /** Creations per second, one for each round. */
  readonly samples: number[]
  stop(): Promise<void>
}

/**
 * Contestants under the same load, one after the other in each round. They stay running and are idle while the others are
 * loaded. Within a round all are sent the same bytes, signed just before. Who fails is out, with the reason.
 */
export class Race {
  private runners: Runner[] = []
  private signed = 0

  constructor(
    private readonly bench: Bench,
    private readonly merchants: Merchants,
    private readonly directory: string,
  ) {}

  async start(contestants: readonly Contestant[]): Promise<void> {
    for (const contestant of contestants) {
      const own = join(this.directory, contestant.name.replaceAll(/\W+/g, '-'))
      mkdirSync(own, { recursive: true })
      try {
        const { url, stop } = await contestant.start(own)
        this.runners.push({ contestant, url, stop, samples: [] })
      } catch (error) {
        this.bench.findings.skip(contestant.name, error)
      }
    }
  }

  /** Loads every contestant for so long with at most so many requests in a second. Answers the most creations per second. */
  async round(seconds: number, requestsPerSecond: number): Promise<number> {
    const { connections, pauseSeconds } = this.bench.parameters
    const count = Math.ceil(seconds * requestsPerSecond) + connections
    const files = { many: join(this.directory, 'many'), one: join(this.directory, 'one') }
    for (const wallets of new Set(this.runners.map(({ contestant }) => contestant.wallets))) {
      await writeRequestFile(files[wallets], count, (n) => this.merchants.signedCreate(this.signed + n, wallets))
    }
    this.signed += count
    let best = 0
    for (const runner of [...this.runners]) {
      const { contestant, url, samples } = runner
      try {
        const perSecond = await this.bench.loadGenerator.run({
          url,
          connections: Math.min(connections, contestant.connectionsMax ?? connections),
          seconds,
          requests: files[contestant.wallets],
        })
        samples.push(perSecond)
        if (contestant.group === 'throughput') best = Math.max(best, perSecond)
      } catch (error) {
        this.bench.findings.skip(contestant.name, error)
        this.runners = this.runners.filter((other) => other !== runner)
        await runner.stop()
      }
      await pause(pauseSeconds * 1000)
    }
    for (const file of Object.values(files)) rmSync(file, { force: true })
    return best
  }

  /** Forgets what the rounds so far measured. */
  forget(): void {
    for (const { samples } of this.runners) samples.length = 0
  }

  report(): void {
    for (const { contestant, samples } of this.runners) {
      const { group, name, note } = contestant
      this.bench.findings.add({ group, name, unit: 'per second', samples, ...(note === undefined ? {} : { note }) })
    }
  }

  async stop(): Promise<void> {
    for (const { stop } of this.runners) await stop()
    this.runners = []
  }
}
