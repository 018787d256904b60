import type { Billhook } from './billhook.js'
import { utf8 } from './bytes.js'
import { BillhookError } from './error.js'
import { identityId, ledgerKey } from './identity.js'
import { nodesInTurn, postTo, stayAt } from './ledger-nodes.js'
import { type ExpectedStream, type LedgerVerdict, verdictOf } from './ledger-verdict.js'
import { type Signer, signatureOf } from './signer.js'
import type { Fetch } from './transport.js'
import { anyOf, sleep } from './wait.js'

/** A node answers in a second, or not before another transaction comes. */
const TIMEOUT_MS = 10_000
const SETTLE_MS = 10_000
const LOOK_INTERVAL_MS = 500
/** Two transactions of one identity, or of one wallet, cannot be judged at once. */
const BUSY_MAX = 6
const PAUSE_MS = 250
/** Posts to one node without an answer. The second one also wakes a first one that waits. */
const LOST_MAX = 2
/** Posts to one node whose answers decide nothing. */
const UNDECIDED_MAX = 4

/** What a deployment says about its ledger. */
export interface LedgerSettings {
  /** Base addresses of nodes. They are tried in turn until one answers, beginning with the one that answered last. */
  readonly nodes: readonly string[]
  readonly namespace: string
  /** Ids of contracts. */
  readonly contracts: { readonly onboard: string; readonly assignOwner: string }
  /** The fixed name that identities are made from. */
  readonly onboardingName: string
  /** Instead of the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined
  /** The time for each answer of a node. Default: 10,000. */
  readonly timeoutMs?: number | undefined
}

/** How to find out what happened when an answer of the ledger leaves it open. */
export interface LedgerOptions {
  /**
   * A client of the identity, which tells whether the service has learned of the transaction. A wallet is assigned to its owner,
   * whatever key signs: an identity whose key was replaced is no longer made from it.
   */
  readonly billhook?: Pick<Billhook, 'identityExists' | 'listWallets' | 'owner'> | undefined
  /** For how long the service is asked before the outcome counts as open. Default: 10,000. */
  readonly settleMs?: number | undefined
  /** Ends the step with the reason of the signal. It may then have taken effect. */
  readonly signal?: AbortSignal | undefined
}

/** A transaction, and how to see that it has taken effect. */
interface Step extends ExpectedStream {
  readonly transaction: object
  readonly look: ((signal: AbortSignal) => Promise<boolean>) | null
  /** What to do when its outcome stays open. */
  readonly advice: string
}

/**
 * Makes the key an identity on the ledger, and answers its id. The service may learn of it a moment later: `waitForIdentity` waits for
 * that. It does no harm to an identity that exists, also several times at once. Throws `BillhookError` with `ledger_rejected`,
 * `ledger_unavailable` (nothing was sent) or `ledger_uncertain` (it may have taken effect).
 *
 * @example
 * ```js
 * import { Billhook, identityFromPhrase, newPhrase, onboard } from '@billhook/client'
 *
 * const { ledger } = await new Billhook({ url }).getInfo()
 * if (ledger === null) throw new Error('ask the operator for the ledger')
 * const newcomer = await onboard(ledger, await identityFromPhrase(newPhrase()))
 * await new Billhook({ url, owner: newcomer }).waitForIdentity({ timeoutMs: 60_000 })
 * console.log(newcomer.length) // 64
 * ```
 */
export async function onboard(ledger: LedgerSettings, identity: Signer, options: LedgerOptions = {}): Promise<string> {
  const { contracts, namespace, onboardingName } = ledger
  const publicKey = ledgerKey(identity.publicKey)
  const id = identityId(publicKey, onboardingName)
  const tx = {
    $contract: contracts.onboard,
    $namespace: namespace,
    $i: { otk: { publicKey, type: 'secp256k1' } },
  }
  const otk = await signatureOf(identity, utf8(JSON.stringify(tx)))
  const { billhook } = options
  const step: Step = {
    transaction: { $selfsign: true, $sigs: { otk }, $tx: tx },
    list: 'new',
    id,
    look: billhook === undefined ? null : (signal) => billhook.identityExists(id, { signal }),
    advice: 'Onboard again: it does no harm. waitForIdentity() tells whether it has taken effect.',
  }
  await inTurn(id, options.signal, () => carryOut(ledger, step, options))
  return id
}

/**
 * Assigns a claimed wallet to an identity that was onboarded. The service learns of it a moment later: `waitForWallet` waits for that.
 * A wallet that is the identity's already is a success if `billhook` can tell; one of another identity is `ledger_rejected`. Throws
 * like `onboard`.
 *
 * @example
 * ```js
 * import { assignWallet } from '@billhook/client'
 *
 * const wallet = await billhook.claimWallet('SEP')
 * await assignWallet(ledger, identity, wallet.id, { billhook })
 * const { network } = await billhook.waitForWallet(wallet.id, { intervalMs: 100 })
 * console.log(network) // SEP
 * ```
 */
