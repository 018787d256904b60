import type { Degradation, DegradedReason } from '../domain/degradation.js'
import type { Network } from '../domain/network.js'
import type { FollowerState } from '../ledger/follower-state.js'
import type { EndpointHealth, NodeRefusal, Problem } from '../networks/network-reader.js'
import type { ProblemReason } from '../networks/problem-reason.js'
import { STANDING_MS, type WatcherState } from '../networks/watcher-state.js'
import { ledgerComplaints, ledgerNotes } from './ledger-health.js'
import { publicWords } from './public-words.js'

const MS_PER_SECOND = 1000

/** What is said of a network by the reason of its problem. Who its nodes are is only in the log: anyone reads this. */
const OF_NETWORK: Readonly<Record<ProblemReason, string>> = {
  wrong_node: 'cannot be watched: no node of it is left, only those of other networks or tokens',
  disagreement: 'confirms nothing: its nodes disagree about confirmed blocks',
  stalled: 'has had no new block for long',
  limited: 'is limited: its nodes allow fewer calls than reading takes, so payments are seen late',
  pruned: 'cannot be watched: its nodes have dropped blocks that are needed',
  no_finality: 'cannot be watched: its nodes do not say what is final',
  no_traces: 'cannot be watched: its nodes refuse traces',
  unconfirmed: 'confirms too little or nothing: too many blocks wait for their confirmation',
  replaced: 'cannot be watched: its nodes have other blocks than those that were recorded',
  unreadable: 'waits for a block that no node can give',
  wrong_token: 'does not see payments in a token, which is not what the settings say',
}
/** Problems of which a node says in its own words what is to be changed. */
const LACKS: ReadonlySet<ProblemReason> = new Set(['pruned', 'no_finality', 'no_traces'])
const OF_NODE: Readonly<Record<ProblemReason, string>> = {
  wrong_node: 'is of another network or token',
  disagreement: 'disagrees with another one',
  stalled: 'has had no new block for long',
  limited: 'allows few calls',
  pruned: 'has dropped blocks that are needed',
  no_finality: 'does not say what is final',
  no_traces: 'refuses traces',
  unconfirmed: 'does not confirm blocks',
  replaced: 'has other blocks than those that were recorded',
  unreadable: 'cannot give a block',
  wrong_token: 'has another token than the settings say',
}

/** What this process watches: nothing while another one leads. */
export interface Watched {
  readonly watchers: readonly { state(): WatcherState; endpoints(): readonly Pick<EndpointHealth, 'problem'>[] }[]
  readonly follower: { state(): FollowerState } | null
  /** How many deposits of each network are set aside, because their recording failed. */
  depositsAside(): ReadonlyMap<Network, number>
}

/** Reports to operators how far the service lags behind the networks and the ledger. */
export class Lag {
  constructor(
    private readonly watched: Watched,
    private readonly lagLimitMs: number,
    /** How long a network may be without a new block when its operator says so, else 0: it may be read as late as that. */
    private readonly quietMs: (network: Network) => number,
  ) {}

  /** One sentence for each network, and for the ledger, that lags or cannot be read; empty if none does. */
  complaints(): readonly Degradation[] {
    const complaints: (Degradation | null)[] = this.watched.watchers.flatMap((watcher) => {
      const state = watcher.state()
      const own = this.ofWatcher(state)
      // Where all nodes have the problem of the network, the network's line says it.
      const nodes = watcher
        .endpoints()
        .filter(({ problem }) => problem !== null && problem.reason !== state.problem?.reason)
      return [
        own,
        blocksAside(state),
        ...nodes.map(
          ({ problem }) =>
            problem && degraded('node_problem', `A node of ${state.network} ${OF_NODE[problem.reason]}; see the log.`),
        ),
      ]
    })
    for (const [network, count] of this.watched.depositsAside()) {
      const what = count === 1 ? '1 deposit' : `${count} deposits`
      const text = `Recording ${what} of ${network} failed: set aside, and tried again; see the log.`
      complaints.push(degraded('deposits_set_aside', text))
    }
    const { follower } = this.watched
    if (follower !== null) complaints.push(...this.ofFollower(follower.state()))
    return complaints.filter((complaint) => complaint !== null)
  }

  /** What the service cannot know with these settings, one sentence each. */
  notes(): readonly string[] {
    const state = this.watched.follower?.state()
    return state === undefined ? [] : ledgerNotes(state)
  }

  private ofWatcher(state: WatcherState): Degradation | null {
    const { network, problem, position, standing, unreadMs, lagMs } = state
    // Where it stands for a block that no node can give, that is told with the time.
    if (problem !== null && !(problem.reason === 'unreadable' && standing !== null)) {
      return degraded('network_problem', `${network} ${ofProblem(problem, state.refusal)}; see the log.`)
    }
    if (position === null) return degraded('network_unread', `${network} has not been read yet${whyUnread(state)}.`)
    if (standing !== null) {
      const text = `${network} has not got past block ${standing.block} for ${seconds(standing.ms)}${told(state.refusal)}.`
      return degraded('network_standing', text)
    }
    if (unreadMs >= STANDING_MS) {
      return degraded('network_behind', `${network} could not be read for ${seconds(unreadMs)}${told(state.refusal)}.`)
    }
    const limitMs = Math.max(this.lagLimitMs, this.quietMs(network))
    if (lagMs <= limitMs) return null
    return degraded('network_behind', `${network} was last read ${seconds(lagMs)} behind.`)
  }

  private ofFollower({ lagMs, wasRead, ...state }: FollowerState): readonly (Degradation | null)[] {
    const ofLag = (): Degradation | null => {
      if (!wasRead) return degraded('ledger_unread', 'The ledger has not been read yet.')
      if (lagMs <= this.lagLimitMs) return null
      return degraded('ledger_behind', `The ledger was last read ${seconds(lagMs)} behind.`)
    }
    return [ofLag(), ...ledgerComplaints(state)]
  }
}

function degraded(reason: DegradedReason, text: string): Degradation {
  return { reason, text }
}

/** Why a network that was asked has not been read; nothing while it is asked for the first time. */
function whyUnread({ head, refusal }: WatcherState): string {
  if (refusal !== null) return told(refusal)
  return head === null ? '' : ': the block with which to begin is not confirmed yet'
}

/** What a node answered to what, without what is nobody's business. */
function told(refusal: NodeRefusal | null): string {
  if (refusal === null) return ''
  const { question, answer } = refusal
  const said = publicWords(answer)
  return ` (${question === null || said.startsWith(question) ? said : `${question}: ${said}`})`
}

function ofProblem({ reason, block }: Problem, refusal: NodeRefusal | null): string {
  if (block === undefined) return `${OF_NETWORK[reason]}${LACKS.has(reason) ? told(refusal) : ''}`
  return `waits for block ${block}, which no node can give${told(refusal)}`
}

function blocksAside({ network, blocksSetAside: count }: WatcherState): Degradation | null {
  if (count === 0) return null
  const what = count === 1 ? '1 block' : `${count} blocks`
  const text = `${network} goes on without ${what} that no node can give in full: deposits in ${count === 1 ? 'it' : 'them'} may be missing; see the log.`
  return degraded('blocks_set_aside', text)
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
