import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf, type ServiceProcess } from '../../test/support/service-process.js'
import type { Bench } from '../bench.js'
import { askChild } from '../child.js'
import { WebhookReceiver } from '../load/receiver.js'
import type { SenderReport, SenderTask } from '../load/sender-report.js'
import {
  CONNECTION_MEMORY,
  CREATED_AND_PAID,
  CREATED_ONLY,
  PAID_AT_FULL_SPEED,
  type SIZING_FIGURES,
  sizingName,
} from '../names.js'
import { PaidLives } from '../paid-lives.js'
import { type ProcessorTime, processorTimeOf } from '../processor-time.js'
import { plainNumber } from '../report-parts/figure.js'
import { writeRequestFile } from '../request-file.js'
import type { Unit } from '../results.js'
import { withService } from '../service-process.js'

const CREATED = 201
const OK = 200
const KIB_PER_MIB = 1024
/** Of the invoices before a paced run. */
const WARM_UP = { rate: 500, warmUpSeconds: 0 }
/** Deposits follow their invoices by this time, and confirmations their deposits. */
const DEPOSIT_DELAY_SECONDS = 1
const PUSH_CONNECTIONS = 32
const EVENTS_PER_PUSH = 10
/** Rates above it are measured without payments: the service does not keep up with their webhooks. */
const PAID_RATE_MAX = 1000
/** Rest after which the memory of new connections counts. */
const SETTLING_MS = 1000

/** Measures what invoices at each rate take: latency, processor time, memory, bytes on the network. */
export async function sizing(bench: Bench): Promise<void> {
  const { sizingRates } = bench.parameters
  const receiver = await WebhookReceiver.open()
  try {
    for (const rate of sizingRates) await paced(bench, rate, null)
    for (const rate of sizingRates.filter((one) => one <= PAID_RATE_MAX)) await paced(bench, rate, receiver)
    await fullSpeed(bench, receiver)
    await idleConnections(bench)
  } finally {
    await receiver.close()
  }
}

/** Runs a fresh service at a rate; with a receiver all invoices are paid and notified. */
async function paced(bench: Bench, rate: number, receiver: WebhookReceiver | null): Promise<void> {
  const { sizingSeconds, sizingWarmUpInvoices, warmUpSeconds, fewerConnections, wallets, keys } = bench.parameters
  await withFreshService(bench, async (service, file) => {
    const lives = new PaidLives(service.url, keys, wallets, receiver?.url ?? null)
    await lives.register()
    await run(service, lives, file, receiver, { ...WARM_UP, count: sizingWarmUpInvoices, fewerConnections })
    const before = processorTimeOf(service.pid)
    const count = rate * (warmUpSeconds + sizingSeconds)
    const report = await run(service, lives, file, receiver, { count, rate, fewerConnections, warmUpSeconds })
    addFigures(bench, rate, receiver !== null, { report, count, before, after: processorTimeOf(service.pid) }, service)
  })
}

interface Pace {
  readonly count: number
  readonly rate: number
  readonly fewerConnections: number
  /** At the beginning, whose latencies do not count. */
  readonly warmUpSeconds: number
}

/** Creates invoices at a rate and, with a receiver, pays them at the same rate. Resolves with the report on creations. */
async function run(
  { url }: ServiceProcess,
  lives: PaidLives,
  file: string,
  receiver: WebhookReceiver | null,
  { count, rate, fewerConnections, warmUpSeconds }: Pace,
): Promise<SenderReport> {
  const send = (requests: string, connections: number, status: number) =>
    sent({ url, requests, connections: Math.min(connections, rate), perSecond: rate, warmUpSeconds, status })
  const first = lives.created
  await writeRequestFile(file, count, () => lives.creation())
  if (receiver === null) return send(file, fewerConnections, CREATED)
  const pushes = `${file}-pushes`
  const delayed = Math.min(count, rate * DEPOSIT_DELAY_SECONDS)
  await writeRequestFile(pushes, count, (n) => {
    const pending = { n: first + n, report: 'pending' } as const
    return lives.push(n < delayed ? [pending] : [pending, { n: first + n - delayed, report: 'confirmed' }])
  })
  await receiver.expect(2 * count - delayed, false)
  const pay = async () => {
    await pause(DEPOSIT_DELAY_SECONDS * 1000)
    await Promise.all([send(pushes, PUSH_CONNECTIONS, OK), receiver.arrivals()])
  }
  const [report] = await Promise.all([send(file, fewerConnections, CREATED), pay()])
  return report
}

