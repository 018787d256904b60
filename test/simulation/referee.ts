import type { ChainOutcome } from '../../src/domain/block.js'
import type { Network } from '../../src/domain/network.js'
import {
  type InvoiceCommand,
  type InvoiceResult,
  Unsettled,
  type WalletCommand,
  type WalletResult,
} from '../../src/store/commands.js'
import { FateUnknown } from '../../src/store/postgres/connection/errors.js'
import type { Model } from './model/model.js'
import type { ModelOwed } from './model/outbox.js'
import type { OpenCommands, OpenEvents, OpenInvoice } from './open-commands.js'
import type { RefereeOfDeliveries } from './referee-of-deliveries.js'
import { RefereeOfOrders } from './referee-of-orders.js'
import type { AnsweredCall, CallObserver, Judgement, StoreCall } from './scheduler.js'
import { expectEqual, show, violate } from './violation.js'

const ID = /^[0-9a-f]{32}$/
const KEY_ID = /^[0-9a-f]{16}$/
const SECRET = /^[0-9a-f]{64}$/
const TIME_DIGITS = 12
const TIME_MAX = 2 ** 48 - 1

/** The name of the error that a poisoned request throws in the store, and of the one that a full disk causes. */
export const POISON = 'Poison'
export const UNAVAILABLE = 'StorageUnavailable'
/** The name of the error that says that another process leads. */
export const REPLACED = 'Replaced'

/** What the referee needs of the world. */
export interface RefereeParts {
  /** Names the life of the process. */
  readonly life: number
  readonly model: Model
  readonly open: OpenCommands
  readonly deliveries: RefereeOfDeliveries
  readonly now: () => number
  /** A line for the digest of the run. */
  readonly trace: (line: string) => void
  /** Told of what has changed, to be compared at the end of the step. */
  readonly touched: (what: Touched) => void
}

export type Touched =
  | { readonly what: 'invoice' | 'order' | 'wallet' | 'delivery' | 'webhook' | 'keys'; readonly id: string }
  | { readonly what: 'deposit'; readonly network: Network; readonly txHash: string; readonly index: number }
  | { readonly what: 'chain'; readonly network: Network }

/**
 * Judges every call of the store: performs it on the model, in an order in which the store may have performed it, and compares
 * the answers. One referee lasts for one life of the process.
 */
export class Referee implements CallObserver {
  /** Wallets in a turn that the store has not answered. */
  private readonly busy = new Set<string>()
  /** Number of the last command performed on a wallet. */
  private readonly lastOf = new Map<string, number>()
  /** Numbers given to commands as they enter their mailboxes. */
  private entered = 0
  private readonly orders: RefereeOfOrders

  constructor(private readonly parts: RefereeParts) {
    this.orders = new RefereeOfOrders(parts, (id) => this.noteId(id))
  }

  requested(call: StoreCall): void {
    this.parts.trace(`ask ${call.method}`)
    if (call.method !== 'commands.perform') return
    const wallets = this.walletsOf(call.args[0])
    for (const id of wallets) {
      if (this.busy.has(id)) violate('two turns of a wallet at once', id)
    }
    for (const id of wallets) this.busy.add(id)
  }

  performed(call: StoreCall, fate: PromiseSettledResult<unknown>): readonly Judgement[] {
    this.parts.trace(`did ${call.method} ${show(fate)}`)
    this.parts.model.notice(this.parts.now())
    if (fate.status === 'rejected') return this.rejected(call, fate.reason)
    // The store answered this very call, so the value is of its method.
    const answered = { ...call, value: fate.value } as AnsweredCall
    if (answered.method === 'commands.perform') return this.judgementsOfTurn(answered.args[0], answered.value)
    if (answered.method === 'ledger.applyFacts') return this.judgementsOfFacts(answered.args[0], answered.value)
    return [() => this.judge(answered)]
  }

  failed(call: StoreCall): void {
    this.parts.trace(`refused ${call.method}`)
    if (call.method === 'ledger.applyFacts') for (const { fact } of call.args[0]) this.inOrder(fact, 'unavailable')
    if (call.method !== 'commands.perform') return
    for (const command of call.args[0]) this.unavailable(command)
  }

