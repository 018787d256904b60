/** The names of measurements that are compared with others, judged, or named in the report. */

export const BILLHOOK = 'Billhook'
export const HOT_WALLET = 'Billhook, one hot wallet'
export const TLS = 'Billhook, TLS'
/** A straightforward implementation, statement by statement. */
export const ORDINARY = 'ordinary stack'
/** A version tuned for PostgreSQL. */
export const STORED_FUNCTION = 'ordinary stack, one stored function'

/** The engine of several services. */
export const ON_FILES = 'Billhook on its own files'
export const ON_POSTGRES = 'Billhook on PostgreSQL'
export const ON_POSTGRES_HOT = 'Billhook on PostgreSQL, one hot wallet'
export const ON_POSTGRES_REPLICA = 'Billhook on PostgreSQL, with a synchronous replica'
export const POSTGRES_PAID_STATUS = 'paid status on PostgreSQL'
export const POSTGRES_CLAIMS = 'webhooks claimed and settled on PostgreSQL'
export const POSTGRES_DEPOSITS = 'deposits recorded on PostgreSQL'

/** The steps of a creation, each alone on the machine. */
export const ECHO = 'uWebSockets.js echo'
export const VERIFY_WITH_TABLES = 'verification with key tables'
export const COMMITS = 'LMDB commits'
export const VERIFY_ONE_THREAD = 'libsecp256k1, one thread'

export const READ = 'GET /api/invoices/<id>'
export const CONSTANT = 'uWS, the same bytes from a constant'

export const PAID_STATUS = 'paid status'
export const CREATION = 'creation'
export const DEPOSIT = 'deposit'
export const CREATION_UNDER_LOAD = 'signed creation under load'

export const WEBHOOK_P50 = 'deposit to webhook, p50'
export const WEBHOOK_P99 = 'deposit to webhook, p99'
export const DELIVERIES = 'deliveries, sustained'

/** Creations on a service that has data, alone and while one backup follows the other. */
export const WITHOUT_BACKUPS = 'creations without a backup'
export const BESIDE_BACKUPS = 'creations beside backups'
export const BACKUP_TIME = 'a backup'
export const FILE_BEFORE_BACKUPS = 'database file before'
export const FILE_AFTER_BACKUPS = 'database file after'

export const START = 'start to first answer'
export const IDLE_MEMORY = 'resident memory, idle'
/** Without the mapped pages of the database file, which the system reclaims when it needs memory. */
export const OWN_MEMORY_IDLE = 'own memory, idle'
/** Own memory after this number of invoices. */
export const MEMORY_AFTER = 'own memory after the invoices'

/** What happens to the invoices of a paced run. */
export const CREATED_ONLY = 'created'
export const CREATED_AND_PAID = 'created, paid and notified'
/** The figures of a paced run. Their names follow the words for what happens. */
export const SIZING_FIGURES = {
  p50: 'p50',
  p99: 'p99',
  mainThread: 'main thread',
  allThreads: 'all threads',
  memory: 'own memory',
  network: 'network',
} as const
export const PAID_AT_FULL_SPEED = 'created, paid and notified, at full speed'
export const CONNECTION_MEMORY = 'memory of an idle connection'

/** Bytes on disk, by the kind of record. */
export const DISK = {
  invoice: 'an invoice',
  deposit: 'a deposit',
  delivery: 'a webhook',
  event: 'an event of the gateway',
  'owner event': "an event in its owner's log",
  'idempotency key': 'an idempotency key',
  wallet: 'a wallet',
} as const
export const DISK_FILE = 'the file, for each paid invoice'

export function sizingName(
  what: typeof CREATED_ONLY | typeof CREATED_AND_PAID,
  figure: keyof typeof SIZING_FIGURES,
): string {
  return `${what}, ${SIZING_FIGURES[figure]}`
}

/** Processor time of a creation. The names follow that of the contestant. */
export const SERVICES_TIME = 'processor time of the services'
export const DATABASE_TIME = 'processor time of the database'
