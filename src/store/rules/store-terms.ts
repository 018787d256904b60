import type { InvoiceTerms } from '../../domain/invoice.js'
import type { FlawOfAddress } from '../../domain/wallet.js'
import { DepositJudge, SETTLING_PACE, type SettlingPace } from './judge-report.js'

/** What decides in a store beside what is stored: settings and sources of chance, the same on every engine. */
export interface StoreTerms extends InvoiceTerms {
  /** Judges the address of a wallet that becomes known. */
  readonly flawOfAddress: FlawOfAddress
  /** For how long an invoice that has become void is matched to what comes for nobody else; 0 for never (decisions 6). */
  readonly lateMs: number
  /** How much of its amount an invoice may miss that is accepted by itself, in hundredths of a percent (decisions 4). */
  readonly underpayment: number
  /** How many invoices are settled at once; as many as take a few milliseconds when absent. */
  readonly pace?: SettlingPace
  /** 16 hex characters. */
  readonly randomKeyId: () => string
  /** 64 hex characters. */
  readonly randomSecretHex: () => string
}

/** Judges the reports of deposits of a store. */
export function judgeBy({ networks, lateMs, underpayment, areWalletsShared, pace }: StoreTerms): DepositJudge {
  return new DepositJudge({
    decimals: networks.decimals,
    isRead: (network, currency) => networks.has(network, currency),
    lateMs,
    underpayment,
    areWalletsShared,
    pace: pace ?? SETTLING_PACE,
  })
}
