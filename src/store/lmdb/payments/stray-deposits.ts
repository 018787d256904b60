import { CURRENCIES, formatAmount } from '../../../domain/amount.js'
import type { StrayDeposit } from '../../../domain/payment.js'
import type { StraySearch } from '../../store.js'
import type { Reader } from '../commit/commit-loop.js'
import { depositOfNo } from '../deposits/deposit-rows.js'
import { accountsOf } from './payments.js'
import { byReceipt } from './qualifying-deposits.js'
import { lastCounted } from './running-totals.js'

/** The newest deposits of a search that no invoice has matched. */
export function strayDeposits(
  at: Reader,
  { walletIds, currency: asked, since }: StraySearch,
  limit: number,
): readonly StrayDeposit[] {
  const newest = CURRENCIES.filter((currency) => currency !== asked)
    .flatMap((currency) => accountsOf(at, walletIds, currency).map((account) => ({ currency, account })))
    .flatMap(({ currency, account }) =>
      lastCounted(at.tables.unmatchedSeenTotals, account, since, limit).map((receipt) => ({ currency, ...receipt })),
    )
    .sort(byReceipt)
    .slice(0, limit)
  return newest.map(({ currency, no }) => {
    const { deposit, atoms } = depositOfNo(at, no)
    return { network: deposit.network, txHash: deposit.txHash, currency, amount: formatAmount(atoms) }
  })
}
