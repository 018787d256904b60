import type { Deposit } from '../../domain/deposit.js'
import type { Outcome } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import { readJsonObject } from '../body.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Answer } from '../server.js'
import { type LedgerNode, sandboxLedgerHandlers } from './sandbox-ledger.js'

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
  deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>>
  confirm(txHash: string): Promise<Outcome<readonly Deposit[]>>
  drop(txHash: string): Promise<Outcome<readonly Deposit[]>>
}

export function sandboxHandlers(sandbox: SandboxOperations) {
  return handlers({
    'GET /sandbox': () => jsonAnswer(200, sandbox.describe()),
    ...sandboxLedgerHandlers(sandbox.ledgerNode),
    'POST /sandbox/deposits': (request) => {
      const body = readJsonObject(request.body)
      return body.ok ? answer(sandbox.deposit(body.value)) : failureAnswer(body.failure)
    },
    'POST /sandbox/deposits/:txHash/confirm': (_request, { txHash }) => answer(sandbox.confirm(txHash)),
    'POST /sandbox/deposits/:txHash/drop': (_request, { txHash }) => answer(sandbox.drop(txHash)),
  })
}

async function answer(pending: Promise<Outcome<unknown>>): Promise<Answer> {
  const outcome = await pending
  return outcome.ok ? jsonAnswer(200, outcome.value) : failureAnswer(outcome.failure)
}
