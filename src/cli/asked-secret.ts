import type { Clock } from '../clock.js'
import type { DeliveryVerdict } from './delivery-verdict.js'

/** From one question for the secret to the next. */
export const ASK_PAUSE_MS = 3000

/**
 * A webhook secret that the service was asked for. It is asked again when a signature does not fit, because the secret may
 * have been replaced, but not for each of many forged webhooks.
 */
export class AskedSecret {
  private askedAtMs = Number.NEGATIVE_INFINITY
  private asking: Promise<void> = Promise.resolve()

  /** `ask` resolves with null when there is no answer: the secret then stays. */
  constructor(
    private secret: string,
    private readonly ask: () => Promise<string | null>,
    private readonly clock: Clock,
  ) {}

  /** Judges a webhook with the secret, and once more when that was asked for again. */
  async judge(check: (secret: string) => DeliveryVerdict): Promise<DeliveryVerdict> {
    const verdict = check(this.secret)
    // The age is looked at only when the signature fits.
    if (verdict.isVerified || verdict.ageSeconds !== null) return verdict
    await this.askAgain()
    return check(this.secret)
  }

  /** Resolves when the last question is answered, which may be one that another webhook led to. */
  private askAgain(): Promise<void> {
    const nowMs = this.clock.now()
    if (nowMs - this.askedAtMs >= ASK_PAUSE_MS) {
      this.askedAtMs = nowMs
      this.asking = this.ask().then((secret) => {
        this.secret = secret ?? this.secret
      })
    }
    return this.asking
  }
}
