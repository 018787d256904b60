import { type RequestOptions as PlainOptions, request as requestPlain } from 'node:http'
import { Agent, request } from 'node:https'
import { json as jsonOf } from 'node:stream/consumers'

const ANSWER_MS = 10_000

/** Begins the code of what was not answered. */
export const NO_ANSWER = 'no answer'

/** An answer; status 0 stands for none that came whole. */
export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the checks read whatever field they are about.
  readonly json: any
}

/** What is asked, and where. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A client that trusts the certificates of the service and no others. */
export class HttpsClient {
  private readonly kept: Agent
  private readonly fresh: Agent
  private asked = 0

  constructor(
    private readonly port: number,
    certificates: readonly string[],
  ) {
    const ca = [...certificates]
    this.kept = new Agent({ ca, keepAlive: true })
    this.fresh = new Agent({ ca, keepAlive: false, maxCachedSessions: 0 })
  }

  /** Every fourth request has a connection of its own. */
  async ask(asked: Asked): Promise<Answered> {
    this.asked += 1
    const agent = this.asked % 4 === 0 ? this.fresh : this.kept
    return answerTo((options) => request({ ...options, agent, host: '127.0.0.1', port: this.port }), asked)
  }

  close(): void {
    this.kept.destroy()
  }
}

/** Asks as the operator does, through the socket in the data directory, where nothing is signed. */
export function askAdmin(socketPath: string, asked: Asked): Promise<Answered> {
  return answerTo((options) => requestPlain({ ...options, socketPath }), asked)
}

async function answerTo(
  open: (options: PlainOptions) => ReturnType<typeof request>,
  { method, path, headers, body }: Asked,
): Promise<Answered> {
  try {
    return await new Promise((resolve, reject) => {
      const sent = open({ method, path, headers: { ...headers }, timeout: ANSWER_MS })
      sent.on('error', reject)
      sent.on('timeout', () => sent.destroy(new Error('no answer')))
      sent.on('response', (answer) => {
        const status = answer.statusCode ?? 0
        jsonOf(answer).then((json) => resolve({ status, json }), reject)
      })
      sent.end(body)
    })
  } catch (error) {
    const { message } = error as Error
    return { status: 0, json: { code: `${NO_ANSWER} (${message})` } }
  }
}
