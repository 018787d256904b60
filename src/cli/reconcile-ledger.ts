import type { Settings } from '../config.js'
import type {
  LedgerReconciled,
  LedgerReconciliation,
  openLedgerReconciliation,
} from '../service/ledger-reconciliation.js'
import { EXIT_INCOMPLETE, EXIT_SUCCESS, EXIT_USAGE } from './exit-code.js'
import { type ReconcileIo, withWork } from './reconcile.js'
import { firstSignal } from './stop-signal.js'

/** What `reconcile --ledger` needs from its process. */
export interface ReconcileLedgerIo extends Omit<ReconcileIo, 'openReconciliation'> {
  readonly openLedgerReconciliation: typeof openLedgerReconciliation
}

/**
 * Compares the whole ledger with the data directory and applies missed facts. Resolves with the exit code: 0 when the end was
 * reached, 2 when no ledger is followed, 3 when the end was not reached. A second signal ends the process at once.
 */
export async function reconcileLedger(settings: Settings, io: ReconcileLedgerIo): Promise<number> {
  const stop = new AbortController()
  void firstSignal(io).signal.then(() => stop.abort())
  if (settings.ledgerStoreUrls.length === 0) {
    io.error('reconcile --ledger needs BILLHOOK_LEDGER_STORE_URL.')
    return EXIT_USAGE
  }
  return await withWork(
    () => io.openLedgerReconciliation({ settings, log: io.log, clock: io.clock, stop: stop.signal }),
    async (work) => conclude(await compare(work, io), io),
    'the comparison with the ledger could not begin or end',
    io,
  )
}

function compare(work: LedgerReconciliation, io: ReconcileLedgerIo): Promise<LedgerReconciled> {
  return work.run((transactions) => {
    if (io.isTerminal) io.write(`\r${transactions} transactions`)
  })
}

function conclude({ transactions, missed, failure }: LedgerReconciled, io: ReconcileLedgerIo): number {
  if (io.isTerminal) io.write('\r')
  io.out(`${transactions} transactions of the ledger are compared: ${missed} facts had been missed and are applied.`)
  if (failure === null) return EXIT_SUCCESS
  io.error(`billhook: the end was not reached: ${failure}`)
  return EXIT_INCOMPLETE
}
