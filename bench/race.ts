import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, warmUp } from './bench.js'
import type { Contestant } from './contestants.js'
import { dealRequests } from './request-file.js'
import { signCreations } from './signing.js'

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
    private readonly directory: string,
    contestants: readonly Contestant[],
  ) {
    this.runners = contestants.map((contestant) => ({ contestant, samples: [] }))
  }

  /** Loads every contestant, after it has warmed up, with at most `requestsPerSecond`. */
  async round(requestsPerSecond: number): Promise<void> {
    const { connections, seconds, warmUpSeconds } = this.bench.parameters
    mkdirSync(this.directory, { recursive: true })
    const countOf = (duration: number) => Math.ceil(duration * requestsPerSecond) + connections
    const before = await this.sign('warm-up', countOf(warmUpSeconds))
    const measured = await this.sign('measured', countOf(seconds))
    for (const runner of [...this.runners]) {
      const { contestant, samples } = runner
      try {
        samples.push(await this.turn(contestant, before, measured))
      } catch (error) {
        this.bench.findings.skip(contestant.name, error)
        this.runners = this.runners.filter((other) => other !== runner)
      }
    }
    for (const file of [...Object.values(before), ...Object.values(measured)]) rmSync(file, { force: true })
  }

  report(): void {
    for (const { contestant, samples } of this.runners) {
      const { group, name, note } = contestant
      this.bench.findings.add({ group, name, unit: 'per second', samples, ...(note === undefined ? {} : { note }) })
    }
  }

  private async turn(contestant: Contestant, before: Files, measured: Files): Promise<number> {
    const { connections, pauseSeconds, seconds } = this.bench.parameters
    const own = join(this.directory, contestant.name.replaceAll(/\W+/g, '-'))
    mkdirSync(own, { recursive: true })
    const server = await contestant.start(own)
    const { urls } = server
    const all = Math.min(connections, contestant.connectionsMax ?? connections)
    try {
      const run = async (duration: number, files: Files) => {
        const shares = dealRequests(files[contestant.wallets], urls.length, own)
        const rates = urls.map((url, n) => {
          const load = { url, connections: Math.ceil(all / urls.length), seconds: duration }
          return this.bench.loadGenerator.run({ ...load, requests: shares[n] ?? null })
        })
        return (await Promise.all(rates)).reduce((sum, rate) => sum + rate)
      }
      await warmUp(this.bench, (duration) => run(duration, before))
      await pause(pauseSeconds * 1000)
      return await run(seconds, measured)
    } finally {
      // Requests accepted before the end of the load may still be under way.
      await pause(pauseSeconds * 1000)
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  }

  private async sign(name: string, count: number): Promise<Files> {
    const files = { many: join(this.directory, `${name}-many`), one: join(this.directory, `${name}-one`) }
    const { keys, wallets } = this.bench.parameters
    for (const on of new Set(this.runners.map(({ contestant }) => contestant.wallets))) {
      await signCreations({ path: files[on], keys, wallets, on, from: this.signed, count })
    }
    this.signed += count
    return files
  }
}
