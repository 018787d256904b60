import { jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

/** What a ledger node answers: to be sent as JSON. */
interface NodeAnswer {
  readonly status: number
  readonly value: unknown
}

/** The simulated ledger node, as the routes need it. */
export interface LedgerNode {
  /** Takes a transaction. */
  submit(body: Buffer): Promise<NodeAnswer>
  stream(id: string): Promise<NodeAnswer>
  transaction(umid: string): NodeAnswer
  /** `query` is what stands behind the question mark. */
  umids(query: string): NodeAnswer
}

/** Ledger nodes let every web page read their answers. */
const LEDGER_HEADERS = { 'Access-Control-Allow-Origin': '*' }

/**
 * A ledger node below `/sandbox/ledger`: one address for what a real one spreads over three ports, taking transactions,
 * the read API and the store.
 */
export function sandboxLedgerRoutes(node: LedgerNode): readonly Route[] {
  const submit: Route['handle'] = async (request) => answerOf(await node.submit(request.body))
  return [
    { method: 'POST', pattern: '/sandbox/ledger', pages: 'any', handle: submit },
    { method: 'POST', pattern: '/sandbox/ledger/', pages: 'any', handle: submit },
    {
      method: 'GET',
      pattern: '/sandbox/ledger/api/stream/:id',
      handle: async (_, { id = '' }) => answerOf(await node.stream(id)),
    },
    {
      method: 'GET',
      pattern: '/sandbox/ledger/api/tx/:umid',
      handle: (_, { umid = '' }) => answerOf(node.transaction(umid)),
    },
    {
      method: 'GET',
      pattern: '/sandbox/ledger/activeledgerevents/umids',
      parameters: ['from', 'limit'],
      handle: (request) => answerOf(node.umids(request.query)),
    },
  ]
}

function answerOf({ status, value }: NodeAnswer): Answer {
  return jsonAnswer(status, value, LEDGER_HEADERS)
}
