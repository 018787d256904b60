import type { DepositObservation } from '../actors/intake.js'
import type { DepositReport } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { DeliveryFailure } from '../domain/webhook.js'
import type { GatewayRejection } from '../http/guards/gateway-complaints.js'
import type { RemovedRows } from '../store/store.js'
import type { VerifyLaneName } from '../verify/lanes.js'

/** What a metric is called and how it is told to people. Units are in the names, as Prometheus has them: seconds, counts. */
export interface MetricAbout {
  readonly name: `billhook_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Every label has few values: patterns and names of the code, never what a client sent. */
  readonly labels: readonly string[]
  /** One sentence for the exposition and docs/operating.md. */
  readonly help: string
}

/** Every metric of the service's own. docs/operating.md lists the same, and a test compares the two. */
export const metricsCatalogue = {
  build: {
    name: 'billhook_build_info',
    type: 'gauge',
    labels: ['version'],
    help: 'Always 1; the label names the version that runs.',
  },
  requests: {
    name: 'billhook_http_request_duration_seconds',
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: "Time from a request's head until its answer is ready, by route pattern; route none has no pattern.",
  },
  verifyQueue: {
    name: 'billhook_verification_queue_depth',
    type: 'gauge',
    labels: ['lane'],
    help: 'Signatures that wait for a verification thread.',
  },
  verifyUnderWay: {
    name: 'billhook_verification_in_flight',
    type: 'gauge',
    labels: [],
    help: 'Signatures that are with the verification threads.',
  },
  verifyWait: {
    name: 'billhook_verification_wait_seconds',
    type: 'histogram',
    labels: ['lane'],
    help: 'Time that a signature waited until it went to a verification thread.',
  },
  mailboxDepth: {
    name: 'billhook_mailbox_depth',
    type: 'gauge',
    labels: [],
    help: 'Commands that wait for a turn of a wallet or are in one.',
  },
  actors: {
    name: 'billhook_wallet_actors',
    type: 'gauge',
    labels: [],
    help: 'Wallets with a mailbox at the moment.',
  },
  commitDuration: {
    name: 'billhook_commit_duration_seconds',
    type: 'histogram',
    labels: [],
    help: 'Time of a commit from its begin until it was on disk.',
  },
  commitUnits: {
    name: 'billhook_commit_units',
    type: 'histogram',
    labels: [],
    help: 'Units of work that one commit carried.',
  },
  commitFailures: {
    name: 'billhook_commit_failures_total',
    type: 'counter',
    labels: [],
    help: 'Commits that were refused, with all that they carried; each unit was answered as unavailable.',
  },
  outbox: {
    name: 'billhook_outbox_deliveries',
    type: 'gauge',
    labels: ['state'],
    help: 'Webhooks that are not settled: queued, under way (attempted), or waiting for another attempt.',
  },
  outboxAge: {
    name: 'billhook_outbox_oldest_age_seconds',
    type: 'gauge',
    labels: [],
    help: 'Time since the oldest queued webhook was caused by its deposit; 0 when none is queued.',
  },
  lanes: {
    name: 'billhook_webhook_lanes',
    type: 'gauge',
    labels: [],
    help: 'Receivers with webhooks queued or under way.',
  },
  attempts: {
    name: 'billhook_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Webhook attempts that ended; answered is an answer other than 2xx.',
  },
  attemptDuration: {
    name: 'billhook_webhook_attempt_duration_seconds',
    type: 'histogram',
    labels: [],
    help: 'Time of a webhook attempt, without the interrupted ones.',
  },
  deposits: {
    name: 'billhook_deposit_reports_total',
    type: 'counter',
    labels: ['network', 'kind', 'outcome'],
    help: 'Reports of deposits, by what became of them; a failed one is repeated by its sender.',
  },
  removedRows: {
    name: 'billhook_removed_rows_total',
    type: 'counter',
    labels: ['kind'],
    help: 'Rows removed because they were kept long enough: events, deliveries, and requests known so as not to be done twice.',
  },
  gatewayRejections: {
    name: 'billhook_gateway_rejections_total',
    type: 'counter',
    labels: ['kind'],
    help: 'What the gateway pushed in vain: pushes with a bad signature or body, and events that were rejected.',
  },
  walletsClaimable: {
    name: 'billhook_wallets_claimable',
    type: 'gauge',
    labels: ['network'],
    help: 'Unassigned wallets that can be claimed now; 1000 stands for 1000 or more.',
  },
  networkHead: {
    name: 'billhook_network_head_block',
    type: 'gauge',
    labels: ['network'],
    help: 'Height of the newest block that a node of a watched network told of.',
  },
  networkCursor: {
    name: 'billhook_network_cursor_block',
    type: 'gauge',
    labels: ['network'],
    help: 'Height of the last block that was read and recorded.',
  },
  networkLagBlocks: {
    name: 'billhook_network_lag_blocks',
    type: 'gauge',
    labels: ['network'],
    help: 'Blocks of the head that are not recorded yet.',
  },
  networkLagSeconds: {
    name: 'billhook_network_lag_seconds',
    type: 'gauge',
    labels: ['network'],
    help: 'Age of the last block that was recorded.',
  },
  reorganisations: {
    name: 'billhook_network_reorganisations_total',
    type: 'counter',
    labels: ['network'],
    help: 'Times that recorded blocks were replaced by others.',
  },
  confirmedUndone: {
    name: 'billhook_network_confirmed_blocks_undone_total',
    type: 'counter',
    labels: ['network'],
    help: 'Confirmed blocks that were replaced, which must not happen; their deposits were dropped.',
  },
  networkRepairs: {
    name: 'billhook_network_repairs_total',
    type: 'counter',
    labels: ['network'],
    help: 'Transfers that were not as first read when their block was confirmed.',
  },
  networkProblem: {
    name: 'billhook_network_problem',
    type: 'gauge',
    labels: ['network'],
    help: '1 while a network cannot be watched until an operator corrects something, else 0.',
  },
  endpointRequests: {
    name: 'billhook_endpoint_requests_total',
    type: 'counter',
    labels: ['network', 'endpoint'],
    help: 'Requests to a node of a network, by scheme, host and port.',
  },
  endpointFailures: {
    name: 'billhook_endpoint_failures_total',
    type: 'counter',
    labels: ['network', 'endpoint'],
    help: 'Questions that a node of a network failed to answer.',
  },
  endpointUsed: {
    name: 'billhook_endpoint_used',
    type: 'gauge',
    labels: ['network', 'endpoint'],
    help: '1 while a node is asked, 0 while it is left alone after failures.',
  },
  followerLag: {
    name: 'billhook_ledger_follower_lag_seconds',
    type: 'gauge',
    labels: [],
    help: 'How long ago everything that the ledger had committed was known; 0 without a follower.',
  },
  followerFailures: {
    name: 'billhook_ledger_follower_failures_total',
    type: 'counter',
    labels: [],
    help: 'Looks at the ledger that failed.',
  },
  followerMalformed: {
    name: 'billhook_ledger_follower_malformed_total',
    type: 'counter',
    labels: [],
    help: 'Transactions of followed contracts that were skipped: not of the shape of a fact, or not signed.',
  },
  followerSetAside: {
    name: 'billhook_ledger_follower_set_aside',
    type: 'gauge',
    labels: [],
    help: 'Listed transactions that no node has told for longer than a moment; they are asked for again.',
  },
  followerMissed: {
    name: 'billhook_ledger_follower_missed_total',
    type: 'counter',
    labels: [],
    help: 'Facts of the ledger that were found only by comparing everything.',
  },
  followerSilentStores: {
    name: 'billhook_ledger_follower_silent_stores',
    type: 'gauge',
    labels: [],
    help: 'Followed stores that do not answer.',
  },
} as const satisfies Readonly<Record<string, MetricAbout>>

// The values of labels that are known beforehand, as records, so that none can be forgotten: a series that exists with 0
// from the start is one whose first increase an alert can see.

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
