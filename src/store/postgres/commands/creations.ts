import type { ApiKey } from '../../../domain/api-key.js'
import type { IdempotentRequest, SignedCreation } from '../../../domain/idempotency.js'
import {
  type Invoice,
  type InvoiceRequest,
  type InvoiceTerms,
  isSetTooMany,
  reasonAgainst,
  type UnusableWallet,
} from '../../../domain/invoice.js'
import type { Network } from '../../../domain/network.js'
import type { Order } from '../../../domain/order.js'
import type { CreatedOrder, InvoiceCommand } from '../../commands.js'
import type { Beginning, CreationWork, EarlierRequest } from '../../rules/create-invoice.js'
import type { EarlierOrder, OrderCreationWork } from '../../rules/create-order.js'
import { CreationFacts, optionTerms } from '../../rules/creation-facts.js'
import type { Work } from '../connection/work.js'
import { insertInvoices, type NewInvoice, STATE, setIdOf } from '../invoices/invoice-rows.js'
import { enterOpen, enterPaid } from '../invoices/places.js'
import { logInvoice } from '../invoices/settle.js'
import { insertOrders } from '../orders/order-rows.js'
import { orderWorkOn } from '../orders/order-work.js'
import type { BatchFacts } from './creation-facts.js'
import { accountName, amountName, placeName, walletName } from './names.js'
import { earlierOf, earlierOrderOf, hex, rememberCreations, rememberRequests } from './requests.js'

/** What the creations of a batch write. */
export class Made {
  readonly rows: NewInvoice[] = []
  readonly requests: { readonly request: IdempotentRequest; readonly invoiceId: string }[] = []
  readonly signed: SignedCreation[] = []
  readonly orders: Order[] = []

  write(work: Work): void {
    const { rows } = this
    if (rows.length === 0) return
    const open = rows.filter(({ state }) => state === STATE.open)
    work.write(insertInvoices(rows))
    if (this.orders.length > 0) {
      work.write(insertOrders(this.orders))
    }
    if (open.length > 0) enterOpen(work, open)
    for (const row of rows) if (row.state === STATE.paid) enterPaid(work, row, 0)
    rememberRequests(work, this.requests)
    rememberCreations(work, this.signed)
  }
}

/** One creation of a batch. What it enters is added to the facts for those behind it. */
export class PostgresCreation extends CreationFacts implements CreationWork {
  private row: NewInvoice | null = null

  constructor(
    private readonly work: Work,
    private readonly facts: BatchFacts,
    private readonly made: Made,
    command: InvoiceCommand,
    terms: InvoiceTerms,
    alongside?: readonly (readonly string[])[],
  ) {
    super(command, terms, alongside)
  }

  get nowMs(): number {
    return this.work.nowMs
  }

  key(id: string): ApiKey | undefined {
    return this.facts.keys.get(id)
  }

  earlier(request: IdempotentRequest): EarlierRequest | undefined {
    return earlierOf(this.facts.earlier, request)
  }

  unusableWallet(): UnusableWallet | null {
    const { owner, walletIds } = this.request
    for (const wallet of walletIds) {
      const known = this.facts.wallets.get(wallet)
      const reason = reasonAgainst(known && { isOwned: known.owner === owner, hasAddress: known.hasAddress })
      if (reason !== null) return { wallet, reason }
    }
    return null
  }

  walletOfAmount(amount: bigint): string | null {
    const { owner, currency } = this.request
    return this.walletWhere((id) => this.facts.amounts.has(amountName(id, owner, currency, amount)))
  }

  walletOfRaised(amount: bigint): string | null {
    return this.walletOfAmount(amount)
  }

  crowdedWallet(): string | null {
    const { owner, walletIds } = this.request
    return this.walletWhere((id) => {
      const sets = this.facts.sets.get(placeName(id, owner))
      return sets !== undefined && isSetTooMany(setName(walletIds), sets, this.setsBeside(id, setName))
    })
  }

  receivedAhead(): bigint {
    const { walletIds, currency } = this.request
    const { receivedAhead } = this.facts
    return walletIds.reduce((sum, id) => sum + (receivedAhead.get(accountName(id, currency)) ?? 0n), 0n)
  }

  newId(): string {
    return this.work.newId()
  }

