import type { MessagePort } from 'node:worker_threads'
import type { Message } from './messages.js'

/** Gathers what one turn of the loop has to tell, and sends it as one message. */
export class Outgoing<T> {
  private message: Message = []
  private count = 0
  private isScheduled = false

  constructor(
    private readonly port: Pick<MessagePort, 'postMessage'>,
    private readonly add: (message: Message, item: T) => void,
    /** A message of so many items is sent before the turn has ended. */
    private readonly limit: number,
  ) {}

  push(item: T): void {
    this.add(this.message, item)
    this.count += 1
    if (this.count >= this.limit) {
      this.send()
    } else if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(() => {
        this.isScheduled = false
        if (this.count > 0) this.send()
      })
    }
  }

  private send(): void {
    const { message } = this
    this.message = []
    this.count = 0
    this.port.postMessage(message)
  }
}
