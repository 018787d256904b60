import { identityOfKeyText } from '../auth/identity-key.js'
import { isObject } from '../base/json-object.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import { isStreamId } from '../domain/text.js'
import { type FollowedContracts, standingOf } from './followed-contracts.js'

const LABEL_IDENTITY = 'otk'
const LABEL_OWNER = 'owner'
const LABEL_WALLET = 'wallet'

const DEFAULT_KEY_TYPE = 'rsa'
const STREAM_ID_LENGTH = 64
/** Characters of a contract's name that are logged. */
const CONTRACT_TEXT_LENGTH_MAX = 200

/** The meaningful part of a ledger transaction, from whatever source (specification, Ledger steps). */
export interface LedgerTransaction {
  readonly isSelfSigned: boolean
  readonly namespace: string
  readonly contract: string
  /** The contract's entry point; null when the transaction names none. */
  readonly entry: string | null
  /** The entries of `$i` and `$o` by their labels. */
  readonly inputs: ReadonlyMap<string, LedgerStream>
  readonly outputs: ReadonlyMap<string, LedgerStream>
}

/** A stream in `$i` or `$o`. Fields of the wrong type count as absent. */
export interface LedgerStream {
  /** The stream's id: `$stream`, or else the label itself, as nodes do. */
  readonly stream: string
  readonly publicKey: string | null
  /** The key's type. Nodes assume `rsa` when it is missing. */
  readonly keyType: string
  readonly isPersonal: boolean
}

/** Why a transaction is not a fact. */
interface Flaw {
  readonly flaw: string
}

type OnboardedFact = Extract<LedgerFact, { type: 'identity.onboarded' }>
type AssignedFact = Extract<LedgerFact, { type: 'wallet.assigned' }>

/** Why a committed transaction is no fact. `neighbour`: it is of another contract of a followed namespace. */
export type NoFact =
  | { readonly kind: 'other' }
  | { readonly kind: 'neighbour'; readonly contract: string }
  | { readonly kind: 'malformed'; readonly flaw: string }

/**
 * What a committed transaction means for the service. `malformed`: of a followed contract, or of one with a look-alike
 * name, but not of its shape.
 */
export type Recognition = NoFact | ({ readonly kind: 'fact' } & SignedFact)

/** A fact, if its transaction is signed under this name. */
interface SignedFact {
  readonly fact: OnboardedFact | AssignedFact
  readonly signer: string
  /** The key to sign with; null for the keys that the ledger has for the signer. */
  readonly publicKey: string | null
}

/**
 * The event id of a transaction. The follower, the sandbox and a gateway that a follower accompanies all use it: the
 * first report is applied, and the rest are duplicates.
 */
export function ledgerEventId(umid: string): string {
  return `ledger:${umid}`
}

/** Judges a committed transaction from the ledger's read API. */
export function recognise(
  committed: Readonly<Record<string, unknown>>,
  { contracts, onboardingName }: FollowedContracts,
): Recognition {
  const tx = committed['$tx']
  if (!isObject(tx)) return { kind: 'malformed', flaw: 'it has no $tx' }
  const { $namespace: namespace, $contract: contract } = tx
  const standing = standingOf(contracts, namespace, contract)
  if (standing.kind === 'other') return standing
  if (standing.kind === 'neighbour') {
    return { kind: 'neighbour', contract: `${namespace}/${contract}`.slice(0, CONTRACT_TEXT_LENGTH_MAX) }
  }
  if (standing.kind === 'look-alike') {
    return { kind: 'malformed', flaw: 'its contract is spelled like a followed one and is another' }
  }
  // It is no fact by itself: it matters where the keys of its identity do.
  if (standing.role === 'replace') return { kind: 'other' }
  const transaction = readTransaction(committed)
  if (transaction === null) return { kind: 'malformed', flaw: '$i or $o is not an object' }
  // The shapes of the specification name no entry point. Another one may do anything, even the opposite.
  if (transaction.entry !== null) return { kind: 'malformed', flaw: 'it names an entry point of the contract' }
  const read = standing.role === 'onboard' ? onboardingFact(transaction, onboardingName) : assignmentFact(transaction)
  return 'flaw' in read ? { kind: 'malformed', ...read } : { kind: 'fact', ...read }
}

/** The onboarding of an identity, whose id is made from its key (specification, Onboarding rules 1). */
export function onboardingFact(
  transaction: LedgerTransaction,
  onboardingName: string,
): (SignedFact & { readonly fact: OnboardedFact; readonly publicKey: string }) | Flaw {
  const publicKey = transaction.inputs.get(LABEL_IDENTITY)?.publicKey ?? null
  if (!transaction.isSelfSigned || transaction.inputs.size !== 1 || publicKey === null) {
    return { flaw: 'onboarding takes one self-signed input, otk' }
  }
  const identity = identityOfKeyText(publicKey, onboardingName)
  return { fact: { type: 'identity.onboarded', identity }, signer: LABEL_IDENTITY, publicKey }
}

/** The assignment of a wallet to an identity. */
export function assignmentFact({
  isSelfSigned,
  inputs,
  outputs,
}: LedgerTransaction): (SignedFact & { readonly fact: AssignedFact }) | Flaw {
  const owner = inputs.get(LABEL_OWNER)
  const wallet = outputs.get(LABEL_WALLET)
  if (isSelfSigned || inputs.size !== 1 || outputs.size !== 1 || owner === undefined || wallet === undefined) {
    return { flaw: 'assigning takes one input, owner, and one output, wallet' }
  }
  if (!owner.isPersonal) return { flaw: 'owner must be personal' }
  if (!isStreamId(owner.stream) || !isStreamId(wallet.stream)) return { flaw: 'owner and wallet must be 64 hex digits' }
  const fact = {
    type: 'wallet.assigned',
    id: wallet.stream,
    address: null,
    network: null,
    owner: owner.stream,
  } as const
  return { fact, signer: owner.stream, publicKey: null }
}

/** The id that a node finds in a text: it drops what follows a colon, and then all but the last 64 characters. */
export function streamIdOf(text: string): string {
  const [id = ''] = text.split(':')
  return id.slice(-STREAM_ID_LENGTH)
}

/** Reads `$tx` and `$selfsign` of a transaction; null when they are malformed. */
export function readTransaction(value: Readonly<Record<string, unknown>>): LedgerTransaction | null {
  const { $tx: tx, $selfsign: selfSigned } = value
  if (!isObject(tx)) return null
  const { $namespace: namespace, $contract: contract, $entry: entry, $i: inputs, $o: outputs = {} } = tx
  if (typeof namespace !== 'string' || typeof contract !== 'string') return null
  if (!isObject(inputs) || !isObject(outputs)) return null
  return {
    // Any truthy value counts, as it does in a node.
    isSelfSigned: Boolean(selfSigned),
    namespace,
    contract,
    entry: typeof entry === 'string' && entry !== '' ? entry : null,
    inputs: streamsOf(inputs),
    outputs: streamsOf(outputs),
  }
}

function streamsOf(entries: Readonly<Record<string, unknown>>): Map<string, LedgerStream> {
  const streams = new Map<string, LedgerStream>()
  for (const [label, value] of Object.entries(entries)) {
    const fields = isObject(value) ? value : {}
    const { $stream: stream, publicKey, type, personal } = fields
    streams.set(label, {
      stream: streamIdOf(typeof stream === 'string' ? stream : label),
      publicKey: typeof publicKey === 'string' ? publicKey : null,
      keyType: typeof type === 'string' ? type : DEFAULT_KEY_TYPE,
      isPersonal: personal === true,
    })
  }
  return streams
}
