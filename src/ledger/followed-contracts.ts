import { createHash } from 'node:crypto'
import { posix } from 'node:path'

/** What a contract's transactions mean. `replace`: they replace the keys of an identity by those that they name. */
const ROLES = ['onboard', 'assign', 'replace'] as const
export type ContractRole = (typeof ROLES)[number]

/** A contract whose committed transactions count as facts. */
export interface FollowedContract {
  readonly role: ContractRole
  readonly namespace: string
  /** The contract's stream id. Its versions, `id@1`, are followed too. */
  readonly contract: string
}

export interface FollowedContracts {
  /** At least one. */
  readonly contracts: readonly FollowedContract[]
  /**
   * The fixed stream name behind the key in the text whose digest is an identity's id; unused without a followed
   * onboarding.
   */
  readonly onboardingName: string
}

/** `onboard=shop/3f2a…`: a role, a namespace and a contract. */
const ENTRY = /^([a-z]+)=([^/=,\s]+)\/([^/=,@\s]+)$/
/** A version may follow a contract's id. Nodes resolve the name as a path, so nothing else may. */
const VERSION = /^@[0-9A-Za-z][0-9A-Za-z._-]*$/

/** Reads an operator's entries, `<role>=<namespace>/<contract>` each, or describes the first bad one. */
export function parseFollowedContracts(entries: readonly string[]): readonly FollowedContract[] | { flaw: string } {
  const contracts: FollowedContract[] = []
  for (const entry of entries) {
    const [, roleText, namespace = '', contract = ''] = ENTRY.exec(entry) ?? []
    const role = ROLES.find((known) => known === roleText)
    if (role === undefined) return { flaw: `${entry} is not <${ROLES.join('|')}>=<namespace>/<contract id>` }
    if (standingOf(contracts, namespace, contract).kind === 'followed')
      return { flaw: `${namespace}/${contract} is named twice` }
    contracts.push({ role, namespace, contract })
  }
  return contracts
}

/**
 * How a follower regards a transaction's contract. `look-alike`: not followed, but spelled so that a node may have run
 * a followed one, or that people may confuse them. `neighbour`: another contract of a followed namespace.
 */
export type ContractStanding =
  | { readonly kind: 'followed'; readonly role: ContractRole }
  | { readonly kind: 'look-alike' }
  | { readonly kind: 'neighbour' }
  | { readonly kind: 'other' }

/**
 * Judges the contract that a transaction names. A node resolves `<namespace>/<contract>.js` as a path and runs it, so
 * `<id>@/../../<namespace>/<id>` is another contract. Only the id alone, or with a plain version, is followed.
 */
export function standingOf(
  contracts: readonly FollowedContract[],
  namespace: unknown,
  contract: unknown,
): ContractStanding {
  if (typeof namespace !== 'string' || typeof contract !== 'string') return { kind: 'other' }
  const followed = contracts.find((one) => one.namespace === namespace && isNamed(one.contract, contract))
  if (followed !== undefined) return { kind: 'followed', role: followed.role }
  const resolved = posix.normalize(`${namespace}/${contract}`)
  const near = contracts.filter((one) => one.namespace === namespace || resolved.startsWith(`${one.namespace}/`))
  if (near.length === 0) return { kind: 'other' }
  const isAlike = near.some(
    (one) => contract.startsWith(one.contract) || resolved.startsWith(`${one.namespace}/${one.contract}`),
  )
  return { kind: isAlike ? 'look-alike' : 'neighbour' }
}

/** Whether a node, which resolves the names as a path, may run an assigning contract. */
export function mayAssign(contracts: readonly FollowedContract[], namespace: unknown, contract: unknown): boolean {
  const resolved = posix.normalize(`${namespace}/${contract}`)
  return contracts.some((one) => one.role === 'assign' && resolved.startsWith(`${one.namespace}/${one.contract}`))
}

/** Whether a text is a contract's id, alone or with a plain version. */
function isNamed(id: string, text: string): boolean {
  if (!text.startsWith(id)) return false
  const rest = text.slice(id.length)
  return rest === '' || (VERSION.test(rest) && !rest.includes('..'))
}

/**
 * Names the followed contracts, the stores and the start: with another name the follower starts over. The order of
 * contracts and stores does not matter. 64 hex characters.
 */
export function originOf(
  storeUrls: readonly string[],
  { contracts, onboardingName }: FollowedContracts,
  fromMs: number,
): string {
  const places = contracts.map(({ role, namespace, contract }) => [role, namespace, contract].join('/')).sort()
  const stores = storeUrls.map((url) => url.replace(/\/+$/, '')).sort()
  const text = JSON.stringify([stores.join(','), places, onboardingName, fromMs])
  return createHash('sha256').update(text).digest('hex')
}
