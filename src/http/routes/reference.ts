import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { failure } from '../../domain/failure.js'
import { REFERENCE_PAGE, REFERENCE_START } from '../../page/reference-page.js'
import { type ReferenceFile, readProgramFile } from '../../program-files.js'
import { VERSION } from '../../version.js'
import { handlers } from '../endpoints.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'
import type { Answer, Request } from '../server.js'

export interface ReferenceParts {
  /** The path of the public URL, without a final slash. */
  readonly basePath: string
  /** The networks that a record may name. */
  readonly networks: readonly string[]
  /** What a record may be in. */
  readonly currencies: readonly string[]
}

/** The reference. Nothing of it is loaded or made before somebody asks for it. */
export function referenceHandlers(parts: ReferenceParts) {
  let document: Promise<Content> | undefined
  return handlers({
    'GET /openapi.json': async (request) => {
      document ??= import('../openapi.js').then(({ openApiDocument }) =>
        contentOf('application/json; charset=utf-8', JSON.stringify(openApiDocument({ version: VERSION, ...parts }))),
      )
      return cachedAnswer(request, await document)
    },
    'GET /docs': (request) => {
      const { headers, ...page } = contentOf('text/html; charset=utf-8', REFERENCE_PAGE)
      return cachedAnswer(request, { ...page, headers: { ...headers, ...PAGE_HEADERS } })
    },
    'GET /docs/:file': (request, { file }) => fileAnswer(request, file),
  })
}

/** The page may use its own files, and what they write into it; it may send nothing and be framed by nobody. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
})

const FILE_TYPES: Readonly<Record<ReferenceFile, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  LICENSE: 'text/plain; charset=utf-8',
  NOTICE: 'text/plain; charset=utf-8',
}

function isReferenceFile(name: string): name is ReferenceFile {
  return Object.hasOwn(FILE_TYPES, name)
}

const unpack = promisify(gunzip)

/** A file is read for each request that needs it, and kept by the client. */
async function fileAnswer(request: Request, name: string): Promise<Answer> {
  if (name === 'start.js') {
    return cachedAnswer(request, contentOf('text/javascript; charset=utf-8', REFERENCE_START))
  }
  if (!isReferenceFile(name)) return failureAnswer(failure('not_found'))
  const packed = contentOf(FILE_TYPES[name], readProgramFile(`reference/${name}.gz`))
  const headers = { ...packed.headers, Vary: 'Accept-Encoding' }
  const answer = cachedAnswer(request, { ...packed, headers })
  if (answer.status === 304 || request.method === 'HEAD') return answer
  if (acceptsGzip(request.header('accept-encoding'))) {
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'gzip' } }
  }
  // The same tag would name two different contents.
  return { ...answer, headers: { ...headers, ETag: `W/${packed.tag}` }, body: await unpack(packed.body) }
}

const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i

function acceptsGzip(header: string | undefined): boolean {
  return header !== undefined && GZIP.test(header)
}

/** Something that stays the same until the next version. */
interface Content {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly tag: string
}

function contentOf(type: string, body: string | Buffer): Content {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, no-cache', ETag: tag, ...BASE_HEADERS }
  return { headers, body, tag }
}

/** Characters of a hash: enough that two versions never have the same. */
const TAG_LENGTH = 22

/** A cache keeps the content and asks each time whether it is current, so an upgrade shows at once (RFC 9111, 5.2.2.4). */
function cachedAnswer(request: Request, { headers, body, tag }: Content): Answer {
  const isCurrent = namesTag(request.header('if-none-match'), tag)
  return isCurrent ? { status: 304, headers, body: '' } : { status: 200, headers, body }
}

/** Whether an `If-None-Match` names the tag, by the weak comparison (RFC 9110, 13.1.2). */
function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}
