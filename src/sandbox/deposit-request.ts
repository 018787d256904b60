import type { Clock } from '../clock.js'
import { type Currency, labelOf, NATIVE, parseNativeDepositAmount, rawTokenAmount } from '../domain/amount.js'
import type { DepositStatus, Sighting } from '../domain/deposit.js'
import { type Outcome, refuseField, succeed } from '../domain/failure.js'
import { walletsOf } from '../domain/invoice.js'
import type { Network, Networks } from '../domain/network.js'
import { wellFormed } from '../domain/text.js'
import type { Store } from '../store/store.js'
import { kindOfAddress } from './address.js'

/** A transfer to simulate: the fields of a sighting that the network does not choose itself. */
export interface Transfer extends Omit<Sighting, 'txHash' | 'index'> {
  /** Null for a new one. */
  readonly txHash: string | null
  /** Null: pending at once and confirmed after a delay. */
  readonly kind: DepositStatus | null
}

/** What the defaults of a request are read from. */
export interface TransferSources {
  readonly store: Pick<Store, 'invoices' | 'wallets'>
  readonly networks: Networks
  readonly clock: Clock
}

/** The checked body of `POST /sandbox/deposits` (decisions 9). Null fields get defaults. */
interface DepositRequest extends Pick<Transfer, 'txHash' | 'kind'> {
  readonly target: { readonly address: string } | { readonly invoiceId: string }
  /** A decimal in the currency. */
  readonly amount: string | null
  readonly currency: Currency | null
  readonly network: Network | null
  /** Unix milliseconds. */
  readonly receivedAt: number | null
}

/** A request with its defaults filled in. */
interface Payment extends Pick<Transfer, 'network' | 'toAddress' | 'receivedAt'> {
  readonly currency: Currency
  /** A decimal in the currency. */
  readonly amount: string
}

/** Reads the transfer that a request body describes. Refuses with `invalid_sandbox_deposit`. */
export async function readTransfer(
  body: Readonly<Record<string, unknown>>,
  sources: TransferSources,
): Promise<Outcome<Transfer>> {
  const request = parseDepositRequest(body, sources.networks)
  if (!request.ok) return request
  const { target, txHash, kind } = request.value
  const payment = await ('address' in target
    ? paymentTo(target.address, request.value, sources)
    : paymentOfInvoice(target.invoiceId, request.value, sources))
  if (!payment.ok) return payment
  const { network, toAddress, currency, receivedAt } = payment.value
  const amount = observedAmount(payment.value, sources.networks.decimals[network]?.[currency] ?? null)
  if (!amount.ok) return amount
  return succeed({ network, toAddress, currency: labelOf(currency), amount: amount.value, receivedAt, txHash, kind })
}

/** Refuses with `invalid_sandbox_deposit`, which names the first wrong field. Null counts as absent. */
function parseDepositRequest(body: Readonly<Record<string, unknown>>, networks: Networks): Outcome<DepositRequest> {
  const address = textOf(body['address'])
  const invoiceId = textOf(body['invoiceId'])
  const amount = textOf(body['amount'])
  const txHash = textOf(body['txHash'])
  const { currency = null, network = null, receivedAt = null, kind = null } = body
  if (address === undefined) return refuseDeposit('address', 'address must be a non-empty string')
  if (invoiceId === undefined) return refuseDeposit('invoiceId', 'invoiceId must be a non-empty string')
  if ((address === null) === (invoiceId === null))
    return refuseDeposit('address', 'either address or invoiceId is needed')
  if (amount === undefined) return refuseDeposit('amount', 'amount must be a decimal string')
  if (currency !== null && (typeof currency !== 'string' || !networks.currencies.includes(currency))) {
    return refuseDeposit('currency', `currency must be one of ${networks.currencies.join(', ')}`)
  }
  if (network !== null && !networks.isPresent(network))
    return refuseDeposit('network', `network must be one of ${networks.present.join(', ')}`)
  if (txHash === undefined) return refuseDeposit('txHash', 'txHash must be a non-empty string')
  if (receivedAt !== null && (typeof receivedAt !== 'number' || !Number.isSafeInteger(receivedAt))) {
    return refuseDeposit('receivedAt', 'receivedAt must be Unix milliseconds, an integer')
  }
  if (kind !== null && kind !== 'pending' && kind !== 'confirmed') {
    return refuseDeposit('kind', 'kind must be pending or confirmed')
  }
  const target = address === null ? { invoiceId: invoiceId ?? '' } : { address }
  return succeed({ target, amount, currency, network, txHash, receivedAt, kind })
}

