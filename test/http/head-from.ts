import type { RequestHead } from '../../src/http/server.js'

/** The head of a request from `peer`; headers by their lower-case names. */
export function headFrom(peer: string, headers: Readonly<Record<string, string>> = {}): RequestHead {
  return {
    method: 'POST',
    path: '/api/invoices',
    query: '',
    header: (name) => headers[name],
    requestId: 'request',
    remoteAddress: () => peer,
  }
}
