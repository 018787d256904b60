import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { isObject } from '../base/json-object.js'
import { parseLedgerKey } from '../ledger/ledger-signature.js'
import { onboardingFact } from '../ledger/ledger-transaction.js'
import type { SubmittedTransaction } from './submitted-transaction.js'

/** Where the simulated contracts are. On a real ledger this is deployment configuration. */
export const LEDGER_NAMESPACE = 'sandbox'
export const ONBOARD_CONTRACT = sha256Hex('billhook sandbox contract onboard')
export const ASSIGN_OWNER_CONTRACT = sha256Hex('billhook sandbox contract assign-owner')
export const REPLACE_KEY_CONTRACT = sha256Hex('billhook sandbox contract replace-key')
/** The fixed name that follows the public key in the text whose digest is an identity's id. */
export const ONBOARDING_NAME = 'billhook.sandbox.onboarding'
const WALLET_STREAM_NAME = 'billhook.sandbox.wallet'
/** The one key type that identities of the service have (specification, Ledger steps). */
export const KEY_TYPE = 'secp256k1'

const CONTRACT_VERSION = '0.0.1'

/** A wallet's stream, as contracts see it. */
export interface LedgerWallet {
  readonly address: string | null
  readonly network: string | null
  readonly owner: string | null
  /** The transaction that created it. */
  readonly umid: string
}

export interface StreamName {
  readonly id: string
  readonly name: string
}

/** What a transaction does once it is committed. */
export type Effect =
  /** `publicKey` is the key's text, as the transaction spells it, and `name` that of the stream. */
  | { readonly type: 'identity'; readonly identity: string; readonly publicKey: string; readonly name: string }
  | { readonly type: 'assignment'; readonly wallet: string; readonly owner: string }
  /** The key becomes the only authority of the identity. */
  | { readonly type: 'keys'; readonly identity: string; readonly publicKey: string }
  /** Changes that only the contract itself knows. */
  | { readonly type: 'other'; readonly created: readonly StreamName[]; readonly updated: readonly StreamName[] }

/** What contracts can ask the node for. */
export interface ContractView {
  /** The wallet among the outputs; undefined for a stream that is none. */
  wallet(stream: string): LedgerWallet | undefined
  /** Whether the authority of an input seems to have signed. A signature in an object was not verified. */
  isNamedBySignature(label: string): boolean
}

/** A contract of the ledger. Refusals are texts; null means that it agrees. */
export interface LedgerContract {
  readonly namespace: string
  /** Its stream. */
  readonly id: string
  readonly name: string
  readonly version: string
  /** Source, in base64. */
  readonly source: string
  /** A second name that transactions may use. */
  readonly label?: string
  verify(transaction: SubmittedTransaction): string | null
  vote(transaction: SubmittedTransaction, view: ContractView): string | null
  commit(transaction: SubmittedTransaction): Effect
}

/** What is where on a ledger. */
export interface LedgerPlace {
  readonly contracts: readonly LedgerContract[]
  readonly onboardingName: string
  /** The name of the streams of wallets. */
  readonly walletName: string
  /** The key of who creates wallets. */
  readonly operatorKey: string
}

/** The contract that a node runs: it resolves namespace and name as a path, and takes whatever is there. */
export function resolveContract(
  contracts: readonly LedgerContract[],
  { namespace, contract }: Pick<SubmittedTransaction, 'namespace' | 'contract'>,
): LedgerContract | undefined {
  const path = posix.normalize(`${namespace}/${contract}`)
  return contracts.find(({ namespace: home, id, version, label }) =>
    [id, `${id}@${version}`, ...(label === undefined ? [] : [label])].some((name) => path === `${home}/${name}`),
  )
}

