import type { DepositObservation } from '../actors/intake.js'
import type { DepositReport } from '../domain/deposit.js'
import type { DeliveryFailure } from '../domain/webhook.js'
import type { GatewayRejection } from '../http/guards/gateway-complaints.js'
import type { RemovedRows } from '../store/retention.js'
import type { VerifyLaneName } from '../verify/lanes.js'

/** A metric's name and description. Units stand in the names, as is usual in Prometheus. */
export interface MetricAbout {
  readonly name: `billhook_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Labels have few values: route patterns and names from the code, never text that a client sent. */
  readonly labelNames: readonly string[]
  /** One sentence for the exposition and docs/operating/metrics.md. */
  readonly help: string
}

type Describe = (name: MetricAbout['name'], labelNames: readonly string[], help: string) => MetricAbout
const metricOf =
  (type: MetricAbout['type']): Describe =>
  (name, labelNames, help) => ({ name, type, labelNames, help })
const counter = metricOf('counter')
const gauge = metricOf('gauge')
const histogram = metricOf('histogram')

/** Every metric of the service. A test compares the list with docs/operating/metrics.md. */
export const metricsCatalogue = {
  build: gauge('billhook_build_info', ['version'], 'Always 1; the label is the running version.'),
  ready: gauge('billhook_ready', [], '1 while `/readyz` answers 200, else 0.'),
  degraded: gauge(
    'billhook_degraded',
    ['reason'],
    'How many things `/readyz` calls degraded, by the reason; 0 while there are none.',
  ),
  clockOffset: gauge(
    'billhook_clock_offset_seconds',
    [],
    'How far the clock of the machine is off, as its witnesses say: above 0 while it is fast, 0 while none shows that it is off. No sample while none says anything, or as many say one thing as another.',
  ),
  storeWritable: gauge(
    'billhook_store_writable',
    [],
    '1 while the store takes writes; 0 from a failed commit on until it takes them again: the disk refuses, or the database is away.',
  ),
  storeBirth: gauge(
    'billhook_store_birth_time_seconds',
    ['id'],
    'Unix time at which the store was created; the label is its id. Another id than before: the service runs on another store.',
  ),
  requests: histogram(
    'billhook_http_request_duration_seconds',
    ['method', 'route', 'status'],
    'Time from the request head until the answer is ready, by route pattern; none stands for requests that no route matched.',
  ),
  loopDelay: histogram(
    'billhook_event_loop_delay_seconds',
    [],
    'How late the main thread is, 200 times a second: how long after its time a timer is served.',
  ),
  verifyQueue: gauge('billhook_verification_queue_depth', ['lane'], 'Signatures waiting for a verification thread.'),
  verifyUnderWay: gauge('billhook_verification_in_flight', [], 'Signatures being verified.'),
  verifyWait: histogram(
    'billhook_verification_wait_seconds',
    ['lane'],
    'Time a signature waited for a verification thread.',
  ),
  tableFailures: counter(
    'billhook_key_table_failures_total',
    [],
    'Times that a thread dropped its key tables because they contradicted the engine or failed.',
  ),
  openPages: gauge('billhook_open_pages', [], 'Payment pages that wait for news in a browser.'),
  mailboxDepth: gauge('billhook_mailbox_depth', [], 'Commands waiting in mailboxes or running in a turn.'),
  actors: gauge('billhook_wallet_actors', [], 'Wallets that have a mailbox now.'),
  commitDuration: histogram(
    'billhook_commit_duration_seconds',
    [],
    'Time from the start of a commit until it is on disk.',
  ),
  commitUnits: histogram('billhook_commit_units', [], 'Units of work in a commit.'),
  commitFailures: counter(
    'billhook_commit_failures_total',
    [],
    'Commits that failed as a whole; every unit in them was answered with 503.',
  ),
  outbox: gauge(
    'billhook_outbox_deliveries',
    ['state'],
    'Webhooks that are not settled: queued, in flight (attempted), or waiting for a retry.',
  ),
  outboxAge: gauge(
    'billhook_outbox_oldest_age_seconds',
    [],
    'How long the webhook waits that waits longest: from its deposit if it is queued, or since its retry was due; 0 when none waits.',
  ),
  leader: gauge(
    'billhook_leader',
    [],
    '1 in the process that sends the webhooks and watches the networks: one of those that share a database.',
  ),
  lanes: gauge('billhook_webhook_lanes', [], 'Receivers with queued or in-flight webhooks.'),
  attempts: counter(
    'billhook_webhook_attempts_total',
    ['outcome'],
    'Finished webhook attempts; answered means a status other than 2xx.',
  ),
  attemptDuration: histogram(
    'billhook_webhook_attempt_duration_seconds',
    [],
    'Duration of webhook attempts, without interrupted ones.',
  ),
  deposits: counter(
    'billhook_deposit_reports_total',
    ['network', 'kind', 'outcome'],
    'Deposit reports by outcome; the sender retries a failed one.',
  ),
  removedRows: counter(
    'billhook_removed_rows_total',
    ['kind'],
    'Rows removed at the end of their retention: events, deliveries, and idempotent requests.',
  ),
  backups: counter('billhook_backups_total', ['kind'], 'Scheduled backups: made, or failed.'),
  backupAge: gauge(
    'billhook_backup_age_seconds',
    [],
    'Age of the newest scheduled backup; without one, the time since the service started. 0 without a schedule.',
  ),
  backupInterval: gauge(
    'billhook_backup_interval_seconds',
    [],
    'The configured time between two scheduled backups; 0 without a schedule.',
  ),
  gatewayRejections: counter(
    'billhook_gateway_rejections_total',
    ['kind'],
    'Rejections of gateway input: pushes with a bad signature or body, and rejected events.',
  ),
  certificateExpiry: gauge(
    'billhook_certificate_expiry_time_seconds',
    [],
    'Unix time at which the certificate of HTTPS expires; 0 without HTTPS.',
  ),
  walletsClaimable: gauge(
    'billhook_wallets_claimable',
    ['network'],
    'Unassigned wallets that can be claimed now; 1000 means 1000 or more.',
  ),
  walletsWithdrawn: gauge(
    'billhook_wallets_withdrawn',
    ['network'],
    'Wallets that were withdrawn from the pool, because the ledger has given them away.',
  ),
  networkHead: gauge(
    'billhook_network_head_block',
    ['network'],
    'Height of the newest block reported by a node of the network.',
  ),
  networkCursor: gauge('billhook_network_cursor_block', ['network'], 'Height of the last recorded block.'),
  networkLagBlocks: gauge(
    'billhook_network_lag_blocks',
    ['network'],
    'Blocks up to the head that are not recorded yet.',
  ),
  networkLagSeconds: gauge(
    'billhook_network_lag_seconds',
    ['network'],
    'Age of the last recorded block; before the first, the time since the network was first watched.',
  ),
  reorganisations: counter(
    'billhook_network_reorganisations_total',
    ['network'],
    'Reorganisations that replaced recorded blocks.',
  ),
  confirmedUndone: counter(
    'billhook_network_confirmed_blocks_undone_total',
    ['network'],
    'Confirmed blocks that a reorganisation replaced; must stay 0. Their deposits were dropped.',
  ),
  networkRepairs: counter(
    'billhook_network_repairs_total',
    ['network'],
    'Transfers that differed from the first reading when their block was confirmed, and were corrected.',
  ),
  datedBeforeInvoice: counter(
    'billhook_deposits_dated_before_invoice_total',
    ['network'],
    'Deposits dated before an unpaid invoice whose block was first seen after it: the invoice does not count them.',
  ),
  blocksSetAside: gauge(
    'billhook_blocks_set_aside',
    ['network'],
    'Blocks that no node could give in full and that the network went on without; they are asked for in the background.',
  ),
  depositsSetAside: gauge(
    'billhook_deposits_set_aside',
    ['network'],
    'Deposits whose recording failed; they are kept and tried again.',
  ),
  networkProblem: gauge(
    'billhook_network_problem',
    ['network', 'reason'],
    '1 while something is wrong with a network until somebody acts, by the reason, else 0.',
  ),
  endpointRequests: counter(
    'billhook_endpoint_requests_total',
    ['network', 'endpoint'],
    'Requests to a node; endpoint is its scheme, host and port, and a number from the second one of a host on, in the order of the setting.',
  ),
  endpointFailures: counter(
    'billhook_endpoint_failures_total',
    ['network', 'endpoint'],
    'Queries that a node failed to answer.',
  ),
  endpointLimited: counter(
    'billhook_endpoint_limited_total',
    ['network', 'endpoint'],
    'Calls that a node refused because of a limit of its rate.',
  ),
  endpointRate: gauge(
    'billhook_endpoint_calls_per_second',
    ['network', 'endpoint'],
    'Calls a second that a node allows, as far as its refusals have shown; absent while no limit is known.',
  ),
  endpointProblem: gauge(
    'billhook_endpoint_problem',
    ['network', 'endpoint', 'reason'],
    '1 while something is wrong with a node until somebody acts, by the reason; absent while nothing is.',
  ),
  endpointUsed: gauge(
    'billhook_endpoint_used',
    ['network', 'endpoint'],
    '1 while a node is used, 0 while it is skipped after failures.',
  ),
  ratesAge: gauge(
    'billhook_rates_age_seconds',
    ['currency'],
    'Seconds since the date of the newest accepted rate in a currency.',
  ),
  ratesWithheld: gauge(
    'billhook_rates_withheld',
    ['currency'],
    'Coins without a rate in force in a currency: held back, left out by the present set, or too old.',
  ),
  rateSetsRefused: counter('billhook_rate_sets_refused_total', ['reason'], 'Sets of rates that were refused whole.'),
  followerLag: gauge(
    'billhook_ledger_follower_lag_seconds',
    [],
    'Seconds since the follower was last fully caught up with the ledger, or has tried to; 0 without a follower.',
  ),
  followerFailures: counter('billhook_ledger_follower_failures_total', [], 'Failed polls of the ledger.'),
  followerMalformed: counter(
    'billhook_ledger_follower_malformed_total',
    [],
    'Skipped transactions of followed contracts: malformed, or not signed.',
  ),
  followerSetAside: gauge(
    'billhook_ledger_follower_set_aside',
    [],
    'Listed transactions that could not be read, from the first attempt on; they are retried.',
  ),
  followerMissed: counter(
    'billhook_ledger_follower_missed_total',
    [],
    'Ledger facts found only by the daily comparison with the whole ledger.',
  ),
  followerWithdrawn: counter(
    'billhook_ledger_follower_withdrawn_total',
    [],
    'Wallets that transactions have taken from the pool without being believed.',
  ),
  logLinesLost: counter(
    'billhook_log_lines_lost_total',
    [],
    'Lines of the log that were lost, because its disk refused them or its reader had stopped.',
  ),
  followerSilentStores: gauge('billhook_ledger_follower_silent_stores', [], 'Followed stores that do not answer.'),
  followerSilentReadApis: gauge(
    'billhook_ledger_follower_silent_read_apis',
    [],
    'Read APIs that do not answer the follower.',
  ),
} satisfies Readonly<Record<string, MetricAbout>>

// Label values that are known in advance. Their series start at 0, so that an alert sees the first increase. They are
// records, so that the compiler reports a missing one.

export const ATTEMPT_OUTCOMES: Readonly<Record<'delivered' | 'answered' | DeliveryFailure, true>> = {
  delivered: true,
  answered: true,
  timeout: true,
  dns: true,
  connection: true,
  refused_address: true,
  interrupted: true,
}

export const DEPOSIT_KINDS: Readonly<Record<DepositReport, true>> = { pending: true, confirmed: true, dropped: true }
export const DEPOSIT_OUTCOMES: Readonly<Record<DepositObservation['outcome'], true>> = {
  applied: true,
  duplicate: true,
  rejected: true,
  failed: true,
}

export const REMOVED_ROWS: Readonly<Record<RemovedRows, true>> = {
  events: true,
  deliveries: true,
  requests: true,
  owner_events: true,
  audit: true,
}
export const BACKUPS: Readonly<Record<'made' | 'failed', true>> = { made: true, failed: true }
export const GATEWAY_REJECTIONS: Readonly<Record<GatewayRejection, true>> = { signature: true, body: true, event: true }

export const VERIFY_LANES: Readonly<Record<VerifyLaneName, true>> = { registered: true, unregistered: true }
