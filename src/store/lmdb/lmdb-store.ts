import { EVENT_LOOP, Turns } from '../../base/turns.js'
import { OperatorError } from '../../operator-error.js'
import { OWN_ALLOWANCES } from '../allowances.js'
import type { StoreBirth, StoreCreation } from '../birth.js'
import type { CommitObserver } from '../commit-observer.js'
import { isDamage } from '../damage.js'
import { soleLeadership } from '../leadership.js'
import type { MigrationControl, MigrationPlan } from '../migration.js'
import type { StorageUnavailable } from '../refusals.js'
import { judgeBy, type StoreTerms } from '../rules/store-terms.js'
import type { Store } from '../store.js'
import { LmdbAudit } from './audit-rows.js'
import { LmdbAside } from './chain/aside-rows.js'
import { LmdbChain } from './chain/chain-port.js'
import { lmdbCommands } from './commands/command-port.js'
import type { World } from './commit/commit.js'
import { commitErrorOf } from './commit/commit-error.js'
import { CommitLoop } from './commit/commit-loop.js'
import { DataDisk } from './commit/data-disk.js'
import { LmdbDeposits } from './deposits/deposit-port.js'
import { LmdbEventOutbox } from './events/event-outbox.js'
import { LmdbEvents } from './events/event-port.js'
import { beginLogging, loggedSince } from './events/logged-since.js'
import { birthOf } from './file/birth.js'
import { hasDataFile } from './file/data-file.js'
import { type DirectoryLock, lockDirectory } from './file/directory-lock.js'
import { assertMoved } from './file/move-position.js'
import { openData } from './file/open-data.js'
import { migrationPlan, PROBE_KEY, prepareSchema, storedVersion } from './file/schema.js'
import { LmdbIdentities } from './identities/identities.js'
import { lmdbImports } from './imports.js'
import { InvoiceAnswers } from './invoices/invoice-answers.js'
import { LmdbInvoices } from './invoices/invoice-port.js'
import { LmdbNotes } from './invoices/notes.js'
import { lmdbKeys } from './keys/api-keys.js'
import { lmdbLedger } from './ledger/ledger-port.js'
import { rememberNetworks } from './networks.js'
import { LmdbOrders } from './orders/order-port.js'
import { lmdbOutbox } from './outbox/outbox-port.js'
import { overheard } from './overheard.js'
import { LmdbOverview } from './overview.js'
import { LmdbRates } from './rates.js'
import { LmdbSearch } from './search.js'
import { type Environment, endReadTransaction, type Tables } from './tables/tables.js'
import { LmdbWallets } from './wallets/wallet-port.js'
import { lmdbWebhooks } from './webhooks/webhook-configurations.js'

/** A read holds this thread, so two at once would only take twice as long. */
const READS_AT_ONCE = 1

/** A probe of the disk writes more than the free pages that a full file has left here and there. */
const PROBE_BYTES = 262_144

/** Everything that the store takes from outside. */
export interface LmdbStoreOptions extends StoreTerms, World, StoreCreation {
  /** The data directory; made when it is not there. */
  readonly directory: string
  readonly commitObserver?: CommitObserver
  /** Called when a commit was refused. */
  readonly onUnavailable?: (reason: StorageUnavailable) => void
  /** Called when what is stored could not be read, or is not what was written. */
  readonly onDamaged?: (error: unknown) => void
  /** Without it older data is refused, not migrated. */
  readonly migration?: MigrationControl
  /** Called when the process that had the directory before was killed, crashed, or lost its machine. */
  readonly onLeft?: () => void
}

/**
 * Opens the store in a directory that no other process uses. Throws `OperatorError` when the directory is taken, cannot be
 * used, or holds something else.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LmdbStore> {
  const { directory, migration, mayBegin, advice = '', onCreated, onLeft } = options
  if (!mayBegin && !hasDataFile(directory)) throw noStore(directory, advice)
  return await locked(directory, async (root, lock) => {
    assertMoved(root, directory)
    const isNew = storedVersion(root, directory) === null
    if (isNew && !mayBegin) throw noStore(directory, advice)
    if (lock.before === 'death') onLeft?.()
    const tables = await prepareSchema(root, directory, migration)
    // Data of a program that did not note it: what happens from now on is logged.
    if (loggedSince(tables.meta) === null) await root.transaction(() => beginLogging(tables, options.clock.now()))
    const birth = await birthOf(tables, () => ({ id: options.randomKeyId(), bornAt: options.clock.now() }))
    if (isNew) onCreated?.(`the data directory ${directory}`, birth)
    const networks = await rememberNetworks(tables, options.networks)
    return storeOn(tables, lock, { ...options, networks, birth })
  })
}

function noStore(directory: string, advice: string): OperatorError {
  return new OperatorError(`the data directory ${directory} holds no data${advice}`)
}

/** What is to be done to bring the data in a directory to this version. Throws `OperatorError` as `openLmdbStore` does. */
export function planMigration(directory: string): Promise<MigrationPlan> {
  return locked(directory, async (root, lock) => {
    const plan = migrationPlan(root, directory)
    await root.close()
    lock.release()
    return plan
  })
}

