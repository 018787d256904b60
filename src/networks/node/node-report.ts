import { WrongNode } from '../network-reader.js'
import { NodeFailure, UnfitNode } from './answer.js'
import type { Endpoint } from './endpoint.js'
import type { NodeFact } from './node-fact.js'
import type { Pacer } from './pacer.js'

/** How long a call of an examination waits for its turn. Somebody looks on. */
const PURPOSE = { urgency: 'check', patienceMs: 60_000 } as const

const WRONG_NODE_ADVICE = 'Name a node of this network, or correct the network and its token in the settings.'
const UNFIT_NODE_ADVICE = 'Change its configuration as it says, or use another node.'

/** What an examination has shown of the node at an endpoint. */
interface NodeReport {
  readonly endpoint: string
  readonly facts: readonly NodeFact[]
}

export async function examined({ node, http }: Endpoint, nowMs: number, headAgeMaxMs: number): Promise<NodeReport> {
  try {
    const facts = await http.pacer.during(PURPOSE, () => node.examine(nowMs, headAgeMaxMs))
    return { endpoint: http.name, facts: [...facts, ...limitFacts(http.pacer)] }
  } catch (error) {
    if (!(error instanceof NodeFailure || error instanceof WrongNode)) throw error
    const text = `fails: ${error.message}`
    const advice =
      error instanceof WrongNode ? WRONG_NODE_ADVICE : error instanceof UnfitNode ? UNFIT_NODE_ADVICE : undefined
    return { endpoint: http.name, facts: [{ verdict: 'failed', text, ...(advice && { advice }) }] }
  }
}

/** What it has shown of a limit; nothing when there is none. */
function limitFacts({ callsPerSecond }: Pacer): readonly NodeFact[] {
  if (!Number.isFinite(callsPerSecond)) return []
  return [
    {
      verdict: 'warning',
      text: `limits the rate: this examination was slowed down to ${callsPerSecond.toFixed(1)} calls a second`,
    },
  ]
}
