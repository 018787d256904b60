import type { Clock } from '../clock.js'
import { type Currency, NATIVE_LABEL, parseNativeDepositAmount, rawTokenAmount, TOKEN_LABEL } from '../domain/amount.js'
import type { Deposit } from '../domain/deposit.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import { walletsOf } from '../domain/invoice.js'
import { NETWORKS, type Network, type TokenDecimals } from '../domain/network.js'
import type { Store } from '../store/store.js'
import { networkOfAddress } from './address.js'
import { type DepositRequest, parseDepositRequest, refuseDeposit } from './deposit-request.js'
import { SimulatedNetwork, type SimulatedNetworkOptions } from './simulated-network.js'

export interface SimulatedNetworksOptions extends Omit<SimulatedNetworkOptions, 'network'> {
  readonly store: Pick<Store, 'deposits' | 'invoices' | 'wallets'>
  readonly tokenDecimals: TokenDecimals
  readonly clock: Clock
}

/** A request with its defaults filled in. */
interface Payment {
  readonly network: Network
  readonly toAddress: string
  readonly currency: Currency
  /** A decimal in the currency. */
  readonly amount: string
  readonly receivedAt: number
}

/** The simulated networks: they take deposits by address or by invoice (decisions 9). */
export class SimulatedNetworks {
  private readonly networks: readonly SimulatedNetwork[]

  constructor(private readonly options: SimulatedNetworksOptions) {
    this.networks = NETWORKS.map((network) => new SimulatedNetwork({ ...options, network }))
  }

  async start(): Promise<void> {
    for (const network of this.networks) await network.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.networks.map((network) => network.stop()))
  }

  /** Makes the deposit described by a request body and returns its record. Refuses with `invalid_sandbox_deposit`. */
  async deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>> {
    const request = parseDepositRequest(body)
    if (!request.ok) return request
    const payment = await this.paymentOf(request.value)
    if (!payment.ok) return payment
    const { network, toAddress, currency, amount, receivedAt } = payment.value
    const observed = this.observedAmount(network, currency, amount)
    if (!observed.ok) return observed
    const label = currency === 'USDT' ? TOKEN_LABEL : NATIVE_LABEL
    const transfer = { toAddress, currency: label, amount: observed.value, receivedAt, txHash: request.value.txHash }
    const simulated = this.networks.find((one) => one.network === network)
    if (simulated === undefined) throw new Error(`${network} is not simulated`)
    return simulated.transfer(transfer, request.value.kind)
  }

  /** Confirms or drops all deposits of a transaction and returns them. Refuses with `deposit_not_found`. */
  async settle(txHash: string, report: 'confirmed' | 'dropped'): Promise<Outcome<readonly Deposit[]>> {
    const settled = await Promise.all(this.networks.map((network) => network.settle(txHash, report)))
    const deposits = settled.flat()
    return deposits.length === 0 ? refuse('deposit_not_found') : succeed(deposits)
  }

  private paymentOf(request: DepositRequest): Promise<Outcome<Payment>> {
    switch (request.target.type) {
      case 'address':
        return this.paymentTo(request.target.address, request)
      case 'invoice':
        return this.paymentOfInvoice(request.target.invoiceId, request)
    }
  }

  private async paymentTo(address: string, request: DepositRequest): Promise<Outcome<Payment>> {
    if (request.amount === null) return refuseDeposit('amount', 'amount is needed with an address')
    const network = await this.networkOf(address, request.network)
    if (!network.ok) return network
    return succeed({
      network: network.value,
      toAddress: address,
      currency: request.currency ?? 'native',
      amount: request.amount,
      receivedAt: request.receivedAt ?? this.options.clock.now(),
    })
  }

  /** The network of a known wallet, else the one whose addresses have this form. */
  private async networkOf(address: string, wanted: Network | null): Promise<Outcome<Network>> {
    for (const network of NETWORKS) {
      if (wanted !== null && wanted !== network) continue
      if ((await this.options.store.wallets.at(network, address)) !== undefined) return succeed(network)
    }
    const network = networkOfAddress(address)
    if (network === null) return refuseDeposit('address', 'the address is none of a network')
    if (wanted !== null && wanted !== network) return refuseDeposit('address', `the address is not one of ${wanted}`)
    return succeed(network)
  }

  private async paymentOfInvoice(invoiceId: string, request: DepositRequest): Promise<Outcome<Payment>> {
    const found = await this.options.store.invoices.findWithPayment(invoiceId)
    if (found === undefined) return refuseDeposit('invoiceId', 'no invoice has the invoiceId')
    const { invoice, payment } = found
    const place = await this.placeOf(walletsOf(invoice), request.network)
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
      receivedAt: request.receivedAt ?? Math.max(this.options.clock.now(), invoice.created_at + 1),
    })
  }

  /** Where an invoice is paid: at its first wallet, or at the first one on the wanted network. */
  private async placeOf(
    walletIds: readonly string[],
    wanted: Network | null,
  ): Promise<Outcome<Pick<Payment, 'network' | 'toAddress'>>> {
    for (const id of walletIds) {
      const wallet = await this.options.store.wallets.find(id)
      if (wallet === undefined || wallet.network === null || wallet.address === null) continue
      if (wanted === null || wallet.network === wanted) {
        return succeed({ network: wallet.network, toAddress: wallet.address })
      }
    }
    return refuseDeposit(
      wanted === null ? 'invoiceId' : 'network',
      `the invoice has no wallet${wanted === null ? '' : ` on ${wanted}`} with an address`,
    )
  }

  /** The amount as it appears on the network: raw token units, or whole coins as given. */
  private observedAmount(network: Network, currency: Currency, amount: string): Outcome<string> {
    const atoms = parseNativeDepositAmount(amount)
    if (atoms === null) return refuseDeposit('amount', 'amount must be a decimal string greater than zero')
    if (currency === 'native') return succeed(amount)
    const decimals = this.options.tokenDecimals[network]
    const raw = rawTokenAmount(atoms, decimals)
    return raw === null ? refuseDeposit('amount', `USDT has ${decimals} decimals on ${network}`) : succeed(raw)
  }
}
