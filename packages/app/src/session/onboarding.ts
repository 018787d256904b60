import { type Billhook, BillhookError, onboard, type ServiceInfo, type Signer } from '@billhook/client'
import { isUselessKey, needsSignature } from './signing.js'

/** Where an identity is on its way to be used. */
export type OnboardingStep = 'looking' | 'onboarding' | 'waiting' | 'operator' | 'registering'

export interface OnboardingParts {
  readonly info: ServiceInfo
  readonly identity: Signer
  /** A client of the identity without a key. */
  readonly unsigned: Billhook
  /** A client of the identity with its API key; null while there is none. */
  readonly signed: Billhook | null
  /** Makes and keeps an API key; answers its public key. */
  readonly makeApiKey: () => Promise<string>
  readonly report: (step: OnboardingStep) => void
  readonly signal: AbortSignal
}

/** A ledger may take minutes where it is busy. */
const KNOWN_WITHIN_MS = 10 * 60_000
const LABEL = 'Web wallet'

/**
 * Makes an identity ready: it exists, the service knows it, and there is a registered key where requests must be signed. Each step looks
 * first, so it goes on wherever it was cut off.
 */
export async function makeReady(parts: OnboardingParts): Promise<void> {
  const { info, identity, unsigned, report, signal } = parts
  report('looking')
  if (!(await unsigned.identityExists(unsigned.owner, { signal }))) {
    if (info.ledger === null) {
      report('operator')
      await unsigned.waitForIdentity({ signal })
    } else {
      report('onboarding')
      await onboard(info.ledger, identity, { billhook: unsigned, signal })
      report('waiting')
      await unsigned.waitForIdentity({ signal, timeoutMs: KNOWN_WITHIN_MS })
    }
  }
  if (needsSignature(info) && !(await hasUsefulKey(parts))) {
    report('registering')
    const publicKey = await parts.makeApiKey()
    await unsigned.registerApiKey({ label: LABEL, publicKey }, { identity: info.strict ? identity : undefined, signal })
  }
}

async function hasUsefulKey({ signed, signal }: OnboardingParts): Promise<boolean> {
  if (signed === null) return false
  try {
    await signed.listApiKeys({ signal })
    return true
  } catch (error) {
    if (error instanceof BillhookError && isUselessKey(error.code)) return false
    throw error
  }
}
