import type { Currency } from '../domain/amount.js'
import type { NetworkKind } from '../domain/network.js'
import type { QualifyingDeposit } from '../domain/payment.js'
import { type Language, say } from './language.js'
import { type Markup, markup } from './markup.js'
import { coinOn, type PageNetwork, type PageNetworks } from './networks.js'

/** Transactions that a page lists; the newest ones. */
export const TRANSACTIONS_MAX = 10

/** The deposits that a payment is the sum of, as far as the page lists them. */
export interface Transactions<Deposit = QualifyingDeposit> {
  readonly deposits: readonly Deposit[]
  readonly hasMoreDeposits: boolean
}

/** Characters of a hash that are shown: its beginning and its end, which is how people compare hashes. */
const HASH_START = 10
const HASH_END = 8

/** As the explorers of each kind of network write hashes. Gateways may report others, which no explorer knows. */
const TX_HASHES: Readonly<Record<NetworkKind, RegExp>> = { evm: /^0x[0-9a-f]{64}$/i, tron: /^[0-9a-f]{64}$/i }

/** The transactions that were seen, newest first; null if there are none. `currencyOf`: what each of them is in. */
export function transactionList<Deposit extends QualifyingDeposit>(
  language: Language,
  currencyOf: (deposit: Deposit) => Currency,
  { deposits, hasMoreDeposits }: Transactions<Deposit>,
  networks: PageNetworks,
): Markup | null {
  if (deposits.length === 0) return null
  const items = deposits.map((deposit) => item(language, currencyOf(deposit), deposit, networks(deposit.network)))
  const count = String(deposits.length)
  return markup`<h2>${say(language, 'transactions')}</h2>
<ul class="transactions">
${items}</ul>
${hasMoreDeposits ? markup`<p class="quiet">${say(language, 'moreTransactions', { count })}</p>` : null}`
}

function item(language: Language, currency: Currency, deposit: QualifyingDeposit, network: PageNetwork): Markup {
  const { txHash, amount } = deposit
  const sum = markup`<bdi>${amount} ${coinOn(currency, network)}</bdi>`
  const link = explorerLink(network, txHash)
  const hash = markup`<code dir="ltr" translate="no">${shortened(txHash)}</code>`
  const shown =
    link === null
      ? markup`<span class="hash">${hash}</span>`
      : markup`<a class="hash" href="${link}" target="_blank" rel="noopener noreferrer">${hash} <span class="unseen">${say(language, 'explorerTab')}</span></a>`
  return markup`<li>${sum} ${shown}
<p class="quiet">${progress(language, deposit, network)}</p></li>
`
}

function progress(language: Language, deposit: QualifyingDeposit, facts: PageNetwork): Markup {
  if (deposit.isConfirmed) return say(language, 'confirmed')
  const count = confirmationsShown(deposit, facts)
  if (count === null) return say(language, 'unconfirmed')
  const shown = { count: String(count) }
  if (facts.confirmations === null) return say(language, 'confirmationsSoFar', shown)
  return say(language, 'confirmationsOf', { ...shown, needed: String(facts.confirmations) })
}

/** Not more than are needed: a deposit is confirmed only after its block was read again. */
function confirmationsShown({ confirmations }: QualifyingDeposit, facts: PageNetwork): number | null {
  return confirmations === null ? null : Math.min(confirmations, facts.confirmations ?? confirmations)
}

/** What changes when the list does. */
export function transactionsShown(
  { deposits, hasMoreDeposits }: Transactions,
  networks: PageNetworks,
): readonly unknown[] {
  const shown = deposits.map((one) => {
    return [one.network, one.txHash, one.index, one.isConfirmed, confirmationsShown(one, networks(one.network))]
  })
  return [shown, hasMoreDeposits]
}

/** Whether blocks alone, without a report about a deposit, may add confirmations. */
export function areConfirming({ deposits }: Pick<Transactions, 'deposits'>): boolean {
  return deposits.some(({ confirmations }) => confirmations !== null)
}

function explorerLink({ kind, explorer }: PageNetwork, txHash: string): string | null {
  return explorer !== null && TX_HASHES[kind].test(txHash) ? explorer.replace('{txHash}', txHash) : null
}

function shortened(txHash: string): string {
  const characters = [...txHash.toWellFormed()]
  if (characters.length <= HASH_START + HASH_END + 1) return characters.join('')
  return `${characters.slice(0, HASH_START).join('')}…${characters.slice(-HASH_END).join('')}`
}
