import type { Permission } from '../../src/domain/api-key.js'
import type { DepositReport } from '../../src/domain/deposit.js'
import type { Network } from '../../src/domain/network.js'
import type { WebhookPayload } from '../../src/domain/webhook.js'
import type { ScriptNetworks } from './networks.js'

/**
 * What a script is made of: plain data, each step meaningful wherever it stands, so that a script with any of its steps
 * left out is a script too. Numbers name things (`owner`, `wallet`, `tx`) or choose among what is there at the moment
 * (`pick`, taken modulo); `salt` seeds the choices that a step makes by itself.
 */
export type Step = {
  /** Chooses the process that it is about, of those that there are; the first one when it is absent. */
  readonly at?: number
} & (CoreStep | FaultStep)

/** What happens on any engine. */
export type CoreStep =
  | InvoiceStep
  /** By the invoice's owner, or by a stranger. */
  | { readonly do: 'void' | 'accept'; readonly pick: number; readonly isOwn: boolean }
  | { readonly do: 'events'; readonly events: readonly EventStep[] }
  | OrderStep
  /** By the order's owner, or by a stranger. The newest order is the first one. */
  | { readonly do: 'void-order' | 'accept-order'; readonly pick: number; readonly isOwn: boolean }
  | RatesStep
  /** What is due is decided, as the process that leads does it each second. */
  | { readonly do: 'catch-up' }
  /** The watcher of a network takes a step, unless one is under way. */
  | { readonly do: 'chain'; readonly network: Network; readonly move: ChainMove }
  /** Deposits that wait are recorded, as far as their wallets are settled, unless a step of the network is under way. */
  | { readonly do: 'retry'; readonly network: Network }
  | {
      readonly do: 'register'
      readonly key: number
      readonly owner: number
      readonly permissions: readonly Permission[]
      readonly ttlDays: number | null
    }
  /** By the key's owner, or by `owner`. */
  | { readonly do: 'revoke'; readonly pick: number; readonly owner: number | null }
  | { readonly do: 'authorise'; readonly pick: number; readonly permission: Permission }
  | { readonly do: 'claim'; readonly network: Network; readonly leaseMs: number }
  | { readonly do: 'identity'; readonly owner: number }
  /** Sets the default callback, or removes the configuration. */
  | {
      readonly do: 'webhook'
      readonly owner: number
      readonly receiver: number | null
      /** Absent: the one that was set is kept. */
      readonly payload?: WebhookPayload
    }
  /** Events of an owner are queued as deliveries, as the pump of the service does it. */
  | { readonly do: 'pump'; readonly owner: number; readonly limit: number }
  | { readonly do: 'rotate'; readonly owner: number; readonly overlapMs: number }
  | { readonly do: 'redeliver'; readonly pick: number; readonly isOwn: boolean }
  /** Reads a list, and what it leads to, outside of any turn. */
  | { readonly do: 'look'; readonly salt: number }
  /** The store performs calls that wait. */
  | { readonly do: 'perform'; readonly limit: number; readonly salt: number }
  /** The disk refuses calls that wait: nothing of them happens. */
  | { readonly do: 'fail'; readonly limit: number; readonly salt: number }
  /** Callers are told of what was performed. */
  | { readonly do: 'deliver'; readonly limit: number; readonly salt: number }
  /** A receiver ends an attempt. */
  | { readonly do: 'answer'; readonly pick: number; readonly ending: Ending }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'crash' }
  /** An orderly stop and a new start. */
  | { readonly do: 'restart'; readonly salt: number }
  /** Everything that was begun comes to its end. */
  | { readonly do: 'settle'; readonly salt: number }

/** What goes wrong between a process and its database, and in processes. Without effect where both are one. */
export type FaultStep =
  /** The connection is reset that carries the next message but so many. */
  | { readonly do: 'cut'; readonly messages: number }
  /** The process dies when the next message but so many is to pass, and another one starts. */
  | { readonly do: 'die'; readonly messages: number }
  /** How long each message takes from now on. */
  | { readonly do: 'slow'; readonly ms: number }
  /** The commit behind so many others fails, of whatever process. */
  | { readonly do: 'conflict'; readonly commits: number; readonly code: (typeof CONFLICTS)[number] }
  /** The process is suspended: it takes no notice of time, of answers, and of anything that it would do. */
  | { readonly do: 'sleep' }
  | { readonly do: 'wake' }

/** `serialization_failure` and `deadlock_detected`. */
export const CONFLICTS = ['40001', '40P01'] as const

export type Ending = 'ok' | 'error' | 'gone' | 'retry_after' | 'redirect' | 'timeout' | 'dns' | 'connection' | 'refused'

export interface InvoiceStep {
  readonly do: 'invoice'
  readonly owner: number
  readonly wallets: readonly number[]
  readonly amount: AmountStep
  readonly currency: string
  /** Names a reference; equal numbers are equal references. */
  readonly reference: number | null
  readonly callback: 'none' | 'own' | 'other' | 'invalid'
  /** Makes the store throw when it writes the invoice. */
  readonly isPoison: boolean
  readonly idempotencyKey: number | null
  readonly expiresInSeconds: number | null
}

