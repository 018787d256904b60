import { isDeepStrictEqual } from 'node:util'
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
import { limitOf, NodeFailure } from './answer.js'
import type { ChainNode, NodeHead } from './chain-node.js'
import { Endpoint, type QueryKind, refusalIn } from './endpoint.js'
import { type FailedAttempt, unavailable } from './failed-attempt.js'
import { type EndpointAddress, HttpJson, type HttpJsonOptions } from './http-json.js'
import { examined } from './node-report.js'
import { PATIENCE_MS, type Urgency } from './pacer.js'
import { areAlike, secondOpinion } from './second-opinion.js'
import { anyway, ignoreFailure, linkAt } from './withheld-block.js'

const MS_PER_SECOND = 1000
/** How long a call waits for its turn where another node would be asked at once. */
const SHORT_PATIENCE_MS = 1000
/** How long a call waits for its turn at a node whose blocks are only compared. */
const COMPARISON_PATIENCE_MS = 5000
/** When the newest block of a node is older, the head of the next one is asked for, too: this one may be behind. */
const DOUBTED_FROM_MS = 30_000
/** So long a confirmed block waits for a second node that does not have it yet. Then that node is behind, and not waited for. */
export const COMPARISON_WAIT_MS = 30_000

/** Blocks that are set aside are asked for when nothing else is, and behind everything else. */
const IN_BACKGROUND = { urgency: 'check', patienceMs: 60_000 } as const

/** How an attempt at an endpoint ended. */
type End<T> = { readonly answer: T } | FailedAttempt

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

/** What is asked of a node, and how urgently. */
interface Query<T> {
  readonly kind: QueryKind
  readonly urgency: Urgency
  /** How long each of its calls may wait; as long as is reasonable when absent. */
  readonly patienceMs?: number
  readonly onRefusal?: () => void
  /** The first block that is asked for. */
  readonly height?: number
  readonly work: (node: ChainNode) => Promise<T>
}

/**
 * Reads a network through the nodes at its endpoints. A query goes to the first healthy one, and after a `NodeFailure`
 * all of it to the next. One whose limit slows reading down is asked when no other is well. Confirmed blocks are compared
 * with those of a second node.
 */
