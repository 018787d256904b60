import type { Deposit } from '../../domain/deposit.js'
import type { Outcome } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import { type Handler, handlers } from '../endpoints.js'
import { jsonAnswer, outcomeAnswer, readJsonObject } from '../json.js'
import type { Answer } from '../server.js'

/** What a client needs to know to use the simulated ledger (decisions 9). */
export interface SandboxDescription {
  /** Says in words that nothing here is real. */
  readonly notice: string
  /** A ledger node: transactions are posted to it and a slash. */
  readonly nodeUrl: string
  readonly namespace: string
  readonly contracts: { readonly onboard: string; readonly assignOwner: string }
  readonly onboardingName: string
  readonly networks: readonly Network[]
}

/** What the handlers need of the sandbox. */
export interface SandboxOperations {
  describe(): SandboxDescription
  readonly ledgerNode: LedgerNode
  readonly networks: {
    deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>>
    settle(txHash: string, report: 'confirmed' | 'dropped'): Promise<Outcome<readonly Deposit[]>>
  }
}

/** The simulated ledger node has one address; a real one has three ports: transactions, the read API and the store. */
export function sandboxHandlers(sandbox: SandboxOperations) {
  const { ledgerNode: node, networks } = sandbox
  const submit: Handler<string> = async (request) => nodeAnswer(await node.submit(request.body))
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

/** A ledger node's HTTP answer. Nearly everything, failures included, has status 200. */
export interface NodeAnswer {
  readonly status: number
  /** Sent as JSON. */
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

function nodeAnswer({ status, value }: NodeAnswer): Answer {
  return jsonAnswer(status, value, LEDGER_HEADERS)
}
