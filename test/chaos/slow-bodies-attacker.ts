import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { addressFor } from './load-client.js'

/** What to send, from a thread of its own: whoever measures must not wait for it. */
export interface Attack {
  readonly port: number
  readonly head: string
  readonly bodyBytes: number
  /** Sent again and again until the body is whole. */
  readonly piece: string
  /** Bodies in all, and at once. */
  readonly bodies: number
  readonly atOnce: number
  /** They are spread over so long. */
  readonly durationMs: number
  /** Whether a connection is kept when its body is sent, unfinished. */
  readonly holdsOn: boolean
}

const FROM = '127.0.2.1'
/** The crowd leaves after so long, or as long as it took to come. */
const HOLD_MS_MAX = 3_000

const attack: Attack = workerData
const body = Buffer.from(attack.piece.repeat(Math.ceil(attack.bodyBytes / attack.piece.length)))
const held = new Set<Socket>()
let begun = 0
let sentBytes = 0

async function sendOne(): Promise<void> {
  const n = begun
  begun += 1
  const socket = connect({ port: attack.port, host: '127.0.0.1', localAddress: addressFor(n, FROM) })
  await new Promise<void>((resolve) => {
    socket.on('error', () => undefined)
    socket.on('close', () => {
      held.delete(socket)
      sentBytes += socket.bytesWritten
      resolve()
    })
    socket.resume()
    socket.write(attack.head)
    socket.write(body, () => {
      if (!attack.holdsOn) socket.destroy()
      held.add(socket)
      resolve()
    })
  })
}

const startedAt = performance.now()

async function sendInTurn(): Promise<void> {
  while (begun < attack.bodies) {
    const dueMs = startedAt + (begun / attack.bodies) * attack.durationMs - performance.now()
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    else await sendOne()
  }
}

await Promise.all(Array.from({ length: attack.atOnce }, sendInTurn))
if (attack.holdsOn) await new Promise((resolve) => setTimeout(resolve, Math.min(HOLD_MS_MAX, attack.durationMs)))
for (const socket of held) socket.destroy()
parentPort?.postMessage({ begun, sentBytes })
