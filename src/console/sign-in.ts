import type { Clock } from '../clock.js'
import { type Failure, retryLater } from '../domain/failure.js'
import { clientReader } from '../http/guards/client-address.js'
import { RateLimiter } from '../http/guards/rate-limiter.js'
import type { RequestHead } from '../http/server.js'
import { markup } from '../page/markup.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'

/** Passwords that one client address may try in a minute. */
export const TRIALS_PER_MINUTE = 10
/** Client addresses whose trials are remembered. */
const CLIENTS_MAX = 1024

/** Bounds how fast passwords are tried. */
export class PasswordTrials {
  private readonly clientOf = clientReader([])
  private readonly limiter: RateLimiter

  constructor(clock: Clock) {
    this.limiter = new RateLimiter(TRIALS_PER_MINUTE, clock, CLIENTS_MAX)
  }

  /** Null if one more may be tried. */
  take(head: RequestHead): Failure | null {
    const waitSeconds = this.limiter.take(this.clientOf(head).key)
    return waitSeconds === 0 ? null : retryLater('rate_limited', waitSeconds)
  }
}

/** The page that asks for the password. */
export function signInPage(isWrong: boolean): ConsolePage {
  const content = markup`<form method="post" action="${links.signIn}">
<p class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Sign in</button></p>
</form>`
  const notice = isWrong ? ({ text: 'This is not the password.', tone: 'waiting' } as const) : null
  return { title: 'Sign in', section: null, notice, content }
}