export class NodesReader implements NetworkReader {
  readonly network: Network
  private readonly all: readonly Endpoint[]
  /** The time of the newest block of all if it was too old when the head was last read; null otherwise. */
  private stalledMs: number | null = null
  /** How many blocks waited for their confirmation then at all nodes, if these were too many; null otherwise. */
  private unconfirmed: number | null = null
  /** The highest height that any node has reported as confirmed; null while nothing is known. */
  private confirmed: number | null = null
  /** What ends then is no failure of a node. */
  private isClosed = false

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
  }

  /** Checks every endpoint, including those that are skipped now. */
  async verify(onRefusal: () => void = () => {}): Promise<void> {
    const checks = this.all.map((endpoint) => {
      endpoint.doubt()
      return this.attempt(endpoint, { kind: 'check', urgency: 'check', onRefusal, work: async () => {} })
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
    for await (const [answer, endpoint] of this.answers({
      kind: 'head',
      urgency: 'head',
      work: (node) => node.head(),
    })) {
      const { latest, confirmed, timeMs } = answer
      head.confirmed = Math.max(head.confirmed, confirmed)
      head.latest = Math.max(head.latest, latest, confirmed)
      newestMs = Math.max(newestMs, timeMs)
      this.noteHead(endpoint, answer)
      if (endpoint.stalledMs === null) waiting.push(endpoint.unconfirmed)
      // Another node may be further, long before this one counts as stalled.
      if (this.options.clock.now() - timeMs <= DOUBTED_FROM_MS && endpoint.unconfirmed === null) break
    }
    this.stalledMs = this.isStalled(newestMs) ? newestMs : null
    const counts = waiting.filter((count) => count !== null)
    this.unconfirmed = counts.length > 0 && counts.length === waiting.length ? Math.min(...counts) : null
    this.confirmed = Math.max(this.confirmed ?? -1, head.confirmed)
    return { ...head, ageMs: this.options.clock.now() - newestMs }
  }

  problem(): Problem | null {
    if (this.stalledMs !== null) return this.stalled(`the newest block of ${this.network}`, this.stalledMs)
    if (this.unconfirmed !== null) return unconfirmedProblem(`the newest blocks of ${this.network}`, this.unconfirmed)
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

  private isStalled(timeMs: number): boolean {
    return this.options.clock.now() - timeMs > this.options.headAgeMaxMs
  }

  private noteHead(endpoint: Endpoint, { latest, timeMs, unconfirmed = null }: NodeHead): void {
    const before = this.behind(endpoint)
    endpoint.newest = { height: latest, timeMs }
    endpoint.stalledMs = this.isStalled(timeMs) ? timeMs : null
    endpoint.unconfirmed = unconfirmed
    const behind = this.behind(endpoint)
    if (behind === null || behind.reason === before?.reason) return
    const { log, network } = this.options
    log.warn({ network, endpoint: endpoint.http.name, failure: behind.message }, 'a node is behind')
  }

  /** What is wrong with what a node calls its newest blocks; null when nothing is. */
  private behind({ stalledMs, unconfirmed }: Endpoint): Problem | null {
    if (stalledMs !== null) return this.stalled('its newest block', stalledMs)
    return unconfirmed === null ? null : unconfirmedProblem('its newest blocks', unconfirmed)
  }

  private stalled(what: string, timeMs: number): Problem {
    const ageMs = this.options.clock.now() - timeMs
    return { reason: 'stalled', message: `${what} is ${Math.round(ageMs / MS_PER_SECOND)} s old` }
  }

  async timeOf(height: number): Promise<number | null> {
    const work = (node: ChainNode) => node.timeOf(height)
    for await (const [timeMs] of this.answers({ kind: 'blocks', urgency: 'confirmed', work })) {
      if (timeMs !== null) return timeMs
    }
    return null
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    if (this.confirmed === null) await this.head()
    const isConfirmed = height <= (this.confirmed ?? -1)
    const urgency = isConfirmed ? 'confirmed' : 'unconfirmed'
    const work = (node: ChainNode) => node.block(height, watched, isConfirmed)
    const answers = this.answers({ kind: 'blocks', urgency, work, height })
    return (await wholeOf(answers, (block) => (block === null ? [] : [block])))?.[0] ?? null
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const work = (node: ChainNode) => node.fresh(from, to, watched)
    const answers = this.answers({ kind: 'blocks', urgency: 'unconfirmed', work, height: from })
    return (await wholeOf(answers, (blocks) => blocks))?.[0] ?? []
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const work = (node: ChainNode) => node.blocks(from, to, watched)
    const answers = this.answers({ kind: 'blocks', urgency: 'confirmed', work, height: from })
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
      const end = await this.attempt(endpoint, {
        kind: 'blocks',
        urgency: 'confirmed',
        patienceMs: COMPARISON_PATIENCE_MS,
        work: (node) =>
          secondOpinion(node, blocks, watched, (timeMs) => {
            endpoint.stalledMs = this.isStalled(timeMs) ? timeMs : null
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

  async again(height: number, watched: WatchedAddresses): Promise<ObservedBlock> {
    const told: ObservedBlock[] = []
    const failures: FailedAttempt[] = []
    for (const endpoint of this.all) {
      const { node, http } = endpoint
      // The queries of the watcher find out when it is well again.
      if (!endpoint.isHealthy) {
        failures.push({ reason: `${http.name}: left alone after failures`, problem: null, refusal: null })
        continue
      }
      try {
        const block = await http.pacer.during(IN_BACKGROUND, async () => {
          await endpoint.check()
          return await anyway(node, height, watched)
        })
        told.push(block)
      } catch (error) {
        ignoreFailure(error)
        failures.push({ reason: `${http.name}: ${(error as Error).message}`, problem: null, refusal: null })
      }
    }
    const [block, ...others] = told.toSorted((a, b) => countOfUntold([a]) - countOfUntold([b]))
    if (block === undefined) throw unavailable(this.network, failures)
    if (others.every((other) => areAlike(block, other, this.all[0]?.node ?? {}))) return block
    throw unavailable(this.network, [{ reason: `nodes disagree about block ${height}`, problem: null, refusal: null }])
  }

  async linkOf(height: number) {
    const links = await Promise.all(
      this.all.map(({ node, http }) =>
        http.pacer.during({ ...IN_BACKGROUND, urgency: 'confirmed' }, () => linkAt(node, height)),
      ),
    )
    const [link, ...others] = links.filter((one) => one !== null)
    return link !== undefined && others.every((other) => isDeepStrictEqual(other, link)) ? link : null
  }

  endpoints(): readonly EndpointHealth[] {
    return this.all.map((endpoint) => {
      const { http, isHealthy, failures, newest } = endpoint
      const problem = endpoint.problem ?? this.behind(endpoint)
      const { refusals: limited, callsPerSecond } = http.pacer
      const { name, origin, requests, date } = http
      return { name, origin, isUsed: isHealthy, failures, requests, limited, callsPerSecond, problem, newest, date }
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(this.all.map(({ http }) => http.close()))
  }

  /**
   * The answers of one endpoint after another, for queries that the first answer may not settle: the next endpoint is
   * queried when the next answer is taken. Endpoints that fail or are skipped yield no answer. Rejects with
   * `NodeUnavailable` when that is all of them, and with any other error that `work` throws.
   */
  private async *answers<T>(query: Query<T>): AsyncGenerator<readonly [T, Endpoint], void, void> {
    const failures: FailedAttempt[] = []
    const asked = new Set<Endpoint>()
    const isSlow = ({ http }: Endpoint) => http.pacer.isSlow
    for (const endpoint of [...this.all.filter((one) => !isSlow(one)), ...this.all.filter(isSlow)]) {
      if (!endpoint.begin(query.kind)) {
        const refusal = endpoint.refusal(query.kind)
        failures.push({
          reason: `${endpoint.http.name}: left alone after failures, the last one: ${refusal?.answer}`,
          problem: null,
          refusal: refusal && { ...refusal, isEarlier: true },
        })
        continue
      }
      asked.add(endpoint)
      const end = await this.attempt(endpoint, query)
      if ('answer' in end) yield [end.answer, endpoint]
      else failures.push(end)
    }
    if (failures.length < this.all.length) return
    const isOfBlock = query.height !== undefined && (await this.isOfBlock(query.height, asked))
    const pauses = this.all.map((endpoint) => endpoint.pauseLeftMs(query.kind)).filter((ms) => ms > 0)
    throw unavailable(this.network, failures, isOfBlock, pauses.length === 0 ? null : Math.min(...pauses))
  }

  /**
   * Whether it is a block that all nodes have failed on: one of those that were just asked has answered, and none of the others may
   * have the block, as one that turns its client away or is behind may. Nodes that are down for long do not count.
   */
  private async isOfBlock(height: number, asked: ReadonlySet<Endpoint>): Promise<boolean> {
    let isRead = false
    for (const endpoint of this.all) {
      const { node, verdict } = endpoint
      if (verdict === 'limited') return false
      // What was left alone has failed on another query, perhaps for another block.
      if (!asked.has(endpoint)) continue
      if (verdict === 'lacking') {
        const head = await node.head().catch(ignoreFailure)
        if (head !== null && head.latest < height) return false
        isRead ||= head !== null
      }
      isRead ||= verdict === 'unreadable'
    }
    return isRead
  }

  /** Makes a query, after the check if it is due, and notes how it ended. Rejects with failures that are not the node's. */
  private async attempt<T>(endpoint: Endpoint, query: Query<T>): Promise<End<T>> {
    const { log, network } = this.options
    const { node, http } = endpoint
    const patienceMs = query.patienceMs ?? this.patienceAt(endpoint)
    try {
      const answer = await http.pacer.during({ ...query, patienceMs }, async () => {
        await endpoint.check()
        return await query.work(node)
      })
      if (endpoint.succeeded(query.kind)) log.info({ network, endpoint: http.name }, 'a node is well again')
      return { answer }
    } catch (error) {
      if (!(error instanceof NodeFailure || error instanceof WrongNode)) {
        endpoint.withdraw(query.kind)
        throw error
      }
      // What a node of another chain has called confirmed says nothing of this one.
      if (error instanceof WrongNode) this.confirmed = null
      const refusal = refusalIn(error)
      const { question, answer: failure } = refusal
      const about = { network, endpoint: http.name, ...(question === null ? {} : { question }), failure }
      const isNew = endpoint.refusal(query.kind) === null && limitOf(error) === null
      if (isNew && !this.isClosed) log.warn(about, 'a node failed')
      else log.debug(about, 'a node failed again')
      const problem = endpoint.failed(error, query.kind)
      const reason = `${http.name}: ${error.message}`
      return { reason, problem: problem === null ? null : { ...problem, message: reason }, refusal }
    }
  }

  /** The only node that is left is waited for. */
  private patienceAt(endpoint: Endpoint): number {
    const isOther = this.all.some((other) => other !== endpoint && other.isReady)
    return isOther ? SHORT_PATIENCE_MS : (this.options.patienceMs ?? PATIENCE_MS)
  }
}

/**
 * The first answer in which nothing is untold, or else the one with the least: another node may tell what the first one does not.
 * Null when none has a block.
 */
async function wholeOf<T>(
  answers: AsyncIterable<readonly [T, Endpoint]>,
  blocksIn: (answer: T) => readonly ObservedBlock[],
): Promise<readonly [T, Endpoint] | null> {
  let best: { readonly answer: readonly [T, Endpoint]; readonly untold: number } | null = null
  for await (const answer of answers) {
    const blocks = blocksIn(answer[0])
    if (blocks.length === 0) continue
    const untold = countOfUntold(blocks)
    if (untold === 0) return answer
    if (best === null || untold < best.untold) best = { answer, untold }
  }
  return best?.answer ?? null
}

function countOfUntold(blocks: readonly ObservedBlock[]): number {
  return blocks.reduce((sum, { untold }) => sum + (untold?.txHashes.length ?? 0), 0)
}

function unconfirmedProblem(what: string, count: number): Problem {
  return { reason: 'unconfirmed', message: `${what} wait for their confirmation, ${count} of them` }
}
