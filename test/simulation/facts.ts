import type { IncomingEvent } from '../../src/actors/intake.js'
import type { Sighting } from '../../src/domain/deposit.js'
import type { DepositFact, LedgerFact } from '../../src/domain/ledger-fact.js'
import type { Network } from '../../src/domain/network.js'
import { decimal, rawToken } from './model/amounts.js'
import type { Model } from './model/model.js'
import { addressName, decimalForm, eventName, networkOf, ownerName, rawForm, txHash, walletName } from './names.js'
import { currencyOf, type ScriptNetworks, tokenDecimalsOf } from './networks.js'
import type { AmountStep, EventStep, TransferStep } from './steps.js'

/** What steps mean at the moment at which they are taken. */
export class Facts {
  /** All events that were ever sent, for repetitions. */
  private readonly sent: IncomingEvent[] = []

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
      case 'replay': {
        const earlier = this.sent[step.pick % Math.max(1, this.sent.length)]
        // A copy, because events are known by their objects here.
        return earlier === undefined ? null : { eventId: earlier.eventId, fact: { ...earlier.fact } }
      }
    }
  }

  private depositOf(step: Extract<EventStep, { type: 'deposit' }>): DepositFact {
    const receivedAt = this.now() + step.offsetMs
    const sighting = { ...this.transferOf(networkOf(step.wallet, this.networks), step), receivedAt }
    return { type: 'deposit', report: step.report, sighting }
  }

  transferOf(network: Network, step: TransferStep): Omit<Sighting, 'receivedAt'> {
    return {
      network,
      txHash: txHash(step.tx),
      index: step.index,
      toAddress: addressName(step.wallet, this.networks, step.spelling),
      currency: step.label,
      amount: 'less' in step.amount ? this.shortText(step, step.amount.less) : this.textOf(step, step.amount),
    }
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
