/** What a client owes of a limit that holds for all processes of a store, in µs of the time in which it is refilled. */
export interface Debt {
  /** Names the limit. */
  readonly limit: string
  readonly client: string
  readonly micros: number
}

/** What clients owe of the limits that the processes of a store share. Debts are paid by time, and forgotten then. */
export interface AllowancePort {
  /** False where this process is the only one. */
  readonly isShared: boolean
  /** Adds to debts, and answers those that have grown lately, whichever process added to them. */
  exchange(added: readonly Debt[]): Promise<readonly Debt[]>
}

/** The allowances of a store that only one process uses: what it knows itself is all there is. */
export const OWN_ALLOWANCES: AllowancePort = {
  isShared: false,
  exchange: async () => [],
}
