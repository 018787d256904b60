import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import { WrongNode } from '../network-reader.js'
import { limitOf, NodeFailure } from './answer.js'
import type { ChainNode } from './chain-node.js'
import { type Endpoint, type QueryKind, refusalIn } from './endpoint.js'
import { type FailedAttempt, unavailable } from './failed-attempt.js'
import { PATIENCE_MS, type Urgency } from './pacer.js'
import { ignoreFailure } from './withheld-block.js'

/** How long a call waits for its turn where another node would be asked at once. */
const SHORT_PATIENCE_MS = 1000

/** How an attempt at an endpoint ended. */
export type End<T> = { readonly answer: T } | FailedAttempt

/** What is asked of a node, and how urgently. */
export interface Query<T> {
  readonly kind: QueryKind
  readonly urgency: Urgency
  /** How long each of its calls may wait; as long as is reasonable when absent. */
  readonly patienceMs?: number
  readonly onRefusal?: () => void
  /** The first block that is asked for. */
  readonly height?: number
  readonly work: (node: ChainNode) => Promise<T>
}

export interface NodeQueriesOptions {
  readonly network: Network
  readonly log: Logger
  /** How long a call waits for its turn where no other node would be asked at once; six minutes when absent. */
  readonly patienceMs?: number
  /** Called when a node turns out to be of another chain. */
  readonly onWrongNode: () => void
}

/**
 * Queries the endpoints of a network. A query goes to the first healthy one, and after a `NodeFailure` all of it to the next. One whose
 * limit slows reading down is asked when no other is well.
 */
export class NodeQueries {
  /** What ends then is no failure of a node. */
  private isClosed = false

  /** `all`: in order of preference. */
  constructor(
    private readonly all: readonly Endpoint[],
    private readonly options: NodeQueriesOptions,
  ) {}

  close(): void {
    this.isClosed = true
  }

  /**
   * The answers of one endpoint after another, for queries that the first answer may not settle: the next endpoint is
   * queried when the next answer is taken. Endpoints that fail or are skipped yield no answer. Rejects with
   * `NodeUnavailable` when that is all of them, and with any other error that `work` throws.
   */
  async *answers<T>(query: Query<T>): AsyncGenerator<readonly [T, Endpoint], void, void> {
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
    throw unavailable(this.options.network, failures, isOfBlock, pauses.length === 0 ? null : Math.min(...pauses))
  }

  /** Makes a query, after the check if it is due, and notes how it ended. Rejects with failures that are not the node's. */
  async attempt<T>(endpoint: Endpoint, query: Query<T>): Promise<End<T>> {
    const { log, network, onWrongNode } = this.options
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
      if (error instanceof WrongNode) onWrongNode()
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

  /** The only node that is left is waited for. */
  private patienceAt(endpoint: Endpoint): number {
    const isOther = this.all.some((other) => other !== endpoint && other.isReady)
    return isOther ? SHORT_PATIENCE_MS : (this.options.patienceMs ?? PATIENCE_MS)
  }
}
