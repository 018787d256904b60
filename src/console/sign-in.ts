import { markup } from '../page/markup.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'

/** The page that asks for the password. */
export function signInPage(isWrong: boolean): ConsolePage {
  const content = markup`<form method="post" action="${links.signIn}">
<p class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Sign in</button></p>
</form>`
  const notice = isWrong ? ({ text: 'This is not the password.', tone: 'waiting' } as const) : null
  return { title: 'Sign in', section: null, notice, content }
}
