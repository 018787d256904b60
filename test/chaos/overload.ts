import { memoryOf } from '../support/service-process.js'
import { type LoadReport, quantile, runLoad } from './load-client.js'
import {
  httpRequest,
  type LoadedService,
  peakMemory,
  prepared,
  type Signer,
  signedCreate,
  signerOf,
  startLoaded,
  walletOf,
} from './loaded-service.js'
import type { Verdicts } from './verdicts.js'

const OWNERS = 20
const WALLETS_EACH = 50
const FLOODERS = 200
const FLOOD_REQUESTS = 2_000
const PEAK_CONNECTIONS = 128
const OVERLOAD_CONNECTIONS = 4_096
/** Beside the merchants' own, from the same address. */
const OWN_ADDRESS_CONNECTIONS = 768
const OVERLOAD_FACTOR = 10
const FLOOD_FACTOR = 3
/** Of the peak, at ten times the capacity. */
const GOODPUT_MIN = 0.8
/** Of the throughput alone, beside a flood from other addresses than the merchants'. */
const FLOODED_MIN = 0.7
/** The merchants come from the usual one. */
const FLOODERS_ADDRESS = '127.0.0.2'

export interface ScenarioOptions {
  readonly seconds: number
  /** BILLHOOK_VERIFY_ENGINE. With noble, here without tables of keys, a small machine can send ten times what its one thread verifies. */
  readonly engine: string
  readonly verdicts: Verdicts
  say(line: string): void
}

type Flood = readonly [what: string, flood: () => string, kind?: 'promised' | 'comparison' | 'from merchants']

interface Stage {
  readonly service: LoadedService
  readonly signers: readonly Signer[]
  readonly peak: LoadReport
}

/** A service, and what it does at most for clients that wait for their answers. */
async function stage({ seconds, engine, say }: ScenarioOptions, extra: readonly Signer[] = []): Promise<Stage> {
  const signers = Array.from({ length: OWNERS }, (_, n) => signerOf(`merchant-${n}`))
  const settings = { BILLHOOK_VERIFY_ENGINE: engine, ...(engine === 'noble' ? { BILLHOOK_KEY_TABLES: '0' } : {}) }
  const service = await startLoaded([...signers, ...extra], WALLETS_EACH, settings)
  const load = { url: service.url, connections: PEAK_CONNECTIONS, perSecond: null }
  // The first second is warming up.
  await runLoad({ ...load, durationMs: 1_000, next: goodRequests(signers) })
  const peak = await runLoad({ ...load, durationMs: seconds * 1000, next: goodRequests(signers) })
  say(`  alone: ${describe(peak)}`)
  return { service, signers, peak }
}

/** Each made when it is sent. */
function goodRequests(signers: readonly Signer[]): () => string {
  let n = 0
  return () => {
    n += 1
    const signer = signers[n % signers.length]
    if (signer === undefined) throw new Error('nobody signs')
    return signedCreate(signer, walletOf(signer.owner, Math.floor(n / signers.length) % WALLETS_EACH))
  }
}

/** Signed creations at ten times what the service can do. */
export async function goodput(options: ScenarioOptions): Promise<void> {
  const { seconds, engine, verdicts, say } = options
  say(`goodput at ${OVERLOAD_FACTOR} times the capacity, ${engine}`)
  const { service, signers, peak } = await stage(options)
  const perSecond = Math.round(peak.goodPerSecond * OVERLOAD_FACTOR)
  const make = goodRequests(signers)
  const next = prepared(perSecond * seconds, make)
  const before = memoryOf(service.pid).own
  const { result, mostMiB } = await peakMemory(service.pid, () =>
    runLoad({ url: service.url, connections: OVERLOAD_CONNECTIONS, perSecond, durationMs: seconds * 1000, next }),
  )
  say(`  offered ${perSecond}/s, sent ${Math.round(result.sent / seconds)}/s: ${describe(result)}`)
  say(`  goodput ${percent(result, peak)} of the peak; 503 without Retry-After: ${result.withoutRetryAfter}`)
  verdicts.judge(`goodput at least ${percentOf(GOODPUT_MIN)} of the peak`, share(result, peak) >= GOODPUT_MIN)
  verdicts.judge('every 503 says when to come back', result.withoutRetryAfter === 0)
  say(`  own memory ${before.toFixed(0)} MiB before, at most ${mostMiB.toFixed(0)} MiB`)
  await service.stop()
}