/** How an onboarding contract makes identities. */
export function onboardContract(place: Place, onboardingName: string): LedgerContract {
  return {
    ...place,
    verify: ({ isSelfSigned }) => (isSelfSigned ? null : 'has to be self-signed'),
    vote({ inputs }) {
      const key = inputs.get('otk')
      if (inputs.size !== 1 || key === undefined) return 'one input, otk'
      return key.keyType === KEY_TYPE ? null : 'type has to be secp256k1'
    },
    commit(transaction) {
      const read = onboardingFact(transaction, onboardingName)
      if ('flaw' in read) throw new Error('an onboarding passed its checks that is none')
      return { type: 'identity', identity: read.fact.identity, publicKey: read.publicKey, name: onboardingName }
    },
  }
}

export function assignContract(place: Place): LedgerContract {
  return {
    ...place,
    verify: refuseSelfSigned,
    vote({ inputs, outputs }, view) {
      if (inputs.size !== 1 || inputs.get('owner')?.isPersonal !== true) return 'one input, owner, personal'
      const output = outputs.get('wallet')
      if (outputs.size !== 1 || output === undefined) return 'one output, wallet'
      const wallet = view.wallet(output.stream)
      if (wallet === undefined) return 'wallet must be a wallet'
      return wallet.owner === null ? null : 'the wallet is assigned already'
    },
    commit: ({ inputs, outputs }) => ({
      type: 'assignment',
      wallet: outputs.get('wallet')?.stream ?? '',
      owner: inputs.get('owner')?.stream ?? '',
    }),
  }
}

export function replaceKeyContract(place: Place): LedgerContract {
  const newKeyOf = ({ sent }: SubmittedTransaction) => fieldsOf(sent.$tx['$i'], 'owner')['newKey']
  return {
    ...place,
    verify: refuseSelfSigned,
    vote(transaction) {
      const { inputs } = transaction
      if (inputs.size !== 1 || !inputs.has('owner')) return 'one input, owner'
      const newKey = newKeyOf(transaction)
      return typeof newKey === 'string' && parseLedgerKey(newKey) !== null ? null : 'newKey must be a key'
    },
    commit: (transaction) => ({
      type: 'keys',
      identity: transaction.inputs.get('owner')?.stream ?? '',
      publicKey: String(newKeyOf(transaction)),
    }),
  }
}

const SANDBOX_CONTRACTS: readonly LedgerContract[] = [
  onboardContract(placeOf(ONBOARD_CONTRACT, 'onboard'), ONBOARDING_NAME),
  assignContract(placeOf(ASSIGN_OWNER_CONTRACT, 'assign-owner')),
  replaceKeyContract(placeOf(REPLACE_KEY_CONTRACT, 'replace-key')),
]

/** The generator of secp256k1, whose private key is 1: nobody's. */
const OPERATOR_KEY = '0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

export const SANDBOX_PLACE: LedgerPlace = {
  contracts: SANDBOX_CONTRACTS,
  onboardingName: ONBOARDING_NAME,
  walletName: WALLET_STREAM_NAME,
  operatorKey: OPERATOR_KEY,
}

type Place = Omit<LedgerContract, 'verify' | 'vote' | 'commit'>

function placeOf(id: string, name: string): Place {
  const source = Buffer.from(`// Part of the simulated ledger: ${name}`).toString('base64')
  return { namespace: LEDGER_NAMESPACE, id, name, version: CONTRACT_VERSION, source }
}

export function refuseSelfSigned({ isSelfSigned }: SubmittedTransaction): string | null {
  return isSelfSigned ? 'has to be signed' : null
}

/** The stream that a contract's input or output names, as it was sent. */
export function sentStreamOf(entries: unknown, label: string): string {
  const stream = fieldsOf(entries, label)['$stream']
  return typeof stream === 'string' ? stream : label
}

function fieldsOf(entries: unknown, label: string): Readonly<Record<string, unknown>> {
  const fields = isObject(entries) && Object.hasOwn(entries, label) ? entries[label] : null
  return isObject(fields) ? fields : {}
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
