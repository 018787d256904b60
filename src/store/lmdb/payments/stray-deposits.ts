import { formatAmount } from '../../../domain/amount.js'
import type { Networks } from '../../../domain/network.js'
import type { StrayDeposit } from '../../../domain/payment.js'
import type { StraySearch } from '../../deposits.js'
import type { Reader } from '../commit/commit.js'
import { depositOfNo } from '../deposits/deposit-rows.js'
import { findWallet } from '../wallets/wallets.js'
import { byReceipt } from './qualifying-deposits.js'
import { accountOf, lastCounted } from './running-totals.js'

/** The newest deposits of a search that no invoice has matched. */
export function strayDeposits(
  at: Reader,
  networks: Networks,
  { walletIds, currency: asked, since }: StraySearch,
  limit: number,
): readonly StrayDeposit[] {
  const newest = walletIds
    .flatMap((id) => {
      const { network = null, addressNo = null } = findWallet(at, id) ?? {}
      if (network === null || addressNo === null) return []
      return networks.currenciesOn(network).map((currency) => ({ addressNo, currency }))
    })
    .filter(({ currency }) => currency !== asked)
    .flatMap(({ addressNo, currency }) => {
      const account = accountOf(addressNo, at.currencies.noOf(currency))
      const last = lastCounted(at.tables.unmatchedSeenTotals, account, since, limit)
      return last.map((receipt) => ({ currency, ...receipt }))
    })
    .sort(byReceipt)
    .slice(0, limit)
  return newest.map(({ currency, no }) => {
    const { deposit, atoms } = depositOfNo(at, no)
    return { network: deposit.network, txHash: deposit.txHash, currency, amount: formatAmount(atoms) }
  })
}
