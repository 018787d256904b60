import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

/** One connection, one request at a time. */
export class SerialClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(private readonly url: string) {}

  /** Returns the time until the answer was complete, in µs. Throws unless it was a success. */
  async send(method: string, path: string, body?: string): Promise<number> {
    const startedAt = performance.now()
    const sent = request(`${this.url}${path}`, { method, agent: this.agent })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    const took = (performance.now() - startedAt) * 1000
    if ((answer.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode}`)
    return took
  }

  close(): void {
    this.agent.destroy()
  }
}
