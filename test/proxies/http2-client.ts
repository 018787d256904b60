import { once } from 'node:events'
import { connect } from 'node:tls'
import { HOST } from './certificate.js'
import type { Peer } from './stream-client.js'

/** Names and values as they are sent, right or wrong. */
export type Fields = readonly (readonly [name: string, value: string])[]

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const FRAME_HEAD_BYTES = 9
const STREAM = 1
const type = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const
const END_STREAM = 1
const END_HEADERS = 4
/** A length that does not fit into the first seven bits goes on in more bytes (RFC 7541, 5.1). */
const LENGTH_FIRST_MAX = 127

/** Sends one request in HTTP/2, byte by byte as given; resolves when it is answered or refused, or after `atMostMs`. */
export async function sendFields(peer: Peer, fields: Fields, body: string, atMostMs: number): Promise<void> {
  const { port, certificate } = peer
  const socket = connect({ port, host: '127.0.0.1', servername: HOST, ca: certificate, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  if (socket.alpnProtocol !== 'h2') throw new Error('the proxy does not speak HTTP/2')
  const isEmpty = body === ''
  const frames = [
    frame(type.settings, 0, 0, Buffer.alloc(0)),
    frame(type.headers, END_HEADERS | (isEmpty ? END_STREAM : 0), STREAM, Buffer.concat(fields.map(literal))),
    ...(isEmpty ? [] : [frame(type.data, END_STREAM, STREAM, Buffer.from(body, 'latin1'))]),
  ]
  await new Promise<void>((resolve) => {
    let received = Buffer.alloc(0)
    const timer = setTimeout(resolve, atMostMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (isOver(received)) end()
    })
    socket.on('error', end)
    socket.on('close', end)
    socket.write(Buffer.concat([Buffer.from(PREFACE), ...frames]))
  })
  socket.destroy()
}

function frame(kind: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(kind, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A field as a literal that is not indexed (RFC 7541, 6.2.2), without Huffman coding. */
function literal([name, value]: Fields[number]): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  if (bytes.length < LENGTH_FIRST_MAX) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [LENGTH_FIRST_MAX]
  let rest = bytes.length - LENGTH_FIRST_MAX
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

/** Whether the stream, or the connection, has come to its end. */
function isOver(received: Buffer): boolean {
  for (let at = 0; at + FRAME_HEAD_BYTES <= received.length; at += FRAME_HEAD_BYTES + received.readUIntBE(at, 3)) {
    const kind = received.readUInt8(at + 3)
    const flags = received.readUInt8(at + 4)
    if (kind === type.goAway || kind === type.reset) return true
    const isAnswer = kind === type.data || kind === type.headers
    if (isAnswer && received.readUInt32BE(at + 5) === STREAM && (flags & END_STREAM) !== 0) return true
  }
  return false
}
