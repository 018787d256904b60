import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Random } from '../simulation/random.js'
import { openReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js'

/** Of an answer that gets lost after the receiver has taken the webhook. */
const LOST = 1 / 20

/** A webhook that a shop has taken. */
export interface Taken {
  /** The path under which it came, without the slash. */
  readonly shop: string
  /** `webhook-id`. */
  readonly id: string
  readonly body: string
  /** `X-Service-Signature`. */
  readonly signature: string
}

/** The servers of all shops, which are away at times. */
export class ShopReceiver {
  /** Shops whose server is away. */
  readonly away = new Set<string>()
  /** Secrets by owner; all that have held. */
  readonly secrets = new Map<string, string[]>()
  readonly taken: Taken[] = []
  /** What changed under its id. */
  readonly wrong: string[] = []
  refused = 0
  private readonly bodies = new Map<string, string>()

  private constructor(
    private readonly random: Random,
    private readonly server: Receiver,
  ) {}

  static async open(random: Random): Promise<ShopReceiver> {
    let take = (_request: ReceivedRequest, response: ServerResponse): void => void response.end()
    const server = await openReceiver((request, response) => take(request, response))
    const receiver = new ShopReceiver(random, server)
    take = (request, response) => receiver.take(request, response)
    return receiver
  }

  urlOf(shop: string): string {
    return `${this.server.url}/${shop}`
  }

  isSigned({ shop, body, signature }: Taken): boolean {
    return (this.secrets.get(shop) ?? []).some(
      (secret) => createHmac('sha256', secret).update(body).digest('hex') === signature,
    )
  }

  close(): Promise<void> {
    return this.server.close()
  }

  private take({ path, headers, body }: ReceivedRequest, response: ServerResponse): void {
    const shop = path.slice(1)
    if (this.away.has(shop)) {
      this.refused += 1
      // Half of the time there is a proxy that says so, half of the time nothing.
      if (this.random.chance(1 / 2)) response.writeHead(503).end()
      else response.destroy()
      return
    }
    const id = String(headers['webhook-id'])
    const text = body.toString()
    const known = this.bodies.get(id)
    if (known !== undefined && known !== text) this.wrong.push(`${shop} got two webhooks with the id ${id}`)
    this.bodies.set(id, text)
    this.taken.push({ shop, id, body: text, signature: String(headers['x-service-signature']) })
    if (this.random.chance(LOST)) response.writeHead(500).end()
    else response.writeHead(204).end()
  }
}
