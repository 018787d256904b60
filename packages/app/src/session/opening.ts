import { Billhook, type ServiceInfo } from '@billhook/client'
import type { KeyStatus } from '../keys/holder.js'
import type { KeyThread } from '../keys/key-thread.js'
import { makeReady, type OnboardingStep } from './onboarding.js'

/** An open shop. */
export interface Shop {
  readonly owner: string
  readonly billhook: Billhook
  /** Null where somebody has an API key alone. */
  readonly identity: string | null
  /** The public key that signs; null where the service takes unsigned requests. */
  readonly signedBy: string | null
  /** Aborted when the app is locked. */
  readonly ended: AbortSignal
}

export type OpenStatus = Extract<KeyStatus, { readonly state: 'open' }>

export interface OpeningParts {
  /** The base address of the service. */
  readonly url: string
  readonly info: ServiceInfo
  readonly keys: KeyThread
  readonly status: OpenStatus
  readonly report: (step: OnboardingStep) => void
  readonly signal: AbortSignal
}

/** What a service says of itself. */
export function infoOf(url: string): Promise<ServiceInfo> {
  return new Billhook({ url }).getInfo()
}

/** Makes an open vault an open shop. */
export async function openShop({ url, info, keys, status, report, signal }: OpeningParts): Promise<Shop> {
  const { owner, identity, apiKey } = status
  const client = (publicKey: string | null): Billhook =>
    new Billhook({ url, owner, signer: publicKey === null ? undefined : keys.signer('apiKey', publicKey) })
  let signedBy = apiKey
  if (identity !== null) {
    await makeReady({
      info,
      identity: keys.signer('identity', identity),
      unsigned: new Billhook({ url, owner }),
      signed: apiKey === null ? null : client(apiKey),
      makeApiKey: async () => {
        signedBy = await keys.ask('makeApiKey')
        return signedBy
      },
      report,
      signal,
    })
  }
  const billhook = client(signedBy)
  // An employee learns here that a key was revoked, not when a customer waits.
  if (identity === null) await billhook.listApiKeys({ signal })
  return { owner, billhook, identity, signedBy, ended: signal }
}
