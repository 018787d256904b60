import type { DatabaseAddress } from '../../base/database-address.js'
import { EVENT_LOOP, Turns } from '../../base/turns.js'
import { OperatorError } from '../../operator-error.js'
import type { Scheduler } from '../../scheduler.js'
import type { StoreBirth } from '../birth.js'
import { StorageUnavailable } from '../refusals.js'
import { judgeBy, type StoreTerms } from '../rules/store-terms.js'
import type { Store } from '../store.js'
import { PostgresAllowances } from './allowances.js'
import { PostgresAudit } from './audit.js'
import { PostgresAside } from './chain/aside-rows.js'
import { PostgresChain } from './chain/chain-port.js'
import { PostgresCommands } from './commands/command-port.js'
import { Database, type DatabaseOptions } from './connection/database.js'
import { isForbidden } from './connection/errors.js'
import { WRITE_PROBE } from './connection/probe.js'
import { sql } from './connection/sql.js'
import { PostgresDeposits } from './deposits/deposit-port.js'
import { PostgresEventOutbox } from './events/event-outbox.js'
import { PostgresEvents } from './events/event-port.js'
import { Fence } from './fence.js'
import { PostgresIdentities } from './identities.js'
import { postgresImports } from './imports.js'
import { PostgresInvoices } from './invoices/invoice-port.js'
import { PostgresNotes } from './invoices/notes.js'
import { postgresKeys } from './keys/key-port.js'
import { PostgresLeadership } from './leadership.js'
import { postgresLedger } from './ledger/ledger-port.js'
import { rememberNetworks } from './networks.js'
import { PostgresOrders } from './orders/order-port.js'
import { postgresOutbox } from './outbox/outbox-port.js'
import { PostgresOverview } from './overview.js'
import { PostgresRates } from './rates.js'
import { type Preparation, prepareSchema } from './schema/prepare.js'
import { assertKeepsSessions } from './schema/sessions.js'
import { PostgresSearch } from './search.js'
import { PostgresWallets } from './wallets/wallet-port.js'
import { postgresWebhooks } from './webhooks.js'

/** Long reads that are under way at once: the database works on one, and the next one has arrived when it is done. */
const LONG_READS_AT_ONCE = 2

/** Everything that the store takes from outside. */
export interface PostgresStoreOptions extends StoreTerms, DatabaseOptions, Preparation {
  /** For the lease of the process that leads. */
  readonly scheduler: Scheduler
}

/**
 * Opens the store in a database, which other processes may use at the same time. Throws `OperatorError` when the database cannot be
 * reached or used.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const database = new Database(options)
  try {
    await assertKeepsSessions(options.address)
    const birth = await prepareSchema(database, options)
    await database.openReaders()
    return storeOn(database, { ...options, birth, networks: await rememberNetworks(database, options.networks) })
  } catch (error) {
    await database.close()
    throw explained(error, options.address)
  }
}

/** An error at the start, as the operator is to read it. */
function explained(error: unknown, { shown }: DatabaseAddress): unknown {
  if (!(error instanceof StorageUnavailable) && !isForbidden(error)) return error
  const cause = error instanceof StorageUnavailable ? error.cause : error
  const why = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new OperatorError(`the database ${shown} cannot be used: ${why}`)
}

function storeOn(database: Database, options: PostgresStoreOptions & { readonly birth: StoreBirth }): Store {
  const fence = new Fence()
  const judge = judgeBy(options)
  const invoices = new PostgresInvoices(database)
  let closing: Promise<void> | null = null
  return {
    networks: options.networks,
    birth: options.birth,
    commands: new PostgresCommands(database, judge, options, fence),
    keys: postgresKeys(database, options.randomKeyId),
    identities: new PostgresIdentities(database),
    wallets: new PostgresWallets(database),
    invoices,
    orders: new PostgresOrders(database),
    notes: new PostgresNotes(database),
    deposits: new PostgresDeposits(database, options.networks),
    chain: new PostgresChain(database, judge),
    aside: new PostgresAside(database),
    turns: new Turns({ ...EVENT_LOOP, width: LONG_READS_AT_ONCE }),
    outbox: postgresOutbox(database, fence),
    events: new PostgresEvents(database),
    eventOutbox: new PostgresEventOutbox(database),
    webhooks: postgresWebhooks(database, options.randomSecretHex),
    ledger: postgresLedger(database, options.flawOfAddress, fence),
    rates: new PostgresRates(database),
    audit: new PostgresAudit(database),
    overview: new PostgresOverview(database, invoices),
    search: new PostgresSearch(database, invoices, options.networks),
    imports: postgresImports(database, judge),
    changes: database.changes,
    allowances: new PostgresAllowances(database),
    leadership: new PostgresLeadership(database, fence, options.scheduler),
    probeWrite: () =>
      database.write(async (work) => {
        for (const fragment of WRITE_PROBE) work.write(fragment)
      }),
    commitNothing: () => database.write(async () => undefined),
    readClock: async () => {
      const row = await database.readOne<{ now: number }>(sql`SELECT ${database.now} AS now`)
      if (row === undefined) throw new Error('the database has not told the time')
      return row.now
    },
    isOpen: () => closing === null,
    close: () => {
      closing ??= database.close()
      return closing
    },
  }
}