  delivered(call: StoreCall, fate: PromiseSettledResult<unknown>): void {
    if (call.method === 'commands.perform') for (const id of this.walletsOf(call.args[0])) this.busy.delete(id)
    if (fate.status === 'fulfilled' && fate.value === null) this.enters(call)
    if (call.method === 'outbox.markAttempted') this.parts.deliveries.heard(call.args[0], fate)
  }

  /** A request enters its mailboxes when a look has found nothing against it. */
  private enters(call: StoreCall): void {
    const { open } = this.parts
    if (call.method === 'commands.answerWithoutTurn') open.invoice(call.args[0].request).turn = this.entered
    else if (call.method === 'commands.answerOrderWithoutTurn') open.order(call.args[0].request).turn = this.entered
    else return
    this.entered += 1
  }

  /** Nothing of a call has happened: the store was not to be reached, or another process leads. */
  private rejected(call: StoreCall, reason: unknown): readonly Judgement[] {
    const isPoison = reason instanceof Error && reason.name === POISON
    if (call.method === 'commands.answerWithoutTurn') {
      const open = this.parts.open.invoice(call.args[0].request)
      if (isPoison && !open.isPoison) violate('a look at a request failed', open.request)
      if (isPoison || isRefusal(reason)) open.fate = { status: 'rejected', reason: isPoison ? POISON : UNAVAILABLE }
    }
    if (call.method === 'commands.answerOrderWithoutTurn' && isRefusal(reason)) {
      this.parts.open.order(call.args[0].request).fate = { status: 'rejected', reason: UNAVAILABLE }
    }
    if (!isPoison && !isRefusal(reason)) violate('a call of the store failed', [call.method, reason])
    return []
  }

  /** A command was refused, or is poisoned, and has not happened. */
  private unavailable(command: WalletCommand): void {
    const { open } = this.parts
    if (command.type === 'deposit') this.inOrder(command.fact, 'unavailable')
    else if (command.type === 'chain') open.step(command.step).outcome = 'unavailable'
    else if (command.type === 'invoice') {
      const one = open.invoice(command.request)
      this.inTurn(one, one.request.walletIds)
      one.fate = { status: 'rejected', reason: UNAVAILABLE }
    } else if (command.type === 'order') {
      const one = open.order(command.request)
      this.inTurn(one, one.walletIds)
      one.fate = { status: 'rejected', reason: UNAVAILABLE }
    }
  }

