import { type Deposit, depositValue } from '../domain/deposit.js'
import type { Networks } from '../domain/network.js'
import type { QualifyingDeposit } from '../domain/payment.js'
import type { Wallet } from '../domain/wallet.js'
import { coinName } from '../listing/coins.js'
import { type Columns, timeText } from '../listing/column.js'
import { amountText, currencyText } from '../listing/deposits.js'
import { type InvoiceRecord, invoiceColumns } from '../listing/invoices.js'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { recordOf } from './invoice-record.js'
import { links } from './links.js'
import { CONSOLE } from './paging.js'
import { table } from './table.js'

/** Wallets of an invoice that are looked at. */
const WALLETS_LOOKED = 10
/** Deposits and invoices that are shown. */
const SHOWN = 20

type BesideStore = Pick<Store, 'search' | 'networks' | 'turns'>

/** A deposit to a wallet of an invoice that is none of the invoice's own. */
interface Beside {
  readonly deposit: Deposit
  readonly what: string
}

const COLUMNS = {
  received: { title: 'Received', kind: 'time', of: ({ deposit }) => timeText(deposit.receivedAt) },
  network: { title: 'Network', kind: 'word', of: ({ deposit }) => deposit.network },
  state: { title: 'State', kind: 'word', of: ({ deposit }) => deposit.kind },
  what: { title: 'What', of: ({ what }) => what },
  transaction: { title: 'Transaction', kind: 'id', of: ({ deposit }) => deposit.txHash },
} satisfies Columns<Beside>

/** What lies on the wallets of an invoice beside its own deposits, and which other invoices are on them. */
export async function besideInvoice(
  store: BesideStore,
  invoice: InvoiceRecord,
  wallets: readonly Wallet[],
  own: readonly QualifyingDeposit[],
): Promise<Markup> {
  const looked = wallets.slice(0, WALLETS_LOOKED)
  const deposits = await depositsBeside(store, looked, own)
  const others = await otherInvoices(store, looked, invoice)
  const isCut = wallets.length > looked.length
  return markup`<h2>Beside it on its wallets</h2>
${table({
  caption: 'Deposits that are no invoice’s, last received first',
  columns: COLUMNS,
  items: deposits.map((deposit) => ({ deposit, what: whyBeside(store.networks, invoice, deposit) })),
  links: { transaction: ({ deposit }) => links.transaction(deposit.network, deposit.txHash) },
  none: 'No other deposit.',
})}
${table({
  caption: 'Other invoices, newest first',
  columns: invoiceColumns,
  items: others,
  links: { id: ({ id }) => links.invoice(id) },
  none: 'No other invoice.',
})}
${isCut ? markup`<p class="quiet">The first ${String(WALLETS_LOOKED)} of its ${String(wallets.length)} wallets were looked at.</p>` : null}`
}

/** Why a deposit is none of an invoice's, in words. */
export function whyBeside(networks: Networks, invoice: InvoiceRecord, deposit: Deposit): string {
  const value = depositValue(deposit, networks.decimals)
  const coin = coinName(networks, deposit.network, value?.currency ?? currencyText(deposit.currency))
  const sum = `${amountText(deposit, networks.decimals)} ${coin}`
  if (value?.currency !== invoice.currency) return `${sum}, which this invoice does not ask for`
  if (deposit.receivedAt <= invoice.created_at) return `${sum}, received before this invoice was created`
  return `${sum}, which does not count for this invoice`
}

async function depositsBeside(
  { search, turns }: BesideStore,
  wallets: readonly Wallet[],
  own: readonly QualifyingDeposit[],
): Promise<readonly Deposit[]> {
  const nameOf = ({ network, txHash, index }: Pick<Deposit, 'network' | 'txHash' | 'index'>) =>
    JSON.stringify([network, txHash, index])
  const ofInvoice = new Set(own.map(nameOf))
  const found: Deposit[] = []
  for (const { network, address } of wallets) {
    if (network === null || address === null) continue
    const limit = SHOWN + own.length
    found.push(...(await piece(turns, () => search.unmatchedTo(network, address, limit))))
  }
  const beside = found.filter((deposit) => !ofInvoice.has(nameOf(deposit)))
  return beside.sort((one, other) => other.receivedAt - one.receivedAt).slice(0, SHOWN)
}

async function otherInvoices(
  { search, turns }: BesideStore,
  wallets: readonly Wallet[],
  { id, owner }: InvoiceRecord,
): Promise<readonly InvoiceRecord[]> {
  const found = new Map<string, InvoiceRecord>()
  for (const wallet of wallets) {
    const invoices = await piece(turns, () => search.invoicesOn(wallet.id, owner, SHOWN + 1))
    for (const one of invoices) if (one.invoice.id !== id) found.set(one.invoice.id, recordOf(one))
  }
  return [...found.values()].sort((one, other) => other.created_at - one.created_at).slice(0, SHOWN)
}

async function piece<T>(turns: Store['turns'], read: () => Awaitable<readonly T[]>): Promise<readonly T[]> {
  return await turns.run(CONSOLE, (slice) => {
    slice.touch(SHOWN)
    return read()
  })
}
