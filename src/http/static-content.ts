import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { BASE_HEADERS } from './json.js'
import type { Answer, Request } from './server.js'

/** Something that stays the same until the next version. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly tag: string
}

/** Characters of a hash: enough that two versions never have the same. */
const TAG_LENGTH = 22

/** A cache keeps the content and asks each time whether it is current, so an upgrade shows at once (RFC 9111, 5.2.2.4). */
export function contentOf(type: string, body: string | Buffer): Content {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, no-cache', ETag: tag, ...BASE_HEADERS }
  return { headers, body, tag }
}

export function contentAnswer(request: Request, { headers, body, tag }: Content): Answer {
  const isCurrent = namesTag(request.header('if-none-match'), tag)
  return isCurrent ? { status: 304, headers, body: '' } : { status: 200, headers, body }
}

const unpack = promisify(gunzip)

/** The same for content whose body is compressed (gzip). It is unpacked for clients that ask for that. */
export async function packedAnswer(request: Request, packed: Content & { readonly body: Buffer }): Promise<Answer> {
  const headers = { ...packed.headers, Vary: 'Accept-Encoding' }
  const answer = contentAnswer(request, { ...packed, headers })
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

/** Whether an `If-None-Match` names the tag, by the weak comparison (RFC 9110, 13.1.2). */
function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}
