import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { refusalOf } from '@billhook/client'
import type { Operator } from '../domain/audit.js'
import type { Decimals } from '../domain/network.js'
import type { ServiceStatus } from '../http/routes/admin.js'
import type { WorkRecord } from '../http/routes/work-answer.js'
import { OperatorError } from '../operator-error.js'
import { adminSocketPath } from '../service/admin-socket.js'
import { operatorHeader } from '../service/command-operator.js'
import type { Given, ProcessIo } from './billhook-command.js'
import { withProcess } from './local-work.js'
import { commandLineOperator } from './operator.js'
import { ProgressLine } from './progress-line.js'
import { answers } from './served-data.js'
import { socketFetch } from './socket-fetch.js'

/** What requests over the socket are addressed to. */
export const ADMIN_URL = 'http://localhost'

export interface Reply {
  readonly status: number
  /** Parsed; null for an answer without a body. */
  readonly body: unknown
}

/** What a piece of long work ended with, and what it printed on the way. */
export interface WorkOptions {
  /** What is counted, in the plural; without it no progress is shown. */
  readonly unit?: string
  /** Awaited, so that a slow reader of the output slows the work instead of filling the memory. */
  readonly onItem?: (item: unknown) => void | Promise<void>
  /** Sent as JSON; absent for a body that is streamed. */
  readonly body?: unknown
}

/** The process that holds the data directory: a running service, or this one. */
export class Admin {
  /** Sends to that process, whatever the host in the address. */
  readonly fetch: typeof fetch

  constructor(
    private readonly socketPath: string,
    operator: Operator,
    private readonly io: ProcessIo,
    private readonly stop: AbortSignal,
  ) {
    this.fetch = socketFetch(socketPath, operatorHeader(operator))
  }

  /** Sends a request as the API takes it. Throws `BillhookError` when the answer is not a success. */
  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    return await replyOf(await this.send(method, path, jsonOf(body)))
  }

  /** The same with a body that is JSON already. */
  async callWith(method: string, path: string, json: string): Promise<Reply> {
    return await replyOf(await this.send(method, path, json))
  }

  /** The answer, whose body is left to the caller. */
  private async send(method: string, path: string, json: string | null): Promise<Response> {
    const headers: Record<string, string> = json === null ? {} : { 'Content-Type': 'application/json' }
    const response = await this.fetch(ADMIN_URL + path, { method, headers, body: json, signal: this.stop })
    const refusal = await refusalOf(response, this.socketPath)
    if (refusal !== null) throw refusal
    return response
  }

  /**
   * Has long work done that answers with records, and shows its progress. Resolves with the result; throws when the work
   * failed or was cut off.
   */
  async work(
    method: string,
    path: string,
    { unit, onItem, body }: WorkOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.send(method, path, jsonOf(body))
    // Records that scroll by on the terminal are progress enough, and a bar would be among them.
    const isSeen = onItem !== undefined && this.io.isOutputTerminal
    const line = unit === undefined || isSeen ? null : new ProgressLine({ ...this.io, unit })
    try {
      for await (const text of createInterface({
        input: Readable.from(response.body ?? []),
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        const record = JSON.parse(text) as WorkRecord
        if (record.type === 'done') return record.result
        if (record.type === 'failed') throw new Error(record.error)
        if (record.type === 'progress') line?.show(record.done, record.total, record.what)
        else await onItem?.(record.item)
      }
    } finally {
      line?.clear()
    }
    throw new Error('the service ended before the work was done')
  }
}

function jsonOf(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

/**
 * Runs a command on the data directory of the settings: through `admin.sock` when a service runs there, else on the directory
 * itself, with the same work behind the same socket. `which` directories are taken: those with data; those of a running service
 * alone, so that a service that starts meanwhile finds its directory free; or empty ones too. Resolves with the exit code.
 */
export function withAdmin(
  given: Given,
  command: (admin: Admin, io: ProcessIo, stop: AbortSignal) => Promise<number>,
  which: 'with data' | 'served' | 'empty too' = 'with data',
): Promise<number> {
  return withProcess(given, async (io, stop) => {
    const { settings, context } = given
    const { path, release } = adminSocketPath(settings.dataDirectory)
    let close: (() => Promise<void>) | null = null
    try {
      if (!(await answers(path))) {
        if (which === 'served')
          throw new OperatorError(`no service runs on the data directory ${settings.dataDirectory}`)
        const { startOffline } = await import('../service/offline.js')
        close = await startOffline(settings, io.log, io.clock, which === 'empty too')
      }
      return await command(new Admin(path, commandLineOperator(context.environment), io, stop), io, stop)
    } finally {
      await close?.()
      release()
    }
  })
}

/** Decimal places by network and currency, as the process says that holds the data. */
export async function decimalsOf(admin: Admin): Promise<Decimals> {
  return ((await admin.call('GET', '/admin/status')).body as ServiceStatus).decimals
}
