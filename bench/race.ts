import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, warmUp } from './bench.js'
import type { Contestant, Started } from './contestants.js'
import { processorTimeOf } from './processor-time.js'
import { dealRequests } from './request-file.js'
import { signCreations } from './signing.js'

interface Runner {
  readonly contestant: Contestant
  readonly turns: Turn[]
}

/** What a contestant did in its turn. */
interface Turn {
  /** Creations per second. */
  readonly rate: number
  /** Processor time of a creation, in µs, by the processes that took it. */
  readonly costs: ReadonlyMap<string, number>
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
    this.runners = contestants.map((contestant) => ({ contestant, turns: [] }))
  }

  /** Loads every contestant, after it has warmed up, with at most `requestsPerSecond`. */
  async round(requestsPerSecond: number): Promise<void> {
    const { connections, seconds, warmUpSeconds } = this.bench.parameters
    mkdirSync(this.directory, { recursive: true })
    const countOf = (duration: number) => Math.ceil(duration * requestsPerSecond) + connections
    const before = await this.sign('warm-up', countOf(warmUpSeconds))
    const measured = await this.sign('measured', countOf(seconds))
    for (const runner of [...this.runners]) {
      const { contestant, turns } = runner
      try {
        turns.push(await this.turn(contestant, before, measured))
      } catch (error) {
        this.bench.findings.skip(contestant.name, error)
        this.runners = this.runners.filter((other) => other !== runner)
      }
    }
    for (const file of [...Object.values(before), ...Object.values(measured)]) rmSync(file, { force: true })
  }

  report(): void {
    const { findings } = this.bench
    for (const { contestant, turns } of this.runners) {
      const { group, name, note } = contestant
      const samples = turns.map(({ rate }) => rate)
      findings.add({ group, name, unit: 'per second', samples, ...(note === undefined ? {} : { note }) })
      for (const part of turns[0]?.costs.keys() ?? []) {
        const costs = turns.map((turn) => turn.costs.get(part) ?? 0)
        findings.add({ group, name: `${name}, ${part}`, unit: 'µs', samples: costs, note: 'for each creation' })
      }
    }
  }

  private async turn(contestant: Contestant, warmingUp: Files, measured: Files): Promise<Turn> {
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
      await warmUp(this.bench, (duration) => run(duration, warmingUp))
      await pause(pauseSeconds * 1000)
      const before = processorTimes(server)
      const rate = await run(seconds, measured)
      const spent = [...processorTimes(server)].map(([part, time]): [string, number] => [
        part,
        (time - (before.get(part) ?? 0)) / (rate * seconds),
      ])
      return { rate, costs: new Map(spent) }
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

/** Processor time so far, in µs, by the processes that took it. Only Linux tells it. */
function processorTimes({ pids }: Started): ReadonlyMap<string, number> {
  if (process.platform !== 'linux') return new Map()
  return new Map(
    Object.entries(pids?.() ?? {}).map(([part, all]) => [
      part,
      all.reduce((sum, pid) => sum + processorTimeOf(pid).allThreads, 0),
    ]),
  )
}
