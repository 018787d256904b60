import type { ApiKey } from '../domain/api-key.js'
import { keyColumns } from '../listing/keys.js'
import { type Markup, markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import { doneNotice } from './actions.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import { finalForm, tokenFor } from './forms.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { ownerLinks } from './owner.js'
import { cursorOf, given, kept, moreLink, noneText, oneOf, search } from './paging.js'
import { table } from './table.js'

const STATES = ['active', 'expired', 'revoked'] as const
/** Compressed, as it is registered and sent. */
const PUBLIC_KEY = /^0[23][0-9a-f]{64}$/i

/** The API keys of all owners or of one, with what revokes them. */
export async function keysPage(
  { keys, overview, turns }: Pick<Store, 'keys' | 'overview' | 'turns'>,
  { query, session }: Visit,
  nowMs: number,
): Promise<ConsolePage> {
  const [owner, publicKey] = [given(query, 'owner'), given(query, 'key')]
  const state = oneOf(query, 'state', STATES)
  const hasState = (key: ApiKey) => state === null || stateOf(key, nowMs) === state
  const found =
    publicKey === null
      ? await search(
          turns,
          (page) => (owner === null ? overview.keys(page) : keys.page(owner, page)),
          state === null ? null : hasState,
          cursorOf(query),
        )
      : await kept(
          await ofPublicKey(keys, publicKey),
          (key) => hasState(key) && (owner === null || key.owner === owner),
        )
  const revocation = (key: ApiKey): Markup | null => {
    if (key.revoked_at !== null) return null
    return finalForm({
      path: `${links.keys}/${key.id}/revoke`,
      token: tokenFor(session, 'revoke', key.id),
      label: 'Revoke',
      warning: 'Requests that this key signs are rejected at once, for good.',
    })
  }
  const content = markup`${filterForm(links.keys, [
    { name: 'owner', label: 'Owner', type: 'text', value: owner },
    { name: 'key', label: 'Public key', type: 'text', value: publicKey },
    { name: 'state', label: 'State', type: 'choice', value: state, choices: STATES, any: 'any' },
  ])}
${ownerLinks(owner, 'keys')}
${table({
  caption: captionOf(owner, publicKey),
  columns: keyColumns,
  items: found.items,
  links: {
    publicKey: (key) => links.key(key.public_key),
    owner: (key) => links.ofOwner('keys', key.owner),
  },
  areIdsFull: publicKey !== null,
  none: noneText(found, query, 'key'),
  action: { title: 'Action', of: revocation },
})}
${moreLink(found, links.keys, query)}`
  return { title: 'Keys', section: 'keys', notice: doneNotice(query), content }
}

function captionOf(owner: string | null, publicKey: string | null): string {
  if (publicKey !== null) return 'The key that was looked for'
  return owner === null ? 'In the order of their public keys' : 'Newest first'
}

/** The key that a request names in its header. */
async function ofPublicKey(keys: Pick<Store['keys'], 'find'>, text: string): Promise<readonly ApiKey[]> {
  const found = PUBLIC_KEY.test(text) ? await keys.find(Buffer.from(text, 'hex')) : undefined
  return found === undefined ? [] : [found]
}

/** A key is active in the millisecond in which it expires. */
function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey, nowMs: number): (typeof STATES)[number] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt < nowMs ? 'expired' : 'active'
}
