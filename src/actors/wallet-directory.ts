import type { NameInNetwork } from '../domain/aside.js'
import type { ChainStep } from '../domain/block.js'
import type { Sighting } from '../domain/deposit.js'
import { refuse } from '../domain/failure.js'
import { type InvoiceRequest, walletsOf } from '../domain/invoice.js'
import { canonicalAddress } from '../domain/network.js'
import { walletsOfRequest } from '../domain/order.js'
import type { ChainPort } from '../store/chain.js'
import {
  type AcceptCommand,
  type AcceptOrderCommand,
  type AcceptOrderResult,
  type AcceptResult,
  type ChainCommand,
  type ChainResult,
  type CommandPort,
  type CreationTerms,
  type DepositCommand,
  type DepositResult,
  type InvoiceCommand,
  type InvoiceResult,
  NO_TERMS,
  type OrderCommand,
  type OrderResult,
  type Settled,
  type VoidCommand,
  type VoidOrderCommand,
  type VoidResult,
} from '../store/commands.js'
import type { InvoicePort } from '../store/invoices.js'
import type { OrderPort } from '../store/orders.js'
import type { WalletPort } from '../store/wallets.js'
import { DEFAULT_BOUNDS, type MailboxBounds, Mailboxes } from './mailboxes.js'

/** What the actors need of the store. */
export interface DirectoryPorts {
  readonly commands: Pick<CommandPort, 'perform' | 'answerWithoutTurn' | 'answerOrderWithoutTurn'>
  readonly invoices: Pick<InvoicePort, 'find'>
  readonly orders: Pick<OrderPort, 'findWithOptions'>
  readonly wallets: Pick<WalletPort, 'find' | 'at'>
  readonly chain: Pick<ChainPort, 'addressesOf' | 'depositsOf'>
}

/** A mailbox was full for a command that has no failure to return; its sender has to repeat it. */
export class MailboxFull extends Error {
  override readonly name = 'MailboxFull'
  constructor() {
    super('the mailbox of a wallet is full')
  }
}

/** What a request to end an invoice depends on beside the invoice and its owner. */
type EndTerms = Pick<VoidCommand, 'authority' | 'trace'>

/** Finds the mailboxes of commands on wallets: all of those that a command is about. */
export class WalletDirectory {
  private readonly mailboxes: Mailboxes

  constructor(
    private readonly store: DirectoryPorts,
    bounds: MailboxBounds = DEFAULT_BOUNDS,
  ) {
    this.mailboxes = new Mailboxes(store.commands, bounds)
  }

  /** Number of actors. */
  get size(): number {
    return this.mailboxes.size
  }

  /** Number of commands that wait or run. */
  get depth(): number {
    return this.mailboxes.depth
  }

  /**
   * Creates an invoice in a turn of all its wallets. Fails with `overloaded` if one of their mailboxes is full. A
   * request for wallets of another owner fails before it enters a mailbox.
   */
  async createInvoice(request: InvoiceRequest, terms: CreationTerms = NO_TERMS): Promise<InvoiceResult> {
    const command: InvoiceCommand = { type: 'invoice', request, terms }
    const looked = this.store.commands.answerWithoutTurn(command)
    // Without a pause, requests of one wallet enter its mailbox in the order in which they were made.
    const answer = looked instanceof Promise ? await looked : looked
    if (answer !== null) return answer
    const result = this.mailboxes.submit(request.walletIds, command)
    return (await result) ?? { type: 'invoice', outcome: refuse('overloaded'), expiresAt: null, isReplay: false }
  }

  /**
   * Voids an invoice for `owner` in a turn of those of its wallets that the owner still has. Fails with `overloaded` if
   * one of their mailboxes is full. A request for another owner's invoice fails before it enters a mailbox.
   */
  voidInvoice(invoiceId: string, owner: string, terms: EndTerms = {}): Promise<VoidResult['outcome']> {
    return this.endInvoice({ type: 'void', invoiceId, owner, ...terms })
  }

  /** Accepts an invoice for `owner`, likewise. */
  acceptInvoice(invoiceId: string, owner: string, terms: EndTerms = {}): Promise<AcceptResult['outcome']> {
    return this.endInvoice({ type: 'accept', invoiceId, owner, ...terms })
  }

  /**
   * Creates an order in one turn of the wallets of all its options. Fails with `overloaded` if one of their mailboxes is full. A request
   * for wallets of another owner fails before it enters a mailbox.
   */
  async createOrder({ request, quotes, terms }: Omit<OrderCommand, 'type'>): Promise<OrderResult> {
    const command: OrderCommand = { type: 'order', request, quotes, terms: terms ?? NO_TERMS }
    const looked = this.store.commands.answerOrderWithoutTurn(command)
    const answer = looked instanceof Promise ? await looked : looked
    if (answer !== null) return answer
    const result = this.mailboxes.submit(walletsOfRequest(request), command)
    return (await result) ?? { type: 'order', outcome: refuse('overloaded'), isReplay: false }
  }