  private judge(call: AnsweredCall): void {
    const { model, deliveries } = this.parts
    const now = this.parts.now()
    switch (call.method) {
      case 'commands.answerWithoutTurn':
        return this.judgeWithoutTurn(call.args[0], call.value)
      case 'commands.answerOrderWithoutTurn':
        return this.orders.judgeWithoutTurn(call.args[0], call.value)
      case 'orders.findWithOptions':
        return this.orders.judgeRead(call.args[0], call.value)
      case 'rates.current':
        return this.orders.judgeRates(call.value)
      case 'rates.take':
        return this.orders.judgeSet(call.args[0], call.value)
      case 'keys.register': {
        const [registration] = call.args
        const expected = model.keys.judge(registration, now)
        if (!call.value.ok || typeof expected === 'string') {
          expectEqual('a registration', call.value.ok || call.value.failure.code, expected, registration.label)
          return
        }
        const { id, ...rest } = call.value.value
        expectEqual('a registered key', rest, expected)
        if (!KEY_ID.test(id) || model.keys.all().some((key) => key.id === id)) violate('the id of a key', id)
        model.keys.add(registration.publicKey, call.value.value)
        return this.parts.touched({ what: 'keys', id: registration.owner })
      }
      case 'keys.revoke': {
        const [id, owner] = call.args
        const expected = model.keys.revoke(id, owner, now)
        expectEqual('a revocation', call.value.ok ? call.value.value : call.value.failure.code, expected, call.args)
        return
      }
      case 'wallets.claim': {
        const [network, leaseMs] = call.args
        const free = model.wallets.claimable(network, now)
        const id = call.value?.id ?? null
        if (id === null ? free.length > 0 : !free.includes(id)) violate('a claim', [network, id, free])
        if (call.value === null) return
        expectEqual('the address of a claim', call.value.address, model.wallets.find(call.value.id)?.address)
        return model.wallets.lease(call.value.id, Math.min(now + leaseMs, TIME_MAX))
      }
      case 'identities.remember':
        return model.wallets.rememberIdentity(...call.args)
      case 'webhooks.put': {
        const [owner, url, payload] = call.args
        this.checkSecret(owner, call.value.secret)
        model.outbox.put(owner, url, payload, call.value.secret ?? '', now)
        expectEqual('a webhook configuration', call.value, model.outbox.configuration(owner))
        return this.parts.touched({ what: 'webhook', id: owner })
      }
      case 'eventOutbox.queueNext': {
        if (call.value.lost !== null) violate('events that were lost', call.value.lost)
        for (const { id, lane } of call.value.owed) {
          this.noteDeliveryId(id)
          deliveries.enterEvent(id, lane, call.args[0])
          this.parts.touched({ what: 'delivery', id })
        }
        if (!call.value.isMore) model.outbox.allQueued(call.args[0])
        return
      }
      case 'webhooks.rotate': {
        const [owner, overlapMs] = call.args
        const { secret } = call.value
        if (secret === null || !SECRET.test(secret)) violate('a secret', secret)
        this.parts.deliveries.noteSecret(owner, secret)
        model.outbox.rotate(owner, secret, overlapMs, now)
        expectEqual('a webhook configuration', call.value, model.outbox.configuration(owner))
        return this.parts.touched({ what: 'webhook', id: owner })
      }
      case 'webhooks.secrets': {
        const [owner] = call.args
        const { current, previous } = call.value
        this.checkSecret(owner, current)
        if (model.outbox.configuration(owner).secret === null) model.outbox.put(owner, null, undefined, current, now)
        const signing = previous === null ? [current] : [previous, current]
        expectEqual('the secrets that sign', signing, model.outbox.signing(owner, now))
        return this.parts.touched({ what: 'webhook', id: owner })
      }
      case 'webhooks.delete':
        expectEqual('a removed webhook configuration', call.value, model.outbox.remove(...call.args))
        return this.parts.touched({ what: 'webhook', id: call.args[0] })
      case 'chain.addressesOf': {
        const expected = [...model.chains.addressesOf(...call.args)].sort()
        return expectEqual('the addresses of a step', [...call.value].sort(), expected, call.args)
      }
      case 'aside.deposits': {
        const told = call.value.map(({ sighting: { network, txHash, index }, report, height }) => {
          return `${network} ${index} ${txHash} ${report} ${height}`
        })
        return expectEqual('what waits', told.sort(), model.chains.waiting())
      }
      case 'invoices.find':
        return expectEqual('an invoice', call.value, model.invoices.find(...call.args), call.args)
      case 'wallets.find':
        return expectEqual('a wallet', call.value, model.wallets.find(...call.args), call.args)
      case 'wallets.at':
        return expectEqual('the wallet at an address', call.value, model.wallets.at(...call.args), call.args)
      default:
        return deliveries.judge(call, this.parts.life)
    }
  }

  private judgementsOfFacts(
    events: Extract<AnsweredCall, { method: 'ledger.applyFacts' }>['args'][0],
    fates: Extract<AnsweredCall, { method: 'ledger.applyFacts' }>['value'],
  ): readonly Judgement[] {
    expectEqual('answers of facts', fates.length, events.length)
    const { model } = this.parts
    return events.flatMap(({ eventId, fact }, i) => {
      const fate = fates[i] ?? violate('answers of facts', events)
      if (fate.status === 'rejected') {
        if (!isRefusal(fate.reason)) violate('a fact of the ledger', [fact, fate])
        this.inOrder(fact, 'unavailable')
        return []
      }
      const { status } = fate.value
      this.inOrder(fact, status)
      return () => {
        expectEqual('a fact of the ledger', status, model.applyLedgerFact(eventId, fact, this.parts.now()), fact)
        if (fact.type === 'wallet.created' || fact.type === 'wallet.assigned') {
          this.parts.touched({ what: 'wallet', id: fact.id })
        }
      }
    })
  }

