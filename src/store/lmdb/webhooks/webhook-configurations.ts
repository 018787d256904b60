import {
  type KeptSecrets,
  rotatedSecrets,
  type SigningSecrets,
  signingSecrets,
  unconfigured,
  WEBHOOK_PAYLOADS,
  type WebhookConfiguration,
  type WebhookPayload,
} from '../../../domain/webhook.js'
import type { WebhookPort } from '../../store.js'
import type { Commit, CommitLoop, Reader } from '../commit/commit-loop.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { numberKey, type OwnerNo } from '../tables/keys.js'
import { fieldsOf, integer, oneOf, orNull, recordCodec, text } from '../tables/record-codec.js'

interface Row extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
}

/** The records of version 2 of the data. */
const FIRST_SHAPE = { owner: text, callbackUrl: orNull(text), secret: text, createdAt: integer, updatedAt: integer }

const first = fieldsOf<Omit<Row, keyof typeof ADDED>>(FIRST_SHAPE)

/** What is added to the record of an owner who has set neither a payload nor a second secret. */
const ADDED = { payload: 'specified', previousSecret: null, overlapEndsAt: null } as const

export const webhookCodec = recordCodec<Row>(
  'webhooks',
  2,
  { ...FIRST_SHAPE, payload: oneOf(WEBHOOK_PAYLOADS), previousSecret: orNull(text), overlapEndsAt: orNull(integer) },
  { 1: (from) => ({ ...first.read(from), ...ADDED }) },
)

/** Default callback URLs, payloads and secrets of owners. */
export class LmdbWebhooks implements WebhookPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly randomSecretHex: () => string,
  ) {}

  find(owner: string): WebhookConfiguration {
    return configurationOf(this.commits.snapshot, owner)
  }

  put(owner: string, callbackUrl: string, payload?: WebhookPayload): Promise<WebhookConfiguration> {
    return this.commits.run((commit) => {
      const known = findRow(commit, ownerNoOf(commit, owner)) ?? this.newRow(commit, owner)
      return putRow(commit, { ...known, callbackUrl, payload: payload ?? known.payload, updatedAt: commit.nowMs })
    })
  }

  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration> {
    return this.commits.run((commit) => {
      const known = findRow(commit, ownerNoOf(commit, owner))
      if (known === undefined) return putRow(commit, this.newRow(commit, owner))
      const secrets = rotatedSecrets(known, this.randomSecretHex(), overlapMs, commit.nowMs)
      return putRow(commit, { ...known, ...secrets, updatedAt: commit.nowMs })
    })
  }

  delete(owner: string): Promise<boolean> {
    return this.commits.run((commit) => {
      const ownerNo = ownerNoOf(commit, owner)
      return ownerNo !== undefined && commit.tables.webhooks.removeSync(numberKey(ownerNo))
    })
  }

  secrets(owner: string): Promise<SigningSecrets> {
    const known = secretsOf(this.commits.snapshot, owner)
    if (known !== null) return Promise.resolve(known)
    return this.commits.runAdmitted((commit) => secretsOf(commit, owner) ?? this.firstSecrets(commit, owner))
  }

  private firstSecrets(commit: Commit, owner: string): SigningSecrets {
    const row = this.newRow(commit, owner)
    putRow(commit, row)
    return signingSecrets(row, commit.nowMs)
  }

  private newRow({ nowMs }: Commit, owner: string): Row {
    const secret = this.randomSecretHex()
    return { owner, callbackUrl: null, secret, createdAt: nowMs, updatedAt: nowMs, ...ADDED }
  }
}

export function configurationOf(at: Reader, owner: string): WebhookConfiguration {
  const row = findRow(at, ownerNoOf(at, owner))
  return row === undefined ? unconfigured(owner) : toConfiguration(row)
}

export function defaultCallback(at: Reader, ownerNo: OwnerNo): string | null {
  return findRow(at, ownerNo)?.callbackUrl ?? null
}

/** The secrets that sign now; null when the owner has none. */
function secretsOf(at: Reader, owner: string): SigningSecrets | null {
  const row = findRow(at, ownerNoOf(at, owner))
  return row === undefined ? null : signingSecrets(row, at.nowMs)
}

function findRow({ tables }: Reader, ownerNo: OwnerNo | undefined): Row | undefined {
  const bytes = ownerNo === undefined ? undefined : tables.webhooks.get(numberKey(ownerNo))
  return bytes === undefined ? undefined : webhookCodec.decode(bytes)
}

function putRow(commit: Commit, row: Row): WebhookConfiguration {
  commit.tables.webhooks.putSync(numberKey(internOwner(commit, row.owner)), webhookCodec.encode(row))
  return toConfiguration(row)
}

function toConfiguration({ owner, callbackUrl, secret, createdAt, updatedAt, payload }: Row): WebhookConfiguration {
  const record = { owner, callback_url: callbackUrl, secret, created_at: createdAt, updated_at: updatedAt }
  return payload === 'specified' ? record : { ...record, payload }
}
