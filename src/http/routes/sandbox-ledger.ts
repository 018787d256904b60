import { type Handler, handlers } from '../endpoints.js'
import { jsonAnswer } from '../failure-response.js'
import type { Answer } from '../server.js'

/** What a ledger node answers, to be sent as JSON. */
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
  /** `query` is what follows the question mark. */
  umids(query: string): NodeAnswer
}

/** Ledger nodes let every web page read their answers. */
const LEDGER_HEADERS = { 'Access-Control-Allow-Origin': '*' }

/** A ledger node at one address; a real node has three ports: transactions, the read API and the store. */
export function sandboxLedgerHandlers(node: LedgerNode) {
  const submit: Handler<string> = async (request) => answerOf(await node.submit(request.body))
  return handlers({
    'POST /sandbox/ledger': submit,
    'POST /sandbox/ledger/': submit,
    'GET /sandbox/ledger/api/stream/:id': async (_request, { id }) => answerOf(await node.stream(id)),
    'GET /sandbox/ledger/api/tx/:umid': (_request, { umid }) => answerOf(node.transaction(umid)),
    'GET /sandbox/ledger/activeledgerevents/umids': (request) => answerOf(node.umids(request.query)),
  })
}

function answerOf({ status, value }: NodeAnswer): Answer {
  return jsonAnswer(status, value, LEDGER_HEADERS)
}
