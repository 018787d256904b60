import type { ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import { addressOfAccount } from './address.js'
import type { TronBlock, TronTransaction } from './block.js'
import type { BlockInfos, TransactionEffects } from './infos.js'
import { nativePayment, type Payment, sunOf } from './payment.js'

const SUCCESS = 'SUCCESS'

/** The transactions that cannot be judged without their infos: contracts may have run, or the block omits the result. */
export function transactionsToExplain(block: TronBlock, watched: WatchedAddresses): readonly TronTransaction[] {
  return block.transactions.filter(
    (one) => one.runsContract || (one.result === null && receiverOf(one, watched) !== null),
  )
}

/** Those of them that name a watched address, so that a payment can be expected. */
export function transactionsThatMention(block: TronBlock, watched: WatchedAddresses): readonly TronTransaction[] {
  return transactionsToExplain(block, watched).filter(
    ({ runsContract, mentions }) => !runsContract || mentions.some((account) => watched.has(addressOfAccount(account))),
  )
}

/**
 * The transfers of a block to watched addresses, in its order: TRX by `TransferContract`, and what the infos that were
 * read say. TRC-10 units are neither. Throws `BadAnswer` when the answers do not say whether such a transaction succeeded.
 */
export function transfersOf(block: TronBlock, infos: BlockInfos, watched: WatchedAddresses): ObservedTransfer[] {
  return block.transactions.flatMap((transaction) => {
    const effects = infos.of(transaction.id)
    const payments = [...ownPayment(transaction, watched), ...(effects?.payments ?? [])]
    if (payments.length === 0 || !isSuccessful(transaction, effects)) return []
    return payments.map((payment) => ({ txHash: transaction.id, ...payment }))
  })
}

function ownPayment(transaction: TronTransaction, watched: WatchedAddresses): readonly Payment[] {
  const account = receiverOf(transaction, watched)
  if (account === null) return []
  const sun = sunOf(transaction.transfer?.amount)
  demand(sun !== null, `transaction ${transaction.id}: its amount is not one of TRX`)
  return sun === 0n ? [] : [nativePayment(0, account, sun)]
}

/** The watched account that a transaction itself pays TRX to. */
function receiverOf({ transfer }: TronTransaction, watched: WatchedAddresses): string | null {
  return transfer !== null && watched.has(addressOfAccount(transfer.account)) ? transfer.account : null
}

/** The block says so. Where it does not, the info does, in one of two places; and all that say so must agree. */
function isSuccessful({ id, result }: TronTransaction, effects: TransactionEffects | undefined): boolean {
  const ran = effects?.contractResult ?? null
  const named = result ?? ran
  demand(named !== null || effects !== undefined, `transaction ${id}: no result`)
  const areSame = ran === null || ran === named
  const isDenied = named === SUCCESS && effects?.isFailed === true
  demand(areSame && !isDenied, `transaction ${id}: two results`)
  return named === null ? effects?.isFailed === false : named === SUCCESS
}
