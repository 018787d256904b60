import type { IdentityKeys, KeyHistory, KeySpan } from '../../../domain/key-history.js'
import type { PushedKeys } from '../../../domain/ledger-fact.js'
import type { Commit, Reader } from '../commit/commit.js'
import { isKey } from '../tables/keys.js'
import { type FieldKind, fieldsOf, integer, listOf, recordCodec, storedAs, text } from '../tables/record-codec.js'

const spanFields = fieldsOf<KeySpan>({
  from: integer,
  to: integer,
  certain: listOf(text),
  possible: listOf(text),
})
const historyFields = fieldsOf<KeyHistory>({ spans: listOf(spanFields), length: integer, head: text })

/** By the name of the identity, which is not in the record. */
export const identityKeysCodec = recordCodec<Omit<IdentityKeys, 'identity'>>('identity-keys', 1, {
  pushed: asListOrNull(listOf(text)),
  history: asListOrNull(historyFields),
})

/** A field that may be null, as a list of none or one. */
function asListOrNull<T>(kind: FieldKind<T>): FieldKind<T | null> {
  return storedAs(
    listOf(kind),
    (value) => (value === null ? [] : [value]),
    ([value]) => value ?? null,
  )
}

/** What is kept of the keys of an identity; undefined when nothing is. */
export function findKeys({ tables }: Reader, identity: string): Omit<IdentityKeys, 'identity'> | undefined {
  const key = Buffer.from(identity)
  const bytes = isKey(key) ? tables.identityKeys.get(key) : undefined
  return bytes === undefined ? undefined : identityKeysCodec.decode(bytes)
}

export function putPushedKeys(commit: Commit, { identity, keys: pushed }: PushedKeys): void {
  putKeys(commit, { identity, pushed, history: findKeys(commit, identity)?.history ?? null })
}

export function putKeyHistory(commit: Commit, identity: string, history: KeyHistory): void {
  putKeys(commit, { identity, pushed: findKeys(commit, identity)?.pushed ?? null, history })
}

export function putKeys({ tables }: Pick<Commit, 'tables'>, { identity, ...keys }: IdentityKeys): void {
  tables.identityKeys.putSync(Buffer.from(identity), identityKeysCodec.encode(keys))
}
