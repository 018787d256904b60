/** What a question to the configured ledger came to. */
export interface LedgerFinding {
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** A sentence. */
  readonly text: string
  /** What to do about it, a sentence; null when the text says it. */
  readonly advice: string | null
}
