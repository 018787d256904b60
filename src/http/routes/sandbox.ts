import type { Deposit } from '../../domain/deposit.js'
import type { Outcome } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'
import { type LedgerNode, sandboxLedgerRoutes } from './sandbox-ledger.js'

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

/** What the routes need of the sandbox, which knows them and not the other way round. */
export interface SandboxOperations {
  describe(): SandboxDescription
  readonly ledgerNode: LedgerNode
  deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>>
  confirm(txHash: string): Promise<Outcome<readonly Deposit[]>>
  drop(txHash: string): Promise<Outcome<readonly Deposit[]>>
}

/** The routes under `/sandbox`. Without a sandbox they do not exist. */
export function sandboxRoutes(sandbox: SandboxOperations): readonly Route[] {
  return [
    { method: 'GET', pattern: '/sandbox', handle: () => jsonAnswer(200, sandbox.describe()) },
    ...sandboxLedgerRoutes(sandbox.ledgerNode),
    {
      method: 'POST',
      pattern: '/sandbox/deposits',
      handle: (request) => {
        const body = readJsonObject(request.body)
        return body.ok ? answer(sandbox.deposit(body.value)) : failureAnswer(body.failure)
      },
    },
    {
      method: 'POST',
      pattern: '/sandbox/deposits/:txHash/confirm',
      handle: (_, { txHash = '' }) => answer(sandbox.confirm(txHash)),
    },
    {
      method: 'POST',
      pattern: '/sandbox/deposits/:txHash/drop',
      handle: (_, { txHash = '' }) => answer(sandbox.drop(txHash)),
    },
  ]
}

async function answer(pending: Promise<Outcome<unknown>>): Promise<Answer> {
  const outcome = await pending
  return outcome.ok ? jsonAnswer(200, outcome.value) : failureAnswer(outcome.failure)
}
