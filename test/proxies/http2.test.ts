import assert from 'node:assert/strict'
import { HOST } from './certificate.js'
import { type Fields, sendFields } from './http2-client.js'
import { describeProxied } from './proxied-echo.js'
import { askFor } from './stream-client.js'

const ANSWER_MS = 10_000

interface Attack {
  readonly fields: Fields
  readonly body?: string
}

function phantom(base: string): string {
  return `GET ${base}/phantom HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
}

/** The head of a POST; `changed` takes the place of fields of the same name, and `more` follows. */
function head(base: string, changed: Readonly<Record<string, string>>, ...more: Fields): Fields {
  const usual = { ':method': 'POST', ':scheme': 'https', ':authority': HOST, ':path': `${base}/first` }
  return [...Object.entries({ ...usual, ...changed }), ...more]
}

/** Requests that must become no other request when a proxy writes them in HTTP/1.1. */
const attacks: Readonly<Record<string, (base: string) => Attack>> = {
  'a body without a length': (base) => ({ fields: head(base, {}), body: phantom(base) }),
  'a length of 0': (base) => ({ fields: head(base, {}, ['content-length', '0']), body: phantom(base) }),
  'a length that is too small': (base) => ({ fields: head(base, {}, ['content-length', '2']), body: phantom(base) }),
  'a length that is too large': (base) => ({ fields: head(base, {}, ['content-length', '500']), body: phantom(base) }),
  'a length that is no number': (base) => ({ fields: head(base, {}, ['content-length', '0x0']), body: phantom(base) }),
  'two lengths': (base) => ({
    fields: head(base, {}, ['content-length', '0'], ['content-length', String(phantom(base).length)]),
    body: phantom(base),
  }),
  'a length of a GET': (base) => ({
    fields: head(base, { ':method': 'GET' }, ['content-length', '0']),
    body: phantom(base),
  }),
  'transfer-encoding': (base) => ({
    fields: head(base, {}, ['transfer-encoding', 'chunked']),
    body: `0\r\n\r\n${phantom(base)}`,
  }),
  'transfer-encoding and a length': (base) => ({
    fields: head(base, {}, ['transfer-encoding', 'chunked'], ['content-length', String(phantom(base).length + 5)]),
    body: `0\r\n\r\n${phantom(base)}`,
  }),
  'Transfer-Encoding in capitals': (base) => ({
    fields: head(base, {}, ['Transfer-Encoding', 'chunked']),
    body: `0\r\n\r\n${phantom(base)}`,
  }),
  'a length that the proxy is told to strip': (base) => ({
    fields: head(base, {}, ['connection', 'content-length'], ['content-length', String(phantom(base).length)]),
    body: phantom(base),
  }),
  'line ends in a value': (base) => ({ fields: head(base, {}, ['x-a', `b\r\n\r\n${phantom(base)}`]) }),
  'a bare LF in a value': (base) => ({ fields: head(base, {}, ['x-a', 'b\ntransfer-encoding: chunked']), body: '0' }),
  'line ends in a name': (base) => ({ fields: head(base, {}, [`x-a: b\r\n\r\n${phantom(base)}x-b`, 'c']) }),
  'a colon in a name': (base) => ({ fields: head(base, {}, ['transfer-encoding: chunked\r\nx-b', 'c']), body: '0' }),
  'an empty name': (base) => ({ fields: head(base, {}, ['', 'b'], ['content-length', '1']), body: 'x' }),
  'line ends in the path': (base) => ({
    fields: head(base, { ':path': `${base}/first HTTP/1.1\r\nHost: ${HOST}\r\n\r\n${phantom(base)}` }),
  }),
  'a version in the path': (base) => ({ fields: head(base, { ':path': `${base}/first HTTP/1.1` }) }),
  'line ends in the method': (base) => ({ fields: head(base, { ':method': `${phantom(base)}POST` }) }),
  'a path in the method': (base) => ({ fields: head(base, { ':method': `GET ${base}/phantom HTTP/1.1\r\nX: POST` }) }),
  'line ends in the authority': (base) => ({
    fields: head(base, { ':authority': `${HOST}\r\n\r\n${phantom(base)}` }),
  }),
  'line ends in the scheme': (base) => ({
    fields: head(base, { ':scheme': `https://${HOST}${base}/phantom HTTP/1.1\r\nX: ` }),
  }),
  'a host of its own': (base) => ({ fields: head(base, {}, ['host', `${HOST}\r\n\r\n${phantom(base)}`]) }),
  'two paths': (base) => ({ fields: head(base, {}, [':path', `${base}/phantom`]) }),
  'a late pseudo-header': (base) => ({ fields: [['x-a', 'b'], ...head(base, {})] }),
  'a tunnel': (base) => ({
    fields: [
      [':method', 'CONNECT'],
      [':authority', HOST],
    ],
    body: phantom(base),
  }),
}

function plain(base: string): Attack {
  return { fields: head(base, {}, ['content-length', String(phantom(base).length)]), body: phantom(base) }
}

describeProxied('requests in HTTP/2 become no other request in HTTP/1.1', async ({ proxy, server }) => {
  const peer = { port: proxy.httpsPort, certificate: proxy.certificate }
  for (const [index, [what, make]] of Object.entries({ plain, ...attacks }).entries()) {
    const base = `/api/${String(index).padStart(6, '0')}`
    const { fields, body = '' } = make(base)
    await sendFields(peer, fields, body, ANSWER_MS)
    for (const path of [`${base}/other-1`, `${base}/other-2`]) {
      const { status, echoes } = await askFor(peer, path, ANSWER_MS)
      assert.deepEqual([status, echoes], [200, [path]], `${what}: ${path}`)
    }
    const executed = server.executed.filter((path) => path.startsWith(base) && !path.includes('/other-'))
    if (what === 'plain') assert.deepEqual(executed, [`${base}/first`])
    const isSound = executed.length <= 1 && executed.every((path) => !path.includes('/phantom'))
    assert.ok(isSound, `${what}: executed ${executed}`)
  }
})
