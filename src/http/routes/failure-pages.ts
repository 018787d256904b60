import { failurePage, type Subject } from '../../page/failure-page.js'
import type { RouterHooks } from '../router.js'
import { frameFor, type PageSettings, pageAnswer, SHOP_PATHS } from './page-answers.js'

/** Payers open these paths in a browser. */
const PAGES_PATHS: readonly (readonly [path: string, subject: Subject])[] = [
  ['/pay', 'invoice'],
  ['/order', 'order'],
]

/** Whether the path is as deep as that of a page, to which the logo's address is relative. */
function isPagePath(path: string): boolean {
  return path.split('/').length === 3
}

function subjectOf(path: string): Subject | null {
  return PAGES_PATHS.find(([root]) => path === root || path.startsWith(`${root}/`))?.[1] ?? null
}

/**
 * Turns every failure under `/pay` and `/order` into a page, whichever part refused the request: a handler, a guard, the router or
 * the adapter. Status and headers stay.
 */
export function failurePages(pages: PageSettings): Required<RouterHooks>['present'] {
  return (answer, head) => {
    const { status, headers } = answer
    const { path } = head
    const subject = status < 400 ? null : subjectOf(path)
    if (subject === null) return answer
    const retryAfter = Number.parseInt(headers['Retry-After'] ?? '', 10)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    const frame = frameFor(isPagePath(path) ? pages : withoutLogo(pages), head, SHOP_PATHS[subject])
    return pageAnswer(status, failurePage(frame, { subject, status, retryAfterSeconds }), frame, pages, headers)
  }
}

function withoutLogo(pages: PageSettings): PageSettings {
  return { ...pages, brand: { ...pages.brand, logo: null } }
}
