import { chmodSync, lchownSync, rmSync } from 'node:fs'
import { parseDatabaseAddress } from '../base/database-address.js'
import { heirOf } from '../base/owned-file.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Progress } from '../console/networks.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { ClockReading } from '../domain/clock-offset.js'
import type { DerivedSeries } from '../domain/derived-wallet.js'
import { together } from '../http/endpoints.js'
import { guardedRoutes } from '../http/guards.js'
import { NodeServer } from '../http/node/server.js'
import { createRouter } from '../http/router.js'
import { type AdminParts, adminHandlers, type ServiceStatus } from '../http/routes/admin.js'
import { type RatesInUse, ratesRecord } from '../http/routes/rates.js'
import type { WorkRecord } from '../http/routes/work-answer.js'
import type { Logger } from '../log.js'
import { isReport } from '../reports/report.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { sandboxHandlers } from '../sandbox/sandbox-handlers.js'
import { isUnreadable } from '../store/refusals.js'
import type { Store } from '../store/store.js'
import { VERSION } from '../version.js'
import { adminSocketPath } from './admin-socket.js'
import { AuditedImports } from './audited-imports.js'
import { entryOf, isReported } from './catalogue.js'
import { operatorAt } from './command-operator.js'
import type { DoctorContext } from './doctor/examination.js'
import { importRecords } from './import.js'
import { drain, LIMITS } from './listeners.js'
import type { OperatorWork } from './operator.js'
import { ratesInUse } from './rates.js'
import { isRecordKind, recordsOf } from './records.js'
import { reportOf } from './reports.js'
import type { ApiHandlers } from './routes.js'
import { setAsideOf } from './set-aside.js'
import type { Shutdown } from './shutdown.js'

/** Maximum number of commands at once. Beyond, connections that only wait are closed for new ones. */
const CONNECTION_LIMIT = 16
/** How many of them may be long ones: an export whose reader has stopped must not keep a health check out. */
const STREAM_LIMIT = CONNECTION_LIMIT / 2
const PRIVATE_MODE = 0o600
/** Wallets that can be claimed are counted no further. */
const CLAIMABLE_COUNT_LIMIT = 10_000

/** What the operator's commands work on. */
export interface AdminContext {
  readonly settings: Settings
  readonly log: Logger
  /** How many lines of the log were lost. */
  readonly linesLost: () => number
  readonly clock: Clock
  readonly store: Store
  readonly engine: Secp256k1Engine
  readonly api: ApiHandlers
  /** Null without the sandbox. */
  readonly sandbox: Sandbox | null
  readonly shutdown: Shutdown
  /** Unix ms. */
  readonly startedAt: number
  /** Where the service listens; null when there is none. */
  readonly url: () => string | null
  /** Why it cannot take requests; null while it can. */
  readonly whyNotReady: () => string | null
  readonly degradations: () => readonly string[]
  /** How far the machine's clock is off; null while nobody can tell. */
  readonly clockReading: () => ClockReading | null
  readonly progress: Progress
  readonly doctor: DoctorContext
  readonly operators: OperatorWork
}

/**
 * Listens on `admin.sock` in the data directory: the API without signatures, and the operator's own endpoints. Who may open
 * the socket may also read the data, so nothing is asked of them. The directory must be locked: a socket that an earlier
 * process left behind is replaced.
 */
export async function startAdmin(context: AdminContext): Promise<void> {
  const { settings, log, shutdown } = context
  const { api, sandbox } = context
  const simulated = sandbox === null ? {} : sandboxHandlers(sandbox)
  const routes = guardedRoutes(together(api, adminHandlers(adminParts(context)), simulated), {
    browsers: null,
    claimRate: null,
    access: 'trusted',
    trail: { trail: context.operators.trail, operatorOf: operatorAt },
  })
  const resolve = createRouter(routes, {
    onError: (error, { requestId, method, path }) =>
      log.error({ err: error, requestId, method, path }, 'command failed'),
  })
  const { path, release } = adminSocketPath(settings.dataDirectory)
  rmSync(path, { force: true })
  const server = new NodeServer(
    resolve,
    {
      ...{ host: '', port: 0, socketPath: path },
      ...{ connectionLimit: CONNECTION_LIMIT, yieldsWaiting: true, streamLimit: STREAM_LIMIT, ...LIMITS },
    },
    (error) => log.error({ err: error }, 'the admin socket failed on a request'),
  )
  await server.listen()
  chmodSync(path, PRIVATE_MODE)
  // If root is killed here, what it leaves behind must not refuse the owner.
  const heir = heirOf(settings.dataDirectory)
  if (heir !== null) lchownSync(path, heir.uid, heir.gid)
  shutdown.add('commands', async () => {
    await drain(server)
    release()
  })
}