  /**
   * Voids an order for `owner` in a turn of those of the wallets of its invoices that the owner still has. Fails with `overloaded` if one
   * of their mailboxes is full. A request for another owner's order fails before it enters a mailbox.
   */
  voidOrder(orderId: string, owner: string, terms: EndTerms = {}): Promise<AcceptOrderResult['outcome']> {
    return this.endOrder({ type: 'void-order', orderId, owner, ...terms })
  }

  /** Accepts an order for `owner`, likewise. */
  acceptOrder(orderId: string, owner: string, terms: EndTerms = {}): Promise<AcceptOrderResult['outcome']> {
    return this.endOrder({ type: 'accept-order', orderId, owner, ...terms })
  }

  private async endOrder(command: VoidOrderCommand | AcceptOrderCommand): Promise<AcceptOrderResult['outcome']> {
    const { orderId, owner } = command
    const found = await this.store.orders.findWithOptions(orderId)
    if (found === undefined) return refuse('order_not_found')
    if (found.order.owner !== owner) return refuse('not_order_owner')
    const own = await this.ownWallets(
      owner,
      found.invoices.flatMap(({ invoice }) => walletsOf(invoice)),
    )
    const result = await this.mailboxes.submit(own.length === 0 ? [`,order ${orderId}`] : own, command)
    return result === null ? refuse('overloaded') : result.outcome
  }

  /** Those of some wallets that an owner has now, each once. */
  private async ownWallets(owner: string, walletIds: readonly string[]): Promise<readonly string[]> {
    const wallets = await Promise.all([...new Set(walletIds)].map((id) => this.store.wallets.find(id)))
    return wallets.flatMap((wallet) => (wallet?.owner === owner ? [wallet.id] : []))
  }

  private async endInvoice(command: VoidCommand | AcceptCommand): Promise<VoidResult['outcome']> {
    const { invoiceId, owner } = command
    const invoice = await this.store.invoices.find(invoiceId)
    if (invoice === undefined) return refuse('invoice_not_found')
    if (invoice.owner !== owner) return refuse('not_invoice_owner')
    const own = await this.ownWallets(owner, walletsOf(invoice))
    const result = await this.mailboxes.submit(own.length === 0 ? [`,invoice ${invoiceId}`] : own, command)
    return result === null ? refuse('overloaded') : result.outcome
  }

  /**
   * Records deposits in order, in one turn of all wallets that received them: two of them may be for one order, on whichever wallets.
   * Each has its own result. All are rejected with `MailboxFull` if one of the mailboxes is full.
   */
  async recordDeposits(deposits: readonly Omit<DepositCommand, 'type'>[]): Promise<readonly Settled<DepositResult>[]> {
    const keys = [...new Set(await this.keysOf(deposits.map(({ fact }) => fact.sighting)))]
    const commands = deposits.map((deposit): DepositCommand => ({ type: 'deposit', ...deposit }))
    const fates = this.mailboxes.submitAll(keys, commands)
    return fates ?? deposits.map(() => ({ status: 'rejected', reason: new MailboxFull() }))
  }

  /**
   * Applies a step of a network's watcher in one turn of all wallets whose deposits it concerns. Rejects with
   * `MailboxFull` if one of their mailboxes is full, and with `TrialPassed` when it is a trial that passes.
   */
  async takeChainStep(step: ChainStep, terms: Pick<ChainCommand, 'aside' | 'isTrial'> = {}): Promise<ChainResult> {
    const { network } = step
    const addresses = await this.store.chain.addressesOf(step)
    const wallets = await this.keysOf(addresses.map((toAddress) => ({ network, toAddress })))
    const result = await this.mailboxes.submit([`,chain ${network}`, ...new Set(wallets)], {
      type: 'chain',
      step,
      ...terms,
    })
    if (result === null) throw new MailboxFull()
    return result
  }

  /** The deposits that a step concerns now. */
  async depositsOf(step: ChainStep): Promise<readonly NameInNetwork[]> {
    return this.store.chain.depositsOf(step)
  }

  /** Resolves when no command waits or runs. */
  idle(): Promise<void> {
    return this.mailboxes.idle()
  }

  /**
   * The key of each deposit's mailbox: the id of the wallet at its address, which has no comma (`flawOfWalletId`), or the address itself
   * while its wallet is unknown. Keys that are no wallet's begin with a comma and their kind, so that no id or address chosen by a client
   * is the key of another kind's mailbox. Each address is looked up once; if its wallet became known between two look-ups, deposits to it
   * could change places.
   */
  private keysOf(sightings: readonly Pick<Sighting, 'network' | 'toAddress'>[]): Promise<readonly string[]> {
    const keys = new Map<string, Promise<string>>()
    return Promise.all(
      sightings.map(({ network, toAddress }) => {
        const address = `,address ${network} ${canonicalAddress(toAddress)}`
        const known = keys.get(address)
        if (known !== undefined) return known
        const key = Promise.resolve(this.store.wallets.at(network, toAddress)).then((wallet) => wallet?.id ?? address)
        keys.set(address, key)
        return key
      }),
    )
  }
}
