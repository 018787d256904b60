import { createHash } from 'node:crypto'
import { signDer, type TestKey } from '../support/signing.js'

/** Where the contracts of the simulated ledger are, and what they do. */
export const NAMESPACE = 'shop'
export const CONTRACTS = {
  onboard: contractId('onboard'),
  assign: contractId('assign'),
  replaceKey: contractId('replace-key'),
  /** Of the same namespace, and nothing that the service follows. */
  neighbour: contractId('neighbour'),
} as const
export const ONBOARDING_NAME = 'shop.identity'

/** What somebody posts to a node. */
export interface Posted {
  readonly $selfsign?: true
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $tx: Readonly<Record<string, unknown>>
}

/** How a transaction carries its signature: as a text, which nodes verify, or in an object, in which they verify nothing. */
export const UNVERIFIED = ['{}', '[]', 'bogus', 'bad signature'] as const
export type Unverified = (typeof UNVERIFIED)[number]
export type SignedBy =
  | { readonly form: 'text'; readonly key: TestKey }
  | { readonly form: 'object'; readonly key: TestKey }
  | { readonly form: 'unsigned'; readonly how: Unverified }

/** The text of a key in a transaction. */
export function textOf({ publicKeyHex }: TestKey): string {
  return `0x${publicKeyHex}`
}

export function hashOfKey(key: TestKey): string {
  return sha256(textOf(key))
}

export function identityOf(key: TestKey): string {
  return sha256(`${textOf(key)}${ONBOARDING_NAME}`)
}

export function onboarding(key: TestKey): Posted {
  const $i = { otk: { publicKey: textOf(key), type: 'secp256k1' } }
  const $tx = { $contract: CONTRACTS.onboard, $namespace: NAMESPACE, $i }
  return { $selfsign: true, $sigs: { otk: signatureOf($tx, key) }, $tx }
}

/** `spelling`: how it names the contract, and whether it names an entry point. */
export function assignment(
  wallet: string,
  owner: string,
  by: SignedBy,
  spelling: { readonly $contract?: string; readonly $entry?: string } = {},
): Posted {
  const $i = { owner: { $stream: owner, personal: true } }
  const $tx = {
    $contract: CONTRACTS.assign,
    $namespace: NAMESPACE,
    ...spelling,
    $i,
    $o: { wallet: { $stream: wallet } },
  }
  return { $sigs: { [owner]: signaturesOf($tx, by) }, $tx }
}

export function replacement(identity: string, newKey: TestKey, by: SignedBy): Posted {
  const $i = { owner: { $stream: identity, newKey: textOf(newKey) } }
  const $tx = { $contract: CONTRACTS.replaceKey, $namespace: NAMESPACE, $i }
  return { $sigs: { [identity]: signaturesOf($tx, by) }, $tx }
}

/** A transaction that means nothing to the service. */
export function other(identity: string, by: SignedBy, isNear: boolean): Posted {
  const $contract = isNear ? CONTRACTS.neighbour : contractId('elsewhere')
  const $tx = { $contract, $namespace: isNear ? NAMESPACE : 'elsewhere', $i: { owner: { $stream: identity } } }
  return { $sigs: { [identity]: signaturesOf($tx, by) }, $tx }
}

/** Nodes keep a verified text as an object by the hash of its key, and anything else as it came. */
export function storedSigs({ $selfsign, $sigs }: Posted, by: SignedBy | null): Readonly<Record<string, unknown>> {
  if ($selfsign === true || by === null || by.form !== 'text') return $sigs
  return Object.fromEntries(Object.entries($sigs).map(([name, text]) => [name, { [hashOfKey(by.key)]: text }]))
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function signaturesOf($tx: object, by: SignedBy): unknown {
  if (by.form === 'text') return signatureOf($tx, by.key)
  if (by.form === 'object') return { [hashOfKey(by.key)]: signatureOf($tx, by.key) }
  switch (by.how) {
    case '{}':
      return {}
    case '[]':
      return []
    case 'bogus':
      return { bogus: 'eA==' }
    case 'bad signature':
      return { [sha256('a key')]: 'eA==' }
  }
}

function signatureOf($tx: object, key: TestKey): string {
  return signDer(Buffer.from(JSON.stringify($tx)), key).toString('base64')
}

function contractId(name: string): string {
  return sha256(`contract ${name}`)
}
