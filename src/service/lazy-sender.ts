import type { DeliveryResult } from '../domain/webhook.js'
import type { OutgoingDelivery, Sender } from '../webhooks/sender.js'

/**
 * A sender that is created for the first delivery, so that a start does not wait for its HTTP client, and a service
 * without webhooks never loads it.
 */
export class LazySender implements Sender {
  private making: Promise<Sender> | null = null
  private made: Sender | null = null
  private isClosed = false

  constructor(private readonly make: () => Promise<Sender>) {}

  async send(delivery: OutgoingDelivery): Promise<DeliveryResult> {
    this.making ??= this.makeOnce()
    const sender = this.made ?? (await this.making)
    return sender.send(delivery)
  }

  close(): void {
    this.isClosed = true
    this.made?.close()
  }

  private async makeOnce(): Promise<Sender> {
    this.made = await this.make()
    if (this.isClosed) this.made.close()
    return this.made
  }
}
