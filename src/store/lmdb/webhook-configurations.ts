import { unconfigured, WEBHOOK_PAYLOADS, type WebhookConfiguration, type WebhookPayload } from '../../domain/webhook.js'
import { type KeptSecrets, rotatedSecrets, type SigningSecrets, signingSecrets } from '../../domain/webhook-secret.js'
import { numberKey } from './bytes.js'
import type { Identities } from './identities.js'
import { recordCodec } from './record-codec.js'
import type { Tables } from './tables.js'

interface Row extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
}

const codec = recordCodec<Row>(
  'webhooks',
  2,
  (row) => [
    row.owner,
    row.callbackUrl,
    row.secret,
    row.createdAt,
    row.updatedAt,
    row.payload,
    row.previousSecret,
    row.overlapEndsAt,
  ],
  (fields) => ({
    owner: fields.text(),
    callbackUrl: fields.textOrNull(),
    secret: fields.text(),
    createdAt: fields.integer(),
    updatedAt: fields.integer(),
    payload: fields.oneOf(WEBHOOK_PAYLOADS),
    previousSecret: fields.textOrNull(),
    overlapEndsAt: fields.integerOrNull(),
  }),
)

type FirstRow = Omit<Row, 'payload' | 'previousSecret' | 'overlapEndsAt'>

/** The records of data version 2. */
const firstCodec = recordCodec<FirstRow>(
  'webhooks',
  1,
  (row) => [row.owner, row.callbackUrl, row.secret, row.createdAt, row.updatedAt],
  (fields) => ({
    owner: fields.text(),
    callbackUrl: fields.textOrNull(),
    secret: fields.text(),
    createdAt: fields.integer(),
    updatedAt: fields.integer(),
  }),
)

const NO_OVERLAP = { previousSecret: null, overlapEndsAt: null }

/** Brings the records of data version 2 up to date: one for each identity that has a webhook. */
export function addWebhookPayloads({ webhooks }: Pick<Tables, 'webhooks'>): void {
  for (const key of [...webhooks.getKeys()]) {
    const bytes = webhooks.get(key)
    if (bytes === undefined) throw new Error('a key of a table has no row')
    webhooks.putSync(key, codec.encode({ ...firstCodec.decode(bytes), payload: 'specified', ...NO_OVERLAP }))
  }
}

/** Default callback URLs, payloads and secrets of owners. */
export class WebhookConfigurations {
  constructor(
    private readonly tables: Tables,
    private readonly identities: Identities,
    private readonly randomSecretHex: () => string,
  ) {}

  of(owner: string): WebhookConfiguration {
    const row = this.find(this.identities.numberOf(owner))
    return row === undefined ? unconfigured(owner) : toRecord(row)
  }

  defaultCallback(ownerNo: number): string | null {
    return this.find(ownerNo)?.callbackUrl ?? null
  }

  /** Sets the default URL. The secret is made the first time and kept from then on; so is the payload without one. */
  put(owner: string, callbackUrl: string, payload: WebhookPayload | undefined, nowMs: number): WebhookConfiguration {
    const ownerNo = this.identities.intern(owner)
    const known = this.find(ownerNo) ?? this.made(owner, nowMs)
    const row = { ...known, callbackUrl, payload: payload ?? known.payload, updatedAt: nowMs }
    return this.store(ownerNo, row)
  }

  delete(owner: string): boolean {
    const ownerNo = this.identities.numberOf(owner)
    return ownerNo !== undefined && this.tables.webhooks.removeSync(numberKey(ownerNo))
  }

  /** Replaces the secret; both sign until the overlap ends. */
  rotate(owner: string, overlapMs: number, nowMs: number): WebhookConfiguration {
    const ownerNo = this.identities.intern(owner)
    const known = this.find(ownerNo)
    if (known === undefined) return this.store(ownerNo, this.made(owner, nowMs))
    const secrets = rotatedSecrets(known, this.randomSecretHex(), overlapMs, nowMs)
    return this.store(ownerNo, { ...known, ...secrets, updatedAt: nowMs })
  }

  /** The secrets that sign now; null when the owner has none. */
  secrets(owner: string, nowMs: number): SigningSecrets | null {
    const row = this.find(this.identities.numberOf(owner))
    return row === undefined ? null : signingSecrets(row, nowMs)
  }

  /** The same; the secret is made when the owner has none. In a commit. */
  secretsOnDemand(owner: string, nowMs: number): SigningSecrets {
    const known = this.secrets(owner, nowMs)
    if (known !== null) return known
    const row = this.made(owner, nowMs)
    this.store(this.identities.intern(owner), row)
    return signingSecrets(row, nowMs)
  }

  private made(owner: string, nowMs: number): Row {
    const times = { createdAt: nowMs, updatedAt: nowMs }
    const secret = this.randomSecretHex()
    return { owner, callbackUrl: null, secret, ...times, payload: 'specified', ...NO_OVERLAP }
  }

  private find(ownerNo: number | undefined): Row | undefined {
    const bytes = ownerNo === undefined ? undefined : this.tables.webhooks.get(numberKey(ownerNo))
    return bytes === undefined ? undefined : codec.decode(bytes)
  }

  private store(ownerNo: number, row: Row): WebhookConfiguration {
    this.tables.webhooks.putSync(numberKey(ownerNo), codec.encode(row))
    return toRecord(row)
  }
}

function toRecord({ owner, callbackUrl, secret, createdAt, updatedAt, payload }: Row): WebhookConfiguration {
  const record = { owner, callback_url: callbackUrl, secret, created_at: createdAt, updated_at: updatedAt }
  return payload === 'specified' ? record : { ...record, payload }
}
