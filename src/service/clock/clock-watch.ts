import { type Clock, elapsedOf } from '../../clock.js'
import {
  type ClockReading,
  type ClockVerdict,
  judgeClock,
  median,
  OFFSET_BACK_MS,
  OFFSET_MAX_MS,
  offsetText,
  readingOf,
  readingText,
  type Span,
  type Testimony,
} from '../../domain/clock-offset.js'
import type { Degradation } from '../../domain/degradation.js'
import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import type { EndpointHealth } from '../../networks/network-reader.js'
import type { Cancel, Scheduler } from '../../scheduler.js'
import { AnswerDates } from './answer-dates.js'
import { type DatedKind, DatedMessages } from './dated-messages.js'
import { networkTestimony } from './network-testimony.js'

const MS_PER_SECOND = 1000
const LOOK_EVERY_MS = 1000
/**
 * A verdict counts when it has lasted so long. After a start blocks take a while to say anything against the clock of their node, and
 * after a sleep of the machine all witnesses do.
 */
const LASTING_MS = 25_000

/** Producers of blocks may be a little ahead. The newest block of a sound node is younger than ten seconds when it is new. */
const BLOCKS: DatedKind = { aheadMaxMs: 2000, ageMaxMs: 10_000, severalCount: 2, severalMs: 8000 }
/** A gateway dates a push when it sends it. */
const PUSHES: DatedKind = { aheadMaxMs: 500, ageMaxMs: 500, severalCount: 2, severalMs: 2000 }
/** So do merchants, by clocks that nobody vouches for: what counts is the one in the middle. */
const REQUESTS: DatedKind = { aheadMaxMs: 1000, ageMaxMs: 1000, severalCount: 1, severalMs: 0 }
/** Fewer merchants than this say nothing. */
const MERCHANTS_MIN = 5
const MERCHANTS_MAX = 256

const GATEWAY = 'the gateway'

export interface WatchedNetwork {
  readonly network: Network
  endpoints(): readonly Pick<EndpointHealth, 'origin' | 'newest' | 'date'>[]
}

export interface ClockWatchParts {
  readonly watched: { readonly watchers: readonly WatchedNetwork[] }
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** Whether a server may be on this machine, by its scheme, host and port. */
  readonly isNear: (origin: string) => boolean
}

interface NodeWitness {
  readonly origin: string
  readonly dates: AnswerDates
  newest: EndpointHealth['newest']
}

/** What a watched network has said of the time. */
interface NetworkWitness {
  readonly blocks: DatedMessages
  /** By their place in the settings: two may be at one host. */
  readonly nodes: Map<number, NodeWitness>
  /** The highest block, and what the stopwatch showed when a head was told the last time. */
  head: { readonly height: number; readonly atMs: number } | null
}

/**
 * Compares this machine's clock with those who know the time, once a second: with the nodes and blocks of watched networks, and with
 * the pushes of the gateway. Those were chosen by the operator. Merchants were not, and anyone may be one: what they sign decides
 * only between witnesses who contradict each other.
 */
export class ClockWatch {
  private readonly networks = new Map<string, NetworkWitness>()
  private readonly gateway = new DatedMessages(PUSHES)
  private readonly merchants = new Map<string, DatedMessages>()
  private newestPushMs = 0
  private last: ClockVerdict = { kind: 'unknown' }
  /** How far the clock is off and who says so, while that counts; null while it does not. */
  private off: ClockReading | null = null
  private condition: 'fine' | 'disputed' | 'off' = 'fine'
  private changedAtMs: number | null = null
  private cancel: Cancel = () => {}

  constructor(private readonly parts: ClockWatchParts) {}

  start(): void {
    this.cancel = this.parts.scheduler.after(LOOK_EVERY_MS, () => {
      this.look()
      this.start()
    })
  }

  stop(): void {
    this.cancel()
  }

  /** A push of the gateway was accepted that is dated so, Unix ms. One that is no newer than another has been sent again. */
  pushed(timestampMs: number): void {
    if (timestampMs <= this.newestPushMs) return
    this.newestPushMs = timestampMs
    const elapsedMs = elapsedOf(this.parts.clock)
    this.gateway.saw(timestampMs, elapsedMs, elapsedMs)
  }

  /** A request with a valid signature of an owner's key, dated so. */
  signed(owner: string, timestampMs: number): void {
    let messages = this.merchants.get(owner)
    if (messages === undefined) {
      const [first] = this.merchants.keys()
      if (first !== undefined && this.merchants.size >= MERCHANTS_MAX) this.merchants.delete(first)
      messages = new DatedMessages(REQUESTS)
      this.merchants.set(owner, messages)
    }
    const elapsedMs = elapsedOf(this.parts.clock)
    messages.saw(timestampMs, elapsedMs, elapsedMs)
  }

  /** How far the clock is off, as the witnesses say now; null while nobody can tell. */
  get reading(): ClockReading | null {
    return readingOf(this.last)
  }

  complaints(): readonly Degradation[] {
    if (this.off === null) return []
    return [{ reason: 'clock', text: `The clock of this machine is ${readingText(this.off)}.` }]
  }

