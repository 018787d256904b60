import autocannon from 'autocannon'
import { argument, tell } from '../parent.js'
import { readRequestFile } from '../request-file.js'
import type { AutocannonReport } from './autocannon.js'
import type { Load } from './load.js'

const TIMEOUT_SECONDS = 30

const { url, connections, seconds, requests } = argument<Load>()
const prepared = requests === null ? null : readRequestFile(requests).map(toRequest)
let at = 0

const { errors, non2xx, ...result } = await autocannon({
  url,
  connections,
  duration: Math.max(1, Math.round(seconds)),
  timeout: TIMEOUT_SECONDS,
  ...(prepared === null ? {} : { requests: [{ setupRequest: () => next(prepared) }] }),
})
const report: AutocannonReport = {
  perSecond: result['2xx'] / result.duration,
  failed: errors + non2xx,
  ranOutOf: ranOut(),
}
tell(report)

/** How many requests there were, if they ran out; null otherwise. */
function ranOut(): number | null {
  return prepared !== null && at > prepared.length ? prepared.length : null
}

/** When the requests run out it starts again from the first, which the service rejects. */
function next(all: readonly autocannon.Request[]): autocannon.Request {
  const request = all[at % all.length]
  if (request === undefined) throw new Error('the file has no request')
  at += 1
  // autocannon writes to what it is given.
  return { ...request }
}

function toRequest(bytes: Buffer): autocannon.Request {
  const text = bytes.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n')
  const [line = '', ...fields] = text.slice(0, headEnd).split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    fields.map((field): [string, string] => [
      field.slice(0, field.indexOf(': ')),
      field.slice(field.indexOf(': ') + 2),
    ]),
  )
  return { method: method as 'POST', path, headers, body: text.slice(headEnd + 4) }
}
