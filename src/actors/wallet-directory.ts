import type { NameInNetwork } from '../domain/aside.js'
import type { ChainStep } from '../domain/block.js'
import type { Sighting } from '../domain/deposit.js'
import { refuse } from '../domain/failure.js'
import { type InvoiceRequest, walletsOf } from '../domain/invoice.js'
import { canonicalAddress } from '../domain/network.js'
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
  type VoidCommand,
  type VoidOrderCommand,
  type VoidResult,
  type WalletCommand,
  type WalletResult,
} from '../store/commands.js'
import type { OrderPort } from '../store/orders.js'
import type { ChainPort, InvoicePort, WalletPort } from '../store/store.js'
import { type Envelope, Turn, WalletActor } from './wallet-actor.js'

export interface DirectoryBounds {
  /** Maximum commands that wait for one wallet. */
  readonly mailboxCapacity: number
  /** Maximum commands that wait for all wallets together. */
  readonly totalCapacity: number
  /** Maximum commands in one turn. */
  readonly turnLimit: number
}

const DEFAULT_BOUNDS: DirectoryBounds = { mailboxCapacity: 8192, totalCapacity: 65_536, turnLimit: 256 }

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

type ResultOf<Command extends WalletCommand> = Extract<WalletResult, { type: Command['type'] }>

/** The wallet actors, created on first use and dropped when idle. */
export class WalletDirectory {
  private readonly actors = new Map<string, WalletActor>()
  private waitingCount = 0
  private idleWaiters: (() => void)[] = []

  constructor(
    private readonly store: DirectoryPorts,
    private readonly bounds: DirectoryBounds = DEFAULT_BOUNDS,
  ) {
    if (bounds.turnLimit > bounds.mailboxCapacity || bounds.mailboxCapacity > bounds.totalCapacity) {
      throw new Error('a turn must fit into a mailbox, and a mailbox into the directory')
    }
  }

  /** Number of actors. */
  get size(): number {
    return this.actors.size
  }

  /** Number of commands that wait or run. */
  get depth(): number {
    return this.waitingCount
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
    const result = this.submit(request.walletIds, command)
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
    const walletIds = new Set(request.options.flatMap((option) => option.walletIds))
    const result = this.submit([...walletIds], command)
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
    const result = await this.submit(own.length === 0 ? [`,order ${orderId}`] : own, command)
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
    const result = await this.submit(own.length === 0 ? [`,invoice ${invoiceId}`] : own, command)
    return result === null ? refuse('overloaded') : result.outcome
  }

  /**
   * Records deposits in order, each in a turn of the wallet that received it. Each has its own result; it is rejected
   * with `MailboxFull` if that mailbox is full.
   */
  async recordDeposits(
    deposits: readonly Omit<DepositCommand, 'type'>[],
  ): Promise<readonly PromiseSettledResult<DepositResult>[]> {
    const keys = await this.keysOf(deposits.map(({ fact }) => fact.sighting))
    const results = deposits.map((deposit, i) => {
      const result = this.submit([keys[i] ?? ''], { type: 'deposit', ...deposit })
      return result ?? Promise.reject(new MailboxFull())
    })
    return Promise.allSettled(results)
  }

  /**
   * Applies a step of a network's watcher in one turn of all wallets whose deposits it concerns. Rejects with
   * `MailboxFull` if one of their mailboxes is full, and with `TrialPassed` when it is a trial that passes.
   */
  async takeChainStep(step: ChainStep, terms: Pick<ChainCommand, 'aside' | 'isTrial'> = {}): Promise<ChainResult> {
    const { network } = step
    const addresses = await this.store.chain.addressesOf(step)
    const wallets = await this.keysOf(addresses.map((toAddress) => ({ network, toAddress })))
    const result = await this.submit([`,chain ${network}`, ...new Set(wallets)], { type: 'chain', step, ...terms })
    if (result === null) throw new MailboxFull()
    return result
  }

  /** The deposits that a step concerns now. */
  async depositsOf(step: ChainStep): Promise<readonly NameInNetwork[]> {
    return this.store.chain.depositsOf(step)
  }

  /** Resolves when no command waits or runs. */
  idle(): Promise<void> {
    if (this.waitingCount === 0) return Promise.resolve()
    return new Promise((resolve) => this.idleWaiters.push(resolve))
  }

  /**
   * The mailbox of each deposit: that of the wallet at its address, or of the address itself while its wallet is
   * unknown. Each address is looked up once; if its wallet became known between two look-ups, deposits to it could
   * change places.
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

  /**
   * Returns null if a mailbox is full. Enters all mailboxes in this one call, so that all have commands in the same
   * order. The mailbox of a wallet has the wallet's id as its key, which has no comma (`flawOfWalletId`). Other keys begin
   * with a comma and their kind, so that no id or address chosen by a client is the key of another kind's mailbox.
   */
  private submit<Command extends WalletCommand>(
    keys: readonly string[],
    command: Command,
  ): Promise<ResultOf<Command>> | null {
    if (this.waitingCount >= this.bounds.totalCapacity) return null
    for (const key of keys) {
      if (this.actors.get(key)?.mailbox.isFull === true) return null
    }
    return new Promise((resolve, reject) => {
      const actors = keys.map((key) => this.actor(key))
      // `take` checks that the result is of the command's type.
      const envelope = { command, actors, resolve: resolve as Envelope['resolve'], reject }
      for (const actor of actors) actor.mailbox.push(envelope)
      this.waitingCount += 1
      const [first] = actors
      if (first !== undefined) this.tryTurn(first)
    })
  }

  private actor(key: string): WalletActor {
    const known = this.actors.get(key)
    if (known !== undefined) return known
    const actor = new WalletActor(key, this.bounds.mailboxCapacity)
    this.actors.set(key, actor)
    return actor
  }

  private tryTurn(actor: WalletActor): void {
    const turn = Turn.begin(actor, this.bounds.turnLimit)
    if (turn !== null) void this.take(turn)
  }

  /** Runs a turn. Every command of it is answered, even if the store throws, and the actors continue. */
  private async take(turn: Turn): Promise<void> {
    try {
      const fates = await this.store.commands.perform(turn.batch.map((envelope) => envelope.command))
      if (fates.length !== turn.batch.length) throw new Error('the store answered another number of commands')
      for (const [i, envelope] of turn.batch.entries()) {
        const fate = fates[i]
        if (fate?.status !== 'fulfilled') envelope.reject(fate?.reason)
        else if (fate.value.type === envelope.command.type) envelope.resolve(fate.value)
        else
          envelope.reject(new Error(`a command of type ${envelope.command.type} was answered as a ${fate.value.type}`))
      }
    } catch (error) {
      for (const envelope of turn.batch) envelope.reject(error)
    }
    this.waitingCount -= turn.batch.length
    turn.end()
    for (const actor of turn.actors) {
      this.tryTurn(actor)
      if (actor.isIdle) this.actors.delete(actor.key)
    }
    if (this.waitingCount === 0) for (const wake of this.idleWaiters.splice(0)) wake()
  }
}
