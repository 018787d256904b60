import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { memoryOf, ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { pushHeaders } from './http-client.js'
import { quantile, runLoad } from './load-client.js'
import { httpRequest } from './loaded-service.js'
import type { ScenarioOptions } from './overload.js'
import type { Attack } from './slow-bodies-attacker.js'
import { JUDGED_SECONDS_MIN } from './verdicts.js'

const PROBES = 8
const PROBES_PER_SECOND = 200
const WARM_UP_MS = 1_000
const SAMPLE_MS = 50
/** Of Linux's accounting. */
const CLOCK_TICKS_PER_SECOND = 100
const MIB = 1_048_576
const AT_ONCE = 64
/** One byte in six is body. */
const BYTE_CHUNK = '1\r\na\r\n'
const CHUNKED_BYTES = 390_000
const CHUNKED_BODIES = 1_282
const DECLARED_BYTES = 65_000
const PUSH_BYTES = 1_040_000
/** Of everybody's p99 when quiet. */
const SLOWER_MAX = 10
/** Below it a factor says more about the machine than about the service. */
const QUIET_P99_MIN_MS = 2
const GROWTH_MAX_MIB = 100

const chunkedHead = 'POST /api/invoices HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'

function declaredHead(path: string, bytes: number, headers: readonly string[] = []): string {
  return httpRequest('POST', path, '', [...headers, `Content-Length: ${bytes}`])
}

/** What strangers may send before they have shown who they are: 500 MB of each, or its share when nothing is judged. */
function attacks(seconds: number): Readonly<Record<string, Omit<Attack, 'port' | 'durationMs'>>> {
  const push = Object.entries(pushHeaders('')).map(([name, value]) => `${name}: ${value}`)
  const share = Math.min(1, seconds / JUDGED_SECONDS_MIN)
  const bodiesOf = (bytes: number) => Math.ceil((share * 500 * MIB) / bytes)
  return {
    'chunks of one byte': {
      head: chunkedHead,
      piece: BYTE_CHUNK,
      bodyBytes: CHUNKED_BYTES,
      bodies: Math.ceil(share * CHUNKED_BODIES),
      atOnce: AT_ONCE,
      holdsOn: false,
    },
    'bodies that never end': {
      head: declaredHead('/api/invoices', DECLARED_BYTES + 1),
      piece: 'a',
      bodyBytes: DECLARED_BYTES,
      bodies: bodiesOf(DECLARED_BYTES),
      atOnce: AT_ONCE,
      holdsOn: true,
    },
    'pushes that never end': {
      head: declaredHead('/internal/events', PUSH_BYTES + 1, push),
      piece: 'a',
      bodyBytes: PUSH_BYTES,
      bodies: bodiesOf(PUSH_BYTES),
      atOnce: AT_ONCE,
      holdsOn: true,
    },
  }
}

/** Memory and everybody's waiting while strangers send bodies that are no use to anybody. */
export async function slowBodies(options: ScenarioOptions): Promise<void> {
  for (const engine of HTTP_ENGINES) {
    for (const [what, attack] of Object.entries(attacks(options.seconds))) {
      const place = temporaryDirectory()
      const service = await ServiceProcess.start(place.path, { BILLHOOK_HTTP: engine, BILLHOOK_LOG: 'error' })
      try {
        await judge(`${engine}, ${what}`, service, attack, options)
      } finally {
        await service.end('SIGKILL')
        place.remove()
      }
    }
  }
}

async function judge(
  name: string,
  { url, child }: ServiceProcess,
  attack: Omit<Attack, 'port' | 'durationMs'>,
  { seconds, verdicts, say }: ScenarioOptions,
): Promise<void> {
  const pid = child.pid ?? 0
  await p99(url, WARM_UP_MS)
  const quietMs = await p99(url, seconds * 1_000)
  const before = memoryOf(pid).resident
  let most = before
  const sampler = setInterval(() => {
    if (child.exitCode === null && child.signalCode === null) most = Math.max(most, memoryOf(pid).resident)
  }, SAMPLE_MS)
  const durationMs = seconds * 1_000
  const workerData: Attack = { ...attack, port: Number(new URL(url).port), durationMs }
  const worker = new Worker(new URL('./slow-bodies-attacker.js', import.meta.url), { workerData })
  const ended = once(worker, 'message')
  const cpuBefore = cpuSecondsOf(pid)
  const attackedMs = await p99(url, durationMs)
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore
  const [{ begun, sentBytes }] = await ended
  clearInterval(sampler)
  const isAlive = child.exitCode === null && child.signalCode === null
  say(
    `${name}: ${begun} bodies, ${(sentBytes / MIB).toFixed(0)} MiB sent; memory ${before.toFixed(0)} MiB, then at most ` +
      `${most.toFixed(0)}; p99 of others ${quietMs.toFixed(1)} ms, then ${attackedMs.toFixed(1)}; ${cpuSeconds.toFixed(1)} s of CPU; ${isAlive ? 'alive' : 'DEAD'}`,
  )
  verdicts.judge(`${name}: the service lives`, isAlive)
  verdicts.judge(`${name}: memory grows by less than ${GROWTH_MAX_MIB} MiB`, most - before < GROWTH_MAX_MIB)
  const slowestMs = SLOWER_MAX * Math.max(quietMs, QUIET_P99_MIN_MS)
  verdicts.judge(`${name}: others wait less than ${SLOWER_MAX} times as long`, attackedMs < slowestMs)
}

/** Of `GET /healthz`, in ms; infinite when nothing is answered. */
async function p99(url: string, durationMs: number): Promise<number> {
  const next = () => httpRequest('GET', '/healthz')
  const report = await runLoad({ url, connections: PROBES, perSecond: PROBES_PER_SECOND, durationMs, next })
  return report.latenciesMs.length === 0 ? Number.POSITIVE_INFINITY : quantile(report.latenciesMs, 0.99)
}

/** What the process has used so far, in seconds. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}
