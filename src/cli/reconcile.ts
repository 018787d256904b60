import type { Settings } from '../config.js'
import type { Operator } from '../domain/audit.js'
import { isNetworkId, type Network } from '../domain/network.js'
import { settingOf } from '../networks/catalogue/built-in.js'
import { NetworkProblem, NodeUnavailable } from '../networks/network-reader.js'
import { NotConfirmed, type ReconcileProgress } from '../networks/reconcile.js'
import { catalogueOf, entryOf, isWatched } from '../service/catalogue.js'
import { asideTotal, asideWhy } from '../service/ledger-health.js'
import type { LedgerReconciled, openLedgerReconciliation } from '../service/ledger-reconciliation.js'
import type { openReconciliation, Reconciliation } from '../service/reconciliation.js'
import type { Given } from './billhook-command.js'
import {
  type CommandIo,
  EXIT_FAILURE,
  EXIT_INCOMPLETE,
  EXIT_OPEN,
  EXIT_SUCCESS,
  EXIT_USAGE,
  withWork,
} from './command.js'
import { differenceLine } from './difference-line.js'
import { ProgressLine, StatusLine } from './progress-line.js'

const VALUES = ['network', 'from', 'to'] as const
const HEIGHT = /^(0|[1-9]\d{0,14})$/

/** The arguments of `billhook reconcile`. */
export interface ReconcileRequest {
  readonly network: Network
  /** The first and the last height. */
  readonly from: number
  readonly to: number
  /** Whether differences are repaired. */
  readonly isApplied: boolean
  /** Whether to forget which blocks were read: the service then starts again at its configured start. */
  readonly isForgotten: boolean
}

/** What `reconcile` needs from its process. */
export interface ReconcileIo extends CommandIo {
  /** Writes to standard error as it is. */
  write(text: string): void
  /** The columns of the terminal at standard error; null when it is none, or one that cannot move in a line. */
  columns(): number | null
  /** Who runs the command. */
  operator(): Operator
  readonly openReconciliation: typeof openReconciliation
}

/** What `reconcile --ledger` needs from its process. */
export interface LedgerReconcileIo extends Omit<ReconcileIo, 'openReconciliation'> {
  readonly openLedgerReconciliation: typeof openLedgerReconciliation
}

/** The request, or null; every problem with it is added to `problems`, one line each. */
export function readReconcileRequest(options: Given['options'], problems: string[]): ReconcileRequest | null {
  for (const name of VALUES) {
    if (options[name] === undefined) problems.push(`reconcile needs --${name}.`)
  }
  const { network } = options
  if (network !== undefined && !isNetworkId(network)) {
    problems.push(`--network must be the id of a network, not ${JSON.stringify(network)}.`)
  }
  const [from, to] = ['from', 'to'].map((name) => {
    const text = options[name]
    if (typeof text === 'string' && HEIGHT.test(text)) return Number(text)
    if (text !== undefined) problems.push(`--${name} must be the height of a block, not ${JSON.stringify(text)}.`)
    return undefined
  })
  if (from !== undefined && to !== undefined && from > to) problems.push('--from must not be above --to.')
  const [isApplied, isForgotten] = [options['apply'] === true, options['forget'] === true]
  if (isForgotten && !isApplied) problems.push('--forget needs --apply.')
  if (!isNetworkId(network) || from === undefined || to === undefined) return null
  return { network, from, to, isApplied, isForgotten }
}

/**
 * Compares a range of a network with the data directory, and repairs it on request. Resolves with the exit code: 0 when no
 * difference is left, 1 when some are, 2 when the range is not confirmed yet, 3 when the end was not reached because the
 * directory is in use, no node answers, or a signal came. A second signal ends the process at once.
 */
export async function reconcileNetwork(
  request: ReconcileRequest,
  settings: Settings,
  io: ReconcileIo,
): Promise<number> {
  const { network } = request
  const entry = entryOf(settings, network)
  if (entry === undefined) {
    const ids = catalogueOf(settings).map(({ id }) => id)
    io.error(`--network must be one of ${ids.join(', ')}, not ${JSON.stringify(network)}.`)
    return EXIT_USAGE
  }
  if (!isWatched(entry)) {
    io.error(`reconcile --network ${network} needs ${settingOf(entry, 'urls')}.`)
    return EXIT_USAGE
  }
  return await withWork(
    (stop) => io.openReconciliation(network, { settings, log: io.log, clock: io.clock, stop, operator: io.operator() }),
    (work) => compare(request, work, io),
    'the reconciliation could not begin or end',
    io,
  )
}

