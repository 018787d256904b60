import { unconfigured, type WebhookConfiguration } from '../../domain/webhook.js'
import { numberKey } from './bytes.js'
import type { Identities } from './identities.js'
import { recordCodec } from './record-codec.js'
import type { Tables } from './tables.js'

type Row = WebhookConfiguration & { readonly secret: string; readonly created_at: number; readonly updated_at: number }

const codec = recordCodec<Row>(
  'webhooks',
  1,
  (row) => [row.owner, row.callback_url, row.secret, row.created_at, row.updated_at],
  (fields) => ({
    owner: fields.text(),
    callback_url: fields.textOrNull(),
    secret: fields.text(),
    created_at: fields.integer(),
    updated_at: fields.integer(),
  }),
)

/** Default callback URLs and secrets of owners. */
export class WebhookConfigurations {
  constructor(
    private readonly tables: Tables,
    private readonly identities: Identities,
    private readonly randomSecretHex: () => string,
  ) {}

  of(owner: string): WebhookConfiguration {
    return this.find(this.identities.numberOf(owner)) ?? unconfigured(owner)
  }

  defaultCallback(ownerNo: number): string | null {
    return this.find(ownerNo)?.callback_url ?? null
  }

  /** Sets the default URL. The secret is made the first time and kept from then on. */
  put(owner: string, callbackUrl: string, nowMs: number): WebhookConfiguration {
    const ownerNo = this.identities.intern(owner)
    const known = this.find(ownerNo)
    return this.store(ownerNo, {
      owner,
      callback_url: callbackUrl,
      secret: known?.secret ?? this.randomSecretHex(),
      created_at: known?.created_at ?? nowMs,
      updated_at: nowMs,
    })
  }

  delete(owner: string): boolean {
    const ownerNo = this.identities.numberOf(owner)
    return ownerNo !== undefined && this.tables.webhooks.removeSync(numberKey(ownerNo))
  }

  /** The secret, made on demand. */
  secret(owner: string, nowMs: number): string {
    const ownerNo = this.identities.intern(owner)
    const known = this.find(ownerNo)
    if (known !== undefined) return known.secret
    return this.store(ownerNo, {
      owner,
      callback_url: null,
      secret: this.randomSecretHex(),
      created_at: nowMs,
      updated_at: nowMs,
    }).secret
  }

  private find(ownerNo: number | undefined): Row | undefined {
    const bytes = ownerNo === undefined ? undefined : this.tables.webhooks.get(numberKey(ownerNo))
    return bytes === undefined ? undefined : codec.decode(bytes)
  }

  private store(ownerNo: number, row: Row): Row {
    this.tables.webhooks.putSync(numberKey(ownerNo), codec.encode(row))
    return row
  }
}
