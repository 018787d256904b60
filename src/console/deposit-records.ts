import type { Deposit } from '../domain/deposit.js'
import type { QualifyingDeposit } from '../domain/payment.js'
import type { DepositPort } from '../store/deposits.js'

/** The records of deposits that count: only they say when a deposit was confirmed. */
export async function recordsOf(
  deposits: Pick<DepositPort, 'find'>,
  counted: readonly QualifyingDeposit[],
): Promise<readonly Deposit[]> {
  const found = await Promise.all(counted.map(({ network, txHash, index }) => deposits.find(network, txHash, index)))
  return found.filter((deposit) => deposit !== undefined)
}
