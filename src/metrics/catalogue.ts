import type { DepositObservation } from '../actors/intake.js'
import type { DepositReport } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { DeliveryFailure } from '../domain/webhook.js'
import type { GatewayRejection } from '../http/guards/gateway-complaints.js'
import type { RemovedRows } from '../store/store.js'
import type { VerifyLaneName } from '../verify/lanes.js'

/** A metric's name and description. Units stand in the names, as is usual in Prometheus. */
export interface MetricAbout {
  readonly name: `billhook_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Labels have few values: route patterns and names from the code, never text that a client sent. */
  readonly labels: readonly string[]
  /** One sentence for the exposition and docs/operating.md. */
  readonly help: string
}

/** Every metric of the service. A test compares the list with docs/operating.md. */
export const metricsCatalogue = {
  build: {
    name: 'billhook_build_info',
    type: 'gauge',
    labels: ['version'],
    help: 'Always 1; the label is the running version.',
  },
  requests: {
    name: 'billhook_http_request_duration_seconds',
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time from the request head until the answer is ready, by route pattern; none stands for requests that no route matched.',
  },
  verifyQueue: {
    name: 'billhook_verification_queue_depth',
    type: 'gauge',
    labels: ['lane'],
    help: 'Signatures waiting for a verification thread.',
  },
  verifyUnderWay: {
    name: 'billhook_verification_in_flight',
    type: 'gauge',
    labels: [],
    help: 'Signatures being verified.',
  },
  verifyWait: {
    name: 'billhook_verification_wait_seconds',
    type: 'histogram',
    labels: ['lane'],
    help: 'Time a signature waited for a verification thread.',
  },
  tableFailures: {
    name: 'billhook_key_table_failures_total',
    type: 'counter',
    labels: [],
    help: 'Times that a thread dropped its key tables because they contradicted the engine or failed.',
  },
  mailboxDepth: {
    name: 'billhook_mailbox_depth',
    type: 'gauge',
    labels: [],
    help: 'Commands waiting in mailboxes or running in a turn.',
  },
  actors: {
    name: 'billhook_wallet_actors',
    type: 'gauge',
    labels: [],
    help: 'Wallets that have a mailbox now.',
  },
  commitDuration: {
    name: 'billhook_commit_duration_seconds',
    type: 'histogram',
    labels: [],
    help: 'Time from the start of a commit until it is on disk.',
  },
  commitUnits: {
    name: 'billhook_commit_units',
    type: 'histogram',
    labels: [],
    help: 'Units of work in a commit.',
  },
  commitFailures: {
    name: 'billhook_commit_failures_total',
    type: 'counter',
    labels: [],
    help: 'Commits that failed as a whole; every unit in them was answered with 503.',
  },
  outbox: {
    name: 'billhook_outbox_deliveries',
    type: 'gauge',
    labels: ['state'],
    help: 'Webhooks that are not settled: queued, in flight (attempted), or waiting for a retry.',
  },
  outboxAge: {
    name: 'billhook_outbox_oldest_age_seconds',
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest queued webhook, counted from its deposit; 0 when none is queued.',
  },
  lanes: {
    name: 'billhook_webhook_lanes',
    type: 'gauge',
    labels: [],
    help: 'Receivers with queued or in-flight webhooks.',
  },
  attempts: {
    name: 'billhook_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Finished webhook attempts; answered means a status other than 2xx.',
  },
  attemptDuration: {
    name: 'billhook_webhook_attempt_duration_seconds',
    type: 'histogram',
    labels: [],
    help: 'Duration of webhook attempts, without interrupted ones.',
  },
  deposits: {
    name: 'billhook_deposit_reports_total',
    type: 'counter',
    labels: ['network', 'kind', 'outcome'],
    help: 'Deposit reports by outcome; the sender retries a failed one.',
  },
  removedRows: {
    name: 'billhook_removed_rows_total',
    type: 'counter',
    labels: ['kind'],
    help: 'Rows removed at the end of their retention: events, deliveries, and idempotent requests.',
  },
  gatewayRejections: {
    name: 'billhook_gateway_rejections_total',
    type: 'counter',
    labels: ['kind'],
    help: 'Rejections of gateway input: pushes with a bad signature or body, and rejected events.',
  },
  walletsClaimable: {
    name: 'billhook_wallets_claimable',
    type: 'gauge',
    labels: ['network'],
    help: 'Unassigned wallets that can be claimed now; 1000 means 1000 or more.',
  },
  networkHead: {
    name: 'billhook_network_head_block',
    type: 'gauge',
    labels: ['network'],
    help: 'Height of the newest block reported by a node of the network.',
  },
  networkCursor: {
    name: 'billhook_network_cursor_block',
    type: 'gauge',
    labels: ['network'],
    help: 'Height of the last recorded block.',
  },
  networkLagBlocks: {
    name: 'billhook_network_lag_blocks',
    type: 'gauge',
    labels: ['network'],
    help: 'Blocks up to the head that are not recorded yet.',
  },
  networkLagSeconds: {
    name: 'billhook_network_lag_seconds',
    type: 'gauge',
    labels: ['network'],
    help: 'Age of the last recorded block.',
  },
  reorganisations: {
    name: 'billhook_network_reorganisations_total',
    type: 'counter',
    labels: ['network'],
    help: 'Reorganisations that replaced recorded blocks.',
  },
  confirmedUndone: {
    name: 'billhook_network_confirmed_blocks_undone_total',
    type: 'counter',
    labels: ['network'],
    help: 'Confirmed blocks that a reorganisation replaced; must stay 0. Their deposits were dropped.',
  },
  networkRepairs: {
    name: 'billhook_network_repairs_total',
    type: 'counter',
    labels: ['network'],
    help: 'Transfers that differed from the first reading when their block was confirmed, and were corrected.',
  },
  networkProblem: {
    name: 'billhook_network_problem',
    type: 'gauge',
    labels: ['network'],
    help: '1 while a network cannot be watched until an operator acts, else 0.',
  },
  endpointRequests: {
    name: 'billhook_endpoint_requests_total',
    type: 'counter',
    labels: ['network', 'endpoint'],
    help: 'Requests to a node; endpoint is its scheme, host and port.',
  },
  endpointFailures: {
    name: 'billhook_endpoint_failures_total',
    type: 'counter',
    labels: ['network', 'endpoint'],
    help: 'Queries that a node failed to answer.',
  },
  endpointUsed: {
    name: 'billhook_endpoint_used',
    type: 'gauge',
    labels: ['network', 'endpoint'],
    help: '1 while a node is used, 0 while it is skipped after failures.',
  },
  followerLag: {
    name: 'billhook_ledger_follower_lag_seconds',
    type: 'gauge',
    labels: [],
    help: 'Seconds since the follower was last fully caught up with the ledger; 0 without a follower.',
  },
  followerFailures: {
    name: 'billhook_ledger_follower_failures_total',
    type: 'counter',
    labels: [],
    help: 'Failed polls of the ledger.',
  },
  followerMalformed: {
    name: 'billhook_ledger_follower_malformed_total',
    type: 'counter',
    labels: [],
    help: 'Skipped transactions of followed contracts: malformed, or not signed.',
  },
  followerSetAside: {
    name: 'billhook_ledger_follower_set_aside',
    type: 'gauge',
    labels: [],
    help: 'Listed transactions that no node has returned for a while; they are retried.',
  },
  followerMissed: {
    name: 'billhook_ledger_follower_missed_total',
    type: 'counter',
    labels: [],
    help: 'Ledger facts found only by the daily comparison with the whole ledger.',
  },
  followerSilentStores: {
    name: 'billhook_ledger_follower_silent_stores',
    type: 'gauge',
    labels: [],
    help: 'Followed stores that do not answer.',
  },
} as const satisfies Readonly<Record<string, MetricAbout>>

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

export const DEPOSIT_NETWORKS: Readonly<Record<Network, true>> = { SEP: true, 'TRX-NILE': true }
export const DEPOSIT_KINDS: Readonly<Record<DepositReport, true>> = { pending: true, confirmed: true, dropped: true }
export const DEPOSIT_OUTCOMES: Readonly<Record<DepositObservation['outcome'], true>> = {
  applied: true,
  duplicate: true,
  rejected: true,
  failed: true,
}

export const REMOVED_ROWS: Readonly<Record<RemovedRows, true>> = { events: true, deliveries: true, requests: true }
export const GATEWAY_REJECTIONS: Readonly<Record<GatewayRejection, true>> = { signature: true, body: true, event: true }

export const VERIFY_LANES: Readonly<Record<VerifyLaneName, true>> = { registered: true, unregistered: true }