async function compare(request: ReconcileRequest, work: Reconciliation, io: ReconcileIo): Promise<number> {
  const { network, from, to, isApplied } = request
  if (work.recorded === null) io.error(`The service has not watched ${network} yet.`)
  else if (to > work.recorded) io.error(`Blocks above ${work.recorded} were not read by the service yet.`)
  const line = new ProgressLine({ ...io, unit: 'blocks' })
  let last: ReconcileProgress = { blocks: 0, transfers: 0, differences: 0, repaired: 0, recovered: 0, next: from }
  try {
    last = await work.run({
      from,
      to,
      isApplied,
      onDifference: (difference) => {
        line.clear()
        io.out(differenceLine(network, difference))
      },
      onProgress: (progress) => {
        last = progress
        line.show(progress.blocks, to - from + 1, `${counted(progress.transfers, 'transfer')}, ${foundText(progress)}`)
      },
    })
  } catch (error) {
    line.clear()
    if (error instanceof NotConfirmed) {
      io.error(`billhook: ${error.message}.`)
      return EXIT_USAGE
    }
    if (error instanceof NodeUnavailable) io.error(`billhook: no node answers: ${error.message}`)
    else if (error instanceof NetworkProblem) io.error(`billhook: ${error.message}`)
    else io.log.fatal({ err: error }, 'the reconciliation failed')
  }
  line.clear()
  const code = conclude(request, last, io)
  if (request.isForgotten && code !== EXIT_INCOMPLETE) {
    await work.forget()
    io.out(
      `Which blocks of ${network} were read is forgotten. Start the service with ${settingOf({ id: network }, 'start')}=${to + 1}.`,
    )
  }
  return code
}

function conclude(
  { network, from, to, isApplied }: ReconcileRequest,
  last: ReconcileProgress,
  io: ReconcileIo,
): number {
  const { differences, repaired, recovered, next } = last
  if (next > from) io.out(`${network} blocks ${from} to ${next - 1} are compared: ${foundText(last, isApplied)}.`)
  if (recovered > 0) io.out(`Settled ${counted(recovered, 'block')} that had been set aside.`)
  if (repaired > 0) io.out('Webhooks that are owed by the repairs are sent when the service runs.')
  if (next <= to) {
    io.out(`The end was not reached. To go on: --from ${next} --to ${to}`)
    return EXIT_INCOMPLETE
  }
  return differences === repaired ? EXIT_SUCCESS : EXIT_FAILURE
}

function foundText({ differences, repaired }: ReconcileProgress, isApplied = repaired > 0): string {
  return `${counted(differences, 'difference')}${isApplied ? `, ${repaired} repaired` : ''}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/**
 * Compares everything that the stores of the ledger list with the data directory, asks again for what was set aside, applies
 * what was unknown, and asks for the wallets of the pool. Resolves with the exit code: 0 when all could be read and nothing had been missed, 1 when something had
 * been missed, 2 when no ledger is followed, 3 when something could not be read, 4 when all was asked for and no read API has
 * some of it. A second signal ends the process at once.
 */
export async function reconcileLedger(settings: Settings, io: LedgerReconcileIo): Promise<number> {
  if (settings.ledgerStoreUrls.length === 0) {
    io.error('reconcile --ledger needs BILLHOOK_LEDGER_STORE_URL.')
    return EXIT_USAGE
  }
  return await withWork(
    (stop) => io.openLedgerReconciliation({ settings, log: io.log, clock: io.clock, stop, operator: io.operator() }),
    async (work) => {
      const line = new StatusLine(io)
      try {
        const reconciled = await work.run((transactions) => line.show(`${transactions} transactions`))
        line.clear()
        return concludeLedger(reconciled, io)
      } finally {
        line.clear()
      }
    },
    'the comparison with the ledger could not begin or end',
    io,
  )
}

function concludeLedger(reconciled: LedgerReconciled, io: CommandIo): number {
  const { transactions, missed, recent, recovered, withdrawn, open, unread } = reconciled
  // What was not looked at may hold more.
  const soFar = unread.length === 0 ? '' : 'So far, '
  io.out(
    `${soFar}${counted(transactions, 'transaction')} of the ledger compared: ${counted(missed, 'fact')} had been missed${missed > 0 ? ', and applied now' : ''}.`,
  )
  if (recent > 0) io.out(`Applied ${counted(recent, 'fact')} newer than what the service had read.`)
  if (recovered > 0) io.out(`Applied ${counted(recovered, 'fact')} of transactions that had been set aside.`)
  if (withdrawn > 0) io.out(`Withdrew ${counted(withdrawn, 'wallet')} from the pool, given away on the ledger.`)
  const openCount = asideTotal(open)
  if (openCount > 0) {
    io.error(
      `billhook: ${counted(openCount, 'transaction')} still set aside (${asideWhy(open)}): what they say is not known.`,
    )
  }
  for (const what of unread) io.error(`billhook: ${what}.`)
  if (unread.length > 0 || open.failed + open.unasked > 0) return EXIT_INCOMPLETE
  if (open.missing + open.undecided > 0) return EXIT_OPEN
  return missed > 0 ? EXIT_FAILURE : EXIT_SUCCESS
}
