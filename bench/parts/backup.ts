import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, warmUp } from '../bench.js'
import { creationsPerSecondMax } from '../limits/verifications.js'
import { Merchants } from '../merchants.js'
import { BACKUP_TIME, BESIDE_BACKUPS, FILE_AFTER_BACKUPS, FILE_BEFORE_BACKUPS, WITHOUT_BACKUPS } from '../names.js'
import { dataFileMib, fillPaidStore } from '../paid-store.js'
import { projectRoot } from '../project-root.js'
import { registerMerchants } from '../registration.js'
import { plainNumber } from '../report-parts/figure.js'
import type { Unit } from '../results.js'
import { withService } from '../service-process.js'
import { signCreations } from '../signing.js'

const main = join(projectRoot, 'dist/src/main.js')

/**
 * Measures what backups cost others: signed creations on a service that has data, in turn without a backup and while
 * one backup follows the other.
 */
export async function backup(bench: Bench): Promise<void> {
  const { parameters, findings, directory } = bench
  const { backupInvoices, connections, keys, rounds, seconds, wallets } = parameters
  const place = join(directory, 'backup')
  const requests = join(directory, 'backup-requests')
  await fillPaidStore(place, backupInvoices)
  const samples = { without: [] as number[], beside: [] as number[] }
  const times: number[] = []
  const before = dataFileMib(place)
  await withService(place, {}, async ({ url }) => {
    const merchants = new Merchants(keys, wallets)
    await registerMerchants(url, merchants.signers, merchants.wallets)
    let signed = 0
    const load = async (duration: number, isBeside: boolean) => {
      const count = Math.ceil(duration * (await creationsPerSecondMax())) + connections
      await signCreations({ path: requests, keys, wallets, on: 'many', from: signed, count })
      signed += count
      const backups = isBeside ? new Backups(place, join(directory, 'a-backup')) : null
      const perSecond = await bench.loadGenerator.run({ url, connections, seconds: duration, requests })
      times.push(...((await backups?.end()) ?? []))
      await pause(parameters.pauseSeconds * 1000)
      return perSecond
    }
    await warmUp(bench, (duration) => load(duration, false))
    for (let round = 0; round < rounds; round += 1) {
      samples.without.push(await load(seconds, false))
      samples.beside.push(await load(seconds, true))
    }
  })
  const after = dataFileMib(place)
  rmSync(place, { recursive: true })
  rmSync(requests)
  const add = (name: string, unit: Unit, of: readonly number[], note: string) =>
    findings.add({ group: 'backup', name, unit, samples: of, note })
  const data = `${plainNumber(backupInvoices, 7)} invoices and as many deposits, and what was created since`
  add(WITHOUT_BACKUPS, 'per second', samples.without, `${connections} connections; a database with ${data}`)
  add(BESIDE_BACKUPS, 'per second', samples.beside, 'the same, while backups are made one after the other')
  add(BACKUP_TIME, 'ms', times, 'from the start of its process to its end, under this load')
  add(FILE_BEFORE_BACKUPS, 'MiB', [before], 'data.mdb')
  add(FILE_AFTER_BACKUPS, 'MiB', [after], `data.mdb after ${times.length} backups`)
}

/** Makes one backup after the other until told to end. */
class Backups {
  private isEnding = false
  private readonly made: Promise<readonly number[]>

  constructor(data: string, file: string) {
    this.made = this.run(data, file)
    // Whoever ends them learns of a failure.
    this.made.catch(() => undefined)
  }

  /** Resolves when the last backup is complete: how long each took, in ms. */
  end(): Promise<readonly number[]> {
    this.isEnding = true
    return this.made
  }

  private async run(data: string, file: string): Promise<readonly number[]> {
    const times: number[] = []
    while (!this.isEnding) {
      const startedAt = performance.now()
      const [code] = await once(command('backup', file, '--data', data, '--json'), 'close')
      if (code !== 0) throw new Error(`a backup ended with ${code}`)
      times.push(performance.now() - startedAt)
      rmSync(file)
    }
    return times
  }
}

function command(...argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'ignore', 'inherit'] })
}
