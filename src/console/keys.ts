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
import { cursorOf, given, moreLink, oneOf, search } from './paging.js'
import { table } from './table.js'

const STATES = ['active', 'expired', 'revoked'] as const

/** The API keys of all owners or of one, with what revokes them. */
export async function keysPage(
  { keys, overview }: Pick<Store, 'keys' | 'overview'>,
  { query, session }: Visit,
  nowMs: number,
): Promise<ConsolePage> {
  const [owner, state] = [given(query, 'owner'), oneOf(query, 'state', STATES)]
  const found = await search(
    (page) => (owner === null ? overview.keys(page) : keys.page(owner, page)),
    state === null ? null : (key) => stateOf(key, nowMs) === state,
    cursorOf(query),
  )
  const revocation = (key: ApiKey): Markup | null => {
    if (key.revoked_at !== null) return null
    return finalForm({
      path: `${links.keys}/${key.id}/revoke`,
      token: tokenFor(session, 'revoke', key.id),
      label: 'Revoke',
      warning: 'Requests that this key signs are rejected at once, for good.',
      fields: { owner: key.owner },
    })
  }
  const content = markup`${filterForm(links.keys, [
    { name: 'owner', label: 'Owner', type: 'text', value: owner },
    { name: 'state', label: 'State', type: 'choice', value: state, choices: STATES, any: 'any' },
  ])}
${table({
  caption: owner === null ? 'In the order of their public keys' : 'Newest first',
  columns: keyColumns,
  items: found.items,
  links: { owner: (key) => links.ofOwner('keys', key.owner) },
  none: 'No key.',
  action: { title: 'Action', of: revocation },
})}
${moreLink(found, links.keys, query)}`
  return { title: 'Keys', section: 'keys', notice: doneNotice(query), content }
}

/** A key is active in the millisecond in which it expires. */
function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey, nowMs: number): (typeof STATES)[number] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt < nowMs ? 'expired' : 'active'
}
