import type { Clock } from '../../../src/clock.js'
import type { EndpointHealth } from '../../../src/networks/network-reader.js'
import type { AnswerDate } from '../../../src/networks/node/answer-date.js'
import { ClockWatch, type WatchedNetwork } from '../../../src/service/clock/clock-watch.js'
import { START_MS } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'

const SECOND_MS = 1000
/** Not a whole second, so that the dates of answers are cut off by more and by less. */
const STEP_MS = 1007
const ROUND_TRIP_MS = 40

/** A node of a network, and how its clock and its answers are. */
export interface WorldNode {
  readonly origin: string
  /** How far its clock is off, ms. */
  offMs: number
  hasDate: boolean
}

/** A network that makes a block every so often. */
export class WorldNetwork implements WatchedNetwork {
  private newest: EndpointHealth['newest'] = null
  private dates: (AnswerDate | null)[] = []

  constructor(
    readonly network: string,
    readonly nodes: readonly WorldNode[],
    /** How the blocks are: how far they are dated ahead, how late they are told, the seconds between them. */
    public blocks: { aheadMs: number; lateMs: number; everySeconds: number } | null,
  ) {}

  /** Its nodes are asked. */
  ask(world: ClockWorld): void {
    const { trueMs, elapsedMs } = world
    this.dates = this.nodes.map(({ offMs, hasDate }, i) => {
      if (!hasDate) return this.dates[i] ?? null
      const dateMs = Math.floor((trueMs - ROUND_TRIP_MS / 2 + offMs) / SECOND_MS) * SECOND_MS
      return { dateMs, askedAtMs: elapsedMs - ROUND_TRIP_MS, answeredAtMs: elapsedMs }
    })
    if (this.blocks === null) return
    const { aheadMs, lateMs, everySeconds } = this.blocks
    const height = Math.floor((trueMs - lateMs) / SECOND_MS / everySeconds)
    this.newest = { height, timeMs: height * everySeconds * SECOND_MS + aheadMs }
  }

  endpoints() {
    return this.nodes.map(({ origin }, i) => ({ origin, newest: this.newest, date: this.dates[i] ?? null }))
  }
}

/** A machine whose clock may be off, among witnesses. A second of it passes at a time. */
export class ClockWorld {
  trueMs = START_MS
  elapsedMs = 5000
  /** How far the machine's clock is off, ms. */
  offMs = 0
  readonly networks: WorldNetwork[] = []
  readonly lines: string[] = []
  readonly clock: Clock = { now: () => this.trueMs + this.offMs, elapsed: () => this.elapsedMs }
  private readonly scheduler = new ManualScheduler()
  readonly watch: ClockWatch

  constructor() {
    const note = (_: unknown, text?: string) => this.lines.push(text ?? String(_))
    this.watch = new ClockWatch({
      watched: { watchers: this.networks },
      clock: this.clock,
      scheduler: this.scheduler,
      log: { warn: note, info: note },
      isNear: (origin) => origin.includes('localhost'),
    })
    this.watch.start()
  }

  node(origin: string, more: Partial<WorldNode> = {}): WorldNode {
    return { origin, offMs: 0, hasDate: true, ...more }
  }

  network(nodes: readonly WorldNode[], blocks: Partial<WorldNetwork['blocks']> = {}): WorldNetwork {
    const name = `NET-${this.networks.length + 1}`
    const network = new WorldNetwork(name, nodes, { aheadMs: 0, lateMs: 800, everySeconds: 3, ...blocks })
    this.networks.push(network)
    return network
  }

  /** Lets seconds pass. What is to happen in each of them is told its number. */
  pass(seconds: number, each: (second: number) => void = () => {}): void {
    for (let second = 1; second <= seconds; second += 1) {
      this.trueMs += STEP_MS
      this.elapsedMs += STEP_MS
      for (const network of this.networks) network.ask(this)
      each(second)
      this.scheduler.pass(SECOND_MS)
    }
  }

  /** The machine sleeps: its stopwatch stands still, and its clock goes on. */
  sleep(seconds: number): void {
    this.trueMs += seconds * SECOND_MS
  }

  /** The gateway pushes, by a clock that is off by so much, and the push is under way so long. */
  push(offMs = 0, lateMs = 30): void {
    this.watch.pushed(this.trueMs - lateMs + offMs)
  }

  /** A merchant signs. */
  sign(owner: string, offMs = 0): void {
    this.watch.signed(owner, this.trueMs - 20 + offMs)
  }

  get complaint(): string | null {
    const [one] = this.watch.complaints()
    return one?.text ?? null
  }

  get offsetSeconds(): number | null {
    const reading = this.watch.reading
    return reading === null ? null : Math.round(reading.offsetMs / 100) / 10
  }
}