  /** Made the first time only, and then nobody else's. */
  private checkSecret(owner: string, secret: string | null): void {
    const known = this.parts.model.outbox.configuration(owner).secret
    if (secret === null || !SECRET.test(secret)) violate('a secret', secret)
    if (known === null) this.parts.deliveries.noteSecret(owner, secret)
    else expectEqual('a secret that was there', secret, known)
  }

  private judgementsOfTurn(
    batch: readonly WalletCommand[],
    fates: readonly PromiseSettledResult<WalletResult>[],
  ): readonly Judgement[] {
    expectEqual('answers of a turn', fates.length, batch.length)
    return batch.flatMap((command, i) => {
      const fate = fates[i] ?? violate('answers of a turn', batch)
      if (fate.status === 'rejected' && isRefusal(fate.reason)) {
        this.unavailable(command)
        return []
      }
      this.answered(command, fate)
      return () => {
        // What a command decided is undone with it when it fails.
        if (fate.status === 'fulfilled') this.parts.model.invoices.expire(this.parts.now())
        if (command.type === 'deposit') this.judgeDeposit(command, fate)
        else if (command.type === 'chain') this.judgeStep(command, fate)
        else if (command.type === 'void' || command.type === 'accept') this.judgeEnd(command, fate)
        else if (command.type === 'invoice') this.judgeInvoice(this.parts.open.invoice(command.request), fate)
        else if (command.type === 'order') this.orders.judgeOrder(this.parts.open.order(command.request), fate)
        else this.orders.judgeEnd(command, fate)
      }
    })
  }

  /** Notes for its maker how a command was answered. */
  private answered(command: WalletCommand, fate: PromiseSettledResult<WalletResult>): void {
    const result = fate.status === 'fulfilled' ? fate.value : null
    if (command.type === 'deposit' && result?.type === 'deposit') this.inOrder(command.fact, result.outcome.status)
    if (command.type === 'chain' && result?.type === 'chain') {
      this.parts.open.step(command.step).outcome = withoutErrors(result.outcome)
    }
    if (command.type === 'order') {
      if (result?.type !== 'order') return violate('an order', [command.request, fate])
      const open = this.parts.open.order(command.request)
      this.inTurn(open, open.walletIds)
      open.fate = { status: 'fulfilled', value: result }
    }
    if (command.type !== 'invoice') return
    if (result !== null && result.type !== 'invoice') violate('an invoice', [command.request, fate])
    const told = result === null ? ({ status: 'rejected', reason: POISON } as const) : null
    const open = this.parts.open.invoice(command.request)
    this.inTurn(open, open.request.walletIds)
    open.fate = told ?? { status: 'fulfilled', value: result as InvoiceResult }
  }

  private judgeDeposit(
    command: Extract<WalletCommand, { type: 'deposit' }>,
    fate: PromiseSettledResult<WalletResult>,
  ): void {
    const { eventId, fact } = command
    if (fate.status === 'rejected' || fate.value.type !== 'deposit') violate('a deposit', [fact, fate])
    const { status, owed } = this.parts.model.applyDeposit(eventId, fact, this.parts.now())
    expectEqual('a deposit', fate.value.outcome.status, status, fact)
    this.judgeOwed(fate.value.owed, owed, fact)
    const { network, txHash, index } = fact.sighting
    this.parts.touched({ what: 'deposit', network, txHash, index })
  }

