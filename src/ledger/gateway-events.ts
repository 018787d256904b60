import type { IncomingEvent } from '../actors/intake.js'
import { isObject } from '../base/json-object.js'
import { normalisePublicKey } from '../crypto/ledger-key.js'
import type { DepositReport } from '../domain/deposit.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import { keySet, PUSHED_KEYS_MAX } from '../domain/key-history.js'
import type { DepositFact, EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { Networks } from '../domain/network.js'
import { isLongerThan, OWNER_LENGTH_MAX, parseOwner, wellFormed } from '../domain/text.js'
import { canonicalKey } from './named-keys.js'

/** Events in one push (decisions 8). */
export const EVENTS_MAX = 1000
/** Characters of an event's id. At four bytes each it still fits the store's longest key. */
const EVENT_ID_LENGTH_MAX = 128

/** An event of a push, or the flaw of one without an id. */
export type ParsedEvent =
  | { readonly id: string; readonly event: IncomingEvent }
  | { readonly id: null; readonly error: string }

/** The outcome of one event, as it is answered to the gateway. */
export interface EventResult {
  readonly id: string | null
  readonly status: EventOutcome['status']
  /** Why it was rejected. */
  readonly error?: string
}

/** The part of the intake that is used here. */
export type ApplyEvents = (events: readonly IncomingEvent[]) => Promise<readonly EventOutcome[]>

/**
 * Reads the body of a push (decisions 8). A bad event is rejected alone; the body as a whole is refused with
 * `invalid_events` unless `events` is a list of 1 to 1000. A deposit without `receivedAt` was first seen at `nowMs`.
 */
export function parseEvents(
  body: Readonly<Record<string, unknown>>,
  networks: Networks,
  nowMs: number,
): Outcome<readonly ParsedEvent[]> {
  const events = body['events']
  if (!Array.isArray(events) || events.length === 0 || events.length > EVENTS_MAX) return refuse('invalid_events')
  return succeed(events.map((event: unknown) => parseEvent(event, networks, nowMs)))
}

/**
 * Applies the valid events, in order, and returns a result for every event. A second event with the same id is not
 * applied in one batch with the first, because a deposit whose recording fails is set aside behind its batch, and the
 * second event must be the duplicate. Rejects when `apply` does; then the gateway retries the push.
 */
export async function applyEvents(parsed: readonly ParsedEvent[], apply: ApplyEvents): Promise<readonly EventResult[]> {
  const results: EventResult[] = []
  /** The next batch by id, each event with its place in the push. */
  const batch = new Map<string, { readonly index: number; readonly event: IncomingEvent }>()

  async function flush(): Promise<void> {
    if (batch.size === 0) return
    const outcomes = await apply([...batch.values()].map(({ event }) => event))
    if (outcomes.length !== batch.size) throw new Error('the intake answered another number of events')
    for (const [i, [id, { index }]] of [...batch].entries()) {
      const outcome = outcomes[i]
      if (outcome !== undefined) results[index] = { id, ...outcome }
    }
    batch.clear()
  }

  for (const [index, one] of parsed.entries()) {
    if ('error' in one) {
      results[index] = { id: one.id, status: 'rejected', error: one.error }
      continue
    }
    if (batch.has(one.id)) await flush()
    batch.set(one.id, { index, event: one.event })
  }
  await flush()
  return results
}

const NOT_AN_IDENTITY = `must be a non-empty string of at most ${OWNER_LENGTH_MAX} characters`

function parseEvent(value: unknown, networks: Networks, nowMs: number): ParsedEvent {
  if (!isObject(value)) return { id: null, error: 'an event must be an object' }
  const id = parseText(value['id'])
  if (id === null || isLongerThan(id, EVENT_ID_LENGTH_MAX)) {
    return { id: null, error: `id must be a non-empty string of at most ${EVENT_ID_LENGTH_MAX} characters` }
  }
  return { id, event: { eventId: id, fact: parseFact(value, networks, nowMs) } }
}

function parseFact(event: Readonly<Record<string, unknown>>, networks: Networks, nowMs: number): IncomingEvent['fact'] {
  switch (event['type']) {
    case 'identity.onboarded': {
      const identity = parseOwner(event['identity'])
      return identity === null ? unreadable(`identity ${NOT_AN_IDENTITY}`) : { type: 'identity.onboarded', identity }
    }
    case 'identity.keys':
      return parseKeys(event['identity'], event['keys'])
    case 'wallet.created':
      return parseCreation(event['wallet'], networks)
    case 'wallet.assigned':
      return parseAssignment(event['wallet'], event['owner'], networks)
    case 'deposit.pending':
      return parseDeposit(event['deposit'], 'pending', networks, nowMs)
    case 'deposit.confirmed':
      return parseDeposit(event['deposit'], 'confirmed', networks, nowMs)
    case 'deposit.dropped':
      return parseDeposit(event['deposit'], 'dropped', networks, nowMs)
    default:
      return unreadable('type is not one that is known')
  }
}

/** A key of another type, or one off the curve, would speak for nobody. */
function parseKeys(name: unknown, keys: unknown): LedgerFact | UnreadableFact {
  const identity = parseOwner(name)
  if (identity === null) return unreadable(`identity ${NOT_AN_IDENTITY}`)
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > PUSHED_KEYS_MAX) {
    return unreadable(`keys must be a list of 1 to ${PUSHED_KEYS_MAX}`)
  }
  const read = keys.map((key: unknown) => (typeof key === 'string' ? canonicalKey(key) : null))
  const known = read.filter((key) => key !== null).filter((key) => isOnCurve(key))
  if (known.length < keys.length) return unreadable('keys must be secp256k1 keys: hex behind 0x, or PEM')
  return { type: 'identity.keys', identity, keys: keySet(known) }
}

