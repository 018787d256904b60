import { isStream } from '../http/exchange.js'
import type { RouterHooks } from '../http/router.js'
import { markup } from '../page/markup.js'
import { pageAnswer } from './answer.js'
import { CONSOLE_PATH } from './layout.js'

/** Turns every failure under `/console` into a page, whichever part refused the request. Status and headers stay. */
export function consoleFailurePages(isSandbox: boolean): Required<RouterHooks>['present'] {
  return (answer, { path }) => {
    const { status, headers, body } = answer
    const isOfConsole = path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`)
    if (status < 400 || !isOfConsole || headers['Content-Type']?.startsWith('application/json') !== true) return answer
    const { error } = JSON.parse(isStream(body) ? '{}' : body.toString()) as { error?: string }
    const content = markup`<p>${error ?? 'Internal error.'}</p>
<p><a href="${CONSOLE_PATH}">Back to the console</a></p>`
    return pageAnswer(
      status,
      { isSandbox, signOut: null },
      { title: status === 404 ? 'Not found' : 'Not done', section: null, content },
      headers,
    )
  }
}
