import { StorageUnavailable } from '../../src/store/refusals.js'
import type { Store } from '../../src/store/store.js'
import type { Random } from './random.js'
import { Violation } from './violation.js'

/** The ports of the store, without its own life. */
type Ports = Omit<Store, 'probeWrite' | 'commitNothing' | 'readClock' | 'isOpen' | 'close'>

/** A call of a port, such as `invoices.find`, and what it was answered. */
export type AnsweredCall = {
  [P in keyof Ports]: {
    [M in keyof Ports[P] & string]: Ports[P][M] extends (...args: infer Args) => infer Value
      ? { readonly method: `${P}.${M}`; readonly args: Args; readonly value: Awaited<Value> }
      : never
  }[keyof Ports[P] & string]
}[keyof Ports]

type StoreMethod = AnsweredCall['method']

/** A call of a port. */
export type StoreCall = {
  [M in StoreMethod]: Pick<Extract<AnsweredCall, { readonly method: M }>, 'method' | 'args'>
}[StoreMethod]

/** A call that was made and not performed yet. */
export interface PendingCall {
  readonly call: StoreCall
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

interface PerformedCall extends PendingCall {
  readonly fate: PromiseSettledResult<unknown>
}

/** Performs something on the model as the store has performed it, and throws when the store answered otherwise. */
export type Judgement = () => void

/** Told of every call, when it is made, when the store has performed it, and when its maker is about to be told. */
export interface CallObserver {
  requested(call: StoreCall): void
  /** Answers what is to be judged of it, in order. */
  performed(call: StoreCall, fate: PromiseSettledResult<unknown>): readonly Judgement[]
  /** Instead of performed: the store refuses it, and nothing of it happens. */
  failed(call: StoreCall): void
  delivered(call: StoreCall, fate: PromiseSettledResult<unknown>): void
}

/** Calls that answer from what is stored: of a group they see the state before it. */
const AT_ONCE: ReadonlySet<StoreMethod> = new Set([
  'commands.answerWithoutTurn',
  'commands.answerOrderWithoutTurn',
  'keys.find',
  'keys.page',
  'invoices.find',
  'invoices.findWithPayment',
  'invoices.page',
  'invoices.pageWithPayment',
  'invoices.findByReference',
  'orders.findWithOptions',
  'rates.current',
  'wallets.find',
  'wallets.at',
  'wallets.page',
  'wallets.countUnassigned',
  'identities.isKnown',
  'webhooks.find',
  'webhooks.secrets',
  'deposits.find',
  'deposits.page',
  'chain.position',
  'chain.blockAt',
  'chain.addressesOf',
  'aside.deposits',
  'outbox.queuedLanes',
  'outbox.queued',
  'outbox.find',
  'outbox.page',
  'outbox.nextRetryAt',
] satisfies StoreMethod[])

/** Calls that a disk without space refuses, and that do not keep the service from starting. */
const FALLIBLE: ReadonlySet<StoreMethod> = new Set([
  'commands.perform',
  'ledger.applyFacts',
  'keys.register',
  'keys.revoke',
  'wallets.claim',
  'identities.remember',
  'webhooks.put',
  'webhooks.delete',
  'webhooks.rotate',
  'webhooks.secrets',
  'eventOutbox.queueNext',
  'rates.take',
  'outbox.markAttempted',
  'outbox.recordResult',
  'outbox.releaseRetries',
  'outbox.adjustRetries',
  'outbox.redeliver',
  'outbox.queued',
] satisfies StoreMethod[])

/** Ports of the store that do what they do at a time of their own. */
const OUTSIDE: ReadonlySet<string> = new Set(['changes', 'leadership'])

/** A look that decides whether a request enters mailboxes. */
type Look = Extract<StoreCall, { method: 'commands.answerWithoutTurn' | 'commands.answerOrderWithoutTurn' }>

function isLook(call: StoreCall): call is Look {
  return call.method === 'commands.answerWithoutTurn' || call.method === 'commands.answerOrderWithoutTurn'
}

/** Whether a call reads only. */
export function isRead({ call }: PendingCall): boolean {
  return AT_ONCE.has(call.method)
}

/**
 * Stands between the core of a process and a real store and owns the time at which things happen. A call is first only noted; later
 * a group of noted calls is performed, really and durably; later still, in any order, each caller is told. In between other calls are
 * made and performed, and at any point the process may crash: what was noted has then not happened, and what was performed has,
 * although nobody was told.
 */
export class StoreScheduler {
  /** What the core is given. */
  readonly port: Store
  private waiting: PendingCall[] = []
  private done: PerformedCall[] = []
  private isCrashed = false