/** Opens and locks the database of a directory. `use` closes it and releases the lock; when `use` throws, both are done here. */
async function locked<T>(directory: string, use: (root: Environment, lock: DirectoryLock) => Promise<T>): Promise<T> {
  const lock = lockDirectory(directory)
  let root: Environment | undefined
  try {
    root = openData(directory, 'written', lock)
    return await use(root, lock)
  } catch (error) {
    const refusal = commitErrorOf(error)
    await root?.close()
    lock.release('refusal')
    if (refusal === null) throw error
    // It is known by now, or not at all.
    const { message } = await Promise.race([refusal, error as Error])
    throw new OperatorError(`the data directory ${directory} refuses writes: ${message}`)
  }
}

export type LmdbStore = ReturnType<typeof storeOn>

/** The store on LMDB: one process, one directory, one writer, readers that never wait. */
export function storeOn(
  tables: Tables,
  lock: DirectoryLock,
  options: LmdbStoreOptions & { readonly birth: StoreBirth },
) {
  let isDamaged = false
  const hear = (error: unknown) => {
    if (!isDamage(error)) return
    isDamaged = true
    try {
      endReadTransaction(tables.root)
    } catch {
      // What was heard says more, and the next commit ends it, too.
    }
    options.onDamaged?.(error)
  }
  const commits = new CommitLoop(
    tables,
    options,
    new DataDisk(options.directory),
    options.commitObserver,
    options.onUnavailable,
    hear,
  )
  const judge = judgeBy(options)
  const answers = new InvoiceAnswers()
  const chain = new LmdbChain(commits, judge)
  let closing: Promise<void> | null = null
  const finish = async () => {
    await commits.close()
    // A commit that met damage may have left the memory of the binding damaged, too.
    if (!commits.hasMetDamage) await tables.root.close()
    lock.release(isDamaged ? 'damage' : undefined)
  }
  const port = <Port extends object>(one: Port) => overheard(one, hear)
  return {
    networks: options.networks,
    birth: options.birth,
    commands: port(lmdbCommands({ commits, judge, answers, terms: options })),
    keys: port(lmdbKeys(commits, options.randomKeyId)),
    identities: port(new LmdbIdentities(commits)),
    wallets: port(new LmdbWallets(commits)),
    invoices: port(new LmdbInvoices(commits, answers)),
    orders: port(new LmdbOrders(commits)),
    notes: port(new LmdbNotes(commits)),
    deposits: port(new LmdbDeposits(commits, options.networks)),
    chain: port(chain),
    aside: port(new LmdbAside(commits)),
    outbox: port(lmdbOutbox(commits)),
    events: port(new LmdbEvents(commits)),
    eventOutbox: port(new LmdbEventOutbox(commits)),
    webhooks: port(lmdbWebhooks(commits, options.randomSecretHex)),
    rates: port(new LmdbRates(commits)),
    audit: port(new LmdbAudit(commits)),
    overview: port(new LmdbOverview(commits)),
    search: port(new LmdbSearch(commits, options.networks)),
    imports: port(lmdbImports(commits, judge)),
    changes: commits.changes,
    leadership: soleLeadership(),
    allowances: OWN_ALLOWANCES,
    turns: new Turns({ ...EVENT_LOOP, width: READS_AT_ONCE }),
    ledger: port(lmdbLedger(commits, chain, options.flawOfAddress)),
    probeWrite: async () => {
      commits.resume()
      await commits.runAdmitted(({ tables }) => tables.meta.putSync(PROBE_KEY, Buffer.alloc(PROBE_BYTES)))
      await commits.runAdmitted(({ tables }) => tables.meta.removeSync(PROBE_KEY))
    },
    commitNothing: () => commits.runAdmitted(() => undefined),
    readClock: () => options.clock.now(),
    isOpen: () => closing === null,
    close: () => {
      closing ??= finish()
      return closing
    },
  } satisfies Store
}
