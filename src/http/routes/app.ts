import { failure } from '../../domain/failure.js'
import { readProgramFile } from '../../program-files.js'
import { handlers } from '../endpoints.js'
import { failureAnswer } from '../json.js'
import type { Answer, Request } from '../server.js'
import { type Content, contentOf, packedAnswer } from '../static-content.js'

export interface AppParts {
  /** Whether the operator wants the web wallet (`BILLHOOK_APP`). */
  readonly isOn: boolean
  /** The nodes of the ledger, where identities are onboarded. Asked with each page: those of a sandbox are known when it listens. */
  readonly ledgerNodes: () => readonly string[]
}

/** A file of the web wallet as the build writes it (`deploy/app/build.ts`). */
export interface PackedFile {
  readonly name: string
  readonly type: string
  /** Its content, compressed (gzip), in base64. */
  readonly gzip: string
}

/** The page itself. */
export const APP_PAGE = 'index.html'

/** A name with a hash of the content, which never gets another content. */
const HASHED = /-\w{8}\.\w+$/

/** The program of the thread that holds the keys: `keys-<hash>.js`. */
const KEY_THREAD = /^keys-/

type Packed = Content & { readonly body: Buffer }

/** The web wallet. Its files are read when somebody asks for the first one, and kept: they are some hundred kilobytes. */
export function appHandlers({ isOn, ledgerNodes }: AppParts) {
  let files: ReadonlyMap<string, Packed> | undefined
  const answer = (request: Request, name: string): Answer | Promise<Answer> => {
    if (!isOn) return failureAnswer(failure('not_found'))
    files ??= readFiles()
    const file = files.get(name)
    if (file === undefined) return failureAnswer(failure('not_found'))
    return packedAnswer(request, { ...file, headers: { ...file.headers, ...headersOf(name, ledgerNodes()) } })
  }
  return handlers({
    'GET /app': (request) => answer(request, APP_PAGE),
    'GET /app/:file': (request, { file }) =>
      file === APP_PAGE ? failureAnswer(failure('not_found')) : answer(request, file),
  })
}

function readFiles(): ReadonlyMap<string, Packed> {
  const files = JSON.parse(readProgramFile('app/files.json').toString('utf8')) as readonly PackedFile[]
  return new Map(
    files.map(({ name, type, gzip }) => {
      const body = Buffer.from(gzip, 'base64')
      return [name, { ...contentOf(type, body), body }]
    }),
  )
}

/** Nobody frames the wallet, opens it with a hold on it, or learns from it where somebody was. */
const APP_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
})

const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }

function headersOf(name: string, ledgerNodes: readonly string[]): Readonly<Record<string, string>> {
  const caching = HASHED.test(name) ? FOR_EVER : {}
  return { ...APP_HEADERS, ...caching, 'Content-Security-Policy': policyOf(name, ledgerNodes).join('; ') }
}

/**
 * What the web wallet may do (Content Security Policy Level 3). The page runs files of this service and talks to it and to the nodes of its
 * ledger; the thread with the keys talks to nobody. A thread has the policy of its own script.
 */
function policyOf(name: string, ledgerNodes: readonly string[]): readonly string[] {
  const closed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  const noMarkup = "require-trusted-types-for 'script'"
  if (KEY_THREAD.test(name)) return [...closed, noMarkup, "trusted-types 'none'"]
  const nodes = new Set(ledgerNodes.map((node) => new URL(node).origin))
  return [
    ...closed,
    "script-src 'self'",
    "style-src 'self'",
    "worker-src 'self'",
    ["connect-src 'self'", ...nodes].join(' '),
    "img-src 'self'",
    noMarkup,
    // The one policy allows the address of the thread with the keys, and nothing else (`key-thread.ts`).
    'trusted-types billhook-keys',
  ]
}