  private judgeEnd(
    { type, invoiceId, owner }: Extract<WalletCommand, { type: 'void' | 'accept' }>,
    fate: PromiseSettledResult<WalletResult>,
  ): void {
    const result = fate.status === 'rejected' ? null : fate.value
    if (result === null || (result.type !== 'void' && result.type !== 'accept') || result.type !== type) {
      violate(`a command to ${type}`, [invoiceId, fate])
    }
    const { outcome } = result
    const expected = this.parts.model.endInvoice(type, invoiceId, owner, this.parts.now())
    expectEqual(`a command to ${type}`, outcome.ok ? outcome.value : outcome.failure.code, expected, invoiceId)
    this.parts.touched({ what: 'invoice', id: invoiceId })
  }

  private judgeStep(
    { step }: Extract<WalletCommand, { type: 'chain' }>,
    fate: PromiseSettledResult<WalletResult>,
  ): void {
    const { model } = this.parts
    // Nothing has happened. It is taken again without some of its deposits.
    if (fate.status === 'rejected' && fate.reason instanceof Unsettled) return
    if (fate.status === 'rejected' || fate.value.type !== 'chain') violate('a step of a chain', [step, fate])
    const told = fate.value.outcome.status === 'applied' ? fate.value.outcome.waiting : []
    const { outcome, owed } = model.chains.take(step, told, (report, sighting) =>
      model.applyDeposit(null, { type: 'deposit', report, sighting }, this.parts.now()),
    )
    expectEqual('a step of a chain', withoutErrors(fate.value.outcome), outcome, step)
    this.judgeOwed(fate.value.owed, owed, step)
    const { network } = step
    this.parts.touched({ what: 'chain', network })
    if (outcome.status === 'refused') return
    for (const { txHash, index } of outcome.reports) this.parts.touched({ what: 'deposit', network, txHash, index })
  }

  private judgeOwed(
    actual: Extract<WalletResult, { type: 'deposit' }>['owed'],
    expected: readonly ModelOwed[],
    about: unknown,
  ): void {
    expectEqual('how many deliveries are owed', actual.length, expected.length, [about, expected])
    for (const [i, one] of expected.entries()) {
      const { id, lane } = actual[i] ?? violate('an owed delivery', one)
      this.noteDeliveryId(id)
      this.parts.deliveries.enter(id, lane, one)
      this.parts.touched({ what: 'delivery', id })
    }
  }

  /** Only a request for wallets that are not its owner's is answered without a turn, and like in a turn. */
  private judgeWithoutTurn({ request: parsed }: InvoiceCommand, answer: InvoiceResult | null): void {
    const open = this.parts.open.invoice(parsed)
    const { owner, walletIds } = open.request
    const isOwned = walletIds.every((id) => this.parts.model.wallets.isOwnedBy(id, owner))
    expectEqual('whether a request needs a turn', answer === null, isOwned, open.request)
    if (answer === null) return
    open.fate = { status: 'fulfilled', value: answer }
    this.judgeCreation(open, open.fate)
  }

  private judgeInvoice(open: OpenInvoice, fate: PromiseSettledResult<WalletResult>): void {
    const { request } = open
    if (fate.status === 'rejected' && !open.isPoison) violate('a command failed', [request, fate])
    this.judgeCreation(open, open.fate ?? violate('a command without a fate', request))
  }

  private judgeCreation(open: OpenInvoice, fate: NonNullable<OpenInvoice['fate']>): void {
    const { model } = this.parts
    const now = this.parts.now()
    const { request, idempotency } = open
    const result = fate.status === 'fulfilled' ? fate.value : null
    const code = result === null || result.outcome.ok ? null : result.outcome.failure.code
    if (idempotency !== null) {
      const earlier = model.earlier(idempotency.scope, idempotency.body, now)
      if (earlier.kind !== 'none') {
        // A poisoned key cannot be compared with the earlier one.
        if (open.isPoison && fate.status === 'rejected') return
        if (earlier.kind === 'same') {
          return expectEqual('a replay', result, {
            type: 'invoice',
            outcome: { ok: true, value: model.invoices.find(earlier.id) },
            isReplay: true,
          })
        }
        if (earlier.kind === 'other_body') return expectEqual('another body', code, 'idempotency_key_reused', request)
        if (result?.isReplay === true || code === 'idempotency_key_reused') return
      }
    }
    expectEqual('whether it is a replay', result?.isReplay ?? false, false, request)
    const refusal = model.invoices.refusal(request, now)
    if (refusal !== null || code !== null) return expectEqual('a refusal', code, refusal, request)
    if (open.isPoison) return expectEqual('a poisoned command', fate.status, 'rejected', request)
    if (result === null || !result.outcome.ok) violate('a command failed', [request, fate])
    const { id } = result.outcome.value
    this.noteId(id)
    const expected = model.invoices.create(request, id, now)
    expectEqual('an invoice', result.outcome.value, expected)
    if (idempotency !== null) model.rememberRequest(idempotency.scope, idempotency.body, expected.id, now)
    this.parts.touched({ what: 'invoice', id })
  }

