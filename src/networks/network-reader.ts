import type { BlockHead, ObservedBlock, WatchedAddresses } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { AnswerDate } from './node/answer-date.js'
import type { NodeFact } from './node/node-fact.js'
import type { ProblemReason } from './problem-reason.js'

/** A state that lasts until somebody acts, or at least for long. */
export interface Problem {
  readonly reason: ProblemReason
  readonly message: string
  /** Where the history of the node begins, when that is the problem and the node has shown it. */
  readonly historyFrom?: number
  /** The height of the block that the nodes cannot give, when that is the problem. */
  readonly block?: number
}

/** How far a network has come, according to one node. */
export interface ChainHead {
  /** Height of the newest block. */
  readonly latest: number
  /**
   * Height of the last confirmed block, by the number of blocks above it or by the node's own finality, as configured.
   * At most `latest`; −1 while there is none.
   */
  readonly confirmed: number
}

/** The head of a network, and how old it is. */
export interface AgedHead extends ChainHead {
  /** Age of the newest block when it was asked for, milliseconds: below 0 if the block's clock is ahead of ours. */
  readonly ageMs: number
}

/**
 * The port of a real network: queries nodes and checks their answers. Between queries a reader keeps only the health of
 * its endpoints. Every method rejects with `NodeUnavailable` when no endpoint gave a certain answer in time; the caller
 * retries later.
 */
export interface NetworkReader {
  readonly network: Network
  /**
   * Checks that the nodes are of this network and know the configured token with its decimals. Rejects with `WrongNode`
   * when one is not, and with `NodeUnavailable` when none answers. `onRefusal` is called when a node limits the rate, and
   * the check therefore takes its time.
   */
  verify(onRefusal?: () => void): Promise<void>
  /** Forgets what the nodes have called confirmed. Each is checked again before its next query. */
  distrust(): void
  /**
   * What is found out about each node, for the operator: that it is of this network, its clock, the token, and what it
   * offers. Nodes that do not answer have a fact that says so.
   */
  examine(): Promise<readonly { readonly endpoint: string; readonly facts: readonly NodeFact[] }[]>
  /** What is wrong although the nodes answer; null when nothing is. */
  problem(): Problem | null
  head(): Promise<AgedHead>
  /** The time of the block of the present chain at a height, Unix ms; null when no node has it, or keeps it. */
  timeOf(height: number): Promise<number | null>
  /**
   * The block of the present chain at a height with its transfers to watched addresses, complete or not at all: a
   * node's answers about a block must fit together. Null when even the most advanced endpoint has no such block yet.
   */
  block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null>
  /**
   * Consecutive blocks of the present chain from `from` on, at most up to `to`, as `block` would tell them: the reader
   * chooses the number. None when even the most advanced endpoint has no block at `from` yet.
   */
  fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /**
   * Consecutive blocks from `from` on, each the parent of the next, for catching up: at least one, at most up to `to`,
   * which must be confirmed. The reader chooses the number.
   */
  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /**
   * Asks every node, in every way, for a confirmed block that none could give. That a node fails again says nothing of its
   * health. Rejects with `NodeUnavailable` while none can, or when they tell different things.
   */
  again(height: number, watched: WatchedAddresses): Promise<ObservedBlock>
  /**
   * The place in the chain of a block whose contents no node can give: by its header, or else by the one behind it. Null when
   * no node tells, or nodes tell different things.
   */
  linkOf(height: number): Promise<Pick<BlockHead, 'hash' | 'parentHash'> | null>
  /** Each endpoint by its address without credentials, for metrics and the log. */
  endpoints(): readonly EndpointHealth[]
  /** Calls a second that the nodes allow; infinite while no limit is known. */
  callsPerSecond(): number
  /** Ends the queries in progress, and closes the connections: they reject with `NodeUnavailable`, and so do later ones. */
  close(): Promise<void>
}

export interface EndpointHealth {
  /** Scheme, host and port; paths and queries often hold keys. Further ones of the same origin have a number behind it. */
  readonly name: string
  readonly origin: string
  /** False while it is skipped after failures. */
  readonly isUsed: boolean
  readonly failures: number
  readonly requests: number
  /** Calls that it refused because of a limit of its rate. */
  readonly limited: number
  /** Calls a second that it allows; infinite while no limit is known. */
  readonly callsPerSecond: number
  /** What is wrong with it until somebody acts; null when nothing is known. */
  readonly problem: Problem | null
  /** Its newest block when it was asked for its head the last time, and the time of that, Unix ms; null before the first. */
  readonly newest: { readonly height: number; readonly timeMs: number } | null
  /** What its last answer that carried a date says of the time; null before the first. */
  readonly date: AnswerDate | null
}

/** What a node answered instead of what was asked. */
export interface NodeRefusal {
  /** The method or path that was asked; null where several answers do not fit together. */
  readonly question: string | null
  /** In the words of this program or of the node: not for everyone. */
  readonly answer: string
  /** Whether it was asked earlier, and is left alone now. */
  readonly isEarlier: boolean
}

/** No endpoint gave a certain answer: refused, too late, too long, rate-limited, or contradictory. Retry later. */
export class NodeUnavailable extends Error {
  override readonly name: string = 'NodeUnavailable'

  constructor(
    message: string,
    /** Why, when it is more than an outage: a problem of one of the endpoints. */
    readonly problem: Problem | null = null,
    /** What the first node answered that was asked. */
    readonly refusal: NodeRefusal | null = null,
    /** Whether nodes answer otherwise, and none can give the very block that was asked for. */
    readonly isOfBlock = false,
    /** After this time a node that is left alone may be asked again, ms; null when none is. */
    readonly againInMs: number | null = null,
  ) {
    super(message)
  }
}

/** Confirmed blocks wait for a second node, which is a little behind the first. */
export class NodeBehind extends NodeUnavailable {}

/** A single block that no node can give, although nodes answer otherwise. The network waits for it. */
export class UnreadableBlock extends NodeUnavailable {
  constructor(
    readonly height: number,
    cause: NodeUnavailable,
    /** Whether it has been waited for long enough. */
    readonly isToBeSetAside: boolean,
  ) {
    const message = `no node can give block ${height}: ${cause.message}`
    super(message, { reason: 'unreadable', message, block: height }, cause.refusal, true, cause.againInMs)
  }
}

/** Something that lasts until somebody acts. */
export class NetworkProblem extends Error {
  override readonly name: string = 'NetworkProblem'

  constructor(
    readonly reason: ProblemReason,
    message: string,
  ) {
    super(message)
  }
}

/** A node is of another network, or its token differs. The operator has to correct the configuration. */
export class WrongNode extends NetworkProblem {
  override readonly name = 'WrongNode'

  constructor(message: string) {
    super('wrong_node', message)
  }
}

/** What a node answered, as far as an error tells of it. */
export function refusalOf(error: unknown): NodeRefusal {
  const answer = error instanceof Error ? error.message : String(error)
  return (error instanceof NodeUnavailable ? error.refusal : null) ?? { question: null, answer, isEarlier: false }
}

/** The lasting problem that an error tells of; null for a passing failure. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof NetworkProblem) return { reason: error.reason, message: error.message }
  return error instanceof NodeUnavailable ? error.problem : null
}
