import { EVENT_TYPES, type EventType } from '../../../domain/event.js'
import { signingSecrets, WEBHOOK_PAYLOADS, type WebhookConfiguration } from '../../../domain/webhook.js'
import { answeredNow } from '../../rules/asking.js'
import type { CursorWork } from '../../rules/queue-events.js'
import {
  type KeptConfiguration,
  rotateSecret,
  secretsOf,
  setCallback,
  shownConfiguration,
  UNSET,
  type WebhookWork,
} from '../../rules/webhook-configurations.js'
import type { WebhookPort } from '../../webhooks.js'
import type { AtOnce } from '../at-once.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { cursorWork, endCursor } from '../events/event-cursors.js'
import { lastEventOf } from '../events/event-log.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { numberKey, type OwnerNo } from '../tables/keys.js'
import { fieldsOf, integer, listOf, oneOf, orNull, recordCodec, storedAs, text } from '../tables/record-codec.js'

/** The records of version 2 of the data. */
const FIRST_SHAPE = { owner: text, callbackUrl: orNull(text), secret: text, createdAt: integer, updatedAt: integer }

const first = fieldsOf<Omit<KeptConfiguration, keyof typeof UNSET>>(FIRST_SHAPE)

const SECOND_SHAPE = {
  ...FIRST_SHAPE,
  payload: oneOf(WEBHOOK_PAYLOADS),
  previousSecret: orNull(text),
  overlapEndsAt: orNull(integer),
}

/** The records of versions 3 to 12 of the data. */
const second = fieldsOf<Omit<KeptConfiguration, 'types'>>(SECOND_SHAPE)

/** As it is kept: of all types none is named. */
const types = storedAs<readonly EventType[] | null, readonly EventType[]>(
  listOf(oneOf(EVENT_TYPES)),
  (chosen) => chosen ?? [],
  (stored) => (stored.length === 0 ? null : stored),
)

export const webhookCodec = recordCodec<KeptConfiguration>(
  'webhooks',
  3,
  { ...SECOND_SHAPE, types },
  { 1: (from) => ({ ...first.read(from), ...UNSET }), 2: (from) => ({ ...second.read(from), types: null }) },
)

/** Default callback URLs, payloads and secrets of owners. */
export function lmdbWebhooks(commits: CommitLoop, randomSecretHex: () => string): AtOnce<WebhookPort> {
  return {
    find: (owner) => configurationOf(commits.snapshot, owner),
    put: (owner, callbackUrl, payload, types) =>
      commits.run((commit) =>
        answeredNow(setCallback(workOf(commit), owner, { callbackUrl, payload, types }, randomSecretHex)),
      ),
    rotate: (owner, overlapMs) =>
      commits.run((commit) => answeredNow(rotateSecret(workOf(commit), owner, overlapMs, randomSecretHex))),
    delete: (owner) =>
      commits.run((commit) => {
        const ownerNo = ownerNoOf(commit, owner)
        if (ownerNo === undefined) return false
        endCursor(commit, ownerNo)
        return commit.tables.webhooks.removeSync(numberKey(ownerNo))
      }),
    secrets(owner) {
      const { snapshot } = commits
      const known = keptOf(snapshot, owner)
      if (known !== undefined) return Promise.resolve(signingSecrets(known, snapshot.nowMs))
      return commits.runAdmitted((commit) => answeredNow(secretsOf(workOf(commit), owner, randomSecretHex)))
    },
  }
}

export function configurationOf(at: Reader, owner: string): WebhookConfiguration {
  return shownConfiguration(owner, keptOf(at, owner))
}

export function defaultCallback(at: Reader, ownerNo: OwnerNo): string | null {
  return findRow(at, ownerNo)?.callbackUrl ?? null
}

/** What a commit does for webhook configurations. */
function workOf(commit: Commit): WebhookWork & CursorWork {
  return {
    ...cursorWork(commit),
    readClock: () => commit.nowMs,
    kept: (owner) => keptOf(commit, owner),
    put: (kept) => {
      commit.tables.webhooks.putSync(numberKey(internOwner(commit, kept.owner)), webhookCodec.encode(kept))
    },
    lastEvent: (owner) => lastEventOf(commit, internOwner(commit, owner))?.toString('hex') ?? null,
  }
}

export function keptOf(at: Reader, owner: string): KeptConfiguration | undefined {
  const ownerNo = ownerNoOf(at, owner)
  return ownerNo === undefined ? undefined : findRow(at, ownerNo)
}

function findRow({ tables }: Reader, ownerNo: OwnerNo): KeptConfiguration | undefined {
  const bytes = tables.webhooks.get(numberKey(ownerNo))
  return bytes === undefined ? undefined : webhookCodec.decode(bytes)
}
