import type { Sender } from '../webhooks/sender.js'

/**
 * A sender that is created for the first delivery, so that a start does not wait for its HTTP client, and a service
 * without webhooks never loads it.
 */
export function createLateSender(make: () => Promise<Sender>): Sender {
  let making: Promise<Sender> | null = null
  let made: Sender | null = null
  let isClosed = false

  async function makeOnce(): Promise<Sender> {
    made = await make()
    if (isClosed) made.close()
    return made
  }

  return {
    async send(delivery) {
      making ??= makeOnce()
      const sender = made ?? (await making)
      return sender.send(delivery)
    },
    close() {
      isClosed = true
      made?.close()
    },
  }
}