  /** Hears all witnesses. Called once a second. */
  look(): void {
    const elapsedMs = elapsedOf(this.parts.clock)
    this.hearNetworks(elapsedMs)
    // The time at the moment 0 of the stopwatch, by our clock.
    const ownStartMs = this.parts.clock.now() - elapsedMs
    const testimonies = [...this.ofNetworks(ownStartMs, elapsedMs), this.ofGateway(ownStartMs, elapsedMs)]
    const heard = testimonies.filter((one) => one !== null)
    const limitMs = this.off === null ? OFFSET_MAX_MS : OFFSET_BACK_MS
    this.last = judgeClock(heard, this.ofMerchants(ownStartMs, elapsedMs), limitMs)
    this.take(elapsedMs)
  }

  /** Takes over what has lasted. */
  private take(elapsedMs: number): void {
    const { last, reading } = this
    const condition = last.kind === 'off' || last.kind === 'disputed' ? last.kind : 'fine'
    if (condition === this.condition) this.changedAtMs = null
    else {
      this.changedAtMs ??= elapsedMs
      if (elapsedMs - this.changedAtMs < LASTING_MS) return
      this.changedAtMs = null
      this.report(last, reading)
      this.condition = condition
    }
    this.off = condition === 'off' ? reading : null
  }

  private report(verdict: ClockVerdict, reading: ClockReading | null): void {
    const { log } = this.parts
    const witnesses = reading?.witnesses
    switch (verdict.kind) {
      case 'off': {
        const about = { seconds: Math.round(verdict.offsetMs) / MS_PER_SECOND, witnesses }
        return log.warn(
          about,
          `the clock of this machine is ${offsetText(verdict.offsetMs)}: see docs/operating/clock.md`,
        )
      }
      case 'disputed':
        return log.warn(
          { witnesses: verdict.witnesses },
          'as many say that the clock of this machine is wrong as say otherwise',
        )
      case 'right':
        return log.info({ witnesses }, 'the clock of this machine is right again')
      case 'unknown':
        return log.info('whether the clock of this machine is right is not known any more')
    }
  }

  private hearNetworks(elapsedMs: number): void {
    for (const watcher of this.parts.watched.watchers) {
      const known = this.networks.get(watcher.network)
      const witness = known ?? { blocks: new DatedMessages(BLOCKS), nodes: new Map(), head: null }
      if (known === undefined) this.networks.set(watcher.network, witness)
      for (const [place, { origin, date, newest }] of watcher.endpoints().entries()) {
        const node = witness.nodes.get(place) ?? { origin, dates: new AnswerDates(), newest: null }
        witness.nodes.set(place, node)
        if (date !== null) node.dates.saw(date)
        if (newest === null || newest === node.newest) continue
        node.newest = newest
        hearHead(witness, newest, elapsedMs)
      }
    }
  }

  private ofNetworks(ownStartMs: number, elapsedMs: number): readonly (Testimony | null)[] {
    return [...this.networks].map(([network, { blocks, nodes }]) => {
      const told = [...nodes.values()].flatMap(({ origin, dates }) => {
        const start = dates.start(elapsedMs)
        return start === null ? [] : [{ offset: offsetOf(start, ownStartMs), isNear: this.parts.isNear(origin) }]
      })
      return networkTestimony(network, told, ofMessages(blocks, ownStartMs, elapsedMs))
    })
  }

  private ofGateway(ownStartMs: number, elapsedMs: number): Testimony | null {
    const pushes = ofMessages(this.gateway, ownStartMs, elapsedMs)
    return pushes === null ? null : { witness: GATEWAY, ...pushes }
  }

  private ofMerchants(ownStartMs: number, elapsedMs: number): Span | null {
    const likely = [...this.merchants.values()].flatMap((one) => one.likely(elapsedMs) ?? [])
    if (likely.length < MERCHANTS_MIN) return null
    const offsetMs = ownStartMs - median(likely)
    return { from: offsetMs - REQUESTS.ageMaxMs, to: offsetMs + REQUESTS.aheadMaxMs }
  }
}

/** A node has told its newest block. */
function hearHead(
  witness: NetworkWitness,
  { height, timeMs }: NonNullable<EndpointHealth['newest']>,
  elapsedMs: number,
): void {
  const { head, blocks } = witness
  if (head === null || height > head.height) blocks.saw(timeMs, elapsedMs, head?.atMs ?? null)
  witness.head = { height: Math.max(height, head?.height ?? height), atMs: elapsedMs }
}

function ofMessages(messages: DatedMessages, ownStartMs: number, elapsedMs: number) {
  const [start, likely] = [messages.start(elapsedMs), messages.likely(elapsedMs)]
  if (start === null || likely === null) return null
  return { offset: offsetOf(start, ownStartMs), likelyMs: ownStartMs - likely }
}

/** The offset of our clock, by where the time at the moment 0 of the stopwatch lies and what our clock showed then. */
function offsetOf(start: Span, ownStartMs: number): Span {
  return { from: ownStartMs - start.to, to: ownStartMs - start.from }
}