/** Refuses a simulated deposit because of a field. */
export function refuseDeposit(field: string, reason: string) {
  return refuseField('invalid_sandbox_deposit', field, { reason })
}

/** A non-empty string, null when absent, undefined for anything else. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  return typeof value === 'string' && value !== '' ? wellFormed(value) : undefined
}

async function paymentTo(
  address: string,
  request: DepositRequest,
  { store, networks, clock }: TransferSources,
): Promise<Outcome<Payment>> {
  const { amount, currency, receivedAt } = request
  if (amount === null) return refuseDeposit('amount', 'amount is needed with an address')
  const network = await networkOf(address, request.network, store, networks)
  if (!network.ok) return network
  return succeed({
    network: network.value,
    toAddress: address,
    currency: currency ?? 'native',
    amount,
    receivedAt: receivedAt ?? clock.now(),
  })
}

/** The network of a known wallet, else the first one whose addresses have this form. */
async function networkOf(
  address: string,
  wanted: Network | null,
  { wallets }: TransferSources['store'],
  networks: Networks,
): Promise<Outcome<Network>> {
  for (const network of wanted === null ? networks.present : [wanted]) {
    if ((await wallets.at(network, address)) !== undefined) return succeed(network)
  }
  const kind = kindOfAddress(address)
  const hasForm = (network: Network) => networks.find(network)?.kind === kind
  const network = wanted ?? networks.present.find(hasForm)
  if (kind === null || network === undefined) return refuseDeposit('address', 'the address belongs to no network')
  return hasForm(network) ? succeed(network) : refuseDeposit('address', `the address is not one of ${network}`)
}

async function paymentOfInvoice(
  invoiceId: string,
  request: DepositRequest,
  { store, clock }: TransferSources,
): Promise<Outcome<Payment>> {
  const found = await store.invoices.findWithPayment(invoiceId)
  if (found === undefined) return refuseDeposit('invoiceId', 'no invoice has the invoiceId')
  const { invoice, payment } = found
  const place = await placeOf(walletsOf(invoice), request.network, store)
  if (!place.ok) return place
  const currency = request.currency ?? invoice.currency
  if (request.amount === null) {
    if (currency !== invoice.currency)
      return refuseDeposit('amount', "amount is needed in another currency than the invoice's")
    if (payment.status === 'paid') return refuseDeposit('amount', 'the invoice is paid already; amount is needed')
  }
  return succeed({
    ...place.value,
    currency,
    amount: request.amount ?? payment.remaining,
    // A deposit in the millisecond of the invoice's creation does not count (specification, Invoice paid status).
    receivedAt: request.receivedAt ?? Math.max(clock.now(), invoice.created_at + 1),
  })
}

/** Where an invoice is paid: at its first wallet, or at the first one on the wanted network. */
async function placeOf(
  walletIds: readonly string[],
  wanted: Network | null,
  { wallets }: TransferSources['store'],
): Promise<Outcome<Pick<Payment, 'network' | 'toAddress'>>> {
  for (const id of walletIds) {
    const { network = null, address = null } = (await wallets.find(id)) ?? {}
    if (network === null || address === null || (wanted !== null && network !== wanted)) continue
    return succeed({ network, toAddress: address })
  }
  return wanted === null
    ? refuseDeposit('invoiceId', 'the invoice has no wallet with an address')
    : refuseDeposit('network', `the invoice has no wallet on ${wanted} with an address`)
}

/** The amount as it appears on the network: raw token units, or whole coins as given. */
function observedAmount({ network, currency, amount }: Payment, decimals: number | null): Outcome<string> {
  if (decimals === null) return refuseDeposit('currency', `${network} has no token ${currency}`)
  const atoms = parseNativeDepositAmount(amount)
  if (atoms === null) return refuseDeposit('amount', 'amount must be a decimal string greater than zero')
  if (currency === NATIVE) return succeed(amount)
  const raw = rawTokenAmount(atoms, decimals)
  return raw === null ? refuseDeposit('amount', `${currency} has ${decimals} decimals on ${network}`) : succeed(raw)
}
