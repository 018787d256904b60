import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from './bench.js'
import type { Contestant } from './contestants.js'
import type { Merchants } from './merchants.js'
import { writeRequestFile } from './request-file.js'

interface Runner {
  readonly contestant: Contestant
  /** Creations per second, one for each round. */
  readonly samples: number[]
}

type Files = Readonly<Record<Contestant['wallets'], string>>

/**
 * Puts contestants under the same load, one after another in each round. For its turn each starts with an empty
 * database and warms up, so that every round measures the same thing. All receive the same bytes, signed just before. A
 * contestant that fails leaves the race, with the reason.
 */
export class Race {
  private runners: Runner[]
  private signed = 0

  constructor(
    private readonly bench: Bench,
    private readonly merchants: Merchants,
    private readonly directory: string,
    contestants: readonly Contestant[],
  ) {
    this.runners = contestants.map((contestant) => ({ contestant, samples: [] }))
  }

  /** Loads every contestant for `seconds`, with at most `requestsPerSecond`. Returns the highest rate of creations. */
  async round(seconds: number, requestsPerSecond: number): Promise<number> {
    const { connections, warmUpSeconds } = this.bench.parameters
    mkdirSync(this.directory, { recursive: true })
    const warmUp = await this.sign('warm-up', Math.ceil(warmUpSeconds * requestsPerSecond) + connections)
    const measured = await this.sign('measured', Math.ceil(seconds * requestsPerSecond) + connections)
    let best = 0
    for (const runner of [...this.runners]) {
      const { contestant, samples } = runner
      try {
        const perSecond = await this.turn(contestant, warmUp, measured, seconds)
        samples.push(perSecond)
        if (contestant.group === 'throughput') best = Math.max(best, perSecond)
      } catch (error) {
        this.bench.findings.skip(contestant.name, error)
        this.runners = this.runners.filter((other) => other !== runner)
      }
    }
    for (const file of [...Object.values(warmUp), ...Object.values(measured)]) rmSync(file, { force: true })
    return best
  }

  /** Drops the results of the rounds so far. */
  forget(): void {
    for (const { samples } of this.runners) samples.length = 0
  }

  report(): void {
    for (const { contestant, samples } of this.runners) {
      const { group, name, note } = contestant
      this.bench.findings.add({ group, name, unit: 'per second', samples, ...(note === undefined ? {} : { note }) })
    }
  }

  private async turn(contestant: Contestant, warmUp: Files, measured: Files, seconds: number): Promise<number> {
    const { connections, pauseSeconds, warmUpSeconds } = this.bench.parameters
    const own = join(this.directory, contestant.name.replaceAll(/\W+/g, '-'))
    mkdirSync(own, { recursive: true })
    const server = await contestant.start(own)
    const { url } = server
    const load = { url, connections: Math.min(connections, contestant.connectionsMax ?? connections) }
    try {
      await this.bench.loadGenerator.run({ ...load, seconds: warmUpSeconds, requests: warmUp[contestant.wallets] })
      await pause(pauseSeconds * 1000)
      return await this.bench.loadGenerator.run({ ...load, seconds, requests: measured[contestant.wallets] })
    } finally {
      // Requests accepted before the end of the load may still be under way.
      await pause(pauseSeconds * 1000)
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  }

  private async sign(name: string, count: number): Promise<Files> {
    const files = { many: join(this.directory, `${name}-many`), one: join(this.directory, `${name}-one`) }
    for (const wallets of new Set(this.runners.map(({ contestant }) => contestant.wallets))) {
      await writeRequestFile(files[wallets], count, (n) => this.merchants.signedCreate(this.signed + n, wallets))
    }
    this.signed += count
    return files
  }
}
