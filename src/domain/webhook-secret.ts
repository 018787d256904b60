/** How long both secrets sign after a rotation, in seconds: a day unless the owner says otherwise, a week at most (decisions 7). */
export const OVERLAP_DEFAULT_SECONDS = 86_400
export const OVERLAP_MAX_SECONDS = 604_800

/** The secrets that deliveries are signed with at a moment. */
export interface SigningSecrets {
  /** 64 hex characters; what the configuration record shows. */
  readonly current: string
  /** The one that receivers still use, until the overlap ends; null outside of one. */
  readonly previous: string | null
}

/** An owner's secrets as they are kept. */
export interface KeptSecrets {
  readonly secret: string
  readonly previousSecret: string | null
  /** End of the overlap, Unix ms; null outside of one. */
  readonly overlapEndsAt: number | null
}

export function signingSecrets(kept: KeptSecrets, nowMs: number): SigningSecrets {
  const isOverlapping = kept.overlapEndsAt !== null && kept.overlapEndsAt > nowMs
  return { current: kept.secret, previous: isOverlapping ? kept.previousSecret : null }
}

/**
 * The secrets after a rotation to `next`; without `kept` it is the first. While an overlap runs, another rotation replaces
 * the new secret only: receivers still use the one before it, also when nobody has read the answer of the first rotation.
 */
export function rotatedSecrets(kept: KeptSecrets | null, next: string, overlapMs: number, nowMs: number): KeptSecrets {
  if (kept === null || overlapMs === 0) return { secret: next, previousSecret: null, overlapEndsAt: null }
  const { current, previous } = signingSecrets(kept, nowMs)
  return { secret: next, previousSecret: previous ?? current, overlapEndsAt: nowMs + overlapMs }
}