  enter(invoice: Invoice, { amount, expiresAt, isPaid, orderId }: Beginning): void {
    const { owner, walletIds, currency, reference, order } = this.request
    const { amounts, taken, sets, references } = this.facts
    const state = isPaid ? STATE.paid : STATE.open
    const ending = { expiresAt, voidedAt: null, acceptedAt: null, hasOutlivedExpiry: false }
    this.row = { id: invoice.id, invoice, order, walletIds, atoms: amount, state, orderId, ...ending }
    this.made.rows.push(this.row)
    if (reference !== null) references.add(reference)
    // One that is paid as it is created is in nobody's way.
    if (isPaid) return
    for (const id of walletIds) {
      amounts.add(amountName(id, owner, currency, amount))
      taken.add(walletName(id, owner, currency))
      sets.get(placeName(id, owner))?.add(setName(walletIds))
    }
  }

  log(type: 'invoice.created' | 'invoice.paid'): void {
    logInvoice(this.work, type, this.entered)
  }

  rememberCreation(signed: SignedCreation): void {
    this.facts.repeated.add(hex(signed.digest))
    this.made.signed.push(signed)
  }

  rememberRequest(request: IdempotentRequest): void {
    const { id, invoice, expiresAt } = this.entered
    this.facts.earlier.set(hex(request.scope), { bodyHash: hex(request.bodyHash), invoice, expiresAt, created: null })
    this.made.requests.push({ request, invoiceId: id })
  }

  protected get networks(): readonly (Network | null)[] {
    return this.request.walletIds.map((id) => this.facts.wallets.get(id)?.network ?? null)
  }

  protected hasReference(reference: string): boolean {
    return this.facts.references.has(reference)
  }

  protected hasCreated(signed: SignedCreation): boolean {
    return this.facts.repeated.has(hex(signed.digest))
  }

  protected unpaidWallet(): string | null {
    const { owner, currency } = this.request
    return this.walletWhere((id) => this.facts.taken.has(walletName(id, owner, currency)))
  }

  /** The first wallet of the request of which something is true. */
  private walletWhere(test: (id: string) => boolean): string | null {
    return this.request.walletIds.find(test) ?? null
  }

  private get entered(): NewInvoice {
    if (this.row === null) throw new Error('an invoice was not entered')
    return this.row
  }
}

/** The creation of an order of a batch. */
export class PostgresOrderCreation implements OrderCreationWork {
  private readonly terms: InvoiceTerms

  constructor(
    private readonly work: Work,
    private readonly facts: BatchFacts,
    terms: InvoiceTerms,
    private readonly made: Made,
  ) {
    this.terms = optionTerms(terms)
  }

  get nowMs(): number {
    return this.work.nowMs
  }

  key(id: string): ApiKey | undefined {
    return this.facts.keys.get(id)
  }

  earlier(request: IdempotentRequest): EarlierOrder | undefined {
    return earlierOrderOf(this.facts.earlier, request)
  }

  isRepeated(signed: SignedCreation): boolean {
    return this.facts.repeated.has(hex(signed.digest))
  }

  option(request: InvoiceRequest, alongside: readonly (readonly string[])[]): CreationWork {
    const { work, facts, made, terms } = this
    return new PostgresCreation(work, facts, made, { type: 'invoice', request }, terms, alongside)
  }

  newId(): string {
    return this.work.newId()
  }

  enter(order: Order): void {
    this.made.orders.push(order)
  }

  log(type: 'order.created', order: Order): void {
    orderWorkOn(this.work).log(type, order, null)
  }

  rememberCreation(signed: SignedCreation): void {
    this.facts.repeated.add(hex(signed.digest))
    this.made.signed.push(signed)
  }

  rememberRequest(request: IdempotentRequest, created: CreatedOrder): void {
    const [invoice] = created.invoices
    if (invoice === undefined) throw new Error('an order has no options')
    const { expiresAt } = created.order
    this.facts.earlier.set(hex(request.scope), { bodyHash: hex(request.bodyHash), invoice, expiresAt, created })
    this.made.requests.push({ request, invoiceId: invoice.id })
  }
}

/** Names a set of wallets as `BatchFacts` does. */
function setName(walletIds: readonly string[]): string {
  return setIdOf(walletIds).toString('hex')
}
