/** Why the service is degraded: the label `reason` of metrics. */
export const DEGRADED_REASONS = [
  /** Nothing of a network was read yet. */
  'network_unread',
  /** A network does not get past a block. */
  'network_standing',
  /** A network was last read too long ago. */
  'network_behind',
  /** A network has a problem that `billhook_network_problem` names. */
  'network_problem',
  /** A node has a problem that `billhook_endpoint_problem` names. */
  'node_problem',
  /** A network goes on without blocks that no node can give. */
  'blocks_set_aside',
  /** Recording deposits failed. */
  'deposits_set_aside',
  'ledger_unread',
  'ledger_behind',
  /** Poll after poll of the ledger fails. */
  'ledger_failing',
  'ledger_store_silent',
  'ledger_read_api_silent',
  /** Transactions that the ledger lists cannot be read. */
  'ledger_set_aside',
  'key_tables_off',
  'certificate_expired',
  /** What is stored cannot be read, or is not what was written. */
  'store_damaged',
  /** The machine's clock is wrong. */
  'clock',
  /** Somebody keeps a lock in the database. */
  'database_lock',
  /** There are no rates, or they will soon be too old to be used, or are. */
  'rates_old',
  /** Rates have jumped, and wait for another set that says so. */
  'rates_held',
] as const
export type DegradedReason = (typeof DEGRADED_REASONS)[number]

/** Something that is impaired although the service takes requests. */
export interface Degradation {
  readonly reason: DegradedReason
  /** A sentence for everyone. */
  readonly text: string
}
