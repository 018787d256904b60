import type { ApiKey } from '../domain/api-key.js'
import { keyColumns } from '../listing/keys.js'
import type { Markup } from '../page/markup.js'
import type { Page } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { doneNotice } from './actions.js'
import type { Visit } from './entrance.js'
import { finalForm, tokenFor } from './forms.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { listPage } from './list-page.js'
import type { Session } from './sessions.js'

const STATES = ['active', 'expired', 'revoked'] as const
/** Compressed, as it is registered and sent. */
const PUBLIC_KEY = /^0[23][0-9a-f]{64}$/i

/** The API keys of all owners or of one, with what revokes them. */
export async function keysPage(
  { keys, overview, turns }: Pick<Store, 'keys' | 'overview' | 'turns'>,
  { query, session }: Visit,
  nowMs: number,
): Promise<ConsolePage> {
  const page = await listPage(turns, query, {
    title: 'Keys',
    section: 'keys',
    what: 'key',
    filters: { owner: { label: 'Owner' }, key: { label: 'Public key' }, state: { label: 'State', choices: STATES } },
    columns: keyColumns,
    links: {
      publicKey: (key: ApiKey) => links.key(key.public_key),
      owner: (key: ApiKey) => links.ofOwner('keys', key.owner),
    },
    action: { title: 'Action', of: (key: ApiKey) => revocation(session, key) },
    choose: async ({ owner, key: publicKey, state }) => ({
      caption: captionOf(owner, publicKey),
      from:
        publicKey === null
          ? (page: Page) => (owner === null ? overview.keys(page) : keys.page(owner, page))
          : await ofPublicKey(keys, publicKey),
      conditions: [
        publicKey === null || owner === null ? null : (key: ApiKey) => key.owner === owner,
        state === null ? null : (key: ApiKey) => stateOf(key, nowMs) === state,
      ],
      areIdsFull: publicKey !== null,
    }),
  })
  return { ...page, notice: doneNotice(query) }
}

function revocation(session: Session, key: ApiKey): Markup | null {
  if (key.revoked_at !== null) return null
  return finalForm({
    path: `${links.keys}/${key.id}/revoke`,
    token: tokenFor(session, 'revoke', key.id),
    label: 'Revoke',
    warning: 'Requests that this key signs are rejected at once, for good.',
  })
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
