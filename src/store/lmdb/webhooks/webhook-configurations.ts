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
import type { WebhookPort } from '../../webhooks.js'
import type { Commit, CommitLoop, Reader } from '../commit/commit-loop.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { numberKey } from '../tables/bytes.js'
import type { OwnerNo } from '../tables/names.js'
import { integer, oneOf, orNull, recordCodec, text } from '../tables/record-codec.js'

interface Row extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
}

const FIRST_SHAPE = { owner: text, callbackUrl: orNull(text), secret: text, createdAt: integer, updatedAt: integer }

const codec = recordCodec<Row>('webhooks', 2, {
  ...FIRST_SHAPE,
  payload: oneOf(WEBHOOK_PAYLOADS),
  previousSecret: orNull(text),
  overlapEndsAt: orNull(integer),
})

type FirstRow = Omit<Row, 'payload' | 'previousSecret' | 'overlapEndsAt'>

/** The records of data version 2. */
const firstCodec = recordCodec<FirstRow>('webhooks', 1, FIRST_SHAPE)

const NO_OVERLAP = { previousSecret: null, overlapEndsAt: null }

/** Brings the records of data version 2 up to date: one for each identity that has a webhook. */
export function addWebhookPayloads({ tables: { webhooks } }: Commit): void {
  for (const key of [...webhooks.getKeys()]) {
    const bytes = webhooks.get(key)
    if (bytes === undefined) throw new Error('a key of a table has no row')
    webhooks.putSync(key, codec.encode({ ...firstCodec.decode(bytes), payload: 'specified', ...NO_OVERLAP }))
  }
}

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
      const ownerNo = internOwner(commit, owner)
      const known = findRow(commit, ownerNo) ?? this.newRow(commit, owner)
      return putRow(commit, ownerNo, {
        ...known,
        callbackUrl,
        payload: payload ?? known.payload,
        updatedAt: commit.nowMs,
      })
    })
  }

  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration> {
    return this.commits.run((commit) => {
      const ownerNo = internOwner(commit, owner)
      const known = findRow(commit, ownerNo)
      if (known === undefined) return putRow(commit, ownerNo, this.newRow(commit, owner))
      const secrets = rotatedSecrets(known, this.randomSecretHex(), overlapMs, commit.nowMs)
      return putRow(commit, ownerNo, { ...known, ...secrets, updatedAt: commit.nowMs })
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
    putRow(commit, internOwner(commit, owner), row)
    return signingSecrets(row, commit.nowMs)
  }

  private newRow({ nowMs }: Commit, owner: string): Row {
    const times = { createdAt: nowMs, updatedAt: nowMs }
    const secret = this.randomSecretHex()
    return { owner, callbackUrl: null, secret, ...times, payload: 'specified', ...NO_OVERLAP }
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
  return bytes === undefined ? undefined : codec.decode(bytes)
}

function putRow({ tables }: Commit, ownerNo: OwnerNo, row: Row): WebhookConfiguration {
  tables.webhooks.putSync(numberKey(ownerNo), codec.encode(row))
  return toConfiguration(row)
}

function toConfiguration({ owner, callbackUrl, secret, createdAt, updatedAt, payload }: Row): WebhookConfiguration {
  const record = { owner, callback_url: callbackUrl, secret, created_at: createdAt, updated_at: updatedAt }
  return payload === 'specified' ? record : { ...record, payload }
}
