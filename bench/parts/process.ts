import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf } from '../../test/support/service-process.js'
import type { Bench } from '../bench.js'
import { askChild } from '../child.js'
import type { SenderReport, SenderTask } from '../load/sender-report.js'
import { Merchants } from '../merchants.js'
import { IDLE_MEMORY, MEMORY_AFTER, OWN_MEMORY_IDLE, START } from '../names.js'
import { registerMerchants } from '../registration.js'
import { startBenched, withService } from '../service-process.js'
import { signCreations } from '../signing.js'

const CREATED = 201
const BYTES_PER_MIB = 1024 * 1024
/** Requests signed ahead: small enough to be sent before their timestamps are too old. */
const SIGNED_AT_ONCE = 100_000

/** Start to first answer, and memory at rest and after many invoices. */
export async function processCosts(bench: Bench): Promise<void> {
  const { parameters, findings } = bench
  const starts: number[] = []
  const directory = join(bench.directory, 'process')
  for (let n = 0; n < parameters.starts; n += 1) {
    const startedAt = performance.now()
    const service = await startBenched(join(directory, `start-${n}`), {})
    try {
      const response = await fetch(`${service.url}/healthz`)
      if (response.status !== 200) throw new Error(await response.text())
      starts.push(performance.now() - startedAt)
    } finally {
      await service.stop()
    }
  }
  const startNote = 'from the spawn to the first 200 of /healthz, empty data directory'
  findings.add({ group: 'process', name: START, unit: 'ms', samples: starts, note: startNote })
  const data = join(directory, 'memory')
  await withService(data, {}, ({ url, pid }) => memory(bench, url, pid, join(data, 'data.mdb')))
  rmSync(directory, { recursive: true })
}

async function memory(bench: Bench, url: string, pid: number, database: string): Promise<void> {
  const { parameters, findings, directory } = bench
  const { keys, wallets } = parameters
  const merchants = new Merchants(keys, wallets)
  await pause(parameters.idleSeconds * 1000)
  const idle = memoryOf(pid)
  await registerMerchants(url, merchants.signers, merchants.wallets)
  const file = join(directory, 'memory-requests')
  for (let done = 0; done < parameters.memoryInvoices; done += SIGNED_AT_ONCE) {
    const count = Math.min(SIGNED_AT_ONCE, parameters.memoryInvoices - done)
    await signCreations({ path: file, keys, wallets, on: 'many', from: done, count })
    const task: SenderTask = {
      url,
      requests: file,
      connections: parameters.fewerConnections,
      perSecond: null,
      warmUpSeconds: 0,
      status: CREATED,
    }
    await askChild<SenderReport>('./load/sender-child.js', task)
  }
  rmSync(file)
  await pause(parameters.idleSeconds * 1000)
  const after = memoryOf(pid)
  const x = parameters.memoryInvoices
  const mapped =
    'with the pages of the database file that it has mapped, which the system takes back when it needs memory'
  const add = (name: string, mib: number, note: string, size?: number) =>
    findings.add({
      group: 'process',
      name,
      unit: 'MiB',
      samples: [mib],
      note,
      ...(size === undefined ? {} : { x: size }),
    })
  add(IDLE_MEMORY, idle.resident, `VmRSS, ${parameters.idleSeconds} s after the start`)
  add(OWN_MEMORY_IDLE, idle.own, 'RssAnon at the same time')
  add(MEMORY_AFTER, after.own, 'RssAnon', x)
  add('resident memory after the invoices', after.resident, `VmRSS, ${mapped}`, x)
  add('database file after the invoices', statSync(database).size / BYTES_PER_MIB, 'all of it may be mapped', x)
}
