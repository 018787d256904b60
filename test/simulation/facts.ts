import type { IncomingEvent } from '../../src/actors/intake.js'
import type { Sighting } from '../../src/domain/deposit.js'
import type { DepositFact, LedgerFact } from '../../src/domain/ledger-fact.js'
import type { Network } from '../../src/domain/network.js'
import { decimal, rawToken } from './model/amounts.js'
import type { Model } from './model/model.js'
import {
  addressName,
  decimalForm,
  eventName,
  networkOf,
  ownerName,
  rawForm,
  txHash,
  walletName,
  walletNumber,
} from './names.js'
import { currencyOf, decimalsOf, labelOf, type ScriptNetworks, tokenDecimalsOf } from './networks.js'
import type { AmountStep, EventStep, Towards, TransferStep } from './steps.js'

/** Orders, and deposits towards them, that a step may choose from. */
const RECENT = 6
const ATOM_PLACES = 18

/** What steps mean at the moment at which they are taken. */
export class Facts {
  /** All events that were ever sent, for repetitions. */
  private readonly sent: IncomingEvent[] = []
  /** What was sent towards orders. */
  private readonly towards: Sighting[] = []

  constructor(
    private readonly model: Model,
    private readonly networks: ScriptNetworks,
    private readonly now: () => number,
  ) {}

  /** The events of a step; none for the repetition of nothing. */
  eventsOf(steps: readonly EventStep[]): readonly IncomingEvent[] {
    const events = steps.map((step) => this.eventOf(step)).filter((event) => event !== null)
    this.sent.push(...events)
    return events
  }

  private eventOf(step: EventStep): IncomingEvent | null {
    switch (step.type) {
      case 'deposit':
        return { eventId: eventName(step.event), fact: this.depositOf(step) }
      case 'onboarded':
        return { eventId: eventName(step.event), fact: { type: 'identity.onboarded', identity: ownerName(step.owner) } }
      case 'created': {
        const { networks } = this
        const { place } = step
        const fact = { type: 'wallet.created', id: walletName(step.wallet) } as const
        return {
          eventId: eventName(step.event),
          fact: { ...fact, address: addressName(place, networks), network: networkOf(place, networks) },
        }
      }
      case 'assigned': {
        const { networks } = this
        const { place } = step
        const fact: LedgerFact = {
          type: 'wallet.assigned',
          id: walletName(step.wallet),
          owner: ownerName(step.owner),
          address: place === null ? null : addressName(place, networks),
          network: place === null ? null : networkOf(place, networks),
        }
        return { eventId: eventName(step.event), fact }
      }
      case 'again': {
        const sighting = this.towards.at(-1 - (step.pick % Math.max(1, this.towards.length)))
        return sighting === undefined
          ? null
          : { eventId: null, fact: { type: 'deposit', report: step.report, sighting: { ...sighting } } }
      }
      case 'replay': {
        const earlier = this.sent[step.pick % Math.max(1, this.sent.length)]
        // A copy, because events are known by their objects here.
        return earlier === undefined ? null : { eventId: earlier.eventId, fact: { ...earlier.fact } }
      }
    }
  }

  private depositOf(step: Extract<EventStep, { type: 'deposit' }>): DepositFact {
    const receivedAt = this.now() + step.offsetMs
    const place = step.towards === undefined ? null : this.placeOf(step.towards, null)
    const network = networkOf(place?.wallet ?? step.wallet, this.networks)
    const sighting = { ...this.transferOf(network, step), receivedAt }
    if (place !== null) this.towards.push(sighting)
    return { type: 'deposit', report: step.report, sighting }
  }

  transferOf(network: Network, step: TransferStep): Omit<Sighting, 'receivedAt'> {
    const place = step.towards === undefined ? null : this.placeOf(step.towards, network)
    if (place !== null) {
      const { wallet, currency, atoms } = place
      const decimals = tokenDecimalsOf(network, currency)
      return {
        ...{ network, txHash: txHash(step.tx), index: step.index },
        ...{ toAddress: addressName(wallet, this.networks, step.spelling), currency: labelOf(currency) },
        amount: currency === 'native' || decimals === null ? decimal(atoms) : rawToken(atoms, decimals),
      }
    }
    return {
      network,
      txHash: txHash(step.tx),
      index: step.index,
      toAddress: addressName(step.wallet, this.networks, step.spelling),
      currency: step.label,
      amount: 'less' in step.amount ? this.shortText(step, step.amount.less) : this.textOf(step, step.amount),
    }
  }

  /** The wallet of an option, on a network if that is given, and what is to come there; null when there is none. */
  private placeOf({ pick, option, part }: Towards, network: Network | null) {
    const { orders, invoices } = this.model
    const order = orders.recent(pick % Math.max(1, Math.min(RECENT, orders.count)))
    if (order === undefined) return null
    const at = option % order.options.length
    const invoice = invoices.find(order.options[at]?.invoiceId ?? '')
    const wallets = (invoice?.wallet_ids ?? '').split(',').map(walletNumber)
    const wallet = wallets.find((one) => network === null || networkOf(one, this.networks) === network)
    if (invoice === undefined || wallet === undefined) return null
    const decimals = decimalsOf(networkOf(wallet, this.networks), invoice.currency) ?? 0
    const unit = 10n ** BigInt(ATOM_PLACES - decimals)
    const asked = part === 'amount' ? invoices.atomsOf(invoice.id) : orders.remaining(order, at)
    const parts = { amount: asked, remaining: asked, half: asked / 2n, third: asked / 3n, more: asked * 2n, dust: unit }
    const whole = (parts[part] / unit) * unit
    return { wallet, currency: invoice.currency, atoms: whole === 0n ? unit : whole }
  }

  private textOf({ label, wallet }: TransferStep, amount: AmountStep): string {
    const decimals = this.decimalsOf(wallet, label)
    return decimals === null ? this.amountText(amount) : this.rawText(amount, decimals)
  }

  private shortText({ label, wallet }: TransferStep, less: number): string {
    const currency = currencyOf(networkOf(wallet, this.networks), label)
    const atoms = this.model.invoices.nearlyMissing(walletName(wallet), currency, less)
    const decimals = this.decimalsOf(wallet, label)
    return decimals === null ? decimal(atoms) : rawToken(atoms, decimals)
  }

  /** Those of the token that a label stands for at a wallet; null for coins, and for what its network does not have. */
  private decimalsOf(wallet: number, label: string | null): number | null {
    const network = networkOf(wallet, this.networks)
    const currency = currencyOf(network, label)
    return currency === null ? null : tokenDecimalsOf(network, currency)
  }

  /** Decimal whole coins. */
  amountText(amount: AmountStep): string {
    return 'coins' in amount ? decimalForm(amount.coins, amount.form) : decimal(this.missing(amount.missingOf))
  }

  private rawText(amount: AmountStep, decimals: number): string {
    if ('coins' in amount) return rawForm(amount.coins, amount.form, decimals)
    return rawToken(this.missing(amount.missingOf), decimals)
  }

  private missing(pick: number): bigint {
    const { invoices } = this.model
    return invoices.missing(pick % Math.max(1, invoices.count))
  }
}
