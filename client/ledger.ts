import { BillhookError } from './error.js'
import { identityId, ledgerKey } from './identity.js'
import { type Signer, signatureOf } from './signer.js'
import type { Fetch } from './transport.js'
import { sleep } from './wait.js'

const TIMEOUT_MS = 30_000
/** Two transactions of one identity, or of one wallet, cannot be judged at once. */
const BUSY_ATTEMPTS = 6
const BUSY_PAUSE_MS = 250
/** How the errors of a node begin; it appends an id. */
const BUSY = 'Busy Locks'
const DUPLICATE = 'Deterministic Stream Name Exists'

/** What a deployment says about its ledger. */
export interface LedgerSettings {
  /** Base addresses of nodes. They are tried in turn until one answers. */
  readonly nodes: readonly string[]
  readonly namespace: string
  /** Ids of contracts. */
  readonly contracts: { readonly onboard: string; readonly assignOwner: string }
  /** The fixed name that identities are made from. */
  readonly onboardingName: string
  /** Instead of the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined
  /** The time for each node. Default: 30,000. */
  readonly timeoutMs?: number | undefined
}

/** A node's answer, of which every part may be missing. */
interface NodeAnswer {
  readonly $summary?: { readonly commit?: number; readonly errors?: readonly unknown[] }
  readonly $streams?: { readonly new?: readonly Stream[]; readonly updated?: readonly Stream[] }
}

interface Stream {
  readonly id?: string
}

/**
 * Makes the key an identity on the ledger, and answers its id. The service may learn of it a moment later: `waitForIdentity` waits for
 * that. It does no harm to an identity that exists. Throws `BillhookError` with `ledger_rejected` or `ledger_unavailable`.
 */
export async function onboard(ledger: LedgerSettings, identity: Signer): Promise<string> {
  const { contracts, namespace, onboardingName } = ledger
  const publicKey = ledgerKey(identity.publicKey)
  const id = identityId(publicKey, onboardingName)
  const tx = {
    $contract: contracts.onboard,
    $namespace: namespace,
    $i: { otk: { publicKey, type: 'secp256k1' } },
  }
  const otk = await signatureOf(identity, JSON.stringify(tx))
  const answer = await submit(ledger, { $selfsign: true, $sigs: { otk }, $tx: tx })
  if (beginsWith(errorsOf(answer), DUPLICATE)) return id
  check(answer, answer.$streams?.new, id)
  return id
}

/**
 * Assigns a claimed wallet to an identity that was onboarded. The service learns of it a moment later: `waitForWallet` waits for that,
 * and also tells whether an assignment took effect whose answer was lost. Throws like `onboard`.
 */
export async function assignWallet(ledger: LedgerSettings, identity: Signer, walletId: string): Promise<void> {
  const owner = identityId(identity.publicKey, ledger.onboardingName)
  const tx = {
    $contract: ledger.contracts.assignOwner,
    $namespace: ledger.namespace,
    $i: { owner: { $stream: owner, personal: true } },
    $o: { wallet: { $stream: walletId } },
  }
  const signature = await signatureOf(identity, JSON.stringify(tx))
  const answer = await submit(ledger, { $sigs: { [owner]: signature }, $tx: tx })
  check(answer, answer.$streams?.updated, walletId)
}

/** Posts a transaction, again while the node is busy with another one of these streams. */
async function submit(ledger: LedgerSettings, transaction: object): Promise<NodeAnswer> {
  const body = JSON.stringify(transaction)
  for (let attempt = 1; ; attempt++) {
    const answer = await post(ledger, body)
    if (attempt === BUSY_ATTEMPTS || !beginsWith(errorsOf(answer), BUSY)) return answer
    await sleep(attempt * BUSY_PAUSE_MS)
  }
}

/** The answer of the first node that answers. */
async function post({ nodes, timeoutMs = TIMEOUT_MS, ...ledger }: LedgerSettings, body: string): Promise<NodeAnswer> {
  const send = ledger.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
  const causes: unknown[] = []
  for (const node of nodes) {
    try {
      // Without a content type of JSON, because browsers would ask the node for permission first, which nodes do not give.
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await send(`${node.replace(/\/+$/, '')}/`, { method: 'POST', body, signal, credentials: 'omit' })
      const answer: unknown = await response.json()
      if (response.ok && typeof answer === 'object' && answer !== null && '$summary' in answer)
        return answer as NodeAnswer
      causes.push(new Error(`${node} answered ${response.status}, and not as a ledger node`))
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new BillhookError(`No node of the ledger answered, of ${nodes.length}.`, 'ledger_unavailable', {
    cause: new AggregateError(causes),
  })
}

/** No field of a node's answer can be trusted alone: committed, no errors, and the expected stream. */
function check(answer: NodeAnswer, streams: readonly Stream[] | undefined, id: string): void {
  const errors = errorsOf(answer)
  const isCommitted = (answer.$summary?.commit ?? 0) > 0 && errors.length === 0
  if (isCommitted && streams?.some((stream) => stream.id === id) === true) return
  const told = errors[0] ?? (isCommitted ? 'it changed another stream than the expected one' : 'it was not committed')
  throw new BillhookError(`The ledger rejected the transaction: ${told}`, 'ledger_rejected')
}

function errorsOf({ $summary }: NodeAnswer): readonly string[] {
  return ($summary?.errors ?? []).map(String)
}

function beginsWith(errors: readonly string[], text: string): boolean {
  return errors.some((error) => error.startsWith(text))
}