/** Loaded when it is asked for: a start needs none of it. */
async function* examined(doctor: DoctorContext): AsyncGenerator<WorkRecord> {
  const { examine } = await import('./doctor/doctor.js')
  yield* examine(doctor)
}

function adminParts(context: AdminContext): AdminParts {
  const { settings } = context
  const { trail, actions, ledgerless } = context.operators
  const imports = new AuditedImports(trail)
  return {
    status: () => statusOf(context),
    examine: () => examined(context.doctor),
    operatorOf: operatorAt,
    add: (operator, part, records, terms) =>
      imports.add(operator, part, () =>
        importRecords(context.store, context.engine, { records, ...terms, nowMs: context.clock.now() }),
      ),
    revokeKey: (operator, id) => actions.revokeKey(operator, id),
    redeliver: (operator, id) => actions.redeliver(operator, id),
    putBack: (operator, id) => actions.putBackWallet(operator, id),
    addNote: (operator, invoiceId, text) => actions.addNote(operator, invoiceId, text),
    removeNote: (operator, id) => actions.removeNote(operator, id),
    addIdentity: (operator, id) => ledgerless.addIdentity(operator, id),
    derivedSeries: async (keyName) => {
      const series = await ledgerless.seriesOf(keyName)
      const isTold = ({ network }: DerivedSeries) =>
        context.url() === null ? null : isReported(settings, entryOf(settings, network))
      return series.map((one) => ({ ...one, isReported: isTold(one) }))
    },
    addDerived: (operator, derived) => ledgerless.addDerived(operator, derived),
    records: (kind, wanted) => (isRecordKind(kind) ? recordsOf(context.store, kind, wanted) : null),
    report: (name, asked) => (isReport(name) ? reportOf(context.store, name, asked) : null),
  }
}

export function conditionOf(
  isReady: boolean,
  degraded: readonly string[],
  url: string | null,
): ServiceStatus['condition'] {
  if (url === null) return null
  if (!isReady) return 'not_ready'
  return degraded.length === 0 ? 'ready' : 'degraded'
}

async function statusOf({
  settings,
  linesLost,
  clock,
  store,
  startedAt,
  url,
  whyNotReady,
  degradations,
  clockReading,
  progress,
}: AdminContext): Promise<ServiceStatus> {
  // Before what is impaired is asked: reading may show it.
  const contents = await contentsOf(store, ratesInUse(settings), clock)
  const reading = clockReading()
  const degraded = degradations()
  const notReady = whyNotReady()
  return {
    version: VERSION,
    pid: process.pid,
    started_at: startedAt,
    url: url(),
    condition: conditionOf(notReady === null, degraded, url()),
    not_ready: url() === null ? null : notReady,
    data: settings.dataDirectory,
    store: parseDatabaseAddress(settings.store)?.shown ?? settings.store,
    store_id: store.birth.id,
    store_born_at: store.birth.bornAt,
    sandbox: settings.sandbox,
    strict: settings.strict,
    degraded,
    clock: reading && { offset_ms: reading.offsetMs, witnesses: reading.witnesses },
    ...contents,
    decimals: store.networks.decimals,
    networks: progress.networks(),
    nodes: progress.nodes(),
    ledger: progress.ledger(),
    log_lines_lost: linesLost(),
  }
}

/** What the store holds. All null while it cannot be read: the rest is what an operator needs most then. */
async function contentsOf(
  store: Store,
  inUse: RatesInUse,
  clock: Clock,
): Promise<Pick<ServiceStatus, 'records' | 'outbox' | 'wallets' | 'set_aside' | 'rates'>> {
  try {
    const wallets = await Promise.all(
      store.networks.present.map(async (network) => {
        const claimable = await store.wallets.countClaimable(network, CLAIMABLE_COUNT_LIMIT)
        const unassigned = await store.wallets.countUnassigned(network)
        return [network, { claimable, unassigned, withdrawn: await store.wallets.countWithdrawn(network) }] as const
      }),
    )
    return {
      records: await store.overview.counts(),
      outbox: await store.outbox.depth(),
      wallets: Object.fromEntries(wallets),
      set_aside: await setAsideOf(store),
      rates: ratesRecord(await store.rates.current(), inUse, clock.now()),
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { records: null, outbox: null, wallets: null, set_aside: null, rates: null }
  }
}
