import { formatAmount, NATIVE_LABEL, TOKEN_LABEL } from '../../domain/amount.js'
import type { ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { demand, objectOf, textOf } from '../node/answer.js'
import { addressOfAccount, addressOfHex, PREFIXED_ACCOUNT } from './address.js'
import type { SettledTransaction } from './block.js'
import { integerOf, repeatedOf } from './values.js'

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The event, the sender, the receiver. */
const TRANSFER_TOPICS = 3
const ACCOUNT = /^[0-9a-f]{40}$/
const WORD = /^[0-9a-f]{64}$/
/** An account as a word: 12 zero bytes and its 20. */
const ACCOUNT_WORD = /^0{24}[0-9a-f]{40}$/
const ACCOUNT_DIGITS = 40
/** An amount of TRX is an int64 of sun, 10⁻⁶ TRX. */
const SUN_MAX = 2n ** 63n - 1n
const ATOMS_PER_SUN = 10n ** 12n

type Payment = Omit<ObservedTransfer, 'txHash'>

/**
 * The transfers of a block's transactions to watched addresses, in order: TRX by `TransferContract`, and the token's
 * logs (`token` is its account, 40 hex digits), whatever kind of transaction emitted them. TRC-10 units are neither.
 * TRX that a contract sends appears in neither: a documented limit. Throws `BadAnswer` when the parts contradict each
 * other.
 */
export function transfersOf(
  transactions: readonly SettledTransaction[],
  token: string,
  watched: WatchedAddresses,
): ObservedTransfer[] {
  return transactions.flatMap((transaction) => {
    const what = `transaction ${transaction.id}`
    const payments = [...nativePayments(transaction, what), ...tokenPayments(transaction, token, what)]
    const ours = payments.filter(({ toAddress }) => watched.has(toAddress))
    if (ours.length === 0 || !isSuccessful(transaction, what)) return []
    return ours.map((payment) => ({ txHash: transaction.id, ...payment }))
  })
}

function nativePayments({ transfer }: SettledTransaction, what: string): Payment[] {
  if (transfer === null) return []
  const toAddress = addressOfHex(textOf(transfer['to_address'], PREFIXED_ACCOUNT, what))
  const sun = integerOf(transfer['amount'], what)
  demand(sun <= SUN_MAX, `${what}: more TRX than an int64 holds`)
  if (sun === 0n) return []
  const amount = formatAmount(sun * ATOMS_PER_SUN)
  return [{ index: 0, toAddress, currency: NATIVE_LABEL, amount }]
}

function tokenPayments({ logs }: SettledTransaction, token: string, what: string): Payment[] {
  return logs.flatMap((entry, ordinal) => {
    const log = objectOf(entry, what)
    const topics = repeatedOf(log['topics'], what)
    if (textOf(log['address'], ACCOUNT, what) !== token || topics[0] !== TRANSFER_TOPIC) return []
    demand(topics.length === TRANSFER_TOPICS, `${what}: not a transfer of a token`)
    const account = textOf(topics[2], ACCOUNT_WORD, what).slice(-ACCOUNT_DIGITS)
    const raw = BigInt(`0x${textOf(log['data'], WORD, what)}`)
    if (raw === 0n) return []
    return [{ index: ordinal + 1, toAddress: addressOfAccount(account), currency: TOKEN_LABEL, amount: String(raw) }]
  })
}

/** Whether a transaction succeeded. The block says so, and the receipt of a contract must agree. */
function isSuccessful({ result, contractResult, logs }: SettledTransaction, what: string): boolean {
  const agrees = contractResult === null ? logs.length === 0 : contractResult === result
  demand(result !== null && agrees, `${what}: no result, or two`)
  return result === 'SUCCESS'
}
