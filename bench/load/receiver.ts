import { Child } from '../child.js'
import type { ReceiverOrder, ReceiverWord } from './receiver-messages.js'

type Word<W extends ReceiverWord['word']> = Extract<ReceiverWord, { word: W }>

/** A receiver of webhooks on loopback, in a process of its own. */
export class WebhookReceiver {
  private constructor(
    private readonly child: Child,
    readonly url: string,
  ) {}

  static async open(): Promise<WebhookReceiver> {
    const child = Child.start('./load/receiver-child.js', null)
    const { url } = await child.message<Word<'listening'>>()
    return new WebhookReceiver(child, url)
  }

  /** Restarts the count of arrivals; with `hold` none is answered before the release. */
  async expect(count: number, hold: boolean): Promise<void> {
    await this.ask<Word<'ready'>>({ order: 'expect', count, hold })
  }

  release(): Promise<Word<'released'>> {
    return this.ask<Word<'released'>>({ order: 'release' })
  }

  /** Resolves when all have arrived: arrival times by transaction hash, in ms of the machine's clock. */
  async arrivals(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.child.message<Word<'arrived'>>()).arrivals)
  }

  close(): Promise<void> {
    return this.child.stop()
  }

  private ask<W>(order: ReceiverOrder): Promise<W> {
    this.child.send(order)
    return this.child.message<W>()
  }
}
