import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { CreationName } from './creation.js'
import type { Answer } from './main.js'
import type { SetUp } from './set-up.js'

/** The ordinary stack: Fastify, node:crypto and PostgreSQL, in processes of their own. */
export interface OrdinaryStack {
  /** Answers signed `POST /api/invoices` and `GET /api/invoices/:id`. */
  readonly url: string
  /** The process id of Fastify. */
  readonly pid: number
  readonly version: string
  stop(): Promise<void>
}

/**
 * Starts the ordinary stack with its data in `directory`. Throws an Error with the reason when it cannot run here. As
 * root it creates a user `postgres` unless there is one, because PostgreSQL refuses to run as root.
 */
export async function startOrdinary(directory: string, creation: CreationName, setUp: SetUp): Promise<OrdinaryStack> {
  // A verification keeps a core busy, so more threads than cores (Node's default is four) gain nothing.
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism()) }
  const child = fork(fileURLToPath(new URL('./main.js', import.meta.url)), [directory, creation], { env })
  const ended = once(child, 'exit')
  child.send(setUp)
  const [answer] = await Promise.race([
    once(child, 'message') as Promise<[Answer]>,
    ended.then((): [Answer] => [{ error: 'The ordinary stack ended before it was ready.' }]),
  ])
  if ('error' in answer) {
    await ended
    throw new Error(answer.error)
  }
  return {
    ...answer,
    pid: child.pid ?? 0,
    stop: async () => {
      child.disconnect()
      await ended
    },
  }
}
