import type { Placed } from '../../moving/ports.js'
import type { Snapshot } from '../commit/commit.js'
import { identityCodec } from '../identities/identities.js'
import type { OwnerNo } from '../tables/keys.js'

/** Owners that are visited at a time. */
const OWNERS_AT_ONCE = 1000
const SEPARATOR = ':'

/** What is read of an owner: a record and the place in the list of the owner, in hex. */
type ReadOf<T> = (owner: string, no: OwnerNo, behind: string | null, limit: number) => readonly Placed<T>[]

/** A page of lists of owners, in the order of the owners' bytes: their numbers are another order. */
export function pageOfOwners<T>(
  { tables }: Snapshot,
  behind: string | null,
  limit: number,
  read: ReadOf<T>,
): readonly Placed<T>[] {
  const found: Placed<T>[] = []
  const [ownerHex = '', inList] = behind === null ? [] : behind.split(SEPARATOR)
  let from = Buffer.from(ownerHex, 'hex')
  let isBehind = false
  for (;;) {
    const start = from.length === 0 ? {} : { start: from, exclusiveStart: isBehind }
    const owners = [...tables.identities.getRange({ ...start, limit: OWNERS_AT_ONCE })]
    for (const { key, value } of owners) {
      const owner = Buffer.from(key)
      const after = owner.equals(from) && !isBehind ? (inList ?? null) : null
      for (const { record, place } of read(
        owner.toString(),
        identityCodec.decode(value).no,
        after,
        limit - found.length,
      )) {
        found.push({ record, place: `${owner.toString('hex')}${SEPARATOR}${place}` })
      }
      if (found.length === limit) return found
    }
    const last = owners.at(-1)
    if (last === undefined || owners.length < OWNERS_AT_ONCE) return found
    from = Buffer.from(last.key)
    isBehind = true
  }
}
