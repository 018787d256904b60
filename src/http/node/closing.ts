import type { Socket } from 'node:net'
import { FewAtOnce } from '../../base/few-at-once.js'
import { EVENT_LOOP } from '../../base/turns.js'

/** Ends and closings of connections in one turn of the event loop: of each, what Node does and what its requests have left. */
export const CLOSED_AT_ONCE = 50

/**
 * What the clients' ends and the closings of connections cause, in turns. By default the engine does it for all connections at once that
 * a poll finds ended: where a thousand pages go together, that took 20 to 60 ms.
 */
export class Closings {
  private readonly few = new FewAtOnce(CLOSED_AT_ONCE, EVENT_LOOP.afterOthers)

  /** Has those wait that listen to a connection's end and closing by now. */
  delay(socket: Socket): void {
    // The parser that the end is reported to belongs to another connection when this one has been closed.
    delayed(socket, 'end', (listener) => this.few.do(() => socket.destroyed || listener()))
    delayed(socket, 'close', (listener) => this.few.do(listener))
  }
}

function delayed(socket: Socket, event: 'end' | 'close', later: (listener: () => void) => void): void {
  const listeners = socket.listeners(event)
  socket.removeAllListeners(event)
  socket.on(event, (...given: unknown[]) =>
    later(() => {
      for (const listener of listeners) listener.apply(socket, given)
    }),
  )
}