export interface OrderStep {
  readonly do: 'order'
  readonly owner: number
  readonly price: { readonly amount: string; readonly currency: string }
  /** Wallets are chosen among those of the owner. What would be in two options is left out of the second one, unless the request is flawed. */
  readonly options: readonly {
    readonly wallets: readonly number[]
    readonly currency: string
    /** Null where it follows from the price. */
    readonly fixed: string | null
  }[]
  readonly isFlawed: boolean
  readonly reference: number | null
  readonly callback: InvoiceStep['callback']
  readonly idempotencyKey: number | null
  readonly expiresInSeconds: number | null
}

/** A source gives a set of rates. */
export interface RatesStep {
  readonly do: 'rates'
  readonly kind: 'usual' | 'left-out' | 'again' | 'future' | 'bad'
  /** How old it is. */
  readonly ageMs: number
  /** At 1 a coin has twice its price, which is a jump the first time. */
  readonly level: 0 | 1
  readonly salt: number
}

/** Has a deposit go to an option of an order, the newest of which is the first one, if there is one on the network. */
export interface Towards {
  readonly pick: number
  readonly option: number
  readonly part: 'amount' | 'remaining' | 'half' | 'third' | 'more' | 'dust'
}

/**
 * Whole coins written in one of several ways, or what an invoice misses at the moment, or what the oldest unpaid invoice on the wallet
 * misses but for so many hundredths of a percent of its amount.
 */
export type DepositAmountStep = AmountStep | { readonly less: number }

/** Whole coins written in one of several ways, or what an invoice misses at the moment. */
export type AmountStep = { readonly coins: number; readonly form: number } | { readonly missingOf: number }

export type EventStep =
  | {
      readonly type: 'deposit'
      readonly event: number | null
      readonly report: DepositReport
      readonly tx: number
      readonly index: number
      readonly wallet: number
      readonly spelling: number
      readonly label: string | null
      readonly amount: DepositAmountStep
      /** Of receipt, from now. */
      readonly offsetMs: number
      /** Where it goes, and what comes, if that can be told. */
      readonly towards?: Towards
    }
  /** A deposit towards an option of an order is reported again, the last one first. */
  | { readonly type: 'again'; readonly report: DepositReport; readonly pick: number }
  | { readonly type: 'onboarded'; readonly event: number | null; readonly owner: number }
  | {
      readonly type: 'created'
      readonly event: number | null
      readonly wallet: number
      /** Whose address it is said to have. */
      readonly place: number
    }
  | {
      readonly type: 'assigned'
      readonly event: number | null
      readonly wallet: number
      readonly owner: number
      /** Whose address it is said to have; null for none. */
      readonly place: number | null
    }
  /** An event of the past comes again as it was. */
  | { readonly type: 'replay'; readonly pick: number }

/** A transfer of a block, to one of the wallets of its network. */
export type TransferStep = Pick<
  Extract<EventStep, { type: 'deposit' }>,
  'tx' | 'index' | 'wallet' | 'spelling' | 'label' | 'amount' | 'towards'
>

export type ChainMove =
  | {
      readonly move: 'append'
      readonly blocks: readonly { readonly transfers: readonly TransferStep[]; readonly offsetMs: number }[]
      readonly isConfirmed: boolean
      /** In what the blocks do not fit, if in anything. */
      readonly flaw: 'gap' | 'parent' | null
    }
  | {
      readonly move: 'confirm'
      readonly count: number
      /** Share of the transfers that are not as they were when they were first told. */
      readonly changes: number
      /** Transfers that were not told at first. */
      readonly more: readonly TransferStep[]
      /** Whether the first one is another block. */
      readonly isAnother: boolean
      readonly salt: number
    }
  | { readonly move: 'undo'; readonly depth: number }
  | { readonly move: 'forget' }

/** What kind of world a script plays in. Chosen at random too, so that seeds differ in more than luck. */
export interface Profile {
  readonly attemptsMax: number
  readonly concurrency: number
  readonly concurrencyPerDestination: number
  readonly mailboxCapacity: number
  readonly totalCapacity: number
  readonly turnLimit: number
  /** What an invoice may miss that is accepted by itself, in hundredths of a percent. Far more than an operator may allow, too. */
  readonly underpayment: number
}

export interface Script {
  readonly seed: number
  /** How many processes share the store; one when it is absent. */
  readonly processes?: number
  readonly networks: ScriptNetworks
  readonly profile: Profile
  /** Whether little is settled at once; not when it is absent. */
  readonly isSettlingSlow?: boolean
  /** What is charged on top of rates, in hundredths of a percent; nothing when it is absent. */
  readonly spread?: number
  readonly steps: readonly Step[]
}
