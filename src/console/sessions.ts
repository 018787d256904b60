import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.js'

/** Sessions at once. Beyond, the oldest one ends. */
export const SESSIONS_MAX = 256
/** How long a session lasts. */
export const SESSION_SECONDS = 12 * 60 * 60
const MS_PER_SECOND = 1000
const SECRET_BYTES = 32
const NAME_LENGTH = 8

/** A browser that may use the console. */
export interface Session {
  /** What the cookie holds. */
  readonly id: string
  /** Tells sessions apart in the trail of what operators did. Nobody comes in with it. */
  readonly name: string
  /** The token that a form must carry to perform `action`, a path. A token is worth nothing elsewhere, or in another session. */
  token(action: string): string
}

/** The sessions of one service, in memory: a restart ends them. */
export class Sessions {
  /** By a hash of the id, oldest first: how long a look-up takes tells nothing about ids. */
  private readonly kept = new Map<string, { readonly session: Session; readonly endsAt: number }>()

  constructor(private readonly clock: Clock) {}

  start(): Session {
    const id = randomBytes(SECRET_BYTES).toString('base64url')
    const key = randomBytes(SECRET_BYTES)
    const token = (action: string) => createHmac('sha256', key).update(action).digest('base64url')
    const session = { id, name: randomBytes(NAME_LENGTH / 2).toString('hex'), token }
    const [oldest] = this.kept.keys()
    if (this.kept.size === SESSIONS_MAX && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(hashOf(id), { session, endsAt: this.clock.now() + SESSION_SECONDS * MS_PER_SECOND })
    return session
  }

  find(id: string): Session | null {
    const kept = this.kept.get(hashOf(id))
    return kept === undefined || kept.endsAt <= this.clock.now() ? null : kept.session
  }

  end({ id }: Session): void {
    this.kept.delete(hashOf(id))
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** Compares texts in a time that does not depend on them. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
