import type { AuditTrail } from '../../audit/trail.js'
import { type AuditEnd, DONE, doneEnd, type Operator } from '../../domain/audit.js'
import type { Endpoint, Handler } from '../endpoints.js'
import { readJsonObject } from '../json.js'
import type { Params } from '../router.js'
import type { Answer, Request, RequestHead } from '../server.js'

/** The trail of a listener that only operators reach. */
export interface OperatorTrail {
  readonly trail: Pick<AuditTrail, 'follow'>
  readonly operatorOf: (head: RequestHead) => Operator
}

const CREATED = 201
const CLIENT_FAILURES = 400
const SERVICE_FAILURES = 500

/** The handler of an endpoint that leaves a trace of each request, if it changes anything. */
export function audited(
  { action }: Pick<Endpoint, 'action'>,
  handle: Handler<string>,
  { trail, operatorOf }: OperatorTrail,
): Handler<string> {
  if (action === undefined) return handle
  return (request, params, signer) =>
    trail.follow(
      { ...operatorOf(request), action, ...aboutOf(request, params) },
      (trace) => handle(request, params, signer, trace),
      endOfAnswer,
    )
}

/** Whose affairs a request is about, and what of them. */
function aboutOf(
  { path, body }: Request,
  params: Params,
): { readonly owner: string | null; readonly subject: string | null } {
  const { id = null, ...others } = params
  const named = Object.values(others).join(' ')
  if (path.startsWith('/api/users/')) return { owner: id, subject: named === '' ? null : named }
  const read = readJsonObject(body)
  const owner = read.ok ? read.value['owner'] : null
  return { owner: typeof owner === 'string' ? owner : null, subject: [id ?? '', named].join(' ').trim() || null }
}

/** What an answer says of its request: the code of a failure, or the id of what was created. */
function endOfAnswer({ status, body, isUnchanged }: Answer): AuditEnd {
  const said = typeof body === 'string' ? readJsonObject(Buffer.from(body)) : null
  const text = (name: string) => {
    const value = said?.ok === true ? said.value[name] : null
    return typeof value === 'string' ? value : null
  }
  if (status >= SERVICE_FAILURES) return { outcome: 'failed', detail: text('code') ?? String(status) }
  if (status >= CLIENT_FAILURES) return { outcome: 'refused', detail: text('code') ?? String(status) }
  return status === CREATED ? { ...DONE, detail: text('id') } : doneEnd({ isUnchanged })
}
