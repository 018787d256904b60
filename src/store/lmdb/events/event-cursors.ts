import type { EventCursor } from '../../event-outbox.js'
import type { CursorWork } from '../../rules/queue-events.js'
import type { Commit, Reader } from '../commit/commit.js'
import { ownerNoOf } from '../identities/identities.js'
import { numberKey, type OwnerNo } from '../tables/keys.js'
import { orNull, recordCodec, text } from '../tables/record-codec.js'

/** Up to where the events of an owner have been queued, who has chosen to be sent events. */
interface CursorRow extends EventCursor {
  readonly owner: string
}

export const cursorCodec = recordCodec<CursorRow>('event-cursors', 1, { owner: text, after: text, until: orNull(text) })

export function cursorOf({ tables }: Reader, ownerNo: OwnerNo): CursorRow | undefined {
  const stored = tables.eventCursors.get(numberKey(ownerNo))
  return stored === undefined ? undefined : cursorCodec.decode(stored)
}

export function putCursor(commit: Commit, ownerNo: OwnerNo, row: CursorRow): void {
  followers(commit).set(ownerNo, row.owner)
  commit.tables.eventCursors.putSync(numberKey(ownerNo), cursorCodec.encode(row))
}

export function endCursor(commit: Commit, ownerNo: OwnerNo): void {
  followers(commit).delete(ownerNo)
  commit.tables.eventCursors.removeSync(numberKey(ownerNo))
}

/** Those whose events are sent. They are read once, so that an event of anybody else costs nothing on disk. */
export function followers({ caches, tables }: Commit): Map<OwnerNo, string> {
  caches.followers ??= new Map(
    [...tables.eventCursors.getRange({})].map(({ key, value }) => [
      key.readUInt32BE(0) as OwnerNo,
      cursorCodec.decode(value).owner,
    ]),
  )
  return caches.followers
}

/** What a commit does for the cursor of an owner who is known. */
export function cursorWork(commit: Commit): CursorWork {
  const numberOf = (owner: string): OwnerNo => {
    const ownerNo = ownerNoOf(commit, owner)
    if (ownerNo === undefined) throw new Error('an owner whose events are sent is not known')
    return ownerNo
  }
  return {
    cursor: (owner) => {
      const ownerNo = ownerNoOf(commit, owner)
      return ownerNo === undefined ? undefined : cursorOf(commit, ownerNo)
    },
    putCursor: (owner, cursor) => putCursor(commit, numberOf(owner), { owner, ...cursor }),
    endCursor: (owner) => endCursor(commit, numberOf(owner)),
  }
}
