import { type Handler, handlers } from '../http/endpoints.js'
import { jsonAnswer, outcomeAnswer, readJsonObject } from '../http/json.js'
import type { Answer } from '../http/server.js'
import type { Sandbox } from './sandbox.js'
import type { NodeAnswer } from './simulated-node.js'

/** Ledger nodes let every web page read their answers. Real ones also grant every preflight request, which this one leaves out. */
const LEDGER_HEADERS = { 'Access-Control-Allow-Origin': '*' }
/** Of answers to transactions. No client knows that encoding, and the body is as it is without it. */
const TRANSACTION_HEADERS = { ...LEDGER_HEADERS, 'Content-Encoding': 'none' }

/** The simulated ledger node has one address; a real one has three ports: transactions, the read API and the store. */
export function sandboxHandlers(sandbox: Pick<Sandbox, 'describe' | 'ledgerNode' | 'networks'>) {
  const { ledgerNode: node, networks } = sandbox
  const submit: Handler<string> = async (request) => {
    const { status, value } = await node.submit(request.body)
    return jsonAnswer(status, value, TRANSACTION_HEADERS)
  }
  return handlers({
    'GET /sandbox': () => jsonAnswer(200, sandbox.describe()),
    'POST /sandbox/ledger': submit,
    'POST /sandbox/ledger/': submit,
    'GET /sandbox/ledger/api/stream/:id': async (_request, { id }) => nodeAnswer(await node.stream(id)),
    'GET /sandbox/ledger/api/tx/:umid': (_request, { umid }) => nodeAnswer(node.transaction(umid)),
    'GET /sandbox/ledger/activeledgerevents/umids': (request) => nodeAnswer(node.umids(request.query)),
    'POST /sandbox/deposits': async (request) => {
      const body = readJsonObject(request.body)
      return outcomeAnswer(200, body.ok ? await networks.deposit(body.value) : body)
    },
    'POST /sandbox/deposits/:txHash/confirm': async (_request, { txHash }) =>
      outcomeAnswer(200, await networks.settle(txHash, 'confirmed')),
    'POST /sandbox/deposits/:txHash/drop': async (_request, { txHash }) =>
      outcomeAnswer(200, await networks.settle(txHash, 'dropped')),
  })
}

function nodeAnswer({ status, value }: NodeAnswer): Answer {
  return jsonAnswer(status, value, LEDGER_HEADERS)
}
