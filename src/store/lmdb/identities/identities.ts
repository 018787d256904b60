import type { IdentityPort } from '../../identities.js'
import type { IdentityWork } from '../../rules/ledger-facts.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { isKey, type OwnerNo } from '../tables/keys.js'
import { flag, integer, recordCodec } from '../tables/record-codec.js'
import { findKeys, putPushedKeys } from './identity-keys.js'

export interface IdentityRow {
  readonly no: OwnerNo
  /** Whether the ledger is known to have it: a gateway event, an assignment, or the ledger's own word (decisions 8). */
  readonly isKnown: boolean
}

export const identityCodec = recordCodec<IdentityRow>('identities', 1, { no: integer, isKnown: flag })

/** Which identities the ledger is known to have. An owner whom a record names has a number, which is less. */
export class LmdbIdentities implements IdentityPort {
  constructor(private readonly commits: CommitLoop) {}

  isKnown(owner: string): boolean {
    return findRow(this.commits.snapshot, owner)?.isKnown ?? false
  }

  pushedKeys(owner: string): readonly string[] | null {
    return findKeys(this.commits.snapshot, owner)?.pushed ?? null
  }

  async remember(owner: string): Promise<void> {
    await this.commits.run((commit) => markKnown(commit, owner))
  }
}

/** The number of an owner; undefined while no record names it. A number never changes. */
export function ownerNoOf(at: Reader, owner: string): OwnerNo | undefined {
  const known = at.caches?.ownerNos.get(owner)
  if (known !== undefined) return known
  const no = findRow(at, owner)?.no
  if (no !== undefined) at.caches?.ownerNos.set(owner, no)
  return no
}

/** The number of an owner whom a record names. */
export function knownOwnerNo(at: Reader, owner: string): OwnerNo {
  const no = ownerNoOf(at, owner)
  if (no === undefined) throw new Error('a record names an owner who has no number')
  return no
}

/** The number of an owner whom a record is about to name, handed out on first use. */
export function internOwner(commit: Commit, owner: string): OwnerNo {
  const known = ownerNoOf(commit, owner)
  if (known !== undefined) return known
  const no = commit.nextNo('owner')
  putRow(commit, owner, { no, isKnown: false })
  return no
}

/** What a commit does for facts about identities. */
export function identityWorkOn(commit: Commit): IdentityWork {
  return {
    markKnown: (identity) => markKnown(commit, identity),
    pushedKeys: (identity) => findKeys(commit, identity)?.pushed ?? null,
    putPushedKeys: (pushed) => putPushedKeys(commit, pushed),
  }
}

/** Records that the ledger has the identity; false when that was known. */
export function markKnown(commit: Commit, owner: string): boolean {
  const row = findRow(commit, owner)
  if (row?.isKnown === true) return false
  putRow(commit, owner, { no: row?.no ?? commit.nextNo('owner'), isKnown: true })
  return true
}

function findRow(at: Reader, owner: string): IdentityRow | undefined {
  const key = Buffer.from(owner)
  if (!isKey(key)) return undefined
  const bytes = at.tables.identities.get(key)
  return bytes === undefined ? undefined : identityCodec.decode(bytes)
}

function putRow(commit: Commit, owner: string, row: IdentityRow): void {
  commit.tables.identities.putSync(Buffer.from(owner), identityCodec.encode(row))
}
