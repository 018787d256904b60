/** What is remembered of the watching of a network, also while no node of it has answered yet. */
export interface Watch {
  /** When it was first watched, Unix ms; null before. */
  readonly watchedAt: number | null
  /** When the first of its wallets became known, Unix ms; null while it has none, and where that was not noted. */
  readonly firstWalletAt: number | null
  /** The settings with which its nodes were found right the last time; null when they never were. */
  readonly settings: string | null
}

export const NEVER_WATCHED: Watch = { watchedAt: null, firstWalletAt: null, settings: null }
