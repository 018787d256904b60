/**
 * The time for which both secrets sign after a rotation, in seconds: a day by default, a week at most (decisions 7).
 */
export const OVERLAP_DEFAULT_SECONDS = 86_400
export const OVERLAP_MAX_SECONDS = 604_800

/** The secrets that sign deliveries at a given time. */
export interface SigningSecrets {
  /** 64 hex characters, as in the configuration record. */
  readonly current: string
  /** The secret that receivers use until the overlap ends; null without an overlap. */
  readonly previous: string | null
}

/** An owner's secrets as stored. */
export interface KeptSecrets {
  readonly secret: string
  readonly previousSecret: string | null
  /** End of the overlap, Unix ms; null without one. */
  readonly overlapEndsAt: number | null
}

export function signingSecrets(kept: KeptSecrets, nowMs: number): SigningSecrets {
  const isOverlapping = kept.overlapEndsAt !== null && kept.overlapEndsAt > nowMs
  return { current: kept.secret, previous: isOverlapping ? kept.previousSecret : null }
}

/**
 * The secrets after a rotation to `next`; without `kept` it is the first secret. A rotation during an overlap replaces
 * the new secret only, because receivers still use the old one, and the answer of the first rotation may have been
 * lost.
 */
export function rotatedSecrets(kept: KeptSecrets | null, next: string, overlapMs: number, nowMs: number): KeptSecrets {
  if (kept === null || overlapMs === 0) return { secret: next, previousSecret: null, overlapEndsAt: null }
  const { current, previous } = signingSecrets(kept, nowMs)
  return { secret: next, previousSecret: previous ?? current, overlapEndsAt: nowMs + overlapMs }
}
