import { Child } from '../child.js'

/** An answer that never changes. */
export interface ConstantAnswer {
  /** With its reason: `201 Created`. */
  readonly status: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Headers that uWebSockets.js writes itself. */
const OWN_HEADERS = ['content-length', 'date', 'connection', 'keep-alive', 'uwebsockets']

/** uWebSockets.js with nothing behind it, in a process of its own. */
export async function startConstantServer(
  answer: ConstantAnswer,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = Child.start('./limits/echo-child.js', answer)
  const { url } = await child.message<{ readonly url: string }>()
  return { url, stop: () => child.stop() }
}

/** Records an answer of a server, to be repeated without the server's work. */
export async function constantOf(response: Response): Promise<ConstantAnswer> {
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name))
  return { status: `${response.status} ${response.statusText}`, headers, body: await response.text() }
}
