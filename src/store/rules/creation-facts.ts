import type { Currency } from '../../domain/amount.js'
import type { SignedCreation } from '../../domain/idempotency.js'
import {
  currenciesInstead,
  type InvoiceFacts,
  type InvoiceRequest,
  type InvoiceTerms,
  mixesCoins,
} from '../../domain/invoice.js'
import type { Network } from '../../domain/network.js'
import { type InvoiceCommand, NO_TERMS } from '../commands.js'

/** The facts of a creation that follow from its request, the settings and a few facts of the store, the same on every engine. */
export abstract class CreationFacts
  implements
    Pick<InvoiceFacts, 'currenciesInstead' | 'areCoinsMixed' | 'isReferenceTaken' | 'takenWallet' | 'isRepeated'>
{
  protected readonly request: InvoiceRequest
  private readonly signed: SignedCreation | undefined
  /** The wallets of the sets beside it, by name; null until they are asked for. */
  private besides: ReadonlyMap<string, ReadonlySet<string>> | null = null

  constructor(
    { request, terms: { signed } = NO_TERMS }: InvoiceCommand,
    private readonly settings: InvoiceTerms,
    /** The wallets of invoices that are entered with it. */
    protected readonly alongside: readonly (readonly string[])[] = [],
  ) {
    this.request = request
    this.signed = signed
  }

  /** Those of its wallets, which are its owner's. */
  protected abstract readonly networks: readonly (Network | null)[]
  /** Whether an invoice has a reference. */
  protected abstract hasReference(reference: string): boolean
  /** Whether a signed request has created an invoice. */
  protected abstract hasCreated(signed: SignedCreation): boolean
  /** The first of its wallets with an unpaid invoice of its currency. */
  protected abstract unpaidWallet(): string | null

  currenciesInstead(): readonly Currency[] | null {
    return currenciesInstead(this.settings, this.request, this.networks)
  }

  areCoinsMixed(): boolean {
    return mixesCoins(this.settings, this.request, this.networks)
  }

  isReferenceTaken(): boolean {
    const { reference } = this.request
    return reference !== null && this.hasReference(reference)
  }

  takenWallet(): string | null {
    return this.settings.areWalletsShared ? null : this.unpaidWallet()
  }

  isRepeated(): boolean {
    return this.signed !== undefined && this.hasCreated(this.signed)
  }

  /**
   * The sets of the invoices that are entered with it on a wallet of it, by a name, each once. What names and counts them is the same at
   * each call: it is asked once for a set, not for each of its wallets.
   */
  protected setsBeside(
    walletId: string,
    nameOf: (walletIds: readonly string[]) => string,
    isCounted: (walletIds: readonly string[]) => boolean = () => true,
  ): readonly string[] {
    this.besides ??= new Map(this.alongside.filter(isCounted).map((ids) => [nameOf(ids), new Set(ids)]))
    return [...this.besides].flatMap(([name, ids]) => (ids.has(walletId) ? [name] : []))
  }
}

/** The terms of the invoices of an order: the native coin of an option is always one. */
export function optionTerms(terms: InvoiceTerms): InvoiceTerms {
  return { ...terms, areCoinsMixed: false }
}