interface PacedRun {
  readonly report: SenderReport
  readonly count: number
  readonly before: ProcessorTime
  readonly after: ProcessorTime
}

function addFigures(bench: Bench, x: number, isPaid: boolean, run: PacedRun, { pid }: ServiceProcess): void {
  const { report, count, before, after } = run
  const what = isPaid ? CREATED_AND_PAID : CREATED_ONLY
  const note = `${bench.parameters.sizingSeconds} s at an even rate; processor time and network for each invoice, latency of its creation from when it was due`
  const add = (figure: keyof typeof SIZING_FIGURES, unit: Unit, value: number) =>
    bench.findings.add({ group: 'sizing', name: sizingName(what, figure), unit, samples: [value], x, note })
  add('p50', 'ms', report.p50)
  add('p99', 'ms', report.p99)
  add('mainThread', 'µs', (after.mainThread - before.mainThread) / count)
  add('allThreads', 'µs', (after.allThreads - before.allThreads) / count)
  add('memory', 'MiB', memoryOf(pid).own)
  add('network', 'bytes', report.bytes / count)
}

/** Creates invoices as fast as possible, then pays and notifies all of them as fast as possible. */
async function fullSpeed(bench: Bench, receiver: WebhookReceiver): Promise<void> {
  const { paidInvoices: count, rounds, fewerConnections, wallets, keys } = bench.parameters
  const samples: number[] = []
  await withFreshService(bench, async ({ url }, file) => {
    const lives = new PaidLives(url, keys, wallets, receiver.url)
    await lives.register()
    const send = (connections: number, status: number) =>
      sent({ url, requests: file, connections, perSecond: null, warmUpSeconds: 0, status })
    for (let round = 0; round < rounds; round += 1) {
      const first = lives.created
      await writeRequestFile(file, count, () => lives.creation())
      const creations = await send(fewerConnections, CREATED)
      const reports = (['pending', 'confirmed'] as const).flatMap((report) =>
        Array.from({ length: count }, (_, n) => ({ n: first + n, report })),
      )
      await writeRequestFile(file, reports.length / EVENTS_PER_PUSH, (n) =>
        lives.push(reports.slice(n * EVENTS_PER_PUSH, (n + 1) * EVENTS_PER_PUSH)),
      )
      await receiver.expect(reports.length, false)
      const startedAt = performance.now()
      await Promise.all([send(PUSH_CONNECTIONS, OK), receiver.arrivals()])
      samples.push(count / (creations.seconds + (performance.now() - startedAt) / 1000))
    }
  })
  const note = `${plainNumber(count)} invoices created, then a pending and a confirmed deposit of each pushed, until both webhooks of all have arrived`
  bench.findings.add({ group: 'sizing', name: PAID_AT_FULL_SPEED, unit: 'per second', samples, note })
}

async function idleConnections(bench: Bench): Promise<void> {
  const { idleConnections: count } = bench.parameters
  await withFreshService(bench, async ({ url, pid }) => {
    const { hostname, port } = new URL(url)
    const open = async () => {
      const socket = connect({ host: hostname, port: Number(port) })
      await once(socket, 'connect')
      return socket
    }
    await (await fetch(`${url}/healthz`)).text()
    const before = memoryOf(pid).own
    const sockets = await Promise.all(Array.from({ length: count }, open))
    await pause(SETTLING_MS)
    const kib = ((memoryOf(pid).own - before) * KIB_PER_MIB) / count
    for (const socket of sockets) socket.destroy()
    const note = `${plainNumber(count)} at once, without what the kernel keeps for them`
    bench.findings.add({ group: 'sizing', name: CONNECTION_MEMORY, unit: 'KiB', samples: [Math.max(0, kib)], note })
  })
}

function sent(task: SenderTask): Promise<SenderReport> {
  return askChild<SenderReport>('./load/sender-child.js', task)
}

async function withFreshService(bench: Bench, use: (service: ServiceProcess, file: string) => Promise<void>) {
  const directory = join(bench.directory, 'sizing')
  try {
    await withService(join(directory, 'data'), {}, (service) => use(service, join(directory, 'requests')))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