function isOnCurve(key: string): boolean {
  return normalisePublicKey(Buffer.from(key, 'hex')) !== null
}

function parseCreation(wallet: unknown, networks: Networks): LedgerFact | UnreadableFact {
  if (!isObject(wallet)) return unreadable('wallet must be an object')
  const id = parseText(wallet['id'])
  const address = parseText(wallet['address'])
  const network = wallet['network']
  if (id === null) return unreadable('wallet.id must be a non-empty string')
  if (address === null) return unreadable('wallet.address must be a non-empty string')
  if (!networks.isPresent(network)) return unreadable(`wallet.network ${notOneOf(networks)}`)
  return { type: 'wallet.created', id, address, network }
}

/**
 * The wallet may be known already, so its address and network are optional. The store checks that they come together.
 */
function parseAssignment(wallet: unknown, ownerId: unknown, networks: Networks): LedgerFact | UnreadableFact {
  if (!isObject(wallet)) return unreadable('wallet must be an object')
  const id = parseText(wallet['id'])
  const address = isAbsent(wallet['address']) ? null : parseText(wallet['address'])
  const network = wallet['network'] ?? null
  const owner = parseOwner(ownerId)
  if (id === null) return unreadable('wallet.id must be a non-empty string')
  if (address === null && !isAbsent(wallet['address'])) return unreadable('wallet.address must be a non-empty string')
  if (network !== null && !networks.isPresent(network)) return unreadable(`wallet.network ${notOneOf(networks)}`)
  if (owner === null) return unreadable(`owner ${NOT_AN_IDENTITY}`)
  return { type: 'wallet.assigned', id, address, network, owner }
}

/** Checks types only: `flawOf` checks lengths, ranges and the amount's form in the store's transaction. */
function parseDeposit(
  deposit: unknown,
  report: DepositReport,
  networks: Networks,
  nowMs: number,
): DepositFact | UnreadableFact {
  if (!isObject(deposit)) return unreadable('deposit must be an object')
  const { network, index = 0, receivedAt = nowMs } = deposit
  const txHash = parseText(deposit['txHash'])
  const toAddress = parseText(deposit['toAddress'])
  const label = deposit['currency'] ?? null
  const amount = parseText(deposit['amount'])
  if (!networks.isPresent(network)) return unreadable(`deposit.network ${notOneOf(networks)}`)
  if (txHash === null) return unreadable('deposit.txHash must be a non-empty string')
  if (typeof index !== 'number' || !Number.isSafeInteger(index)) return unreadable('deposit.index must be an integer')
  if (toAddress === null) return unreadable('deposit.toAddress must be a non-empty string')
  if (label !== null && typeof label !== 'string') return unreadable('deposit.currency must be a string or null')
  if (amount === null) return unreadable('deposit.amount must be a non-empty string')
  if (typeof receivedAt !== 'number' || !Number.isSafeInteger(receivedAt)) {
    return unreadable('deposit.receivedAt must be Unix milliseconds, an integer')
  }
  const currency = label === null ? null : wellFormed(label)
  return { type: 'deposit', report, sighting: { network, txHash, index, toAddress, currency, amount, receivedAt } }
}

function notOneOf({ present }: Networks): string {
  return `must be one of ${present.join(', ')}`
}

/** The error is answered to the gateway. */
function unreadable(error: string): UnreadableFact {
  return { type: 'unreadable', error }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/** A non-empty, well-formed text, or null. */
function parseText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? wellFormed(value) : null
}
