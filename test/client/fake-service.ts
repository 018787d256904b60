import assert from 'node:assert/strict'
import type { BillhookOptions } from '@billhook/client'

/** A request as `fetch` was given it. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly init: RequestInit
}

/** What `fetch` answers, or throws. */
export type Scripted =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | Error

/** A service that answers by a script, one answer for each request. */
export class FakeService {
  readonly asked: Asked[] = []

  constructor(private readonly script: readonly Scripted[]) {}

  readonly fetch = (async (url: string, init: RequestInit) => {
    const { method = 'GET', headers, body } = init
    this.asked.push({ method, url, headers: headers as Record<string, string>, body: body as string | undefined, init })
    const answer = this.script[this.asked.length - 1] ?? assert.fail('more requests than answers')
    if (answer instanceof Error) throw answer
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
    return new Response(text, { status: answer.status, headers: answer.headers ?? {} })
  }) as NonNullable<BillhookOptions['fetch']>
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}, field?: string): Scripted {
  return { status, headers, body: { error: `Text of ${code}.`, code, ...(field === undefined ? {} : { field }) } }
}
