import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memoryOf, NODE_FLAGS, ServiceProcess } from '../test/support/service-process.js'
import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { chooseLoadGenerator } from './load/choose-load-generator.js'
import { GATEWAY_SECRET, Merchants } from './merchants.js'
import { projectRoot } from './project-root.js'
import { registerMerchants } from './registration.js'
import { writeRequestFile } from './request-file.js'
import { median } from './results.js'
import { say } from './service-process.js'

/*
 * Compares the single binary with `node dist/src/main.js`, in alternating rounds: start to first answer, memory at rest, and
 * signed creations a second. `npm run build:binary && node dist/bench/binary.js [--rounds N] [--seconds N]`.
 */

const BINARY = join(projectRoot, 'dist/bin', `billhook-${process.platform}-${process.arch}`)
const PROGRAMS = { 'node dist/src/main.js': undefined, 'the single binary': BINARY }
const CONNECTIONS = 1024
const IDLE_MS = 10_000
const WARM_UP_SECONDS = 2
/** More than this machine creates, so that no request is sent twice. */
const SIGNED_PER_SECOND = 30_000
const MIB = 1024 * 1024

interface Sample {
  readonly startMs: number
  readonly residentMib: number
  readonly ownMib: number
  readonly perSecond: number
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
})
const seconds = Number(values.seconds)
const merchants = new Merchants(50, 5000)
const { path: directory, remove } = temporaryDirectory()
const samples = new Map<string, Sample[]>(Object.keys(PROGRAMS).map((name) => [name, []]))
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, executable] of Object.entries(PROGRAMS)) samples.get(name)?.push(await sample(executable))
  }
} finally {
  remove()
}
for (const [name, taken] of samples) {
  const all = (key: keyof Sample) => taken.map((one) => one[key])
  say(
    `${name}: ${Math.round(median(all('perSecond')))} creations a second, ` +
      `start to first answer ${Math.round(median(all('startMs')))} ms (best ${Math.round(Math.min(...all('startMs')))}), ` +
      `idle ${Math.round(median(all('residentMib')))} MiB resident, ${Math.round(median(all('ownMib')))} MiB its own`,
  )
}
const [onNode = [], inBinary = []] = [...samples.values()].map((taken) => taken.map(({ perSecond }) => perSecond))
say(
  `creations of the single binary ÷ those on Node ${process.version}: ${(median(inBinary) / median(onNode)).toFixed(3)}`,
)
say(`size of the single binary: ${(statSync(BINARY).size / MIB).toFixed(0)} MiB`)

async function sample(executable: string | undefined): Promise<Sample> {
  const data = join(directory, 'data')
  const startedAt = performance.now()
  const service = await ServiceProcess.launch({
    data,
    environment: { BILLHOOK_LOG: 'error', BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET },
    nodeFlags: NODE_FLAGS,
    ...(executable === undefined ? {} : { executable }),
  })
  try {
    const response = await fetch(`${service.url}/healthz`)
    if (response.status !== 200) throw new Error(await response.text())
    const startMs = performance.now() - startedAt
    await pause(IDLE_MS)
    const { resident, own } = memoryOf(service.pid)
    return { startMs, residentMib: resident, ownMib: own, perSecond: await creations(service.url) }
  } finally {
    await service.stop()
    rmSync(data, { recursive: true })
  }
}

async function creations(url: string): Promise<number> {
  await registerMerchants(url, merchants.signers, merchants.wallets)
  const requests = join(directory, 'requests')
  let signed = 0
  const run = async (duration: number) => {
    const from = signed
    signed += duration * SIGNED_PER_SECOND
    await writeRequestFile(requests, signed - from, (n) => merchants.signedCreate(from + n, 'many'))
    return await chooseLoadGenerator().run({ url, connections: CONNECTIONS, seconds: duration, requests })
  }
  await run(WARM_UP_SECONDS)
  return await run(seconds)
}