export async function assignWallet(
  ledger: LedgerSettings,
  identity: Signer,
  walletId: string,
  options: LedgerOptions = {},
): Promise<void> {
  const { billhook } = options
  const owner = billhook?.owner ?? identityId(identity.publicKey, ledger.onboardingName)
  const tx = {
    $contract: ledger.contracts.assignOwner,
    $namespace: ledger.namespace,
    $i: { owner: { $stream: owner, personal: true } },
    $o: { wallet: { $stream: walletId } },
  }
  const signature = await signatureOf(identity, utf8(JSON.stringify(tx)))
  const step: Step = {
    transaction: { $sigs: { [owner]: signature }, $tx: tx },
    list: 'updated',
    id: walletId,
    look:
      billhook?.owner === undefined
        ? null
        : async (signal) => (await billhook.listWallets({ signal })).some(({ id }) => id === walletId),
    advice: 'waitForWallet() tells whether it has taken effect. If it has not, assign again.',
  }
  await inTurn(owner, options.signal, () => carryOut(ledger, step, options))
}

/** Posts a transaction until it is known how it ended. */
async function carryOut(ledger: LedgerSettings, step: Step, options: LedgerOptions): Promise<void> {
  const { nodes, timeoutMs = TIMEOUT_MS, fetch: given } = ledger
  const { signal } = options
  const post = { fetch: given ?? ((...request: Parameters<Fetch>) => fetch(...request)), timeoutMs, signal }
  const body = JSON.stringify(step.transaction)
  const causes: Error[] = []
  /** Why an earlier post may have taken effect. */
  let open: string | null = null
  for (const node of nodesInTurn(nodes)) {
    const posts = { busy: 0, lost: 0, undecided: 0 }
    for (;;) {
      signal?.throwIfAborted()
      const reply = await postTo(node, body, post)
      if (reply.kind !== 'answer') causes.push(reply.cause)
      if (reply.kind === 'unsent') break
      if (reply.kind === 'answer') stayAt(node, nodes)
      const verdict = reply.kind === 'lost' ? unknown(reply.cause) : verdictOf(reply.answer, step)
      if (verdict.kind === 'committed') return
      if (verdict.kind === 'rejected') return reject(step, verdict, open, options)
      if (verdict.kind === 'busy') {
        posts.busy += 1
        if (posts.busy >= BUSY_MAX) return reject(step, { ...verdict, byContract: false }, open, options)
        await sleep(posts.busy * PAUSE_MS, signal)
        continue
      }
      open = verdict.told
      if (await isSeen(step, 0, options)) return
      posts[reply.kind === 'lost' ? 'lost' : 'undecided'] += 1
      if (posts.lost >= LOST_MAX || posts.undecided >= UNDECIDED_MAX) break
      // Two that failed together do not come back together.
      if (reply.kind === 'answer') await sleep(posts.undecided * PAUSE_MS * Math.random(), signal)
    }
  }
  if (open !== null) return leaveOpen(step, open, options)
  throw new BillhookError(`No node of the ledger can be reached, of ${nodes.length}.`, 'ledger_unavailable', {
    cause: new AggregateError(causes),
  })
}

/** Throws, unless the refusal is about something that has taken effect: an earlier post, or an assignment of long ago. */
async function reject(
  step: Step,
  { told, byContract }: { readonly told: string; readonly byContract: boolean },
  open: string | null,
  options: LedgerOptions,
): Promise<void> {
  if (open !== null) return leaveOpen(step, `${open}; then ${told}`, options)
  if (byContract && (await isSeen(step, options.settleMs ?? SETTLE_MS, options))) return
  throw new BillhookError(`The ledger rejected the transaction: ${told}`, 'ledger_rejected')
}

async function leaveOpen(step: Step, told: string, options: LedgerOptions): Promise<void> {
  if (await isSeen(step, options.settleMs ?? SETTLE_MS, options)) return
  const message = `It is not known whether the ledger committed the transaction: ${told}. ${step.advice}`
  throw new BillhookError(message, 'ledger_uncertain')
}

/** Whether the service knows the effect of the transaction, by then at the latest. It is asked at least once. */
async function isSeen({ look }: Step, withinMs: number, { signal }: LedgerOptions): Promise<boolean> {
  if (look === null) return false
  const endMs = Date.now() + withinMs
  for (;;) {
    const limit = AbortSignal.timeout(Math.max(endMs - Date.now(), LOOK_INTERVAL_MS))
    try {
      if (await look(anyOf(signal, limit) ?? limit)) return true
    } catch (error) {
      signal?.throwIfAborted()
      // A service that does not answer, or that asks for another key, has not seen anything.
      if (!(error instanceof BillhookError) && error !== limit.reason) throw error
    }
    if (Date.now() + LOOK_INTERVAL_MS > endMs) return false
    await sleep(LOOK_INTERVAL_MS, signal)
  }
}

function unknown({ message: told }: Error): LedgerVerdict {
  return { kind: 'unknown', told }
}

/** The last transaction of each identity that is in progress. */
const turns = new Map<string, Promise<void>>()

/** One transaction of an identity at a time: of two at once a node may leave one without an answer. */
async function inTurn(identity: string, signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
  const own = (turns.get(identity) ?? Promise.resolve()).then(work)
  const ended = own.catch(() => undefined)
  turns.set(identity, ended)
  ended.then(() => {
    if (turns.get(identity) === ended) turns.delete(identity)
  })
  await untilAborted(own, signal)
}

/** The work itself looks at the signal, too, but not before its turn. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  const done = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: done.signal })
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    done.abort()
  }
}
