import {
  type SigningSecrets,
  signingSecrets,
  WEBHOOK_PAYLOADS,
  type WebhookConfiguration,
  type WebhookPayload,
} from '../../../domain/webhook.js'
import { answeredNow } from '../../rules/asking.js'
import {
  type KeptConfiguration,
  rotateSecret,
  secretsOf,
  setCallback,
  shownConfiguration,
  UNSET,
  type WebhookWork,
} from '../../rules/webhook-configurations.js'
import type { WebhookPort } from '../../store.js'
import type { Commit, CommitLoop, Reader } from '../commit/commit-loop.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { numberKey, type OwnerNo } from '../tables/keys.js'
import { fieldsOf, integer, oneOf, orNull, recordCodec, text } from '../tables/record-codec.js'

/** The records of version 2 of the data. */
const FIRST_SHAPE = { owner: text, callbackUrl: orNull(text), secret: text, createdAt: integer, updatedAt: integer }

const first = fieldsOf<Omit<KeptConfiguration, keyof typeof UNSET>>(FIRST_SHAPE)

export const webhookCodec = recordCodec<KeptConfiguration>(
  'webhooks',
  2,
  { ...FIRST_SHAPE, payload: oneOf(WEBHOOK_PAYLOADS), previousSecret: orNull(text), overlapEndsAt: orNull(integer) },
  { 1: (from) => ({ ...first.read(from), ...UNSET }) },
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
    return this.commits.run((commit) =>
      answeredNow(setCallback(workOf(commit), owner, callbackUrl, payload, this.randomSecretHex)),
    )
  }

  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration> {
    return this.commits.run((commit) =>
      answeredNow(rotateSecret(workOf(commit), owner, overlapMs, this.randomSecretHex)),
    )
  }

  delete(owner: string): Promise<boolean> {
    return this.commits.run((commit) => {
      const ownerNo = ownerNoOf(commit, owner)
      return ownerNo !== undefined && commit.tables.webhooks.removeSync(numberKey(ownerNo))
    })
  }

  secrets(owner: string): Promise<SigningSecrets> {
    const { snapshot } = this.commits
    const known = keptOf(snapshot, owner)
    if (known !== undefined) return Promise.resolve(signingSecrets(known, snapshot.nowMs))
    return this.commits.runAdmitted((commit) => answeredNow(secretsOf(workOf(commit), owner, this.randomSecretHex)))
  }
}

export function configurationOf(at: Reader, owner: string): WebhookConfiguration {
  return shownConfiguration(owner, keptOf(at, owner))
}

export function defaultCallback(at: Reader, ownerNo: OwnerNo): string | null {
  return findRow(at, ownerNo)?.callbackUrl ?? null
}

/** What a commit does for webhook configurations. */
function workOf(commit: Commit): WebhookWork {
  return {
    readClock: () => commit.nowMs,
    kept: (owner) => keptOf(commit, owner),
    put: (kept) => {
      commit.tables.webhooks.putSync(numberKey(internOwner(commit, kept.owner)), webhookCodec.encode(kept))
    },
  }
}

function keptOf(at: Reader, owner: string): KeptConfiguration | undefined {
  const ownerNo = ownerNoOf(at, owner)
  return ownerNo === undefined ? undefined : findRow(at, ownerNo)
}

function findRow({ tables }: Reader, ownerNo: OwnerNo): KeptConfiguration | undefined {
  const bytes = tables.webhooks.get(numberKey(ownerNo))
  return bytes === undefined ? undefined : webhookCodec.decode(bytes)
}
