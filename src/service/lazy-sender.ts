import type { DeliveryResult } from '../domain/webhook.js'
import type { OutgoingDelivery, Sender } from '../webhooks/sender.js'

/**
 * A sender that is created for the first delivery, so that a start does not wait for its HTTP client, and a service
 * without webhooks never loads it.
 */
export class LazySender implements Sender {
  private made: Promise<Sender> | null = null

  constructor(private readonly make: () => Promise<Sender>) {}

  async send(delivery: OutgoingDelivery): Promise<DeliveryResult> {
    this.made ??= this.make()
    return (await this.made).send(delivery)
  }

  close(): void {
    // The deliveries report that no sender could be made.
    this.made?.then((sender) => sender.close()).catch(() => {})
  }
}
