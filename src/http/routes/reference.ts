import { failure } from '../../domain/failure.js'
import { REFERENCE_PAGE, REFERENCE_START } from '../../page/reference-page.js'
import { type ReferenceFile, readProgramFile } from '../../program-files.js'
import { VERSION } from '../../version.js'
import { handlers } from '../endpoints.js'
import { failureAnswer } from '../json.js'
import type { Answer, Request } from '../server.js'
import { type Content, contentAnswer, contentOf, packedAnswer } from '../static-content.js'

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
      return contentAnswer(request, await document)
    },
    'GET /docs': (request) => {
      const { headers, ...page } = contentOf('text/html; charset=utf-8', REFERENCE_PAGE)
      return contentAnswer(request, { ...page, headers: { ...headers, ...PAGE_HEADERS } })
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

/** A file is read for each request that needs it, and kept by the client. */
async function fileAnswer(request: Request, name: string): Promise<Answer> {
  if (name === 'start.js') {
    return contentAnswer(request, contentOf('text/javascript; charset=utf-8', REFERENCE_START))
  }
  if (!isReferenceFile(name)) return failureAnswer(failure('not_found'))
  const body = readProgramFile(`reference/${name}.gz`)
  return packedAnswer(request, { ...contentOf(FILE_TYPES[name], body), body })
}
