import type { Deposit } from '../../domain/deposit.js'
import type { Outcome } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'
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

/** What the routes need of the sandbox, which knows them and not the other way round. */
export interface SandboxOperations {
  describe(): SandboxDescription
  /** Takes a transaction as a ledger node does: its answer, to be sent as JSON. */
  submit(body: Buffer): Promise<{ readonly status: number; readonly value: unknown }>
  deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>>
  confirm(txHash: string): Promise<Outcome<readonly Deposit[]>>
  drop(txHash: string): Promise<Outcome<readonly Deposit[]>>
}

/** Ledger nodes let every web page read their answers. */
const LEDGER_HEADERS = { 'Access-Control-Allow-Origin': '*' }

/** The routes under `/sandbox`. Without a sandbox they do not exist. */
export function sandboxRoutes(sandbox: SandboxOperations): readonly Route[] {
  const submit: Route['handle'] = async (request) => {
    const { status, value } = await sandbox.submit(request.body)
    return jsonAnswer(status, value, LEDGER_HEADERS)
  }
  return [
    { method: 'GET', pattern: '/sandbox', handle: () => jsonAnswer(200, sandbox.describe()) },
    { method: 'POST', pattern: '/sandbox/ledger', handle: submit },
    { method: 'POST', pattern: '/sandbox/ledger/', handle: submit },
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
