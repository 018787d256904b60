import { isStream } from '../http/exchange.js'
import type { RouterHooks } from '../http/router.js'
import { markup } from '../page/markup.js'
import { pageAnswer } from './answer.js'
import { CONSOLE_PATH } from './layout.js'
import { links, OWNER_LISTS } from './links.js'

const NOT_FOUND = 'There is no such page, and no such record. Old records are removed after some time.'

/** Turns every failure under `/console` into a page, whichever part refused the request. Status and headers stay. */
export function consoleFailurePages(isSandbox: boolean): Required<RouterHooks>['present'] {
  return (answer, { path }) => {
    const { status, headers, body } = answer
    const isOfConsole = path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`)
    if (status < 400 || !isOfConsole || headers['Content-Type']?.startsWith('application/json') !== true) return answer
    const { error } = JSON.parse(isStream(body) ? '{}' : body.toString()) as { error?: string }
    const told = status === 404 ? NOT_FOUND : (error ?? 'Internal error.')
    const list = OWNER_LISTS.find((one) => path.startsWith(`${links[one]}/`))
    const content = markup`<p>${told}</p>
<ul class="links">${list === undefined ? null : markup`<li><a href="${links[list]}">Back to the ${list}</a></li>`}<li><a href="${CONSOLE_PATH}">Back to the console</a></li></ul>`
    return pageAnswer(
      status,
      { isSandbox, signOut: null },
      { title: status === 404 ? 'Not found' : 'Not done', section: null, content },
      headers,
    )
  }
}
