// A webhook receiver: checks the signature of each delivery and prints its body. Node only, no packages.
//
//   node examples/receiver.mjs SECRET_FILE
//
// SECRET_FILE holds the webhook secret of the identity, which GET /api/users/<identity>/webhook returns. It is read for each
// delivery, so you can write it after the receiver has started. The environment variable PORT chooses the port; without it
// the receiver picks a free one and prints it in its first line.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const BODY_LIMIT_BYTES = 65_536

const secretFile = process.argv[2]
if (secretFile === undefined) {
  console.error('usage: node examples/receiver.mjs SECRET_FILE')
  process.exit(2)
}

/** Keys of the notifications that were handled. A real receiver stores them with its orders. */
const seen = new Set()

/** The signature covers the bytes that arrived: parsing and serialising the JSON again would change them. */
function isSigned(body, signature) {
  const secret = readFileSync(secretFile, 'utf8').trim()
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(typeof signature === 'string' ? signature : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function readBody(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > BODY_LIMIT_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function receive(request, response) {
  const body = request.method === 'POST' ? await readBody(request) : null
  if (body === null || !isSigned(body, request.headers['x-service-signature'])) {
    console.log('rejected: not a signed delivery')
    response.writeHead(401).end()
    return
  }
  const { txHash, status } = JSON.parse(body.toString('utf8'))
  const key = `${txHash} ${status}`
  console.log(`${seen.has(key) ? 'repeated' : 'verified'} ${status} ${body}`)
  seen.add(key)
  response.writeHead(204).end()
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.log(`failed: ${error.message}`)
    response.destroy()
  })
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`)
})
