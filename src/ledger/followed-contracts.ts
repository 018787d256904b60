import { createHash } from 'node:crypto'

/** What a contract's transactions mean. */
const ROLES = ['onboard', 'assign'] as const
export type ContractRole = (typeof ROLES)[number]

/** A contract whose committed transactions are taken as facts. */
export interface FollowedContract {
  readonly role: ContractRole
  readonly namespace: string
  /** The contract's stream id. Its versions, `id@1`, are followed too. */
  readonly contract: string
}

export interface FollowedContracts {
  /** At least one. */
  readonly contracts: readonly FollowedContract[]
  /** The fixed stream name behind the key in the text whose digest is an identity's id; unused when no onboarding is followed. */
  readonly onboardingName: string
}

/** `onboard=shop/3f2a…`: a role, a namespace and a contract. */
const ENTRY = /^([a-z]+)=([^/=,\s]+)\/([^/=,@\s]+)$/
const VERSION_MARK = '@'

/** Reads an operator's entries, `<role>=<namespace>/<contract>` each; or says what is wrong with the first bad one. */
export function parseFollowedContracts(entries: readonly string[]): readonly FollowedContract[] | { flaw: string } {
  const contracts: FollowedContract[] = []
  for (const entry of entries) {
    const [, roleText, namespace = '', contract = ''] = ENTRY.exec(entry) ?? []
    const role = ROLES.find((known) => known === roleText)
    if (role === undefined) return { flaw: `${entry} is not <${ROLES.join('|')}>=<namespace>/<contract id>` }
    if (roleOf(contracts, namespace, contract) !== null) return { flaw: `${namespace}/${contract} is named twice` }
    contracts.push({ role, namespace, contract })
  }
  return contracts
}

/** The role of the contract that a transaction names; null when it is not followed. */
export function roleOf(
  contracts: readonly FollowedContract[],
  namespace: unknown,
  contract: unknown,
): ContractRole | null {
  if (typeof contract !== 'string') return null
  const [id] = contract.split(VERSION_MARK)
  return contracts.find((one) => one.namespace === namespace && one.contract === id)?.role ?? null
}

/**
 * Names what is followed, and where and from when: whoever follows something else has to begin anew. The order of the
 * contracts does not matter. 64 hex characters.
 */
export function originOf(storeUrl: string, { contracts, onboardingName }: FollowedContracts, fromMs: number): string {
  const places = contracts.map(({ role, namespace, contract }) => [role, namespace, contract].join('/')).sort()
  const text = JSON.stringify([storeUrl.replace(/\/+$/, ''), places, onboardingName, fromMs])
  return createHash('sha256').update(text).digest('hex')
}