  /** Commands of a wallet are performed in the order in which they were given. */
  private inTurn(
    { turn, request }: { readonly turn: number; readonly request: unknown },
    walletIds: readonly string[],
  ) {
    for (const id of walletIds) {
      if ((this.lastOf.get(id) ?? -1) >= turn) violate('a command overtook an earlier one of its wallet', request)
      this.lastOf.set(id, turn)
    }
  }

  /** Events that came together are applied in their order: deposits to one address, and facts behind everything. */
  private inOrder(
    fact: Parameters<OpenCommands['eventsOf']>[0],
    status: NonNullable<OpenEvents['statuses'][number]>,
  ): void {
    const { open, at } = this.parts.open.eventsOf(fact)
    if (open.statuses[at] !== null) violate('an event was applied twice', fact)
    for (const [i, other] of open.facts.entries()) {
      const isDone = open.statuses[i] !== null
      const isBound =
        fact.type !== 'deposit' || other.type !== 'deposit' || other.sighting.toAddress === fact.sighting.toAddress
      if (i !== at && isBound && isDone !== i < at) violate('events were applied out of order', [other, fact])
    }
    open.statuses[at] = status
  }

  /** Its time is now, or later when the clock was set back: it stays behind what is queued. */
  private noteDeliveryId(id: string): void {
    const timeMs = timeOf(id)
    if (timeMs < this.parts.now()) violate('the time in the id of a delivery', id)
    if (timeMs === this.parts.now()) this.noteId(id)
  }

  /** An id carries its time and is new. That it grows within a millisecond is for the generator's own tests. */
  private noteId(id: string): void {
    const now = this.parts.now()
    expectEqual('the time in an id', timeOf(id), now, id)
    if (!ID.test(id) || this.parts.model.invoices.find(id) !== undefined) violate('an id', id)
  }

  /** The wallets whose turn a batch is, as far as it is certain. */
  private walletsOf(batch: readonly WalletCommand[]): ReadonlySet<string> {
    return new Set(
      batch.flatMap((command) => {
        if (command.type === 'invoice') return command.request.walletIds
        if (command.type === 'order') return this.parts.open.order(command.request).walletIds
        // Of those that were still the owner's when it was given, which may have changed since.
        if (command.type !== 'chain' && command.type !== 'deposit') return []
        if (command.type === 'chain') return this.parts.open.step(command.step).walletIds
        const { open, at } = this.parts.open.eventsOf(command.fact)
        return open.walletIds[at] ?? []
      }),
    )
  }
}

/** Whether an error says that nothing has happened, because the store was not to be reached or another process leads. */
function isRefusal(reason: unknown): boolean {
  if (reason instanceof FateUnknown) violate('a write whose fate stays unknown', reason)
  return reason instanceof Error && (reason.name === UNAVAILABLE || reason.name === REPLACED)
}

/** Words for people are not compared. */
export function withoutErrors(outcome: ChainOutcome): ChainOutcome {
  if (outcome.status === 'refused') return outcome
  const reports = outcome.reports.map((one) => {
    return one.outcome.status === 'rejected' ? { ...one, outcome: { ...one.outcome, error: '' } } : one
  })
  return { ...outcome, reports }
}

/** Unix milliseconds. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, TIME_DIGITS), 16)
}
