import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, warmUp } from '../bench.js'
import { askChild } from '../child.js'
import { createdAnswer } from '../contestants.js'
import { startConstantServer } from '../limits/constant-server.js'
import { creationsPerSecondMax } from '../limits/verifications.js'
import type { SenderReport, SenderTask } from '../load/sender-report.js'
import { Merchants } from '../merchants.js'
import { BILLHOOK } from '../names.js'
import { registerMerchants } from '../registration.js'
import { plainNumber } from '../report-parts/figure.js'
import { median } from '../results.js'
import { withService } from '../service-process.js'
import { signCreations } from '../signing.js'

const CREATED = 201

/** Measures the latency of signed creations at half of the peak rate, from when each was due. */
export async function latency(bench: Bench): Promise<void> {
  const { parameters, findings } = bench
  const { keys, wallets } = parameters
  const merchants = new Merchants(keys, wallets)
  const file = join(bench.directory, 'latency-requests')
  const data = join(bench.directory, 'latency')
  let signed = 0
  const prepare = async (count: number) => {
    await signCreations({ path: file, keys, wallets, on: 'many', from: signed, count })
    signed += count
  }
  const reports: SenderReport[] = []
  let alone = Number.NaN
  const rate = await withService(data, {}, async ({ url }) => {
    await registerMerchants(url, merchants.signers, merchants.wallets)
    const most = await creationsPerSecondMax()
    const load = async (seconds: number) => {
      await prepare(Math.ceil(most * seconds) + parameters.connections)
      return bench.loadGenerator.run({ url, connections: parameters.connections, seconds, requests: file })
    }
    await warmUp(bench, load)
    const peak = await load(parameters.seconds)
    const measured = findings.measurements.find(({ group, name }) => group === 'throughput' && name === BILLHOOK)
    const half = Math.round((measured === undefined ? peak : median(measured.samples)) / 2)
    for (let round = 0; round < parameters.rounds; round += 1) {
      await prepare(Math.ceil(half * (parameters.warmUpSeconds + parameters.seconds)))
      const task: SenderTask = {
        url,
        requests: file,
        connections: parameters.fewerConnections,
        perSecond: half,
        warmUpSeconds: parameters.warmUpSeconds,
        status: CREATED,
      }
      reports.push(await askChild<SenderReport>('./load/sender-child.js', task))
      if (round === 0) alone = await againstConstant(task)
    }
    return half
  })
  rmSync(file)
  rmSync(data, { recursive: true })
  const note = `at ${plainNumber(rate)} requests per second over ${parameters.fewerConnections} connections, from when each was due; p99 of the load generator alone, against a constant, is ${alone.toFixed(1)} ms`
  for (const [name, key] of PERCENTILES) {
    findings.add({ group: 'latency', name, unit: 'ms', samples: reports.map((report) => report[key]), note })
  }
}

/** The p99 of the same requests to a server that does nothing: the generator's own share. */
async function againstConstant(task: SenderTask): Promise<number> {
  const constant = await startConstantServer(createdAnswer)
  try {
    const { p99 } = await askChild<SenderReport>('./load/sender-child.js', { ...task, url: constant.url })
    return p99
  } finally {
    await constant.stop()
  }
}

const PERCENTILES = [
  ['p50', 'p50'],
  ['p90', 'p90'],
  ['p99', 'p99'],
  ['p99.9', 'p999'],
] as const