  constructor(
    private readonly store: Store,
    private readonly observer: CallObserver,
    /** Whether reads answer with promises, so that they take their time like other calls. */
    private readonly areReadsSlow: boolean,
  ) {
    const portOf = (port: string) =>
      new Proxy(
        {},
        {
          // A port has only methods, and every caller is type-checked against it.
          get:
            (_, name) =>
            (...args: unknown[]) => {
              const call = { method: `${port}.${String(name)}`, args } as StoreCall
              return isLook(call) && !this.areReadsSlow ? this.performNow(call) : this.note(call)
            },
        },
      )
    this.port = new Proxy(store, {
      get: (target, name) => {
        if (name === 'isOpen') return () => !this.isCrashed
        return OUTSIDE.has(String(name)) ? Reflect.get(target, name) : portOf(String(name))
      },
    })
  }

  /** The calls that wait to be performed. */
  get noted(): readonly PendingCall[] {
    return this.waiting
  }

  get doneCount(): number {
    return this.done.length
  }

  /** The calls that are not over, for people. */
  get pending(): readonly string[] {
    return [...this.waiting, ...this.done].map(({ call }) => call.method)
  }

  /** Performs a noted call, if it is one of this process. */
  async invoke(pending: PendingCall): Promise<unknown> {
    this.waiting = this.waiting.filter((one) => one !== pending)
    const { method, args } = pending.call
    const [port = '', name = ''] = method.split('.')
    const target: object = Reflect.get(this.store, port)
    const member: unknown = Reflect.get(target, name)
    if (typeof member !== 'function') throw new Violation('no such call', method)
    return Reflect.apply(member, target, args)
  }

  /** Takes the fate of a call that was performed, and answers what is to be judged of it: more may be known than its caller is told. */
  performed(pending: PendingCall, fate: PromiseSettledResult<unknown>, known = fate): readonly Judgement[] {
    const judgements = this.observer.performed(pending.call, known)
    this.done.push({ ...pending, fate })
    return judgements
  }

  /** Refuses up to `limit` noted calls, as a store does that cannot write. Answers how many. */
  fail(limit: number, random: Random): number {
    const chosen = random.shuffled(this.waiting.filter(({ call }) => FALLIBLE.has(call.method))).slice(0, limit)
    this.waiting = this.waiting.filter((one) => !chosen.includes(one))
    for (const pending of chosen) {
      this.observer.failed(pending.call)
      this.done.push({ ...pending, fate: refusalOf(pending.call) })
    }
    return chosen.length
  }

  /** Tells up to `limit` callers, chosen and ordered by `random`. Answers how many. */
  deliver(limit: number, random: Random): number {
    const chosen = random.shuffled(this.done).slice(0, limit)
    this.done = this.done.filter((one) => !chosen.includes(one))
    for (const { call, fate, resolve, reject } of chosen) {
      this.observer.delivered(call, fate)
      if (fate.status === 'fulfilled') resolve(fate.value)
      else reject(fate.reason)
    }
    return chosen.length
  }

  /** From now on nothing is performed and nobody is told: the process is gone. */
  crash(): void {
    this.isCrashed = true
    this.waiting = []
    this.done = []
  }

  private note(call: StoreCall): Promise<unknown> {
    if (this.isCrashed) return new Promise(() => {})
    this.observer.requested(call)
    return new Promise((resolve, reject) => this.waiting.push({ call, resolve, reject }))
  }

  /** For a look whose answer decides who enters a mailbox first: were it noted, requests would change places. */
  private performNow(call: Look): unknown {
    if (this.isCrashed) return new Promise(() => {})
    this.observer.requested(call)
    try {
      const { commands } = this.store
      const value =
        call.method === 'commands.answerWithoutTurn'
          ? commands.answerWithoutTurn(...call.args)
          : commands.answerOrderWithoutTurn(...call.args)
      judge(this.observer.performed(call, { status: 'fulfilled', value }))
      return value
    } catch (reason) {
      if (!(reason instanceof Violation)) judge(this.observer.performed(call, { status: 'rejected', reason }))
      throw reason
    }
  }
}

function judge(judgements: readonly Judgement[]): void {
  for (const one of judgements) one()
}

/** A refused batch is answered command by command, anything else by a rejection (port of the store). */
function refusalOf({ method, args }: StoreCall): PromiseSettledResult<unknown> {
  const rejected = { status: 'rejected', reason: new StorageUnavailable(new Error('simulated')) } as const
  if (method !== 'commands.perform' && method !== 'ledger.applyFacts') return rejected
  return { status: 'fulfilled', value: args[0].map(() => rejected) }
}
