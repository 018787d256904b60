import { createHash } from 'node:crypto'
import type { Intake } from '../../src/actors/intake.js'
import type { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { ApiKeyRegistration } from '../../src/domain/api-key.js'
import type { ChainStep } from '../../src/domain/block.js'
import type { IdempotentRequest } from '../../src/domain/idempotency.js'
import { type InvoiceRequest, parseInvoiceRequest, SPECIFIED_TERMS } from '../../src/domain/invoice.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../src/domain/order-fields.js'
import type { OnOwed } from '../../src/store/changes.js'
import type { Store } from '../../src/store/store.js'
import { CATALOGUE_NETWORKS } from '../support/catalogue.js'
import type { ChainMoves } from './chain-moves.js'
import type { Facts } from './facts.js'
import { depositAtoms } from './model/amounts.js'
import { ModelInvoices, type ModelRequest } from './model/invoices.js'
import { type Model, RATE_TERMS } from './model/model.js'
import { callbackUrl, orderNumberOf, ownerName, publicKey, walletName } from './names.js'
import type { ScriptNetworks } from './networks.js'
import type { OpenCommands, OpenEvents, OpenInvoice, OpenOrder, OpenStep } from './open-commands.js'
import { type AskedOrder, OrderCommands } from './order-commands.js'
import { POISON, REPLACED, UNAVAILABLE, withoutErrors } from './referee.js'
import type { CoreStep, EventStep, InvoiceStep, OrderStep, Profile } from './steps.js'
import { expectEqual, violate } from './violation.js'

const LABEL = 'a label'
const NOT_A_URL = 'ftp://receiver.test/'
const TERMS = { ...SPECIFIED_TERMS, currencies: CATALOGUE_NETWORKS.currencies }

export type CommandStep = Extract<
  CoreStep,
  {
    do:
      | 'invoice'
      | 'void'
      | 'accept'
      | 'order'
      | 'void-order'
      | 'accept-order'
      | 'rates'
      | 'events'
      | 'chain'
      | 'retry'
      | 'register'
      | 'revoke'
      | 'claim'
      | 'identity'
      | 'webhook'
      | 'pump'
      | 'rotate'
      | 'redeliver'
  }
>

export interface CommandParts {
  readonly model: Model
  readonly open: OpenCommands
  readonly profile: Profile
  readonly networks: ScriptNetworks
  /** What is charged on top of rates, in hundredths of a percent. */
  readonly spread: number
  readonly now: () => number
  /** What the HTTP routes use. */
  readonly store: Store
  readonly directory: WalletDirectory
  readonly intake: Intake
  /** Says that deliveries became due by a command of this process. */
  readonly notify: OnOwed
  /** Whether the store may refuse a read, too. */
  readonly mayReadsFail: boolean
  readonly trace: (line: string) => void
  readonly report: (error: unknown) => void
  readonly facts: Facts
  readonly moves: ChainMoves
}

/** Clients and the gateway: gives commands to the core, and compares the answers with what the store was seen to do. */
export class Commands {
  private count = 0
  private readonly orders: OrderCommands

  constructor(private readonly parts: CommandParts) {
    this.orders = new OrderCommands(parts)
  }

  give(step: CommandStep): void {
    const { model, store } = this.parts
    switch (step.do) {
      case 'invoice':
        return this.invoice(step)
      case 'void':
      case 'accept': {
        const invoice = model.invoices.at(step.pick % (model.invoices.count + 1))
        const owner = step.isOwn ? (invoice?.owner ?? ownerName(0)) : 'a stranger'
        return this.end(step.do, invoice?.id ?? '0'.repeat(32), owner)
      }
      case 'order':
        return this.order(step)
      case 'void-order':
      case 'accept-order': {
        const order = model.orders.recent(step.pick % (model.orders.count + 1))
        const owner = step.isOwn ? (order?.owner ?? ownerName(0)) : 'a stranger'
        return this.endOrder(step.do, order?.id ?? '0'.repeat(32), owner)
      }
      case 'rates':
        return this.wait(store.rates.take(this.orders.ratesOf(step), RATE_TERMS))
      case 'events':
        return this.events(step.events)
      case 'chain':
        return this.chain(step)
      case 'retry':
        return this.retry(step)
      case 'register': {
        const bytes = publicKey(step.key)
        const registration: ApiKeyRegistration = {
          owner: ownerName(step.owner),
          label: LABEL,
          publicKeyText: `0x${bytes.toString('hex')}`,
          publicKey: bytes,
          permissions: step.permissions,
          ttlDays: step.ttlDays,
        }
        return this.wait(store.keys.register(registration))
      }
      case 'revoke': {
        const keys = model.keys.all()
        const key = keys[step.pick % (keys.length + 1)]
        const owner = step.owner === null ? (key?.owner ?? ownerName(0)) : ownerName(step.owner)
        return this.wait(store.keys.revoke(key?.id ?? '0'.repeat(16), owner))
      }
      case 'claim':
        return this.wait(store.wallets.claim(step.network, step.leaseMs))
      case 'identity':
        return this.wait(store.identities.remember(ownerName(step.owner)))
      case 'webhook': {
        const owner = ownerName(step.owner)
        if (step.receiver === null) return this.wait(store.webhooks.delete(owner))
        return this.wait(store.webhooks.put(owner, callbackUrl(step.receiver), step.payload))
      }
      case 'pump': {
        const queueing = store.eventOutbox.queueNext(ownerName(step.owner), step.limit)
        return this.wait(queueing.then(({ owed }) => this.parts.notify(owed)))
      }
      case 'rotate':
        return this.wait(store.webhooks.rotate(ownerName(step.owner), step.overlapMs))
      case 'redeliver': {
        const delivery = model.outbox.at(step.pick % (model.outbox.count + 1))
        const owner = step.isOwn ? (delivery?.record.owner ?? ownerName(0)) : 'a stranger'
        const redelivery = store.outbox.redeliver(owner, delivery?.record.id ?? '0'.repeat(32))
        return this.wait(
          redelivery.then((queued) => {
            if (queued.ok) this.parts.notify([queued.value.owed])
          }),
        )
      }
    }
  }

  private invoice(step: InvoiceStep): void {
    const { open, directory } = this.parts
    const callback = this.callbackOf(step)
    const request: ModelRequest = {
      owner: ownerName(step.owner),
      walletIds: step.wallets.map(walletName),
      name: 'Order',
      description: null,
      reference: step.reference === null ? null : `reference-${step.reference}`,
      amountText: this.parts.facts.amountText(step.amount),
      currency: step.currency,
      callbackUrl: callback,
      isCallbackValid: callback !== NOT_A_URL,
      order: orderOf(step),
      expiresInSeconds: step.expiresInSeconds,
    }
    const body = {
      walletIds: request.walletIds,
      name: request.name,
      amount: request.amountText,
      currency: request.currency,
      reference: request.reference,
      callbackUrl: request.callbackUrl,
      ...request.order,
      expiresInSeconds: request.expiresInSeconds,
    }
    const wanted = parseInvoiceRequest(body, request.owner, TERMS)
    expectEqual(
      'the shape of an invoice',
      wanted.ok ? null : wanted.failure.code,
      ModelInvoices.shapeRefusal(request),
      body,
    )
    if (!wanted.ok) return
    const bodyText = JSON.stringify(body)
    const scope = `${request.owner} ${step.idempotencyKey}`
    const idempotency = step.idempotencyKey === null ? null : { scope, body: bodyText }
    const idempotent = idempotency === null ? undefined : { scope: sha256(scope), bodyHash: sha256(bodyText) }
    // With a key the store throws when all else is written, without one when it begins to write.
    const parsed = step.isPoison && idempotent === undefined ? poisoned(wanted.value) : wanted.value
    const no = this.nextNo()
    const one: OpenInvoice = {
      no,
      turn: no,
      peak: open.load,
      request,
      idempotency,
      isPoison: step.isPoison,
      fate: null,
    }
    open.beginInvoice(parsed, one)
    const key = step.isPoison && idempotent !== undefined ? poisonedKey(idempotent) : idempotent
    this.watch(
      directory.createInvoice(parsed, key === undefined ? {} : { idempotency: key }).then(
        (answer) => {
          this.parts.trace(
            `answer ${one.no} ${answer.outcome.ok ? answer.outcome.value.id : answer.outcome.failure.code}`,
          )
          open.endInvoice(parsed, one)
          if (one.fate === null) this.expectOverload(one.peak, answer.outcome.ok ? answer : answer.outcome.failure.code)
          else expectEqual('the answer to a request', answer, one.fate.status === 'fulfilled' ? one.fate.value : POISON)
        },
        (error: unknown) => {
          open.endInvoice(parsed, one)
          const reason = one.fate?.status === 'rejected' ? one.fate.reason : null
          if (!(error instanceof Error) || error.name !== reason) violate('a request failed', error)
        },
      ),
    )
  }

  private order(step: OrderStep): void {
    const { open } = this.parts
    const callback = this.callbackOf(step)
    const asked = this.orders.asked(step, callback, callback !== NOT_A_URL)
    if (asked === null) return
    const scope = `${asked.request.owner} order ${step.idempotencyKey}`
    const idempotency = step.idempotencyKey === null ? null : { scope, body: JSON.stringify(asked.body) }
    const command = { no: this.nextNo() }
    open.begin(command)
    const answer = this.createOrder(asked, idempotency).finally(() => open.end(command))
    this.watch(
      answer.catch((error: unknown) => {
        // A read that it begins with was refused.
        if (!this.isRefused(error instanceof Error ? error.name : '', false)) throw error
      }),
    )
  }

  private async createOrder(asked: AskedOrder, idempotency: OpenOrder['idempotency']): Promise<void> {
    const { open, directory } = this.parts
    const priced = await this.orders.priced(asked)
    if (priced === null) return
    const { command, ...rest } = priced
    const no = this.nextNo()
    const one: OpenOrder = { ...rest, no, turn: no, peak: open.load, idempotency, fate: null }
    open.beginOrder(command.request, one)
    const terms =
      idempotency === null
        ? {}
        : { idempotency: { scope: sha256(idempotency.scope), bodyHash: sha256(idempotency.body) } }
    const [told] = await Promise.allSettled([directory.createOrder({ ...command, terms })])
    open.endOrder(command.request, one)
    if (told.status === 'rejected') {
      const reason = one.fate?.status === 'rejected' ? one.fate.reason : null
      if (!(told.reason instanceof Error) || told.reason.name !== reason) violate('a request failed', told.reason)
      return
    }
    const { outcome } = told.value
    const code = outcome.ok ? null : outcome.failure.code
    this.parts.trace(`answer ${no} ${outcome.ok ? outcome.value.order.id : code}`)
    if (one.fate === null) this.expectOverload(one.peak, code ?? told.value)
    else expectEqual('the answer to a request', told.value, one.fate.status === 'fulfilled' ? one.fate.value : null)
  }

  /** The referee compares what the store answers. */
  private endOrder(how: 'void-order' | 'accept-order', id: string, owner: string): void {
    const command = { no: this.nextNo() }
    this.parts.open.beginVoid(command)
    const { directory } = this.parts
    const answer = how === 'void-order' ? directory.voidOrder(id, owner) : directory.acceptOrder(id, owner)
    this.watch(this.untilTold(answer, () => this.parts.open.endVoid(command)))
  }

  /** The referee compares what the store answers. */
  private end(how: 'void' | 'accept', id: string, owner: string): void {
    const command = { no: this.nextNo() }
    this.parts.open.beginVoid(command)
    const { directory } = this.parts
    const answer = how === 'void' ? directory.voidInvoice(id, owner) : directory.acceptInvoice(id, owner)
    this.watch(this.untilTold(answer, () => this.parts.open.endVoid(command)))
  }

  private events(steps: readonly EventStep[]): void {
    const { model, open, intake, facts } = this.parts
    const events = facts.eventsOf(steps)
    if (events.length === 0) return
    const one: OpenEvents = {
      no: this.nextNo(),
      facts: events.map(({ fact }) => fact),
      walletIds: events.map(({ fact }) =>
        fact.type === 'deposit' ? (model.wallets.at(fact.sighting.network, fact.sighting.toAddress)?.id ?? null) : null,
      ),
      statuses: events.map(() => null),
      peak: 0,
    }
    open.beginEvents(one)
    this.watch(
      intake.apply(events).then(
        (outcomes) => {
          this.parts.trace(`answer ${one.no} ${outcomes.map(({ status }) => status).join()}`)
          open.endEvents(one)
          expectEqual(
            'the answer to events',
            outcomes.map(({ status }) => status),
            one.statuses,
            one.facts,
          )
        },
        (error: unknown) => {
          open.endEvents(one)
          const name = error instanceof Error ? error.name : ''
          if (this.isRefused(name, one.statuses.includes('unavailable'))) return
          if (name !== 'MailboxFull') violate('events failed', error)
          this.expectOverload(one.peak, name)
        },
      ),
    )
  }

  private chain({ network, move }: Extract<CommandStep, { do: 'chain' }>): void {
    const { open, moves } = this.parts
    if (open.isWatching({ network })) return
    this.observe(moves.stepOf(network, move))
  }

  /** As the service does it: in the order of the chain. */
  private retry({ network }: Extract<CommandStep, { do: 'retry' }>): void {
    const { open, store } = this.parts
    const read = async () => {
      const all = await store.aside.deposits()
      const deposits = all.filter(({ sighting }) => sighting.network === network)
      deposits.sort((one, other) => one.since - other.since || (one.height ?? 0) - (other.height ?? 0))
      if (deposits.length > 0 && !open.isWatching({ network })) this.observe({ type: 'retry', network, deposits })
    }
    // A watcher ends its look before the service stops.
    open.begin(read)
    this.watch(
      read()
        .catch((error: unknown) => {
          if (!this.isRefused(error instanceof Error ? error.name : '', false)) throw error
        })
        .finally(() => open.end(read)),
    )
  }

  private observe(step: ChainStep): void {
    const { model, open, intake } = this.parts
    const { network } = step
    const transfers =
      step.type === 'append' || step.type === 'confirm' ? step.blocks.flatMap((one) => one.transfers) : []
    const retried = step.type === 'retry' ? step.deposits.map(({ sighting }) => sighting) : []
    const recordable = [...transfers, ...retried].filter(
      ({ currency, amount }) => depositAtoms(network, currency, amount) !== null,
    )
    const wallets = recordable.map(({ toAddress }) => model.wallets.at(network, toAddress)?.id)
    const walletIds = [...new Set(wallets.filter((id) => id !== undefined))]
    const one: OpenStep = { no: this.nextNo(), step, walletIds, outcome: null, peak: 0 }
    open.beginStep(one)
    this.watch(
      intake.observe(step).then(
        (outcome) => {
          this.parts.trace(`answer ${one.no} ${outcome.status}`)
          open.endStep(one)
          expectEqual('the answer to a step', withoutErrors(outcome), one.outcome, step)
        },
        (error: unknown) => {
          open.endStep(one)
          const name = error instanceof Error ? error.name : ''
          if (this.isRefused(name, one.outcome === 'unavailable')) return
          if (name !== 'MailboxFull') violate('a step failed', error)
          this.expectOverload(one.peak, name)
        },
      ),
    )
  }

  private callbackOf({ callback, owner }: Pick<InvoiceStep, 'callback' | 'owner'>): string | null {
    switch (callback) {
      case 'none':
        return null
      case 'own':
        return callbackUrl(owner)
      case 'other':
        return callbackUrl(owner + 1)
      case 'invalid':
        return NOT_A_URL
    }
  }

  /** Whether an error says that the store refused a command, or a read that it begins with. */
  private isRefused(name: string, isCommand: boolean): boolean {
    return (name === UNAVAILABLE || name === REPLACED) && (isCommand || this.parts.mayReadsFail)
  }

  /** A refusal for want of room is right only when there were as many commands as the smallest bound. */
  private expectOverload(load: number, answer: unknown): void {
    const { mailboxCapacity, totalCapacity } = this.parts.profile
    const isFull = load >= Math.min(mailboxCapacity, totalCapacity)
    if (!isFull || (answer !== 'overloaded' && answer !== 'MailboxFull')) violate('an answer without a turn', answer)
  }

  /** Of a call whose answer the referee compares: here only that it comes. */
  private wait(answer: Promise<unknown>): void {
    const command = { no: this.nextNo() }
    this.parts.open.begin(command)
    this.watch(this.untilTold(answer, () => this.parts.open.end(command)))
  }

  private async untilTold(answer: Promise<unknown>, end: () => void): Promise<void> {
    try {
      await answer
    } catch (error) {
      // Only a refusal of the scheduler's: one of the store's own is a violation when it is performed.
      if (!(error instanceof Error) || error.name !== UNAVAILABLE) violate('a call failed', error)
    } finally {
      end()
    }
  }

  private watch(answer: Promise<unknown>): void {
    answer.catch((error: unknown) => this.parts.report(error))
  }

  private nextNo(): number {
    this.count += 1
    return this.count
  }
}

/** The store reads the name only when it writes the invoice. */
function poisoned(request: InvoiceRequest): InvoiceRequest {
  return {
    ...request,
    get name(): string {
      return throwPoison()
    },
  }
}

/** The store reads the hash of the body when the new invoice is written, or to compare it with an earlier one's. */
function poisonedKey(key: IdempotentRequest): IdempotentRequest {
  return {
    scope: key.scope,
    get bodyHash(): Uint8Array {
      return throwPoison()
    },
  }
}

function throwPoison(): never {
  const error = new Error('a poisoned request')
  error.name = POISON
  throw error
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Some invoices say of which order they are, several of the same; it follows from the step, so that seeds keep their histories. */
function orderOf({ reference, owner }: InvoiceStep): OrderFields {
  if (reference === null || reference % 3 !== 0) return NO_ORDER_FIELDS
  const orderNumber = orderNumberOf(reference)
  return { returnUrl: reference % 2 === 0 ? callbackUrl(owner) : null, orderNumber, metadata: { step: `${reference}` } }
}
