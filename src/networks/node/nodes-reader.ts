import type { ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import {
  type AgedHead,
  type EndpointHealth,
  NetworkProblem,
  type NetworkReader,
  NodeBehind,
  type Problem,
  WrongNode,
} from '../network-reader.js'
import type { ChainNode } from './chain-node.js'
import { Endpoint } from './endpoint.js'
import { unavailable } from './failed-attempt.js'
import { type EndpointAddress, HttpJson, type HttpJsonOptions } from './http-json.js'
import { NewestBlocks } from './newest-blocks.js'
import { NodeQueries } from './node-queries.js'
import { examined } from './node-report.js'
import { secondOpinion } from './second-opinion.js'
import { linkAmong, readAgain } from './set-aside-blocks.js'
import { wholeOf } from './whole-answer.js'

/** How long a call waits for its turn at a node whose blocks are only compared. */
const COMPARISON_PATIENCE_MS = 5000
/** When the newest block of a node is older, the head of the next one is asked for, too: this one may be behind. */
const DOUBTED_FROM_MS = 30_000
/** So long a confirmed block waits for a second node that does not have it yet. Then that node is behind, and not waited for. */
export const COMPARISON_WAIT_MS = 30_000

export interface NodesReaderOptions extends HttpJsonOptions {
  readonly network: Network
  /** In order of preference, at least one. */
  readonly addresses: readonly EndpointAddress[]
  /** From 0 to below 1, evenly. */
  readonly random: () => number
  readonly log: Logger
  readonly nodeOf: (http: HttpJson) => ChainNode
  /** When a node's newest block is older, the head is also read from the next node: this one may have stalled. */
  readonly headAgeMaxMs: number
  /** How long a call waits for its turn where no other node would be asked at once; six minutes when absent. */
  readonly patienceMs?: number
}

/** Reads a network through the nodes at its endpoints. Confirmed blocks are compared with those of a second node. */
export class NodesReader implements NetworkReader {
  readonly network: Network
  private readonly all: readonly Endpoint[]
  private readonly queries: NodeQueries
  private readonly newest: NewestBlocks
  /** The highest height that any node has reported as confirmed; null while nothing is known. */
  private confirmed: number | null = null

  constructor(private readonly options: NodesReaderOptions) {
    const { network, addresses, nodeOf, clock, random, log } = options
    this.network = network
    const counts = new Map<string, number>()
    this.all = addresses.map((address) => {
      const { origin } = new URL(address.url)
      const place = (counts.get(origin) ?? 0) + 1
      counts.set(origin, place)
      const http = new HttpJson(address, options, place)
      http.pacer.onLimit = (words) => {
        const about = { network, endpoint: http.name, failure: words, callsPerSecond: http.pacer.callsPerSecond }
        log.warn(about, 'a node limits the rate of calls; they are made more slowly')
      }
      return new Endpoint(http, nodeOf(http), clock, random)
    })
    this.newest = new NewestBlocks(options)
    // What a node of another chain has called confirmed says nothing of this one.
    this.queries = new NodeQueries(this.all, { ...options, onWrongNode: () => (this.confirmed = null) })
  }

  /** Checks every endpoint, including those that are skipped now. */
  async verify(onRefusal: () => void = () => {}): Promise<void> {
    const checks = this.all.map((endpoint) => {
      endpoint.doubt()
      return this.queries.attempt(endpoint, { kind: 'check', urgency: 'check', onRefusal, work: async () => {} })
    })
    const failures = (await Promise.all(checks)).filter((end) => 'reason' in end)
    const wrong = failures.find(({ problem }) => problem?.reason === 'wrong_node')
    if (wrong !== undefined) throw new WrongNode(wrong.reason)
    if (failures.length === this.all.length) throw unavailable(this.network, failures)
  }

  distrust(): void {
    this.confirmed = null
    for (const endpoint of this.all) endpoint.doubt()
  }

  examine() {
    const { clock, headAgeMaxMs } = this.options
    return Promise.all(this.all.map((endpoint) => examined(endpoint, clock.now(), headAgeMaxMs)))
  }

  async head(): Promise<AgedHead> {
    const head = { latest: -1, confirmed: -1 }
    let newestMs = Number.NEGATIVE_INFINITY
    const waiting: (number | null)[] = []
    for await (const [answer, endpoint] of this.queries.answers({
      kind: 'head',
      urgency: 'head',
      work: (node) => node.head(),
    })) {
      const { latest, confirmed, timeMs } = answer
      head.confirmed = Math.max(head.confirmed, confirmed)
      head.latest = Math.max(head.latest, latest, confirmed)
      newestMs = Math.max(newestMs, timeMs)
      this.newest.note(endpoint, answer)
      if (endpoint.stalledMs === null) waiting.push(endpoint.unconfirmed)
      // Another node may be further, long before this one counts as stalled.
      if (this.options.clock.now() - timeMs <= DOUBTED_FROM_MS && endpoint.unconfirmed === null) break
    }
    this.newest.conclude(newestMs, waiting)
    this.confirmed = Math.max(this.confirmed ?? -1, head.confirmed)
    return { ...head, ageMs: this.options.clock.now() - newestMs }
  }

  problem(): Problem | null {
    const behind = this.newest.problem()
    if (behind !== null) return behind
    const usable = this.all.filter(({ isHealthy }) => isHealthy)
    const flaw = usable.map(({ node }) => node.flaw ?? null).find((one) => one !== null)
    if (flaw !== undefined) return { reason: 'wrong_token', message: `${this.network}: ${flaw}` }
    if (usable.length === 0 || usable.some(({ isReady }) => isReady)) return null
    const rate = Math.round(this.callsPerSecond() * 100) / 100
    return { reason: 'limited', message: `the nodes of ${this.network} allow ${rate} calls a second` }
  }

  callsPerSecond(): number {
    const usable = this.all.filter(({ isHealthy }) => isHealthy)
    return Math.max(...(usable.length === 0 ? this.all : usable).map(({ http }) => http.pacer.callsPerSecond))
  }

  async timeOf(height: number): Promise<number | null> {
    const work = (node: ChainNode) => node.timeOf(height)
    for await (const [timeMs] of this.queries.answers({ kind: 'blocks', urgency: 'confirmed', work })) {
      if (timeMs !== null) return timeMs
    }
    return null
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    if (this.confirmed === null) await this.head()
    const isConfirmed = height <= (this.confirmed ?? -1)
    const urgency = isConfirmed ? 'confirmed' : 'unconfirmed'
    const work = (node: ChainNode) => node.block(height, watched, isConfirmed)
    const answers = this.queries.answers({ kind: 'blocks', urgency, work, height })
    return (await wholeOf(answers, (block) => (block === null ? [] : [block])))?.[0] ?? null
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const work = (node: ChainNode) => node.fresh(from, to, watched)
    const answers = this.queries.answers({ kind: 'blocks', urgency: 'unconfirmed', work, height: from })
    return (await wholeOf(answers, (blocks) => blocks))?.[0] ?? []
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const work = (node: ChainNode) => node.blocks(from, to, watched)
    const answers = this.queries.answers({ kind: 'blocks', urgency: 'confirmed', work, height: from })
    const found = await wholeOf(answers, (blocks) => blocks)
    if (found === null) throw unavailable(this.network, [])
    const [blocks, endpoint] = found
    await this.compare(blocks, endpoint, watched)
    return blocks
  }

  /**
   * Compares confirmed blocks with those of the next endpoint that answers; there is nothing to compare when none does.
   * Rejects with `NetworkProblem` when they differ, and with `NodeBehind` while the other node does not have them yet.
   */
  private async compare(blocks: readonly ObservedBlock[], teller: Endpoint, watched: WatchedAddresses): Promise<void> {
    for (const endpoint of this.all) {
      if (endpoint === teller || !endpoint.begin('blocks')) continue
      const end = await this.queries.attempt(endpoint, {
        kind: 'blocks',
        urgency: 'confirmed',
        patienceMs: COMPARISON_PATIENCE_MS,
        work: (node) =>
          secondOpinion(node, blocks, watched, (timeMs) => {
            endpoint.stalledMs = this.newest.isStalled(timeMs) ? timeMs : null
            return endpoint.stalledMs !== null
          }),
      })
      if (!('answer' in end) || end.answer === 'none') continue
      if (end.answer === 'later') {
        if (endpoint.isWaitedFor(COMPARISON_WAIT_MS)) {
          throw new NodeBehind(`${endpoint.http.name} does not have the confirmed blocks yet`)
        }
        continue
      }
      endpoint.caughtUp()
      if (end.answer === 'agrees') return
      const { height, difference } = end.answer
      const names = `${teller.http.name} and ${endpoint.http.name}`
      throw new NetworkProblem(
        'disagreement',
        `${this.network}: ${names} disagree about block ${height}: ${difference}`,
      )
    }
  }

  again(height: number, watched: WatchedAddresses): Promise<ObservedBlock> {
    return readAgain(this.network, this.all, height, watched)
  }

  linkOf(height: number) {
    return linkAmong(this.all, height)
  }

  endpoints(): readonly EndpointHealth[] {
    return this.all.map((endpoint) => {
      const { http, isHealthy, failures, newest } = endpoint
      const problem = endpoint.problem ?? this.newest.behind(endpoint)
      const { refusals: limited, callsPerSecond } = http.pacer
      const { name, origin, requests, date } = http
      return { name, origin, isUsed: isHealthy, failures, requests, limited, callsPerSecond, problem, newest, date }
    })
  }

  async close(): Promise<void> {
    this.queries.close()
    await Promise.all(this.all.map(({ http }) => http.close()))
  }
}
