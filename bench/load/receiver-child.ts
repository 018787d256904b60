import * as uWS from 'uWebSockets.js'
import { machineMs, tell } from '../parent.js'
import type { ReceiverOrder, ReceiverWord } from './receiver-messages.js'

/** A receiver of webhooks that records when each arrived. It answers 200 at once, or after its release. */

const say = (word: ReceiverWord) => tell(word)
let expected = 0
let isHolding = false
let arrivals: [string, number][] = []
let held = new Set<uWS.HttpResponse>()

const app = uWS.App()
app.post('/*', (response) => {
  const chunks: Buffer[] = []
  response.onAborted(() => held.delete(response))
  response.onData((chunk, isLast) => {
    // The engine reuses the memory of a chunk.
    chunks.push(Buffer.from(chunk.slice(0)))
    if (isLast) arrived(response, Buffer.concat(chunks).toString())
  })
})
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('cannot listen')
  say({ word: 'listening', url: `http://127.0.0.1:${uWS.us_socket_local_port(socket)}` })
})

function arrived(response: uWS.HttpResponse, body: string): void {
  arrivals.push([/"txHash":"([^"]+)"/.exec(body)?.[1] ?? '', machineMs()])
  if (isHolding) held.add(response)
  else response.end()
  if (arrivals.length === expected) say({ word: 'arrived', arrivals })
}

process.on('message', (order: ReceiverOrder) => {
  if (order.order === 'expect') {
    expected = order.count
    isHolding = order.hold
    arrivals = []
    say({ word: 'ready' })
    return
  }
  isHolding = false
  say({ word: 'released', atMs: machineMs(), arrived: arrivals.length })
  for (const response of held) response.cork(() => response.end())
  held = new Set()
})
