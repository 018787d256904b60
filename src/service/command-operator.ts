import { isObject } from '../base/json-object.js'
import type { Operator } from '../domain/audit.js'
import type { RequestHead } from '../http/server.js'

/** Names the user who runs a command, to the process that holds the data. */
const OPERATOR_HEADER = 'X-Billhook-Operator'

/** A client that does not say who runs it. */
const UNNAMED: Operator = { who: 'unknown', from: 'admin.sock' }

/** The header by which a command says who runs it. */
export function operatorHeader(operator: Operator): Readonly<Record<string, string>> {
  return { [OPERATOR_HEADER]: encodeURIComponent(JSON.stringify(operator)) }
}

/** Who calls on `admin.sock`. It is believed: who may open the socket may write whatever they like into the data. */
export function operatorAt(head: Pick<RequestHead, 'header'>): Operator {
  try {
    const named: unknown = JSON.parse(decodeURIComponent(head.header(OPERATOR_HEADER.toLowerCase()) ?? ''))
    if (!isObject(named)) return UNNAMED
    const { who, from } = named
    return typeof who === 'string' && typeof from === 'string' ? { who, from } : UNNAMED
  } catch {
    return UNNAMED
  }
}