/** Floods at three times what can be verified, beside merchants who go on. */
export async function floods(options: ScenarioOptions): Promise<void> {
  const { seconds, engine, verdicts, say } = options
  say(`floods of ${FLOOD_FACTOR} times the capacity beside ${OWNERS} registered keys, ${engine}`)
  const strangers = Array.from({ length: FLOODERS }, (_, n) => signerOf(`stranger-${n}`))
  const registered = Array.from({ length: OWNERS }, (_, n) => signerOf(`attacked-${n}`))
  const { service, signers, peak } = await stage(options, registered)
  const [victim] = signers
  if (victim === undefined) throw new Error('nobody is attacked')
  const by = (who: readonly Signer[], isForged: boolean) =>
    prepared(FLOOD_REQUESTS, (n) => signedCreate(who[n % who.length] ?? victim, 'none', isForged))
  const allBad = by(signers, true)
  const kinds: readonly Flood[] = [
    ['GET /healthz instead, for comparison', () => httpRequest('GET', '/healthz'), 'comparison'],
    ['unregistered keys, good signatures', by(strangers, false)],
    ['bad signatures of 20 other registered keys', by(registered, true)],
    ['bad signatures of one of these keys', by([victim], true)],
    ['bad signatures of all of these keys', allBad],
    ["bad signatures of all of these keys from the merchants' own address", allBad, 'from merchants'],
  ]
  for (const [what, flood, kind = 'promised'] of kinds) {
    const load = { url: service.url, durationMs: seconds * 1000 }
    const perSecond = Math.round(peak.goodPerSecond * FLOOD_FACTOR)
    const [good, bad] = await Promise.all([
      runLoad({ ...load, connections: PEAK_CONNECTIONS, perSecond: null, next: goodRequests(signers) }),
      runLoad({
        ...load,
        connections: kind === 'from merchants' ? OWN_ADDRESS_CONNECTIONS : OVERLOAD_CONNECTIONS / 2,
        perSecond,
        next: flood,
        ...(kind === 'from merchants' ? {} : { from: FLOODERS_ADDRESS }),
      }),
    ])
    say(`  ${what}: ${percent(good, peak)} of the throughput alone; ${describe(good)}; flood ${statuses(bad)}`)
    if (kind !== 'promised') continue
    verdicts.judge(
      `${what}: at least ${percentOf(FLOODED_MIN)} of the throughput alone`,
      share(good, peak) >= FLOODED_MIN,
    )
  }
  await service.stop()
}

function percent(report: LoadReport, peak: LoadReport): string {
  return percentOf(share(report, peak))
}

function percentOf(part: number): string {
  return `${(100 * part).toFixed(0)} %`
}

function share(report: LoadReport, peak: LoadReport): number {
  return report.goodPerSecond / peak.goodPerSecond
}

export function describe(report: LoadReport): string {
  const [median, high] = [quantile(report.latenciesMs, 0.5), quantile(report.latenciesMs, 0.99)]
  const rate = `${report.goodPerSecond.toFixed(0)}/s, median ${median.toFixed(1)} ms, p99 ${high.toFixed(1)} ms`
  const lost = report.broken === 0 ? '' : `, ${report.broken} connections broken`
  return `${rate} (${statuses(report)}${lost})`
}

function statuses({ byStatus }: LoadReport): string {
  return [...byStatus].map(([status, count]) => `${count} × ${status}`).join(', ')
}
